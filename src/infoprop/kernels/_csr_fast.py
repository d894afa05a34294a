"""Base matrices between CSR rows. Nothing is made dense but one row at a time."""

import numpy as np

from infoprop._core._jit import njit


@njit
def dot_rows(x_data, x_indices, x_indptr, y_data, y_indices, y_indptr, n_features, out):
    """Write ``X @ Y.T`` into `out` (n_X, n_Y). Costs O(n_X nnz(Y)); needs one dense row."""
    row = np.zeros(n_features)
    for i in range(x_indptr.shape[0] - 1):
        for p in range(x_indptr[i], x_indptr[i + 1]):
            row[x_indices[p]] += x_data[p]
        for j in range(y_indptr.shape[0] - 1):
            total = 0.0
            for p in range(y_indptr[j], y_indptr[j + 1]):
                total += y_data[p] * row[y_indices[p]]
            out[i, j] = total
        for p in range(x_indptr[i], x_indptr[i + 1]):
            row[x_indices[p]] = 0.0


@njit
def gaussian_sum_rows(x_data, x_indices, x_indptr, y_data, y_indices, y_indptr, n_features, gamma, out):
    """Write ``sum_k exp(-gamma (x_k - y_k)^2)`` into `out` (n_X, n_Y). Costs O(n_X nnz(Y)).

    Features absent from both rows add one each, so a row starts from the sum against an all-zero row
    and each non-zero of y replaces one term. Duplicate entries must have been summed.
    """
    row = np.zeros(n_features)
    term = np.ones(n_features)
    for i in range(x_indptr.shape[0] - 1):
        against_zero = float(n_features)
        for p in range(x_indptr[i], x_indptr[i + 1]):
            k = x_indices[p]
            row[k] = x_data[p]
            term[k] = np.exp(-gamma * x_data[p] * x_data[p])
            against_zero += term[k] - 1.0
        for j in range(y_indptr.shape[0] - 1):
            total = against_zero
            for p in range(y_indptr[j], y_indptr[j + 1]):
                k = y_indices[p]
                difference = row[k] - y_data[p]
                total += np.exp(-gamma * difference * difference) - term[k]
            out[i, j] = total
        for p in range(x_indptr[i], x_indptr[i + 1]):
            row[x_indices[p]] = 0.0
            term[x_indices[p]] = 1.0


@njit
def gaussian_sum_gradient(x_data, x_indices, x_indptr, y_data, y_indices, y_indptr, gamma, weights, out):
    """Add ``sum_j weights[i, j] (-2 gamma) (x_k - y_k) exp(-gamma (x_k - y_k)^2)`` to `out`.

    `weights` is (n_X, n_Y), `out` is (n_X, n_features).
    Only features present in x or in y contribute: both absent means no difference.
    """
    n_features = out.shape[1]
    row = np.zeros(n_features)
    term = np.zeros(n_features)
    for i in range(x_indptr.shape[0] - 1):
        total = 0.0
        for j in range(weights.shape[1]):
            total += weights[i, j]
        for p in range(x_indptr[i], x_indptr[i + 1]):
            k = x_indices[p]
            row[k] = x_data[p]
            term[k] = -2.0 * gamma * x_data[p] * np.exp(-gamma * x_data[p] * x_data[p])
            out[i, k] += total * term[k]
        for j in range(y_indptr.shape[0] - 1):
            for p in range(y_indptr[j], y_indptr[j + 1]):
                k = y_indices[p]
                difference = row[k] - y_data[p]
                slope = -2.0 * gamma * difference * np.exp(-gamma * difference * difference)
                out[i, k] += weights[i, j] * (slope - term[k])
        for p in range(x_indptr[i], x_indptr[i + 1]):
            row[x_indices[p]] = 0.0
            term[x_indices[p]] = 0.0
