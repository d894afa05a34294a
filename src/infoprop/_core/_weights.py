"""Sample weights: what they must be, and how many rows they are worth."""

import numpy as np
from numpy.typing import ArrayLike

from infoprop._core._exceptions import DataError
from infoprop._core._typing import FloatArray, LabelArray


def check_weights(sample_weight: ArrayLike, n_rows: int) -> FloatArray:
    """Return `sample_weight` as (n_rows,) finite numbers >= 0 of which at least one is positive."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight must be an array of numbers, one per row.") from None
    if weights.shape != (n_rows,):
        raise DataError(
            f"sample_weight must have one weight per row, shape ({n_rows},). Got {weights.shape}."
        )
    if not np.isfinite(weights).all():
        raise DataError("sample_weight must be finite; it holds NaN or infinite values.")
    if (weights < 0).any():
        raise DataError(f"sample_weight must not be negative. Got {weights.min():g}.")
    if not weights.any():
        raise DataError("sample_weight must have at least one positive value; all are zero.")
    return weights


def check_two_classes(classes: LabelArray, owner: str) -> None:
    """Refuse rows with a weight that are all of one class."""
    if classes.size < 2:
        raise DataError(
            f"{owner} needs rows of at least two classes; the rows with a positive weight have "
            f"{classes.size} class."
        )


def effective_number(weights: FloatArray) -> float:
    """Kish's effective number of rows, ``(sum w)^2 / sum w^2``: n for equal weights, whatever their size."""
    # Squares of raw weights could overflow or vanish.
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / (scaled**2).sum())
