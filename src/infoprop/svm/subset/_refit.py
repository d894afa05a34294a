"""Machines that are trained anew on every subset of the columns, from the dual variables of the last one.

The answer where neither a Gram matrix nor a face fits the memory budget: the solvers keep rows of the Gram
matrix in a cache, or the weights alone.
"""

from collections.abc import Callable, Sequence

import numpy as np

from infoprop._core._matrices import taken_columns
from infoprop._core._typing import FloatArray, IntArray
from infoprop.kernels import KernelSpec
from infoprop.svm._decision import decision_values
from infoprop.svm._machine import BinaryMachine, Solve
from infoprop.svm._sensitivity import machine_sensitivity
from infoprop.svm.subset._splits import Team, split_beta, stacked_beta

Specs = Callable[[int, IntArray], list[KernelSpec]]


class WarmMachines:
    """Machines of several teams, retrained wherever they are moved.

    Parameters
    ----------
    teams : sequence of Team
    specs : callable
        Kernels of the machines of a team, given its number and the columns.
    solve : callable
        Solves problems over rows, given kernels and starts.
    """

    def __init__(self, teams: Sequence[Team], specs: Specs, solve: Solve) -> None:
        self.members = tuple(teams)
        self._specs = specs
        self._solve = solve
        self._beta: list[FloatArray] = []

    @property
    def beta(self) -> FloatArray:
        """Dual variables of all machines: (n_machines, n); rows that a team has not got are zero."""
        return stacked_beta(self._beta)

    def stand_on(self, columns: IntArray, beta: FloatArray | None) -> None:
        """Go to `columns` and train from `beta` (None: from nothing)."""
        self._beta = split_beta(beta, self.members)
        self.move_to(columns)

    def move_to(self, columns: IntArray) -> None:
        """Go to other columns and train there."""
        self._machines: list[list[BinaryMachine]] = []
        self._values: list[FloatArray] = []
        for t, team in enumerate(self.members):
            X = taken_columns(team.X, columns)
            specs = self._specs(t, columns)
            starts = [own if own.any() else None for own in self._beta[t]]
            solutions = self._solve(X, specs, team.problems, starts)
            self._beta[t] = np.stack([solution.beta for solution in solutions])
            machines = [
                BinaryMachine.from_solution(X, np.arange(X.shape[0]), problem, solution, spec)
                for problem, solution, spec in zip(team.problems, solutions, specs, strict=True)
            ]
            self._machines.append(machines)
            X_test = taken_columns(team.X_test, columns)
            coef = np.stack([m.weights for m in machines]) if any(m.w is not None for m in machines) else None
            self._values.append(decision_values(X_test, machines, coef))

    def sensitivities(self) -> FloatArray:
        """Sensitivities of the margins to the columns: (n_machines of all teams, n_columns)."""
        machines = [machine for team in self._machines for machine in team]
        return np.stack([machine_sensitivity(machine) for machine in machines])

    def outputs(self) -> tuple[FloatArray, ...]:
        """Outputs for the rows that each team predicts: (n_test, n_machines) each."""
        return tuple(self._values)
