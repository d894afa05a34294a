"""Arrays that compiled code works on, made for one problem."""

from collections.abc import Sequence

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.active_set._machines_fast import (
    BIAS,
    MOST_AT_ONCE,
    N_COUNTS,
    N_NUMBERS,
    SHIFT,
    TOL,
    UNIT_OF_ROUNDING,
    Machines,
    Scratch,
    SplitIndex,
)

# Violations below this are rounding; the optimum is exact to it.
SMALLEST_RESIDUAL = 1e-9
# A Gram matrix of so many rows takes 8 MB, and a factor of all of them as much.
_MOST_ROWS = 1000


def has_few_rows(n: int) -> bool:
    """Whether so many rows are few enough for a whole Gram matrix, and for pivots from nothing."""
    return n <= _MOST_ROWS


def new_numbers(
    beta: FloatArray, f: FloatArray, problems: Sequence[DualProblem], largest: float
) -> FloatArray:
    """Bias, tolerance and shift of machines with ``f = K beta - y``: (n_machines, N_NUMBERS).

    `largest` is the largest diagonal entry of K.
    """
    numbers = np.zeros((len(beta), N_NUMBERS))
    for own, variables, gradient, problem in zip(numbers, beta, f, problems, strict=True):
        own[BIAS] = DualSolution(variables, gradient, 0, True).bias(problem)
    rounding = UNIT_OF_ROUNDING * largest * np.abs(beta).sum(axis=1)
    numbers[:, TOL] = np.maximum(SMALLEST_RESIDUAL, rounding)
    numbers[:, SHIFT] = largest if largest > 0.0 else 1.0
    return numbers


def new_machines(
    box: tuple[FloatArray, FloatArray, FloatArray],
    beta: FloatArray,
    numbers: FloatArray,
    index: tuple[IntArray, IntArray],
    capacity: int,
) -> Machines:
    """States of machines with empty free sets that may hold up to `capacity` rows.

    `box` holds y, the lower and the upper bounds of all machines, (n_machines, n) each; `index` the split
    and the number of the class of each machine.
    """
    n_machines, n = beta.shape
    return Machines(
        *(box[0], beta.copy(), *box[1:]),
        free=np.zeros((n_machines, capacity), dtype=np.int64),
        place=np.full((n_machines, n), -1, dtype=np.int64),
        residual=np.zeros((n_machines, capacity)),
        U=np.zeros((n_machines, capacity, capacity)),
        ones=np.zeros((n_machines, capacity)),
        counts=np.zeros((n_machines, N_COUNTS), dtype=np.int64),
        numbers=numbers,
        split=index[0],
        positive=index[1],
    )


def stacked_box(problems: Sequence[DualProblem]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Signs, lower and upper bounds of machines over the same rows: (n_machines, n) each."""
    return (
        np.stack([problem.y for problem in problems]),
        np.stack([problem.low for problem in problems]),
        np.stack([problem.high for problem in problems]),
    )


def one_split(n: int, n_machines: int) -> SplitIndex:
    """The only split: n rows to train on, none to predict."""
    zero, none = np.array([0]), np.zeros(0, dtype=np.int64)
    size = np.array([n])
    return SplitIndex(zero, size, size, zero, np.array([n_machines]), zero, none, np.zeros(0), np.zeros(0), 0)


def new_scratch(capacity: int, n_rows: int, n_columns: int) -> Scratch:
    """Arrays for the vectors of one machine at a time, over its free set, rows and columns."""
    return Scratch(
        z=np.zeros(capacity + 1),
        d=np.zeros(capacity + 1),
        work=np.zeros(capacity + 1),
        row=np.zeros(n_columns),
        column=np.zeros(n_rows),
        moved=np.zeros(n_rows),
        is_moved=np.zeros(n_rows, dtype=bool),
        rows=np.zeros(n_rows, dtype=np.int64),
        keys=np.zeros(n_rows),
        copy=np.zeros(n_rows),
        asked=np.zeros(n_rows, dtype=np.int64),
        entering=np.zeros(MOST_AT_ONCE, dtype=np.int64),
    )
