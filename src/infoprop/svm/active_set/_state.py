"""Arrays that compiled code works on, made for one problem."""

from collections.abc import Iterable, Sequence
from inspect import unwrap

import numpy as np

from infoprop._core._typing import FloatArray, IntArray
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.active_set import _machines_fast as fast
from infoprop.svm.active_set._machines_fast import (
    BIAS,
    N_COUNTS,
    N_NUMBERS,
    SHIFT,
    TOL,
    UNIT_OF_ROUNDING,
    Machine,
)

# Made once for each model: the same code, not worth being compiled for Python.
new_scratch = unwrap(fast.new_scratch)
# Violations below this are rounding; the optimum is exact to it.
SMALLEST_RESIDUAL = 1e-9
# A Gram matrix of so many rows takes 8 MB, and a factor of all of them as much.
_MOST_ROWS = 1000


def has_few_rows(n: int) -> bool:
    """Whether so many rows are few enough for a whole Gram matrix, and for pivots from nothing."""
    return n <= _MOST_ROWS


def new_machines(
    problems: Sequence[DualProblem], beta: FloatArray, capacity: int, start: IntArray | None = None
) -> Machine:
    """States of machines at `beta`, (n_machines, n), with empty free sets for up to `capacity` rows.

    A machine may have fewer rows than n; what belongs to the others is zero. `start` tells where its rows
    begin, at zero by default.
    """
    n_machines, n = beta.shape
    y, low, high = np.zeros((3, n_machines, n))
    for q, problem in enumerate(problems):
        own = slice(problem.y.size)
        y[q, own], low[q, own], high[q, own] = problem.y, problem.low, problem.high
    return Machine(
        *(y, beta.copy(), low, high),
        free=np.zeros((n_machines, capacity), dtype=np.int64),
        place=np.full((n_machines, n), -1, dtype=np.int64),
        residual=np.zeros((n_machines, capacity)),
        U=np.zeros((n_machines, capacity, capacity)),
        ones=np.zeros((n_machines, capacity)),
        counts=np.zeros((n_machines, N_COUNTS), dtype=np.int64),
        numbers=np.zeros((n_machines, N_NUMBERS)),
        start=np.zeros(n_machines, dtype=np.int64) if start is None else start,
        n=np.array([problem.y.size for problem in problems]),
    )


def set_numbers(
    machines: Machine, problems: Sequence[DualProblem], f: Iterable[FloatArray], largest: float
) -> None:
    """Set bias, tolerance and shift of machines with ``f = K beta - y``, one array for each machine.

    `largest` is the largest diagonal entry of K.
    """
    for numbers, beta, gradient, problem in zip(machines.numbers, machines.beta, f, problems, strict=True):
        own = beta[: problem.y.size]
        numbers[BIAS] = DualSolution(own, gradient, 0, True).bias(problem)
        numbers[TOL] = max(SMALLEST_RESIDUAL, UNIT_OF_ROUNDING * largest * float(np.abs(own).sum()))
        numbers[SHIFT] = largest if largest > 0.0 else 1.0
