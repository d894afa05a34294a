"""Base matrices that follow a column, and the slopes that credits are made of."""

from infoprop._core._jit import njit


@njit
def change_products(base, own, x, sign):
    """``base += sign own x'``: inner products when a column comes (+1) or goes (-1)."""
    for i in range(base.shape[0]):
        row = base[i]
        scaled = sign * own[i]
        if scaled != 0.0:
            for a in range(row.shape[0]):
                row[a] += scaled * x[a]


@njit
def change_distances(base, own, x, sign):
    """``base_ia += sign (own_i - x_a)^2``: squared distances, which rounding must not make negative."""
    for i in range(base.shape[0]):
        row = base[i]
        here = own[i]
        for a in range(row.shape[0]):
            difference = here - x[a]
            row[a] = max(0.0, row[a] + sign * (difference * difference))


@njit
def gather_weighted(slope, support, weights, scale, out, totals):
    """``out_ij = scale slope[s_i, s_j] weights_j`` for the rows and columns `support`, and its row sums."""
    for i in range(support.shape[0]):
        row = slope[support[i]]
        into = out[i]
        total = 0.0
        for j in range(support.shape[0]):
            value = scale * row[support[j]] * weights[j]
            into[j] = value
            total += value
        totals[i] = total
