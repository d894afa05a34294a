"""Credits through the layers of a network: from its outputs back to its inputs, by covariance."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, log_softmax, softmax

from infoprop._core._typing import BoolArray, FloatArray, Matrix
from infoprop._core._weights import check_weights

ACTIVATIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "identity": lambda z: z,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0.0),
    "softmax": lambda z: softmax(z, axis=1),
    "log_softmax": lambda z: log_softmax(z, axis=1),
}
# Outputs that stay the same if all units get the same number added before the activation.
_RELATIVE = ("softmax", "log_softmax")

_BLOCK_ENTRIES = 2**18
# Below this part of the largest covariance that two units could have, a covariance is rounding.
_ROUNDING = 2.0**-40
# A unit whose values differ in their last bits only is constant.
_LAST_BITS = 8.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a trained network: ``O = f(I W + b)``.

    Attributes
    ----------
    weights : ndarray of shape (n_inputs, n_outputs)
        W, as in scikit-learn's ``coefs_``.
    intercepts : ndarray of shape (n_outputs,)
        b.
    activation : {"identity", "logistic", "tanh", "relu", "softmax", "log_softmax"}
        f.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.mlp._propagation import Layer
    >>> Layer(np.array([[1.0], [-1.0]]), np.array([0.5]), "relu").outputs(np.array([[2.0, 1.0], [1.0, 2.0]]))
    array([[1.5],
           [0. ]])
    """

    weights: FloatArray
    intercepts: FloatArray
    activation: str

    def outputs(self, inputs: Matrix) -> FloatArray:
        """Return what the units give for every row: (n_rows, n_outputs)."""
        return ACTIVATIONS[self.activation](inputs @ self.weights + self.intercepts)


def propagated_shares(layers: Sequence[Layer], X: Matrix, sample_weight: Any = None) -> FloatArray:
    r"""Return the share of every input in every output of a network.

    Equation 8 of moi-2004, applied to one unit of credit at output r: a unit k hands its credit on to the
    units j that feed it in proportion to

    .. math:: |c_{kj}| = |\mathrm{Cov}(O_k, w_{kj} O_j)| = |w_{kj}| \, |\mathrm{Cov}(O_k, O_j)|

    over the rows of X, with O the outputs of the units after their activation, and the inputs as they are fed
    to the network. The shares are the product of the layers' matrices :math:`|c_{kj}| / \sum_j |c_{kj}|`.

    Parameters
    ----------
    layers : sequence of Layer
        From the inputs to the outputs.
    X : array or CSR matrix of shape (n_rows, n_inputs)
        Finite numbers. CSR stays sparse.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows in the covariances.

    Returns
    -------
    ndarray of shape (n_outputs, n_inputs)
        Non-negative. The row of an output sums to one; it is all zero if the output is the same for all rows.

    Notes
    -----
    An intercept is constant, and so is a dead unit: their covariances are zero, and they get nothing.

    Adding the same numbers to the weights of all units of a softmax layer changes none of its outputs and
    must not change their shares, so the w of such a layer are taken from their mean over the units. Should a
    unit that does vary have no covariance with anything that feeds it (which only a softmax layer can bring
    about), it shares evenly among the units before it that vary.

    One pass over the rows in blocks, in memory that does not grow with their number; the cost is that of
    two predictions.

    References
    ----------
    V. Sindhwani et al., "Feature selection in MLPs and SVMs based on maximum output information", IEEE
    Transactions on Neural Networks 15 (4), 2004, equation 8.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.mlp._propagation import Layer, propagated_shares
    >>> X = np.array([[0.0, 0.0, 5.0], [0.0, 1.0, 5.0], [1.0, 0.0, 5.0], [1.0, 1.0, 5.0]])
    >>> hidden = Layer(np.array([[3.0], [1.0], [7.0]]), np.zeros(1), "identity")
    >>> propagated_shares([hidden, Layer(np.ones((1, 1)), np.zeros(1), "identity")], X)
    array([[0.9, 0.1, 0. ]])
    """
    n_rows = X.shape[0]
    weights = np.ones(n_rows) if sample_weight is None else check_weights(sample_weight, n_rows)
    if not weights.all():
        X, weights = X[weights > 0.0], weights[weights > 0.0]
    levels, covariances = _moments(layers, X, weights / weights.max())
    shares: FloatArray = np.eye(len(layers[-1].intercepts))
    for k in range(len(layers) - 1, -1, -1):
        shares = shares @ _layer_shares(layers[k], covariances[k], levels[k], levels[k + 1])
    return _normalised(shares)


class _Level:
    """What is known of the units of one level (inputs, hidden units, outputs) after some rows."""

    def __init__(self, n_units: int) -> None:
        self.mean = np.zeros(n_units)
        self.squares = np.zeros(n_units)
        self.low = np.full(n_units, np.inf)
        self.high = np.full(n_units, -np.inf)

    @property
    def varies(self) -> BoolArray:
        """Which units differ from row to row."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        return np.asarray((self.high - self.low > _LAST_BITS * size) & (self.squares > 0.0))

    def learn(self, values: Matrix, weights: FloatArray, before: float) -> tuple[FloatArray, Matrix]:
        """Take in a block of rows; return how far its mean is from the one before, and its centred rows.

        CSR rows stay as they are, and so do their squares: the other side of the covariance is centred.
        """
        total = weights.sum()
        gap = np.asarray(values.T @ weights) / total - self.mean
        if sparse.issparse(values):
            lowest, highest = (np.asarray(end(axis=0).todense()).ravel() for end in (values.min, values.max))
            centred, squares = values, values.multiply(values).T @ weights
        else:
            lowest, highest = values.min(axis=0), values.max(axis=0)
            centred = values - (self.mean + gap)
            squares = weights @ (centred * centred) + gap**2 * before * total / (before + total)
        self.low, self.high = np.minimum(self.low, lowest), np.maximum(self.high, highest)
        self.squares = self.squares + squares
        self.mean = self.mean + gap * (total / (before + total))
        return gap, centred


def _moments(
    layers: Sequence[Layer], X: Matrix, weights: FloatArray
) -> tuple[list[_Level], list[FloatArray]]:
    """Return the levels, and the sums of weighted centred products of neighbouring ones.

    Blocks are centred on their own means and then brought together, so that nothing cancels where a
    column's mean is large beside its spread.
    """
    widths = [X.shape[1], *(len(layer.intercepts) for layer in layers)]
    levels = [_Level(width) for width in widths]
    sums = [np.zeros(pair) for pair in pairwise(widths)]
    before = 0.0
    for rows in _blocks(X, sum(widths[1:])):
        block, own = X[rows], weights[rows]
        total = own.sum()
        gap, centred = levels[0].learn(block, own, before)
        for k, layer in enumerate(layers):
            block = layer.outputs(block)
            next_gap, next_centred = levels[k + 1].learn(block, own, before)
            sums[k] += centred.T @ (own[:, None] * next_centred)
            sums[k] += np.multiply.outer(gap, next_gap * (before * total / (before + total)))
            gap, centred = next_gap, next_centred
        before += total
    return levels, sums


def _blocks(X: Matrix, n_units: int) -> Iterator[slice]:
    """Rows whose stored entries and units, together, fit a block."""
    entries = X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]
    size = max(1, int(_BLOCK_ENTRIES // (entries + n_units)))
    for start in range(0, X.shape[0], size):
        yield slice(start, start + size)


def _layer_shares(layer: Layer, sums: FloatArray, inputs: _Level, outputs: _Level) -> FloatArray:
    """Share of each unit that feeds a layer in each of the layer's units: (n_outputs, n_inputs)."""
    w = layer.weights
    if layer.activation in _RELATIVE:
        w = w - w.mean(axis=1, keepdims=True)
    varying = np.multiply.outer(outputs.varies, inputs.varies)
    largest = np.sqrt(np.multiply.outer(outputs.squares, inputs.squares))
    c = np.where(varying & (np.abs(sums.T) > _ROUNDING * largest), np.abs(w.T * sums.T), 0.0)
    is_silent = ~c.any(axis=1)
    c[is_silent] = varying[is_silent]
    return _normalised(c)


def _normalised(rows: FloatArray) -> FloatArray:
    """Let the rows sum to one; those of zeros stay."""
    peaks = rows.max(axis=1, keepdims=True, initial=0.0)
    rows = np.divide(rows, peaks, out=np.zeros_like(rows), where=peaks > 0.0)
    totals = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, totals, out=rows, where=totals > 0.0)
