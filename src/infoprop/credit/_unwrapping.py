"""The classifier inside pipelines, selectors and searches, and the way back to the columns of the user."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._typing import BoolArray, FloatArray
from infoprop.credit._networks import SequentialClassifier, is_sequential
from infoprop.credit._origins import column_origins, starts_with_words


class Inner(NamedTuple):
    """What is inside a fitted classifier.

    Attributes
    ----------
    classifier : fitted classifier
        Neither a pipeline nor a selector nor a search.
    rows : matrix or None
        The rows as they reach it; None if no rows were given.
    origins : CSR of shape (n_inner, n_columns) or None
        Part of every column that reaches it which belongs to every column of the user; see
        :func:`~infoprop.credit._origins.column_origins`. None if they are the same.
    """

    classifier: Any
    rows: Any
    origins: sparse.csr_array | None

    @property
    def is_nobodys(self) -> BoolArray:
        """Which columns that reach the classifier belong to no column of the user: constants."""
        return np.zeros(0, dtype=bool) if self.origins is None else np.diff(self.origins.indptr) == 0

    def given_back(self, values: FloatArray) -> FloatArray:
        """Values of shape (..., n_inner) summed over the columns of the user: (..., n_columns)."""
        if self.origins is None:
            return values
        if values.shape[-1] != self.origins.shape[0]:
            raise UnsupportedEstimatorError(
                f"The steps of the pipeline should give {self.origins.shape[0]} columns, but its classifier "
                f"was trained with {values.shape[-1]}. Credit the classifier on what comes out of the steps "
                "instead."
            )
        flat = values.reshape(-1, values.shape[-1]) @ self.origins
        return np.asarray(flat).reshape(*values.shape[:-1], -1)


def refuse_unfitted(estimator: Any) -> None:
    """Raise an error for what is not a fitted estimator."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise UnsupportedEstimatorError(f"A fitted classifier is needed. Got {estimator!r}.")
    check_is_fitted(estimator)


def unwrapped(estimator: Any, X: Any = None) -> Inner:
    """Look into pipelines, fitted searches, frozen estimators and selectors that predict."""
    if is_sequential(estimator):
        estimator = SequentialClassifier.from_labels(estimator)
    if isinstance(estimator, SequentialClassifier):
        return Inner(estimator, None if X is None else estimator.rows(X), None)
    refuse_unfitted(estimator)
    if isinstance(estimator, Pipeline):
        if len(estimator.steps) == 1:
            return unwrapped(estimator.steps[0][1], X)
        # Refused before any row is transformed.
        origins = _origins_of_steps(estimator, X)
        rows = None if X is None else estimator[:-1].transform(X)
        return _through(origins, unwrapped(estimator.steps[-1][1], rows))
    if isinstance(estimator, FrozenEstimator):
        return unwrapped(estimator.estimator, X)
    if hasattr(estimator, "best_estimator_"):
        return unwrapped(estimator.best_estimator_, X)
    if is_classifier(estimator) and hasattr(estimator, "get_support") and hasattr(estimator, "estimator_"):
        chosen = estimator.get_support()
        rows = None if X is None else estimator.transform(X)
        return _through(column_origins(estimator, len(chosen)), unwrapped(estimator.estimator_, rows))
    return Inner(estimator, X, None)


def _origins_of_steps(pipeline: Pipeline, X: Any) -> sparse.csr_array:
    words = starts_with_words(pipeline)
    if words is not None:
        # Documents have no columns; the words that they are counted by are the features.
        n_words = len(words.get_feature_names_out())
        return column_origins(Pipeline([("start", None), *pipeline.steps[1:-1]]), n_words)
    n_columns = getattr(pipeline, "n_features_in_", None)
    if n_columns is None:
        if X is None:
            raise UnsupportedEstimatorError(
                "The pipeline does not say how many columns it was trained with (n_features_in_). "
                "Give the rows: credit_shares(pipeline, X)."
            )
        n_columns = np.shape(X)[1]
    return column_origins(pipeline[:-1], int(n_columns))


def _through(origins: sparse.csr_array, inner: Inner) -> Inner:
    inward = origins if inner.origins is None else sparse.csr_array(inner.origins @ origins)
    return inner._replace(origins=None if _is_identity(inward) else inward)


def _is_identity(origins: sparse.csr_array) -> bool:
    """Whether every column is itself, as after scalers: there is nothing to follow back."""
    n_inner, n_columns = origins.shape
    every = np.arange(n_inner + 1)
    return bool(
        n_inner == n_columns == origins.nnz
        and np.array_equal(origins.indptr, every)
        and np.array_equal(origins.indices, every[:-1])
        and (origins.data == 1.0).all()
    )
