"""Curvature of the loss of a network, one pair of small matrices for each layer, as a preconditioner.

The Gauss-Newton matrix of a layer is close to the Kronecker product of A, the mean of the products of its
inputs (with a one for the intercept), and G, the mean curvature of the loss in what its units receive. G
comes down from the outputs: with B the curvature at the layer above, V the weights in between and s the
slopes of the units, G = mean(s s^T) * (V B V^T), entry by entry. That mean is weighted by how undecided a row
is. With damping the inverse is that of ``(A + p I) x (G + q I)``, p and q shared out by the traces.
Invariant: A and G have no negative eigenvalues.

Reference: J. Martens and R. Grosse, Optimizing neural networks with Kronecker-factored approximate curvature,
ICML (2015).
"""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.mlp._activations_fast import multiply_by_slope
from infoprop.mlp._evaluation_fast import CROSS_ENTROPY, add, forward, outcome

# Narrower matrices are inverted faster in one piece.
_WORTH_HALVING = 48

# Damping below this part of n times the trace is lost in rounding, and a matrix of low rank stays singular.
_LEAST_DAMPING = 1e-15

# Inverting by halves loses twice as many digits as in one piece. Least damping for it, by the trace.
_LEAST_DAMPING_OF_HALVES = 1e-7


class Curvature(NamedTuple):
    """Matrices of all layers, one after the other; `starts` says where. Nothing at all if not wanted."""

    inputs: np.ndarray  # A of each layer, (n_in + 1, n_in + 1); of a wide first layer the diagonal
    slopes: np.ndarray  # mean products of the slopes of each hidden layer, (n_out, n_out)
    outputs: np.ndarray  # G of each layer, (n_out, n_out)
    inverse_inputs: np.ndarray  # as `inputs`, damped and inverted
    inverse_outputs: np.ndarray  # as `outputs`, damped and inverted
    starts: np.ndarray  # (2, n_layers + 1), of `inputs` and of `outputs`
    damping: np.ndarray  # (n_layers,), of the inputs' inverses in use; zero for none
    scratch: np.ndarray  # (largest layer,)


@njit_sums
def scale_rows(source, factors, target):
    """Write ``source[j, r] * factors[r]`` into `target`."""
    for j in range(source.shape[0]):
        row, scaled = source[j], target[j]
        for r in range(row.size):
            scaled[r] = row[r] * factors[r]


@njit_sums
def row_sums(block, sums):
    """Add the sum of each row of `block` to `sums`."""
    for j in range(block.shape[0]):
        row = block[j]
        total = 0.0
        for r in range(row.size):
            total += row[r]
        sums[j] += total


@njit
def measure_first_inputs(blocks, curvature, stride):
    """Measure A of the first layer on every `stride`-th block; it stays the same for the whole training."""
    n = blocks.X.shape[1] + 1
    scaled = np.empty(blocks.X.shape[1:], blocks.X.dtype)
    products = np.empty((n - 1, n - 1), blocks.X.dtype)
    means = np.zeros(n - 1)
    is_diagonal = curvature.starts[0, 1] == n
    A = curvature.inputs[: curvature.starts[0, 1]]
    A[:] = 0.0
    weight = 0.0
    for b in range(0, blocks.X.shape[0], stride):
        X = blocks.X[b]
        means += np.dot(X, blocks.weights[b])
        for r in range(X.shape[1]):
            weight += blocks.weights[b, r]
        if is_diagonal:
            for k in range(n - 1):
                A[k] += weighted_product(X[k], X[k], blocks.weights[b])
        else:
            # A product of a matrix with itself takes half the time.
            scale_rows(X, np.sqrt(blocks.weights[b]), scaled)
            np.dot(scaled, scaled.T, products)
            for k in range(n - 1):
                add(products[k], A[k * n : k * n + n - 1])
    if is_diagonal:
        A[n - 1] = weight
    else:
        add_ones(A.reshape((n, n)), means, weight)
    A /= weight


@njit
def add_ones(A, means, weight):
    """Fill the row and column of the one that stands beside the inputs."""
    last = A.shape[0] - 1
    for k in range(last):
        A[k, last] = means[k]
        A[last, k] = means[k]
    A[last, last] = weight


@njit
def measure(w, problem, blocks, workspace, curvature, stride):
    """Measure everything but A of the first layer, at the weights `w`, on every `stride`-th block."""
    sizes, starts = problem.sizes, curvature.starts
    n_layers = sizes.size - 1
    curvature.inputs[starts[0, 1] :] = 0.0
    curvature.slopes[:] = 0.0
    n_classes = sizes[-1]
    B = curvature.outputs[starts[1, n_layers - 1] :].reshape((n_classes, n_classes))
    B[:] = 0.0
    weight = 0.0
    doubt = 0.0
    for b in range(0, blocks.X.shape[0], stride):
        forward(w, sizes, problem.activation, blocks.X[b], workspace)
        doubts = workspace.line[0]
        for r in range(doubts.size):
            weight += blocks.weights[b, r]
        doubt += output_curvature(problem.loss, workspace, blocks.weights[b], n_classes, B)
        first = 0
        for layer in range(1, n_layers):
            n = sizes[layer]
            hidden = workspace.outputs[first : first + n]
            scaled = workspace.deltas[first : first + n]
            products = workspace.products[: n * n].reshape((n, n))
            A = curvature.inputs[starts[0, layer] : starts[0, layer + 1]].reshape((n + 1, n + 1))
            scale_rows(hidden, blocks.weights[b], scaled)
            row_sums(scaled, A[n])
            np.dot(scaled, hidden.T, products)
            for k in range(n):
                add(products[k], A[k])
            scaled[:] = 1
            multiply_by_slope(problem.activation, hidden, scaled)
            hidden[:] = scaled
            scale_rows(hidden, doubts, scaled)
            np.dot(scaled, hidden.T, products)
            add(workspace.products[: n * n], curvature.slopes[starts[1, layer - 1] : starts[1, layer]])
            first += n
    B /= weight
    for layer in range(1, n_layers):
        n = sizes[layer]
        A = curvature.inputs[starts[0, layer] : starts[0, layer + 1]].reshape((n + 1, n + 1))
        add_ones(A, A[n].copy(), weight)
        A /= weight
    if doubt > 0:
        curvature.slopes[:] /= doubt


@njit
def output_curvature(loss, workspace, weights, n_classes, B):
    """Add the curvature of the rows' loss in the outputs to `B`; write each row's trace times its weight.

    The traces go into ``workspace.line[0]``; their sum is returned.
    """
    first = workspace.outputs.shape[0] - n_classes
    outputs, scaled = workspace.outputs[first:], workspace.deltas[first:]
    outcome(loss, outputs, workspace.line)
    doubts = workspace.line[0]
    doubts[:] = 0
    one = outputs.dtype.type(1)
    for c in range(n_classes):
        p, row = outputs[c], scaled[c]
        for r in range(p.size):
            slope = p[r] * (one - p[r])
            row[r] = weights[r] * (slope if loss == CROSS_ENTROPY else slope * slope)
            doubts[r] += row[r]
    diagonal = np.zeros(n_classes)
    row_sums(scaled, diagonal)
    if loss == CROSS_ENTROPY:
        for c in range(n_classes):
            for e in range(n_classes):
                if c != e:
                    B[c, e] -= weighted_product(outputs[c], outputs[e], weights)
    for c in range(n_classes):
        B[c, c] += diagonal[c]
    return diagonal.sum()


@njit_sums
def weighted_product(a, b, weights):
    total = 0.0
    for r in range(a.size):
        total += np.float64(a[r] * b[r] * weights[r])
    return total


@njit
def invert(w, sizes, curvature, damping):
    """Bring G down from the outputs; invert A and G of every layer, each with its part of the damping."""
    n_layers = sizes.size - 1
    starts = curvature.starts
    end = w.size
    for layer in range(n_layers - 1, -1, -1):
        n_in, n_out = sizes[layer], sizes[layer + 1]
        G = curvature.outputs[starts[1, layer] : starts[1, layer + 1]].reshape((n_out, n_out))
        if layer < n_layers - 1:
            n_above = sizes[layer + 2]
            V = w[end : end + n_out * n_above].reshape((n_out, n_above))
            above = curvature.outputs[starts[1, layer + 1] : starts[1, layer + 2]].reshape((n_above, n_above))
            slopes = curvature.slopes[starts[1, layer] : starts[1, layer + 1]].reshape((n_out, n_out))
            G[:] = slopes * np.dot(np.dot(V, above), V.T)
        end -= (n_in + 1) * n_out
        A = curvature.inputs[starts[0, layer] : starts[0, layer + 1]]
        invert_pair(A, G, n_in + 1, layer, curvature, damping)


@njit
def invert_pair(A, G, n, layer, curvature, damping):
    is_diagonal = A.size == n
    trace = 0.0
    for k in range(n):
        trace += A[k if is_diagonal else k * (n + 1)]
    trace_above = np.trace(G)
    ratio = np.sqrt((trace / n) / (trace_above / G.shape[0])) if trace_above > 0 else 1.0
    root = np.sqrt(damping)
    identity = np.eye(G.shape[0])
    starts = curvature.starts
    inverse = curvature.inverse_outputs[starts[1, layer] : starts[1, layer + 1]].reshape(G.shape)
    ridge_above = max(root / ratio, _LEAST_DAMPING * G.shape[0] * trace_above)
    inverse[:] = np.linalg.inv(G + ridge_above * identity)
    ridge = max(root * ratio, _LEAST_DAMPING * n * trace)
    inverse_inputs = curvature.inverse_inputs[starts[0, layer] : starts[0, layer + 1]]
    if is_diagonal:
        inverse_inputs[:] = 1.0 / (A + ridge)
        return
    # Inputs of the first layer never change, and of a wide one the inverse costs more than the rest.
    if layer == 0 and ridge / 3.0 < curvature.damping[0] < 3.0 * ridge:
        return
    curvature.damping[layer] = ridge
    damped = A.reshape((n, n)) + ridge * np.eye(n)
    is_safe = ridge > _LEAST_DAMPING_OF_HALVES * trace
    inverse_inputs.reshape((n, n))[:] = inverted(damped) if is_safe else np.linalg.inv(damped).T


@njit
def inverted(M):
    """Return the inverse of a positive definite matrix, a large one by halves: BLAS is best at products."""
    n = M.shape[0]
    if n < _WORTH_HALVING:
        # Columns come first here, which makes no difference to a symmetric matrix but one to BLAS.
        return np.linalg.inv(M).T
    half = n // 2
    beside = M[:half, half:].copy()
    first = inverted(M[:half, :half].copy())
    spread = np.dot(first, beside)
    second = inverted(M[half:, half:] - np.dot(beside.T, spread))
    across = np.dot(spread, second)
    whole = np.empty_like(M)
    whole[:half, :half] = first + np.dot(across, spread.T)
    whole[:half, half:] = -across
    whole[half:, :half] = -across.T
    whole[half:, half:] = second
    return whole


@njit
def precondition(d, sizes, curvature):
    """Multiply each layer of `d` by the inverses of its A and G, in place."""
    starts = curvature.starts
    offset = 0
    for layer in range(sizes.size - 1):
        n, n_out = sizes[layer] + 1, sizes[layer + 1]
        M = d[offset : offset + n * n_out].reshape((n, n_out))
        half = curvature.scratch[: n * n_out].reshape((n, n_out))
        inverse_inputs = curvature.inverse_inputs[starts[0, layer] : starts[0, layer + 1]]
        inverse = curvature.inverse_outputs[starts[1, layer] : starts[1, layer + 1]].reshape((n_out, n_out))
        np.dot(M, inverse, half)
        if inverse_inputs.size == n:
            for k in range(n):
                for h in range(n_out):
                    M[k, h] = inverse_inputs[k] * half[k, h]
        else:
            np.dot(inverse_inputs.reshape((n, n)), half, M)
        offset += n * n_out
