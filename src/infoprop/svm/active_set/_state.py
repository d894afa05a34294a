"""Arrays that compiled code works on, made for one problem."""

from collections.abc import Sequence

import numpy as np

from infoprop._core._typing import FloatArray
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.active_set._pivots_fast import BIAS, N_NUMBERS, SHIFT, TOL, Scratch

# Violations below this are rounding; the optimum is exact to it.
SMALLEST_RESIDUAL = 1e-9
# f is known to about a hundred units in the last place of its largest term.
UNIT_OF_ROUNDING = 100.0 * float(np.finfo(float).eps)


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


def new_scratch(capacity: int, n_columns: int) -> Scratch:
    """Room for the vectors of one machine at a time."""
    return Scratch(
        np.zeros(capacity + 1), np.zeros(capacity + 1), np.zeros(capacity + 1), np.zeros(n_columns)
    )
