"""What a search reports to while it runs: a journal and a progress bar."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from infoprop.selection._progress import Progress


class StepJournal(Protocol):
    """Where steps are written down, so that a killed search can go on."""

    def records(self) -> list[dict[str, Any]]:
        """Return the records written before, up to the last state."""

    def state(self) -> Mapping[str, Any] | None:
        """Return the last state written, None if there is none."""

    def append(self, records: Sequence[Mapping[str, Any]], state: Mapping[str, Any]) -> None:
        """Write records, and the state that stands after them, all or nothing."""


class NoJournal:
    """A journal that keeps nothing."""

    def records(self) -> list[dict[str, Any]]:
        """Return nothing."""
        return []

    def state(self) -> Mapping[str, Any] | None:
        """Return nothing."""
        return None

    def append(self, records: Sequence[Mapping[str, Any]], state: Mapping[str, Any]) -> None:
        """Forget it."""


@dataclass(frozen=True)
class Work:
    """What the template hands to a search besides the data."""

    journal: StepJournal = field(default_factory=NoJournal)
    progress: Progress = field(default_factory=Progress)
