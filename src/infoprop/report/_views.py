"""What a page shows of one model: its flow, its bars, its table of features and what drives each class.

After a choice there are two: the model trained on the chosen features, and the one with all of them.
"""

from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest

from infoprop.report._feature_table import (
    N_STATIC_ROWS,
    N_TABLE_ROWS,
    feature_data,
    has_class_columns,
    has_strongest,
)
from infoprop.report._figures import (
    N_CHOSEN_SOURCES,
    N_PAPER_BARS,
    N_SOURCES,
    credit_bars,
    n_bars_of,
    sankey,
)
from infoprop.report._markup import Markup
from infoprop.report._palette import Band, bands
from infoprop.report._parts import ClassSummary, FeatureSummary
from infoprop.report._summary import ReportSummary

N_DRIVERS = 3
"""Features named for each class."""


@dataclass(frozen=True)
class Driver:
    """A class, how many of its rows were named right, and the features that are worth the most to it."""

    entry: ClassSummary
    n_right: float
    features: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class CreditView:
    """One model on the page. `key` begins the names of its elements."""

    key: str
    summary: ReportSummary
    bands: tuple[Band, ...]
    sankey: Markup
    paper_sankey: Markup
    bars: Markup
    drivers: tuple[Driver, ...]
    data: Markup

    @classmethod
    def of(cls, summary: ReportSummary, key: str = "") -> "CreditView":
        """Draw a summary."""
        return cls(
            key,
            summary,
            bands(summary),
            sankey(summary, N_CHOSEN_SOURCES if key else N_SOURCES),
            # With more features the letters would be too small on a sheet of paper.
            sankey(summary, N_SOURCES) if key and summary.n_features > N_SOURCES + 1 else Markup(""),
            credit_bars(summary),
            drivers_of(summary),
            feature_data(summary),
        )

    @property
    def n_bars(self) -> int:
        """Features drawn as bars."""
        return n_bars_of(self.summary)

    @property
    def n_paper_bars(self) -> int:
        """Features drawn as bars on paper; 0 if all are."""
        return N_PAPER_BARS if self.n_bars > N_PAPER_BARS else 0

    @cached_property
    def rows(self) -> tuple[FeatureSummary, ...]:
        """Rows of the table that stand in the page itself."""
        return self.summary.features[:N_STATIC_ROWS]

    @property
    def n_listed(self) -> int:
        """Features that fit into the table."""
        return min(N_TABLE_ROWS, self.summary.n_features)

    @cached_property
    def total(self) -> float:
        """Bits of all features."""
        return sum(feature.credit for feature in self.summary.features)

    @cached_property
    def largest(self) -> float:
        """Most bits of a feature."""
        return max((feature.credit for feature in self.summary.features), default=0.0)

    @cached_property
    def largest_by_class(self) -> float:
        """Most bits of a feature through one class."""
        return max((max(feature.by_class) for feature in self.summary.features), default=0.0)

    @cached_property
    def has_class_columns(self) -> bool:
        """Whether the table has a column for every class."""
        return has_class_columns(self.summary)

    @cached_property
    def has_strongest(self) -> bool:
        """Whether the table names the class that a feature is worth the most for."""
        return has_strongest(self.summary)


def drivers_of(summary: ReportSummary) -> tuple[Driver, ...]:
    """For every class the features that are worth the most to it, whatever the other classes need."""
    told = []
    for number, entry in enumerate(summary.classes):
        best = nlargest(N_DRIVERS, summary.features, key=lambda feature: feature.by_class[number])
        paid = tuple((one.name, one.by_class[number]) for one in best if one.by_class[number] > 0)
        told.append(Driver(entry, summary.confusion[number][number], paid))
    return tuple(told)


def views_of(summary: ReportSummary) -> tuple[CreditView, ...]:
    """The model to show first and, after a choice, the one with all features; none without credits."""
    if not summary.features:
        return ()
    chosen = summary.of_chosen
    every = CreditView.of(summary)
    return (every,) if chosen is None else (CreditView.of(chosen, "chosen-"), every)
