"""Entropies of a count table and the information its columns give about its rows, in bits.

Sums go through :func:`math.fsum`, which rounds once whatever the order of the terms: renaming or permuting
labels cannot change a single bit of a result.
"""

from collections.abc import Iterable
from math import fsum, log, log2, sqrt
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from infoprop._core._checks import check_choice
from infoprop._core._typing import FloatArray
from infoprop.metrics._confusion import ConfusionCounts

Correction: TypeAlias = Literal["miller-madow"] | None


class Information(NamedTuple):
    """Class entropy H(Y) and output information I(Y;Yf), in bits; 0 <= information <= class_entropy."""

    class_entropy: float
    information: float

    @property
    def relative(self) -> float:
        """I/H, in [0, 1]; 0 where there is nothing to know (H = 0)."""
        return self.information / self.class_entropy if self.class_entropy > 0 else 0.0


def check_correction(correction: object, owner: str) -> None:
    """Raise unless `correction` is None or "miller-madow"."""
    check_choice("correction", correction, (None, "miller-madow"), owner)


def entropy(weights: Iterable[float]) -> float:
    """Entropy in bits of the distribution proportional to `weights`; 0 if they are all zero."""
    positive = [weight for weight in weights if weight > 0]
    if not positive:
        return 0.0
    total = fsum(positive)
    # A share may vanish in the division, and 0 log 0 = 0.
    shares = [share for weight in positive if (share := weight / total) > 0]
    return max(0.0, -fsum(share * log2(share) for share in shares))


def corrected_entropy(weights: Iterable[float], n_samples: float, correction: Correction) -> float:
    """Entropy in bits, plus (m - 1) / (2 n ln 2) under the Miller-Madow correction with m non-empty cells."""
    weights = list(weights)
    plain = entropy(weights)
    if correction is None:
        return plain
    n_cells = sum(weight > 0 for weight in weights)
    return plain + (n_cells - 1) / (2 * n_samples * log(2))


def indicator_probabilities(table: ConfusionCounts) -> FloatArray:
    """P(Yf = j), shape (M,)."""
    return table.predicted_totals / table.total


def indicator_entropies(table: ConfusionCounts) -> FloatArray:
    """H(Y|Yf = j) in bits, shape (M,); 0 for a label that was never predicted."""
    return np.array([entropy(column) for column in table.counts.T.tolist()])


def conditional_entropy(table: ConfusionCounts) -> float:
    """H(Y|Yf) = sum_j P(Yf = j) H(Y|Yf = j), in bits."""
    return fsum((indicator_probabilities(table) * indicator_entropies(table)).tolist())


def measure_information(table: ConfusionCounts, correction: Correction = None) -> Information:
    """H(Y) and I(Y;Yf) of a table.

    Plain: ``I = H(Y) - H(Y|Yf)``. Corrected: ``I = H(Y) + H(Yf) - H(Y,Yf)`` with each of the three entropies
    corrected. Both are clipped into [0, H(Y)]: the plain one can leave it by rounding only.
    """
    rows = table.true_totals.tolist()
    class_entropy = corrected_entropy(rows, table.n_samples, correction)
    if correction is None:
        information = class_entropy - conditional_entropy(table)
    else:
        columns, cells = table.predicted_totals.tolist(), table.counts.ravel().tolist()
        information = (
            class_entropy
            + corrected_entropy(columns, table.n_samples, correction)
            - corrected_entropy(cells, table.n_samples, correction)
        )
    return Information(class_entropy, min(max(information, 0.0), class_entropy))


def information_error(table: ConfusionCounts) -> float:
    """Standard error of the plain I(Y;Yf), in bits: ``sqrt(sum_ij p_ij (r_ij - I)^2 / n)``.

    ``r_ij = log2(p_ij / (p_i p_j))`` is what the pair (i, j) tells, and I the mean of it.
    """
    rows, columns = np.nonzero(table.counts)
    shares = (table.counts[rows, columns] / table.total).tolist()
    known = zip(
        shares,
        (table.true_totals[rows] / table.total).tolist(),
        (table.predicted_totals[columns] / table.total).tolist(),
        strict=True,
    )
    # Shares may vanish in the division, and 0 log 0 = 0. The logarithm of a product could underflow.
    told = [log2(p) - log2(p_i) - log2(p_j) if p > 0 else 0.0 for p, p_i, p_j in known]
    mean = fsum(p * r for p, r in zip(shares, told, strict=True))
    spread = fsum(p * (r - mean) ** 2 for p, r in zip(shares, told, strict=True))
    return sqrt(spread / table.n_samples)
