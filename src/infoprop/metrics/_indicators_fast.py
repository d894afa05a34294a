"""Information of a confusion table and the credits of its indicators, for compiled loops.

Of counts n_ij (rows true, columns predicted), ``I = H(Y) - sum_j P(j) H(Y|j)``, and indicator j is credited
``I u_j / sum(u)`` with ``u_j = P(j) (log2 M - H(Y|j))``: the formulas of `_information` and `_indicators`,
once more for loops whose steps take microseconds. Sums are plain here, and information that rounds to nothing
in twelve decimals is nothing. Invariant: credits are not negative and add up to I.

Reference: infoprop-2001, equations 2 and 3.
"""

import numpy as np

from infoprop._core._jit import njit

# Credits are compared to twelve decimals, as in `FeatureCredits.ranking`.
DECIMALS = 1e12


@njit
def share_information(counts, credits):
    """Write the credits of the indicators of a table (equation 3 of infoprop-2001); returns I in bits."""
    n_labels = counts.shape[0]
    total = 0.0
    for i in range(n_labels):
        for j in range(n_labels):
            total += counts[i, j]
    class_entropy = 0.0
    left = 0.0
    usefulness = 0.0
    for r in range(n_labels):
        true = 0.0
        predicted = 0.0
        for c in range(n_labels):
            true += counts[r, c]
            predicted += counts[c, r]
        if true > 0.0:
            class_entropy -= true / total * np.log2(true / total)
        doubt = 0.0
        for c in range(n_labels):
            if counts[c, r] > 0.0:
                doubt -= counts[c, r] / predicted * np.log2(counts[c, r] / predicted)
        left += predicted / total * doubt
        credits[r] = predicted / total * max(0.0, np.log2(n_labels) - doubt)
        usefulness += credits[r]
    information = min(class_entropy - left, class_entropy)
    if information * DECIMALS < 0.5:
        # No credit would differ from zero in twelve decimals: nothing is delivered.
        information = 0.0
    for r in range(n_labels):
        credits[r] = information * credits[r] / usefulness if usefulness > 0.0 else 0.0
    return information
