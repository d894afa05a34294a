"""StepTables: the confusion tables of a search's steps, each different one kept and measured once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import FloatArray, IntArray
from infoprop.metrics import ConfusionCounts, InformationFlow

MEASURES = (
    "information",
    "relative_information",
    "standard_error",
    "accuracy",
    "error_lower",
    "error_upper",
)


@dataclass(frozen=True, eq=False)
class StepTables(FrozenArrays):
    """Confusion tables of many steps.

    Few rows make few tables: most steps of a long path repeat one. A table is measured when somebody asks.

    Attributes
    ----------
    tables : ndarray of shape (n_tables, L, L)
        The different tables, in the order of their first step.
    table_of_step : ndarray of shape (n_steps,)
        Number of each step's table.
    n_samples : float
        Effective number of rows counted in each; with 0 all measures are NaN.

    Examples
    --------
    >>> right, wrong = [[2.0, 0.0], [0.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]
    >>> tables = StepTables.from_counts(np.array([right, right, wrong]), n_samples=4.0)
    >>> tables.table_of_step.tolist(), tables.column("accuracy").tolist()
    ([0, 0, 1], [1.0, 1.0, 0.5])
    """

    tables: FloatArray
    table_of_step: IntArray
    n_samples: float

    @classmethod
    def from_counts(cls, counts: FloatArray, n_samples: float) -> Self:
        """Take the table of every step, shape (n_steps, L, L)."""
        flat = counts.reshape(len(counts), -1)
        is_new = np.ones(len(counts), dtype=bool)
        is_new[1:] = (flat[1:] != flat[:-1]).any(axis=1)
        known: dict[bytes, int] = {}
        numbers = [known.setdefault(table.tobytes(), len(known)) for table in counts[is_new]]
        table_of_step = np.array(numbers, dtype=np.intp)[np.cumsum(is_new) - 1]
        _, first = np.unique(table_of_step, return_index=True)
        return cls(counts[first], table_of_step, n_samples)

    def of_step(self, step: int) -> dict[str, float]:
        """All measures of one step, by name."""
        return dict(zip(MEASURES, self._measured(int(self.table_of_step[step])), strict=True))

    def column(self, name: str) -> FloatArray:
        """One measure of every step: shape (n_steps,)."""
        place = MEASURES.index(name)
        values = [self._measured(table)[place] for table in range(len(self.tables))]
        return np.array(values, dtype=np.float64)[self.table_of_step]

    @cached_property
    def _known(self) -> dict[int, tuple[float, ...]]:
        return {}

    def _measured(self, table: int) -> tuple[float, ...]:
        if table not in self._known:
            self._known[table] = self._measure(self.tables[table])
        return self._known[table]

    def _measure(self, counts: FloatArray) -> tuple[float, ...]:
        if self.n_samples == 0.0:
            return (float("nan"),) * len(MEASURES)
        # What the labels are called changes no measure.
        flow = InformationFlow.from_counts(ConfusionCounts(np.arange(len(counts)), counts, self.n_samples))
        bounds = flow.error_bounds
        return (
            flow.information,
            flow.relative_information,
            flow.standard_error,
            flow.accuracy,
            bounds.lower,
            bounds.upper,
        )
