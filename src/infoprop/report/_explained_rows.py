"""What a report keeps of single rows: what every feature adds to the output of the class that wins there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray
from infoprop.credit import RowCredits
from infoprop.report._parts import printable
from infoprop.report._words import signed

N_STEPS = 12
"""Features of a row that are kept one by one; the others are one step together."""

_N_NAMED = 5

N_ROWS = 100
"""Rows at most."""


@dataclass(frozen=True)
class RowStep:
    """A feature, and what it adds to the output."""

    name: str
    value: float


@dataclass(frozen=True)
class RowSummary:
    """Why one row is given its class: ``output = base + steps + others``.

    Attributes
    ----------
    row : int
        Number of the row, from 1.
    label : str
        The class with the largest output, or the one that a single output speaks for by its sign.
    true : str or None
        The class that the row truly has, if it is known.
    output, base : float
        Output for `label` at this row, and where no feature has added anything.
    steps : tuple of RowStep
        The features that move the output the most, largest first.
    n_others : int
        Number of all other features.
    others : float
        What they add, with what no feature accounts for.
    """

    row: int
    label: str
    true: str | None
    output: float
    base: float
    steps: tuple[RowStep, ...]
    n_others: int
    others: float

    @property
    def title(self) -> str:
        """The row, what is said of it, and whether that is right."""
        return f"Row {self.row:,}: {self.label}" + (
            "" if self.true is None else ", which is right" if self.is_right else f"; truly {self.true}"
        )

    @property
    def sentence(self) -> str:
        """The row in words: the features that count the most."""
        most = ", ".join(f"{step.name} {signed(step.value)}" for step in self.steps[:_N_NAMED])
        return f"{self.title} ({signed(self.output)}). Without features {signed(self.base)}; most add {most}."

    @property
    def is_right(self) -> bool:
        """Whether the class is known, and the one that was said."""
        return self.true == self.label


def rows_of(
    rows: RowCredits | None,
    numbers: Sequence[int] | None,
    true: Sequence[Any] | None,
    classes: Sequence[Any],
) -> tuple[RowSummary, ...] | None:
    """Summaries of all rows; `numbers` are from 0, `classes` those of the report."""
    if rows is None:
        return None
    n_rows = len(rows.outputs)
    _check("row_numbers", numbers, n_rows)
    _check("row_classes", true, n_rows)
    if n_rows > N_ROWS:
        raise ParameterError(f"The 'rows' parameter of Report takes at most {N_ROWS} rows. Got {n_rows}.")
    known = range(n_rows) if numbers is None else [int(number) for number in numbers]
    truly = [None] * n_rows if true is None else [printable(label) for label in true]
    return tuple(_row_of(rows, k, known[k] + 1, truly[k], classes) for k in range(n_rows))


def _check(name: str, values: Sequence[Any] | None, n_rows: int) -> None:
    if values is not None and len(values) != n_rows:
        raise ParameterError(
            f"The '{name}' parameter of Report must hold one entry for each of the {n_rows} rows. "
            f"Got {len(values)}."
        )


def _row_of(rows: RowCredits, row: int, number: int, true: str | None, classes: Sequence[Any]) -> RowSummary:
    column = rows.output_number(row)
    label, sign = rows.labels[column], 1.0
    if len(rows.labels) == 1 and rows.outputs[row, 0] <= 0.0:
        # Two classes share one output; what speaks against the second speaks for the first.
        label, sign = next((other for other in classes if other != label), f"not {label}"), -1.0
    values: FloatArray = sign * rows.contributions[row, column]
    order = np.argsort(-np.abs(values), kind="stable")
    kept = order if len(order) <= N_STEPS + 1 else order[:N_STEPS]
    output, base = float(sign * rows.outputs[row, column]), float(sign * rows.base[row, column])
    return RowSummary(
        row=number,
        label=printable(label),
        true=true,
        output=output,
        base=base,
        steps=tuple(RowStep(printable(rows.feature_names[k]), float(values[k])) for k in kept),
        n_others=len(order) - len(kept),
        others=output - base - float(values[kept].sum()),
    )
