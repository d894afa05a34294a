"""How a trained network gets to other columns: what it keeps, what it forgets, what it begins with."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import sparse

from infoprop._core._typing import BoolArray, FloatArray, IntArray, Matrix
from infoprop.mlp._network import Network
from infoprop.mlp._propagation import ACTIVATIONS

# Largest weight of a column that has just come, times the column's deviation.
_SMALL = 0.1
# What a unit receives is scaled down to this root mean square: the slope of tanh is then 0.8 on average.
_RESPONSIVE = 0.5
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Columns:
    """Mean and standard deviation (0: constant) of every column over the training rows, to seven digits.

    More would only tell dense rows from the same rows in CSR, whose sums differ in their last bits; training
    makes much of such differences.
    """

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def of(cls, X: Matrix, weights: FloatArray) -> Self:
        """Measure them, on dense rows or CSR."""
        s = weights / weights.sum()
        mean = np.asarray(X.T @ s)
        squares = np.asarray(X.multiply(X).T @ s) - mean**2 if sparse.issparse(X) else s @ np.square(X - mean)
        deviation = np.sqrt(np.maximum(squares, 0.0))
        # Half of the digits are lost in the squares.
        deviation[deviation <= _ROUNDING * np.abs(mean)] = 0.0
        return cls(_seven_digits(mean), _seven_digits(deviation))


def _seven_digits(values: FloatArray) -> FloatArray:
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 2.0**24) / 2.0**24, exponent)


def transplanted(
    network: Network, before: IntArray, after: IntArray, columns: Columns, seeds: tuple[int, ...]
) -> Network:
    r"""Move a network from the columns `before` to the columns `after`, both ascending.

    A column j that goes leaves :math:`w_j \bar x_j` with the intercepts. One that comes gets weights drawn
    evenly from :math:`\pm 0.1 / \sigma_j`, by a generator seeded with `seeds` and its number.
    """
    W = network.coefs[0]
    goes, stays = _missing_from(before, after), ~_missing_from(after, before)
    b = network.intercepts[0] + columns.mean[before[goes]] @ W[goes]
    moved = np.empty((len(after), W.shape[1]))
    moved[stays] = W[~goes]
    for place in np.flatnonzero(~stays):
        generator = np.random.default_rng([*seeds, int(after[place])])
        deviation = columns.deviation[after[place]]
        bound = _SMALL / deviation if deviation > 0.0 else 0.0
        moved[place] = generator.uniform(-bound, bound, W.shape[1])
    return replace(network, coefs=(moved, *network.coefs[1:]), intercepts=(b, *network.intercepts[1:]))


def _missing_from(some: IntArray, others: IntArray) -> BoolArray:
    """Which numbers of `some` are not among `others`, both ascending and not empty."""
    nearest = np.minimum(np.searchsorted(others, some), len(others) - 1)
    return np.asarray(others[nearest] != some)


def calmed(network: Network, X: FloatArray, weights: FloatArray) -> Network:
    """Scale down the weights of every unit that receives more than it can respond to.

    A network that is trained again and again grows into saturation: its units hardly react to anything new, a
    column that comes stays without credit, and the search goes astray. Scaling the weights and the intercept
    of a unit keeps what it looks at, and lets it learn again. Layer by layer, on the training rows.
    """
    s = weights / weights.sum()
    coefs, intercepts, inputs = [], [], X
    for W, b in zip(network.coefs, network.intercepts, strict=True):
        z = inputs @ W + b
        factor = _RESPONSIVE / np.maximum(np.sqrt(s @ np.square(z)), _RESPONSIVE)
        coefs.append(W * factor)
        intercepts.append(b * factor)
        inputs = ACTIVATIONS[network.activation](z * factor)
    return replace(network, coefs=tuple(coefs), intercepts=tuple(intercepts))
