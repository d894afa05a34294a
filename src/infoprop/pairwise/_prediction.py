"""What a fitted PairwiseClassifier answers: votes, classes, probabilities."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop.credit._class_pairs import CreditedPair
from infoprop.pairwise._coupling import coupled_probabilities
from infoprop.pairwise._pairs import ClassPair, ClassPairs
from infoprop.pairwise._voting import class_pairs, class_votes, elected, vote_weights
from infoprop.selection._containers import is_frame, take_columns


def _pairs_have(method: str) -> Callable[[Any], bool]:
    def check(classifier: Any) -> bool:
        fitted = getattr(classifier, "pairs_", None)
        return hasattr(classifier._prototype() if fitted is None else fitted[0].estimator, method)

    return check


class PairwisePrediction(BaseEstimator):
    """Predicts with the classifiers of `pairs_`."""

    voting: str
    pairs_: ClassPairs
    classes_: LabelArray
    priority_: IntArray

    @abstractmethod
    def _prototype(self) -> Any:
        """Return the classifier to train, untrained."""

    def votes(self, X: Any) -> FloatArray:
        """Votes that every class gets.

        With ``voting="weighted"`` a vote counts the credibility of its pair, otherwise one.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        checked = self._checked(X)
        decided = [self._asked(pair, checked, "predict") == pair.classes[0] for pair in self.pairs_]
        weights = np.ones(len(self.pairs_))
        if self.voting == "weighted":
            weights = vote_weights(self.pairs_.credibility)
        n_classes = len(self.classes_)
        return class_votes(np.array(decided), weights, *class_pairs(n_classes), n_classes)

    def predict(self, X: Any) -> LabelArray:
        """Predict the class with most votes; of equal ones the larger one in training, then the first.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        votes = self.votes(X)
        labels: LabelArray = self.classes_[elected(votes, self.priority_)]
        return labels

    @available_if(_pairs_have("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities that agree best with those of all pairs, by pairwise coupling.

        The most probable class need not be the one with most votes.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        checked = self._checked(X)
        r = np.column_stack([self._asked(pair, checked, "predict_proba")[:, 0] for pair in self.pairs_])
        n_classes = len(self.classes_)
        return coupled_probabilities(r, *class_pairs(n_classes), n_classes)

    def _credited_pairs(self, X: Any = None) -> Iterator[CreditedPair]:
        """What `infoprop.credit` asks: the classifiers, each with its rows and columns."""
        checked = None if X is None else self._checked(X)
        n_columns = len(self.pairs_.feature_names)
        for pair in self.pairs_:
            rows = None if checked is None else take_columns(checked, pair.columns)
            yield CreditedPair(pair.estimator, rows, pair.columns, n_columns)

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        checked = validate_data(self, X, reset=False, **self._check_options())
        return X if is_frame(X) else checked

    def _asked(self, pair: ClassPair, X: Any, method: str) -> Any:
        takes_all = len(pair.columns) == len(self.pairs_.feature_names)
        return getattr(pair.estimator, method)(X if takes_all else take_columns(X, pair.columns))

    def _check_options(self) -> dict[str, Any]:
        # Types are the classifier's business; a frame may hold words that its pipeline encodes.
        return {
            "accept_sparse": "csr",
            "dtype": None,
            "ensure_all_finite": not get_tags(self).input_tags.allow_nan,
        }
