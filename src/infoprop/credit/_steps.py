"""Steps before a classifier that the noise floor has to know: they divide by norms, or learn from labels."""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import Normalizer, TargetEncoder
from sklearn.utils import _safe_indexing
from sklearn.utils.extmath import row_norms

from infoprop._core._typing import FloatArray, Matrix
from infoprop.credit._origins import SHAPERS

_WITH_NORM = (Normalizer, TfidfTransformer, TfidfVectorizer, *SHAPERS)
_SUPERVISED = (TargetEncoder, *SHAPERS)


def learns_from_labels(estimator: Any) -> bool:
    """Whether a step makes a column anew from what the labels of the training rows are at its values."""
    return any(isinstance(step, _SUPERVISED) for step, _ in _leaves(estimator, None))


def row_scales(estimator: Any, X: Any) -> FloatArray | None:
    """What steps multiply whole rows by, one over their norms: shape (n_samples, n_norms); None without.

    Cost: the steps transform the rows once more.
    """
    if not any(_divides(step) for step, _ in _leaves(estimator, None)):
        return None
    found = [scale for step, rows in _leaves(estimator, X) if _divides(step) for scale in _scales(step, rows)]
    return np.column_stack(found)


def _divides(step: Any) -> bool:
    return isinstance(step, _WITH_NORM) and getattr(step, "norm", None) is not None


def _leaves(step: Any, X: Any) -> Iterator[tuple[Any, Any]]:
    """Single transformers of pipelines, column transformers and unions, with the rows given to each."""
    if isinstance(step, FrozenEstimator):
        yield from _leaves(step.estimator, X)
    elif hasattr(step, "best_estimator_"):
        yield from _leaves(step.best_estimator_, X)
    elif isinstance(step, Pipeline):
        rows = X
        for k, (_, own) in enumerate(step.steps):
            yield from _leaves(own, rows)
            if rows is not None and k + 1 < len(step.steps) and hasattr(own, "transform"):
                rows = own.transform(rows)
    elif isinstance(step, ColumnTransformer):
        for _, own, columns in step.transformers_:
            yield from _leaves(own, None if X is None else _safe_indexing(X, columns, axis=1))
    elif isinstance(step, FeatureUnion):
        for _, own in step.transformer_list:
            yield from _leaves(own, X)
    else:
        yield step, X


def _scales(step: Any, X: Any) -> Iterator[FloatArray]:
    """One for each part of the columns that has a norm of its own: shapers have one part for each class."""
    rows = _undivided(step, X)
    is_shaper = isinstance(step, SHAPERS)
    width = step.n_features_in_ if is_shaper else rows.shape[1]
    for k in range(len(step.shapes_) if is_shaper else 1):
        size = _norms(rows[:, k * width : (k + 1) * width], step.norm)
        yield np.divide(1.0, size, out=np.zeros_like(size), where=size > 0.0)


def _undivided(step: Any, X: Any) -> Matrix:
    """What a step puts out before it divides rows by their norms."""
    if isinstance(step, Normalizer):
        return X if sparse.issparse(X) else np.asarray(X)
    if isinstance(step, TfidfVectorizer):
        # It hands its norm on to a transformer inside when it is fitted, so it cannot be told otherwise.
        counts = CountVectorizer.transform(step, X)
        if step.sublinear_tf:
            counts.data = np.log(counts.data) + 1.0
        return counts.multiply(step.idf_).tocsr() if step.use_idf else counts
    raw = copy(step)
    raw.norm = None
    return raw.transform(X)


def _norms(rows: Matrix, norm: str) -> FloatArray:
    if norm == "l2":
        return np.asarray(row_norms(rows), dtype=np.float64)
    sizes = abs(rows)
    found = sizes.sum(axis=1) if norm == "l1" else sizes.max(axis=1)
    dense = found.toarray() if sparse.issparse(found) else found
    return np.asarray(dense, dtype=np.float64).ravel()
