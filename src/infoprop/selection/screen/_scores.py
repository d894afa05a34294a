"""ScoreScreen: the best columns by a score that needs one pass over the rows, before anything is searched."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray
from infoprop.shaping import BNSScaler


class ScoreScreen(SelectorMixin, BaseEstimator):
    """Keep the columns that tell the most about the class, each by itself.

    A column is scored by its best threshold: how much is known of the class once it is known on which side of
    it a value lies. Of several classes that one counts which the column tells best from all others. Scores
    follow from the values that a column takes and the rows of each class that have them, which add up over
    blocks of rows: tables may be far larger than memory.

    Put it before a search, in a pipeline, where it is learned from training rows only: columns chosen with
    the help of rows that judge look better than they are.

    Parameters
    ----------
    n_features_to_select : int, default=5000
        Number of features to keep; all of them if there are fewer. Of equal ones the first are kept.
    scoring : {"information_gain", "bns", "hellinger"}, default="information_gain"
        Bits about the class; bi-normal separation, which rates rare values higher; or Hellinger distance.
    groups : array-like of shape (n_features,), default=None
        Columns with the same label are one feature, as good as the best of them.
    n_jobs : int, default=None
        Threads, or workers of `fit_blocks`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The larger, the better.
    support_ : ndarray of bool of shape (n_features,)
        Columns that are kept.
    classes_ : ndarray
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they have any.

    See Also
    --------
    interaction_screen : Also finds columns that tell something as one of a pair; needs all rows in memory.

    Notes
    -----
    A column that is of use together with others only, as in XOR, scores nothing and is lost.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from infoprop.selection import BackwardEliminationSelector, ScoreScreen
    >>> from infoprop.svm import OneVsRestSVC
    >>> random = np.random.default_rng(0)
    >>> X, y = random.normal(size=(100, 500)), random.integers(0, 2, 100)
    >>> X[:, [7, 70]] += 2 * y[:, None]
    >>> search = BackwardEliminationSelector(OneVsRestSVC(), n_features_to_select=2, random_state=0)
    >>> make_pipeline(ScoreScreen(50), search).fit(X, y)[0].scores_.argsort()[-2:]
    array([ 7, 70])
    """

    def __init__(
        self,
        n_features_to_select: int = 5000,
        *,
        scoring: Literal["information_gain", "bns", "hellinger"] = "information_gain",
        groups: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.scoring = scoring
        self.groups = groups
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score all columns and keep the best.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Finite weights >= 0.

        Returns
        -------
        ScoreScreen
            Itself.
        """
        return self._took(self._scaler().fit(X, y, sample_weight))

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to those seen so far, as :meth:`infoprop.shaping.BNSScaler.partial_fit` does.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            More training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), optional
            All labels that will come. Needed by the first call unless its `y` has them all.
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit`.

        Returns
        -------
        ScoreScreen
            Itself.
        """
        if not hasattr(self, "_counted"):
            return self._took(self._scaler().partial_fit(X, y, classes, sample_weight))
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._took(self._counted.partial_fit(X, y, classes, sample_weight))

    def fit_blocks(self, blocks: Any, y: Any = None, *, target: str | None = None) -> Self:
        """Score the columns of rows that do not fit into memory together, in one pass over blocks of them.

        Parameters
        ----------
        blocks : list of paths, list of callables, Dask array or Dask data frame
            As in :meth:`infoprop.shaping.BNSScaler.fit_blocks`.
        y : Dask array or series, optional
            Labels of a Dask collection.
        target : str, optional
            Column that holds the labels, in files and data frames.

        Returns
        -------
        ScoreScreen
            Itself.
        """
        return self._took(self._scaler().fit_blocks(blocks, y, target=target))

    def _scaler(self) -> BNSScaler:
        check_integer("n_features_to_select", self.n_features_to_select, "ScoreScreen", low=1)
        return BNSScaler(scaling=self.scoring, n_jobs=self.n_jobs)

    def _took(self, counted: BNSScaler) -> Self:
        """Take over what was counted, and choose."""
        self._counted = counted
        self.classes_, self.n_features_in_ = counted.classes_, counted.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(counted, "feature_names_in_"):
            self.feature_names_in_ = counted.feature_names_in_
        self.scores_ = counted.scores_
        self.support_ = best_features(self.scores_, self.groups, self.n_features_to_select)
        return self

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self, "support_")
        return np.asarray(self.support_)


def best_features(scores: Any, groups: ArrayLike | None, n_features: int) -> BoolArray:
    """Return the mask of the columns of the `n_features` best features; the first of equal ones."""
    labels = np.arange(len(scores)) if groups is None else np.asarray(groups)
    if labels.shape != (len(scores),):
        raise ParameterError(
            f"The 'groups' parameter of ScoreScreen must have a label for each of the {len(scores)} columns. "
            f"Got shape {labels.shape}."
        )
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    best = np.full(len(first), -np.inf)
    np.maximum.at(best, codes, scores)
    kept = np.lexsort((first, -best))[:n_features]
    return np.asarray(np.isin(codes, kept))
