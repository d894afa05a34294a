"""Arrays that compiled code works on, made for one problem."""

from collections.abc import Sequence

import numpy as np

from infoprop._core._typing import FloatArray
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.active_set._machines_fast import (
    BIAS,
    MOST_AT_ONCE,
    N_NUMBERS,
    SHIFT,
    TOL,
    UNIT_OF_ROUNDING,
    Scratch,
)

# Violations below this are rounding; the optimum is exact to it.
SMALLEST_RESIDUAL = 1e-9


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
