"""Loss and gradient of a network over blocks of rows, in single or double precision.

A network is one vector: for each layer its weights (n_in, n_out), row by row, then its n_out intercepts. Rows
lie in blocks (n_blocks, n_features, block_size), rows last; those that fill up the last block weigh nothing.
"""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.mlp._activations_fast import activate, fade, fade_single, multiply_by_slope

SQUARED_ERROR = 0
CROSS_ENTROPY = 1


class Blocks(NamedTuple):
    """Rows as compiled code reads them; weights sum to one."""

    X: np.ndarray  # (n_blocks, n_features, block_size)
    labels: np.ndarray  # (n_blocks, block_size), numbers of classes
    weights: np.ndarray  # (n_blocks, block_size)


class Workspace(NamedTuple):
    """Room for one block: outputs and errors of all units, the products of the widest layer, one row."""

    outputs: np.ndarray  # (n_units, block_size)
    deltas: np.ndarray  # (n_units, block_size)
    products: np.ndarray  # (widest layer,)
    line: np.ndarray  # (3, block_size)


@njit
def evaluate(w, gradient, sizes, activation, loss, blocks, workspace, wants_gradient):
    """Return the mean loss; if wanted, write its gradient into `gradient`. O(n_rows n_weights)."""
    if wants_gradient:
        gradient[:] = 0
    total = 0.0
    for b in range(blocks.X.shape[0]):
        forward(w, sizes, activation, blocks.X[b], workspace)
        last = workspace.outputs.shape[0] - sizes[-1]
        outputs = workspace.outputs[last:]
        deltas = workspace.deltas[last:]
        if loss == CROSS_ENTROPY:
            total += cross_entropy(outputs, deltas, blocks.labels[b], blocks.weights[b], workspace.line)
        else:
            total += squared_error(outputs, deltas, blocks.labels[b], blocks.weights[b])
        if wants_gradient:
            backward(w, gradient, sizes, activation, blocks.X[b], workspace)
    return total


@njit
def forward(w, sizes, activation, X, workspace):
    """Fill the outputs of all units for one block; those of the last layer are left without activation."""
    offset = 0
    first = 0
    n_layers = sizes.size - 1
    for layer in range(n_layers):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        W = w[offset : offset + n_in * n_out].reshape((n_in, n_out))
        offset += n_in * n_out
        target = workspace.outputs[first : first + n_out]
        if layer == 0:
            np.dot(W.T, X, target)
        else:
            np.dot(W.T, workspace.outputs[first - n_in : first], target)
        add_intercepts(target, w[offset : offset + n_out])
        offset += n_out
        if layer < n_layers - 1:
            activate(activation, target)
        first += n_out


@njit
def backward(w, gradient, sizes, activation, X, workspace):
    """Add the gradient of one block, given the errors of the last layer."""
    offset = w.size
    first = workspace.outputs.shape[0]
    for layer in range(sizes.size - 2, -1, -1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        first -= n_out
        deltas = workspace.deltas[first : first + n_out]
        offset -= n_out
        add_row_sums(deltas, gradient[offset : offset + n_out])
        offset -= n_in * n_out
        products = workspace.products[: n_in * n_out].reshape((n_in, n_out))
        if layer == 0:
            np.dot(X, deltas.T, products)
        else:
            below = workspace.outputs[first - n_in : first]
            np.dot(below, deltas.T, products)
            deltas_below = workspace.deltas[first - n_in : first]
            np.dot(w[offset : offset + n_in * n_out].reshape((n_in, n_out)), deltas, deltas_below)
            multiply_by_slope(activation, below, deltas_below)
        add(workspace.products[: n_in * n_out], gradient[offset : offset + n_in * n_out])


@njit
def add_intercepts(block, intercepts):
    for j in range(block.shape[0]):
        row = block[j]
        for r in range(row.size):
            row[r] += intercepts[j]


@njit_sums
def add_row_sums(block, sums):
    for j in range(block.shape[0]):
        row = block[j]
        total = row[0] - row[0]
        for r in range(row.size):
            total += row[r]
        sums[j] += total


@njit
def add(source, target):
    for i in range(source.size):
        target[i] += source[i]


@njit
def squared_error(outputs, deltas, labels, weights):
    """Return half the summed squares of logistic outputs against indicators, weighted over the rows.

    `outputs` are given without activation; `deltas` becomes the gradient with respect to them. What an
    output lacks to 0 or 1 is computed by itself, not as a difference, so that it keeps its digits.
    """
    one = outputs.dtype.type(1)
    zero = outputs.dtype.type(0)
    loss = 0.0
    for c in range(outputs.shape[0]):
        z = outputs[c]
        d = deltas[c]
        for r in range(z.size):
            if z.itemsize == 4:
                e, _ = fade_single(-abs(z[r]))
            else:
                e, _ = fade(-abs(z[r]))
            small = e / (one + e)
            large = one / (one + e)
            output = large if z[r] > zero else small
            lack = small if z[r] > zero else large
            error = -lack if labels[r] == c else output
            d[r] = weights[r] * error * small * large
            z[r] = error
        loss += _weighted_squares(z, weights)
    return 0.5 * loss


@njit_sums
def _weighted_squares(errors, weights):
    total = 0.0
    for r in range(errors.size):
        total += np.float64(weights[r] * errors[r] * errors[r])
    return total


@njit
def cross_entropy(outputs, deltas, labels, weights, line):
    """Return minus the weighted logarithms of the softmax outputs of the rows' classes.

    `outputs` are given without activation; `deltas` becomes the gradient with respect to them. The share of
    the other classes is summed by itself, so that a row that is all but certain keeps its digits.
    """
    n_classes = outputs.shape[0]
    top, others, own = line[0], line[1], line[2]
    top[:] = outputs[0]
    for c in range(1, n_classes):
        z = outputs[c]
        for r in range(z.size):
            top[r] = max(top[r], z[r])
    others[:] = 0
    own[:] = 0
    zero = outputs.dtype.type(0)
    for c in range(n_classes):
        z = outputs[c]
        d = deltas[c]
        for r in range(z.size):
            if z.itemsize == 4:
                e, _ = fade_single(z[r] - top[r])
            else:
                e, _ = fade(z[r] - top[r])
            d[r] = e
        for r in range(z.size):
            own[r] += d[r] if labels[r] == c else zero
            others[r] += zero if labels[r] == c else d[r]
    loss = 0.0
    for r in range(top.size):
        if others[r] < own[r]:
            loss += weights[r] * np.log1p(others[r] / own[r])
        else:
            loss += weights[r] * (np.log(others[r] + own[r]) + (top[r] - outputs[labels[r], r]))
    for r in range(top.size):
        own[r] = weights[r] / (own[r] + others[r])
    for c in range(n_classes):
        d = deltas[c]
        for r in range(d.size):
            d[r] = (-others[r] if labels[r] == c else d[r]) * own[r]
    return loss
