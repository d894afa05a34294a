"""What a report keeps of a front door: what was tried, what was taken, and which pairs work together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from infoprop.report._parts import printable
from infoprop.report._words import percent
from infoprop.selection import InteractionScreen

N_INTERACTIONS = 10
"""Pairs of features listed."""

FOUND = 0.05
"""Pairs of which chance would give fewer are listed."""

_N_NAMED = 3


@dataclass(frozen=True)
class CandidateSummary:
    """One candidate at its best size: how often right on rows left out; `taken` is at the size taken."""

    name: str
    n_features: int | None
    accuracy: float
    error: float | None
    taken: bool

    @property
    def right(self) -> str:
        """How often right, with its error."""
        return percent(self.accuracy) + ("" if self.error is None else f" ± {100 * self.error:.1f}")


@dataclass(frozen=True)
class FrontSummary:
    """What was tried and why one was taken."""

    reason: str
    candidates: tuple[CandidateSummary, ...]

    @property
    def sentence(self) -> str:
        """What was taken and why."""
        return self.reason


@dataclass(frozen=True)
class InteractionSummary:
    """Two features whose product goes with a class: how strongly, and how many such pairs chance would give.

    `z` is in standard deviations of chance; `shape` is "monotone" (low and high together, as in XOR) or
    "middle" (how far each is from its middle).
    """

    first: str
    second: str
    shape: str
    label: str
    z: float
    expected: float


@dataclass(frozen=True)
class InteractionsSummary:
    """Pairs of features that work together, the strongest first."""

    pairs: tuple[InteractionSummary, ...]

    @property
    def sentence(self) -> str:
        """The first pairs in words."""
        if not self.pairs:
            return "No two features tell more about the class together than chance would give."
        told = [f"{pair.first} and {pair.second} (z = {pair.z:.1f})" for pair in self.pairs[:_N_NAMED]]
        more = len(self.pairs) - len(told)
        return f"Pairs that work together: {', '.join(told)}{f' and {more} more' if more else ''}."


def front_of(selector: Any) -> FrontSummary | None:
    """The numbers of a fitted :class:`~infoprop.selection.FeatureSelector`."""
    if selector is None:
        return None
    taken, found = selector.best_, selector.comparison_
    candidates = []
    for name in found.methods:
        best = taken if name == taken.method else max(found.of(name), key=lambda choice: choice.accuracy)
        error = None if best.accuracy_error != best.accuracy_error else float(best.accuracy_error)
        candidates.append(
            CandidateSummary(printable(name), best.size, float(best.accuracy), error, best is taken)
        )
    candidates += [
        CandidateSummary(printable(name), None, float(accuracy), None, False)
        for name, accuracy in selector.given_up_.items()
    ]
    return FrontSummary(printable(selector.reason_), tuple(candidates))


def interactions_of(
    screen: InteractionScreen | None, column_names: Sequence[str] | None, owners: Sequence[str] | None
) -> InteractionsSummary | None:
    """Pairs of columns of different features that chance would hardly give."""
    if screen is None:
        return None
    n_columns = len(screen.feature_names)
    has_names = column_names is not None and len(column_names) == n_columns
    names = column_names if has_names else screen.feature_names
    of = owners if owners is not None and len(owners) == n_columns else range(n_columns)
    assert names is not None
    return InteractionsSummary(
        tuple(
            InteractionSummary(
                printable(names[pair.columns[0]]),
                printable(names[pair.columns[1]]),
                pair.shape,
                printable(pair.indicator),
                pair.z,
                pair.expected,
            )
            for pair in screen.pairs
            if pair.expected < FOUND and of[pair.columns[0]] != of[pair.columns[1]]
        )[:N_INTERACTIONS]
    )
