"""Where a run says how far it is; what shows it to people derives from this."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


class Steps:
    """The steps of a run, known by name, while nobody watches."""

    @property
    def is_shown(self) -> bool:
        """Whether somebody watches."""
        return False

    def begin(self, what: str) -> None:
        """End the step before and begin the next."""

    def begin_aside(self, what: str) -> None:
        """Begin a step that has a progress bar of its own."""

    def watch(self, items: Iterable[Item], n_items: int, what: str) -> Iterator[Item]:
        """Pass `n_items` on, one by one."""
        yield from items
