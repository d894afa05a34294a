"""Machines that are trained anew on every subset of the columns, from the dual variables of the last one.

The answer where neither a Gram matrix nor a factor of a free set fits the memory budget: the solvers keep
rows of the Gram matrix in a cache, or the weights alone.
"""

from collections.abc import Callable, Sequence

import numpy as np

from infoprop._core._matrices import taken_columns
from infoprop._core._typing import FloatArray, IntArray
from infoprop.kernels import KernelSpec
from infoprop.svm._decision import decision_values
from infoprop.svm._machine import BinaryMachine, Solve
from infoprop.svm._sensitivity import machine_sensitivity
from infoprop.svm.subset._protocol import Machines
from infoprop.svm.subset._splits import SplitProblem, split_beta, stacked_beta

Specs = Callable[[int, IntArray], list[KernelSpec]]


class WarmMachines(Machines):
    """Machines of several splits, retrained wherever they are moved.

    Parameters
    ----------
    splits : sequence of SplitProblem
    specs : callable
        Kernels of the machines of a split, given its number and the columns.
    solve : callable
        Solves problems over rows, given kernels and starts.
    """

    def __init__(self, splits: Sequence[SplitProblem], specs: Specs, solve: Solve) -> None:
        self.members = tuple(splits)
        self._specs = specs
        self._solve = solve
        self._beta: list[FloatArray] = []

    @property
    def beta(self) -> FloatArray:
        return stacked_beta(self._beta)

    def set_columns(self, columns: IntArray, start: FloatArray | None) -> None:
        self._beta = split_beta(start, self.members)
        self.update_columns(columns)

    def update_columns(self, columns: IntArray) -> None:
        self._machines: list[list[BinaryMachine]] = []
        self._values: list[FloatArray] = []
        for t, split in enumerate(self.members):
            X = taken_columns(split.X, columns)
            specs = self._specs(t, columns)
            starts = [own if own.any() else None for own in self._beta[t]]
            solutions = self._solve(X, specs, split.problems, starts)
            self._beta[t] = np.stack([solution.beta for solution in solutions])
            machines = [
                BinaryMachine.from_solution(X, np.arange(X.shape[0]), problem, solution, spec)
                for problem, solution, spec in zip(split.problems, solutions, specs, strict=True)
            ]
            self._machines.append(machines)
            X_test = taken_columns(split.X_test, columns)
            coef = np.stack([m.weights for m in machines]) if any(m.w is not None for m in machines) else None
            self._values.append(decision_values(X_test, machines, coef))

    def sensitivities(self) -> FloatArray:
        machines = [machine for split in self._machines for machine in split]
        return np.stack([machine_sensitivity(machine) for machine in machines])

    def outputs(self) -> tuple[FloatArray, ...]:
        return tuple(self._values)
