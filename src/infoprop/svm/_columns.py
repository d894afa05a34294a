"""Columns of very different scale, on which rounding hurts linear machines."""

import numpy as np
from scipy import sparse

from infoprop._core._matrices import centred, column_norms_squared
from infoprop._core._typing import FloatArray, IntArray, Matrix

# A column so many times larger than the middle one is of extreme scale.
_EXTREME = 1e4


def extreme_columns(X: Matrix) -> IntArray:
    """Numbers of columns that are far larger than the middle one, largest first; at most three."""
    dense = X.toarray() if sparse.issparse(X) and X.shape[0] * X.shape[1] <= 1e7 else X
    scales = (
        np.sqrt(column_norms_squared(dense)) if sparse.issparse(dense) else np.abs(centred(dense)).max(axis=0)
    )
    middle = float(np.median(scales[scales > 0.0])) if scales.any() else 0.0
    order = np.argsort(-scales, kind="stable")[:3]
    return np.asarray(order[scales[order] > _EXTREME * middle])


def rounding_of(beta: FloatArray, energy: float) -> float:
    """Size of the rounding in outputs of ``w = X' beta``, with beta to all its digits; energy is |X|^2."""
    return float(np.finfo(float).eps * np.linalg.norm(beta) * energy / np.sqrt(len(beta)))
