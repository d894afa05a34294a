"""What a fitted selector answers: predictions of its classifier on the columns it has chosen."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.credit._shares import credit_shares
from infoprop.selection._containers import is_frame, take_columns


def _estimator_has(method: str) -> Callable[[Any], bool]:
    def check(selector: Any) -> bool:
        fitted = getattr(selector, "estimator_", None)
        return hasattr(selector._prototype() if fitted is None else fitted, method)

    return check


class ReducedPrediction(SelectorMixin):
    """Predicts with `estimator_`, which was trained on the columns of `support_`."""

    support_: BoolArray
    ranking_: IntArray
    feature_ranking_: IntArray
    n_features_: int
    estimator_: Any

    @abstractmethod
    def _prototype(self, *, is_sparse: bool = False) -> Any:
        """Return the classifier to train, untrained."""

    @property
    def classes_(self) -> LabelArray:
        """Labels that the classifier was taught."""
        check_is_fitted(self)
        classes: LabelArray = self.estimator_.classes_
        return classes

    def predict(self, X: Any) -> LabelArray:
        """Predict labels from the chosen columns: shape (n_samples,)."""
        chosen = self._reduced(X)
        labels: LabelArray = self.estimator_.predict(chosen)
        return labels

    @available_if(_estimator_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> FloatArray:
        """Return decision values: (n_samples,) for two classes, else (n_samples, n_classes)."""
        chosen = self._reduced(X)
        values: FloatArray = self.estimator_.decision_function(chosen)
        return values

    @available_if(_estimator_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return class probabilities: shape (n_samples, n_classes)."""
        chosen = self._reduced(X)
        probabilities: FloatArray = self.estimator_.predict_proba(chosen)
        return probabilities

    @available_if(_estimator_has("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return logarithms of class probabilities: shape (n_samples, n_classes)."""
        chosen = self._reduced(X)
        logarithms: FloatArray = self.estimator_.predict_log_proba(chosen)
        return logarithms

    def credit_shares(self, X: Any = None, sample_weight: Any = None) -> FloatArray:
        """Shares of the retrained classifier: (n_classes, n_features); zero for columns not chosen."""
        check_is_fitted(self)
        shares = credit_shares(self.estimator_, None if X is None else self._reduced(X), sample_weight)
        spread = np.zeros((len(shares), len(self.support_)))
        spread[:, self.support_] = shares
        return spread

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_

    def _check_options(self) -> dict[str, Any]:
        # Types are the classifier's business; a frame may hold words that its pipeline encodes.
        return {
            "accept_sparse": "csr",
            "dtype": None,
            "ensure_all_finite": not get_tags(self).input_tags.allow_nan,
        }

    def _reduced(self, X: Any) -> Any:
        check_is_fitted(self)
        checked = validate_data(self, X, reset=False, **self._check_options())
        return take_columns(X if is_frame(X) else checked, np.flatnonzero(self.support_))
