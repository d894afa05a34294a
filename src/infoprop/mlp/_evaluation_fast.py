"""Loss and gradient of a network over blocks of rows, in single or double precision.

A network is one vector: for each layer its weights (n_in, n_out), row by row, then its n_out intercepts. Rows
lie in blocks (n_blocks, n_features, block_size), rows last; those that fill up the last block weigh nothing.
With a layer's outputs o = s(W' x + c) and its errors d, the loss has the gradient ``x d'`` in W and d in c,
and the errors of the layer below are ``W d`` times its slopes. Invariants: weights sum to one, so that a loss
is a mean; errors of rows that are all but certain keep their digits, as they are never differences.

Reference: D. Rumelhart, G. Hinton and R. Williams, Learning representations by back-propagating errors,
Nature 323 (1986).
"""

from typing import NamedTuple

import numpy as np

from infoprop._core._by_type import chosen_by_type
from infoprop._core._jit import njit, njit_sums
from infoprop.mlp._activations_fast import LOGISTIC, activate, exponentials, multiply_by_slope

SQUARED_ERROR = 0
CROSS_ENTROPY = 1

_NARROW = 16
_ZERO, _ONE = np.float64(0), np.float64(1)
_SINGLE_ZERO, _SINGLE_ONE = np.float32(0), np.float32(1)
_T3, _T5, _T7, _T9 = np.float32(1 / 3), np.float32(1 / 5), np.float32(1 / 7), np.float32(1 / 9)
_T11, _T13, _T15 = np.float32(1 / 11), np.float32(1 / 13), np.float32(1 / 15)


class Blocks(NamedTuple):
    """Rows as compiled code reads them; weights sum to one."""

    X: np.ndarray  # (n_blocks, n_features, block_size)
    labels: np.ndarray  # (n_blocks, block_size), numbers of classes
    weights: np.ndarray  # (n_blocks, block_size)


class Workspace(NamedTuple):
    """Workspace of one block: outputs and errors of all units, the products of the widest layer, one row."""

    outputs: np.ndarray  # (n_units, block_size)
    deltas: np.ndarray  # (n_units, block_size)
    products: np.ndarray  # (widest layer,)
    line: np.ndarray  # (3, block_size)


@njit
def workspace_for(sizes, blocks):
    """Return the workspace of a block of rows in a network with layers of these widths."""
    n_units = 0
    widest = 0
    for layer in range(sizes.size - 1):
        n_units += sizes[layer + 1]
        widest = max(widest, sizes[layer] * sizes[layer + 1], sizes[layer + 1] ** 2)
    block_size, precision = blocks.X.shape[2], blocks.X.dtype
    return Workspace(
        np.empty((n_units, block_size), precision),
        np.empty((n_units, block_size), precision),
        np.empty(widest, precision),
        np.empty((3, block_size), precision),
    )


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
            total += squared_error(outputs, deltas, blocks.labels[b], blocks.weights[b], workspace.line)
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
        source = X if layer == 0 else workspace.outputs[first - n_in : first]
        if n_out < _NARROW <= n_in:
            # BLAS takes half as long again to read a slim matrix crosswise.
            turned = workspace.products[: n_in * n_out].reshape((n_out, n_in))
            for j in range(n_out):
                copy(W[:, j], turned[j])
            np.dot(turned, source, target)
        else:
            np.dot(W.T, source, target)
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
def copy(source, target):
    # Numba spends seconds on the error message of ``target[:] = source`` alone.
    for i in range(source.size):
        target[i] = source[i]


@njit
def add(source, target):
    for i in range(source.size):
        target[i] += source[i]


@njit
def squared_error(outputs, deltas, labels, weights, line):
    """Return half the summed squares of logistic outputs against indicators, weighted over the rows.

    `outputs` are given without activation; `deltas` becomes the gradient with respect to them. What an
    output lacks to 0 or 1 is computed by itself, not as a difference, so that it keeps its digits.
    """
    loss = 0.0
    zeros, sizes, faded = line[0], line[1], line[2]
    zeros[:] = 0
    for c in range(outputs.shape[0]):
        negative_sizes(outputs[c], sizes)
        exponentials(sizes, zeros, faded)
        loss += squares_of_class(c, outputs[c], faded, labels, weights, deltas[c])
    return 0.5 * loss


@njit
def negative_sizes(z, target):
    for r in range(z.size):
        target[r] = -abs(z[r])


@njit_sums
def squares_of_class(c, z, faded, labels, weights, deltas):
    """Return the weighted squares of one output's errors; `faded` is ``exp(-|z|)``."""
    one = z.dtype.type(1)
    zero = z.dtype.type(0)
    total = 0.0
    for r in range(z.size):
        large = one / (one + faded[r])
        small = faded[r] * large
        is_high = z[r] > zero
        error = -(small if is_high else large) if labels[r] == c else (large if is_high else small)
        deltas[r] = weights[r] * error * small * large
        total += weights[r] * error * error
    return total


@njit
def cross_entropy(outputs, deltas, labels, weights, line):
    """Return minus the weighted logarithms of the softmax outputs of the rows' classes.

    `outputs` are given without activation; `deltas` becomes the gradient with respect to them. The share of
    the other classes is summed by itself, so that a row that is all but certain keeps its digits.
    """
    n_classes = outputs.shape[0]
    top, others, own = line[0], line[1], line[2]
    find_top(outputs, top)
    others[:] = 0
    own[:] = 0
    for c in range(n_classes):
        exponentials(outputs[c], top, deltas[c])
        add_own_and_others(np.int32(c), deltas[c], labels, own, others)
    loss = undecided_loss(own, others, top, outputs, labels, weights)
    loss += decided_loss(own, others, weights)
    share(own, others, weights)
    for c in range(n_classes):
        subtract_indicator(np.int32(c), deltas[c], labels, own, others)
    return loss


@njit
def find_top(outputs, top):
    """Write the largest output of each row into `top`."""
    copy(outputs[0], top)
    for c in range(1, outputs.shape[0]):
        z = outputs[c]
        for r in range(z.size):
            top[r] = max(top[r], z[r])


@njit
def add_own_and_others(c, e, labels, own, others):
    zero = e.dtype.type(0)
    for r in range(e.size):
        is_own = labels[r] == c
        own[r] += e[r] if is_own else zero
        others[r] += zero if is_own else e[r]


@njit
def subtract_indicator(c, deltas, labels, factors, others):
    for r in range(deltas.size):
        deltas[r] = (-others[r] if labels[r] == c else deltas[r]) * factors[r]


@njit
def undecided_loss(own, others, top, outputs, labels, weights):
    """Return the weighted loss of rows whose own class does not outweigh the others."""
    loss = 0.0
    for r in range(top.size):
        if not others[r] < own[r]:
            loss += weights[r] * (np.log(others[r] + own[r]) + (top[r] - outputs[labels[r], r]))
    return loss


@njit_sums
def decided_loss_double(own, others, weights):
    """Return the weighted sum of ``log(1 + others / own)`` over rows whose own class outweighs the others.

    With t = u / (2 + u) <= 1/3 for u <= 1, log(1 + u) is 2 (t + t^3 / 3 + t^5 / 5 + ...): fifteen terms, and
    no branch.
    """
    total = 0.0
    for r in range(own.size):
        # An own class of weight one beside nothing has no loss.
        is_decided = others[r] < own[r]
        small, large = (others[r], own[r]) if is_decided else (_ZERO, _ONE)
        t = small / (large + large + small)
        q = t * t
        series = 1.0 / 23 + q * (1.0 / 25 + q * (1.0 / 27 + q * (1.0 / 29 + q / 31)))
        series = 1.0 / 15 + q * (1.0 / 17 + q * (1.0 / 19 + q * (1.0 / 21 + q * series)))
        series = 1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13 + q * series)))
        total += weights[r] * 2.0 * t * (1.0 + q * (1.0 / 3 + q * (1.0 / 5 + q * series)))
    return total


@njit_sums
def decided_loss_single(own, others, weights):
    """Return the same in single precision, for which eight terms do."""
    total = 0.0
    for r in range(own.size):
        is_decided = others[r] < own[r]
        small, large = (others[r], own[r]) if is_decided else (_SINGLE_ZERO, _SINGLE_ONE)
        t = small / (large + large + small)
        q = t * t
        series = _T3 + q * (_T5 + q * (_T7 + q * (_T9 + q * (_T11 + q * (_T13 + q * _T15)))))
        total += np.float64(weights[r] * (t + t * q * series))
    return 2.0 * total


@chosen_by_type({np.float32: decided_loss_single, np.float64: decided_loss_double})
def decided_loss(own, others, weights):
    """Return the weighted loss of rows whose own class outweighs the others."""


@njit_sums
def share(own, others, weights):
    """Write the weight of each row, divided by the sum of its exponentials, into `own`."""
    for r in range(own.size):
        own[r] = weights[r] / (own[r] + others[r])


@njit
def outcome(loss, outputs, line):
    """Put the outputs of the last layer through their output function, in place: logistic or softmax."""
    if loss == SQUARED_ERROR:
        activate(LOGISTIC, outputs)
        return
    top, total = line[0], line[1]
    find_top(outputs, top)
    total[:] = 0
    for c in range(outputs.shape[0]):
        exponentials(outputs[c], top, outputs[c])
        add(outputs[c], total)
    for c in range(outputs.shape[0]):
        z = outputs[c]
        for r in range(z.size):
            z[r] /= total[r]
