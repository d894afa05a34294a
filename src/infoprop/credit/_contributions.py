"""A fitted classifier's outputs as sums of what every feature adds to them, row by row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray, Matrix
from infoprop.credit._machines import (
    KernelFunction,
    LinearFunction,
    Machine,
    NetworkFunction,
    machines_inside,
)
from infoprop.credit._row_terms import network_terms
from infoprop.credit._unwrapping import Inner

_BLOCK_ENTRIES = 2**22


@dataclass(frozen=True, eq=False)
class Indicator:
    r"""The output of one class, a signed sum of machines: :math:`f(x) = \sum_m s_m g_m(x)`.

    One machine in one-vs-rest classifiers. In one-vs-one classifiers the machines of all pairs that the class
    takes part in, each with the sign that lets it answer above zero for the class.

    Attributes
    ----------
    machines : sequence of Machine
    signs : sequence of float
    """

    machines: Sequence[Machine]
    signs: Sequence[float]

    @property
    def is_exact(self) -> bool:
        """Whether the terms add up to f exactly, but for a constant: all but those of kernels."""
        return not any(isinstance(machine.function, KernelFunction) for machine in self.machines)

    @property
    def is_plain(self) -> bool:
        """Whether it is one linear machine on dense rows whose columns are those of the user."""
        machine = self.machines[0]
        return (
            len(self.machines) == 1
            and isinstance(machine.function, LinearFunction)
            and machine.origins is None
            and not sparse.issparse(machine.rows)
        )

    def plain_weights(self) -> FloatArray:
        """Weights of a plain one: shape (n_columns,)."""
        function = self.machines[0].function
        assert isinstance(function, LinearFunction)
        return self.signs[0] * function.w

    def outputs(self) -> FloatArray:
        """Return f at every row: shape (n_samples,)."""
        parts = zip(self.machines, self.signs, strict=True)
        return np.asarray(sum(sign * machine.outputs() for machine, sign in parts))

    def terms(self, means: Sequence[FloatArray]) -> Iterator[tuple[slice, Matrix]]:
        r"""Yield what every column adds to f, block by block of rows: (n_rows, n_columns), dense or CSR.

        For a linear machine :math:`w_k x_k`, measured from the mean where rows are dense: exact, up to a
        constant. For a network what `network_terms` hands back from the output, exact as well. For a kernel
        machine, to first order, :math:`(x_k - \bar x_k)\, \partial g / \partial x_k`.

        Parameters
        ----------
        means : sequence of arrays
            Of the rows of every machine.
        """
        n_rows = self.machines[0].rows.shape[0]
        width = max(_width(machine) for machine in self.machines)
        size = max(1, _BLOCK_ENTRIES // max(1, width))
        for start in range(0, n_rows, size):
            rows = slice(start, min(n_rows, start + size))
            parts = zip(self.machines, self.signs, means, strict=True)
            blocks = [machine_terms(machine, rows, mean) * sign for machine, sign, mean in parts]
            total = blocks[0]
            for block in blocks[1:]:
                total = total + block
            yield rows, total


def indicators_of(inner: Inner) -> list[Indicator]:
    """One indicator for each class, in their order; two classes share one, which answers for the second."""
    machines = machines_inside(inner)
    if len(machines) == 1:
        return [Indicator(machines, (1.0,))]
    found = []
    for label in np.asarray(inner.classifier.classes_).tolist():
        own = [machine for machine in machines if label in (machine.positive, machine.negative)]
        found.append(Indicator(own, [1.0 if machine.positive == label else -1.0 for machine in own]))
    return found


def machine_terms(machine: Machine, rows: slice, mean: FloatArray) -> Matrix:
    """Terms of one machine at the given rows; see :meth:`Indicator.terms`."""
    X, function = machine.rows[rows], machine.function
    if isinstance(function, LinearFunction):
        # Sparse rows stay sparse: a mean adds a constant to each term, which no covariance sees.
        inner = X.multiply(function.w).tocsr() if sparse.issparse(X) else (X - mean) * function.w
    elif isinstance(function, NetworkFunction):
        inner = network_terms(function.layers, X, mean)
    else:
        inner = _slopes(function, X) * ((X.toarray() if sparse.issparse(X) else X) - mean)
    return inner if machine.origins is None else inner @ machine.origins


def _slopes(function: KernelFunction, X: Matrix) -> FloatArray:
    return np.concatenate([gradients for _, gradients in function.gradients(X)])


def _width(machine: Machine) -> int:
    """Numbers in memory for one row."""
    if sparse.issparse(machine.rows) and isinstance(machine.function, LinearFunction):
        return max(1, machine.rows.nnz // machine.rows.shape[0])
    if isinstance(machine.function, NetworkFunction):
        return sum(len(layer.weights) for layer in machine.function.layers)
    return int(machine.rows.shape[1])
