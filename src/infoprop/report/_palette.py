"""Which class has which colour: the strongest classes their own, all others one together."""

from dataclasses import dataclass

from infoprop.report._parts import FeatureSummary
from infoprop.report._summary import ReportSummary

N_COLOURS = 8
"""Colours that can still be told apart: ``.k0`` to ``.k7`` in the style sheet, ``.kx`` for the rest."""


@dataclass(frozen=True)
class Band:
    """Classes drawn as one: a colour, a name, the bits of their indicators."""

    style: str
    name: str
    members: tuple[int, ...]
    credit: float

    def credit_of(self, feature: FeatureSummary) -> float:
        """Bits of `feature` that go to this band's classes."""
        return sum(feature.by_class[member] for member in self.members)


def bands(summary: ReportSummary) -> tuple[Band, ...]:
    """The bands of `summary`, in the order of its classes."""
    classes = summary.classes
    if len(classes) <= N_COLOURS:
        own = list(range(len(classes)))
    else:
        by_credit = sorted(range(len(classes)), key=lambda number: (-classes[number].credit, number))
        own = sorted(by_credit[: N_COLOURS - 1])
    result = [
        Band(f"k{colour}", classes[number].label, (number,), classes[number].credit)
        for colour, number in enumerate(own)
    ]
    rest = tuple(number for number in range(len(classes)) if number not in own)
    if rest:
        credit = sum(classes[number].credit for number in rest)
        result.append(Band("kx", f"{len(rest)} other classes", rest, credit))
    return tuple(result)
