r"""What every column adds to the output of a machine or a network at single rows, compared with a reference.

- Linear machine: :math:`\phi_k = w_k (x_k - x^0_k)`.
- rbf machine, a sum of products :math:`c_j \prod_k z_{jk}` with :math:`z_{jk} = e^{-\gamma (x_k -
  x_{jk})^2}`: Shapley values of the game in which the factor of an absent column is 1,

  .. math:: \phi_k = \sum_j c_j (z_{jk} - 1) \int_0^1 \prod_{l \ne k} (1 - t + t z_{jl}) \, dt .

  The integrand is a polynomial of degree d - 1, so half as many Gauss-Legendre nodes as columns give it
  exactly.
- Other kernels: integrated gradients, :math:`\phi_k = (x_k - x^0_k) \int_0^1 \partial_k g(x^0 + t (x - x^0))
  \, dt`.
- Network: a unit's change hands on to the units that feed it in proportion to what they add to it (the
  rescale rule of DeepLIFT), so that changes add up in every layer.
"""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray, Matrix
from infoprop.credit._machines import DecisionFunction, KernelFunction, LinearFunction, NetworkFunction
from infoprop.mlp._propagation import Layer

_BLOCK_ENTRIES = 2**20
# Nodes for integrands that are no polynomials, and the most for those that are: errors are then rounding.
_MOST_NODES = 64
# A change of a unit's input below this part of its size is rounding; the slope takes the place of the ratio.
_NO_CHANGE = 1e-9


def function_terms(
    function: DecisionFunction, X: Matrix, reference: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Terms of shape (n_rows, n_columns), and the output that they start from: shape (n_rows,)."""
    rows = X.toarray() if sparse.issparse(X) else np.asarray(X)
    if isinstance(function, LinearFunction):
        return (rows - reference) * function.w, np.full(len(rows), reference @ function.w + function.b)
    if isinstance(function, NetworkFunction):
        start = function.outputs(np.atleast_2d(reference))[0]
        return network_terms(function.layers, rows, reference), np.full(len(rows), start)
    vectors = function.vectors
    dense = vectors.toarray() if sparse.issparse(vectors) else np.asarray(vectors)
    if function.kernel.kind == "rbf":
        terms = product_terms(rows, dense, function.coefficients, function.kernel.gamma)
        return terms, np.full(len(rows), function.coefficients.sum() + function.b)
    start = function.outputs(np.atleast_2d(reference))[0]
    return _path_terms(function, rows, reference), np.full(len(rows), start)


def product_terms(X: FloatArray, vectors: FloatArray, coefficients: FloatArray, gamma: float) -> FloatArray:
    """Shapley values of an rbf machine without its constant: shape (n_rows, n_columns).

    Cost: n_rows n_vectors n_columns times the number of nodes.
    """
    n_columns = X.shape[1]
    nodes = _unit_interval(min(_MOST_NODES, (n_columns + 1) // 2))
    size = max(1, _BLOCK_ENTRIES // max(1, vectors.size))
    terms = np.empty(X.shape)
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        # z - 1, of shape (n_rows, n_vectors, n_columns).
        gaps = np.expm1(-gamma * (X[rows, None, :] - vectors) ** 2)
        integral = np.zeros_like(gaps)
        for t, weight in nodes:
            factors = 1.0 + t * gaps
            integral += weight * factors.prod(axis=2, keepdims=True) / factors
        terms[rows] = np.einsum("j,ijk,ijk->ik", coefficients, gaps, integral)
    return terms


def _path_terms(function: KernelFunction, rows: FloatArray, reference: FloatArray) -> FloatArray:
    change = rows - reference
    slopes = np.zeros_like(change)
    for t, weight in _unit_interval(_MOST_NODES):
        for block, gradients in function.gradients(reference + t * change):
            slopes[block] += weight * gradients
    return change * slopes


def _unit_interval(n_nodes: int) -> list[tuple[float, float]]:
    """Nodes and weights of Gauss-Legendre quadrature on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(max(1, n_nodes))
    return list(zip(((nodes + 1.0) / 2.0).tolist(), (weights / 2.0).tolist(), strict=True))


def network_terms(layers: Sequence[Layer], X: Matrix, reference: FloatArray) -> FloatArray:
    """Terms of the output of a network whose last layer is one linear unit: (n_rows, n_inputs)."""
    rows = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    inputs, starts = [rows], [np.atleast_2d(reference)]
    for layer in layers[:-1]:
        inputs.append(layer.outputs(inputs[-1]))
        starts.append(layer.outputs(starts[-1]))
    # Of shape (n_rows, n_units): the change of the output for each change of a unit.
    ratios = np.broadcast_to(layers[-1].weights[:, 0], inputs[-1].shape)
    for layer, before, start in zip(layers[-2::-1], inputs[-2::-1], starts[-2::-1], strict=True):
        ratios = (ratios * _unit_ratios(layer, before, start)) @ layer.weights.T
    return (rows - reference) * ratios


def _unit_ratios(layer: Layer, inputs: FloatArray, start: FloatArray) -> FloatArray:
    """Change of a unit's output over that of its input, (n_rows, n_units); the slope where there is none."""
    bare = Layer(layer.weights, layer.intercepts, "identity")
    before, before_start = bare.outputs(inputs), bare.outputs(start)
    change = before - before_start
    moved = np.abs(change) > _NO_CHANGE * (1.0 + np.abs(before))
    gained = layer.outputs(inputs) - layer.outputs(start)
    step = 1e-6 * (1.0 + np.abs(before))
    eye = Layer(np.eye(before.shape[1]), np.zeros(before.shape[1]), layer.activation)
    slope = (eye.outputs(before + step) - eye.outputs(before - step)) / (2.0 * step)
    return np.where(moved, np.divide(gained, change, out=np.zeros_like(change), where=moved), slope)
