"""The template of all selectors: check, resolve, search, retrain; and predict on what was chosen."""

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import column_or_1d

from infoprop._core._checks import check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import FloatArray, IntArray
from infoprop._core._weights import check_weights
from infoprop.credit import FeatureCredits
from infoprop.selection._columns import ColumnChoice, check_size, choose_columns
from infoprop.selection._containers import is_frame
from infoprop.selection._defaults import scaled_machines
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator, Train
from infoprop.selection._moving import COLUMNWISE
from infoprop.selection._prediction import ReducedPrediction
from infoprop.selection._preparation import drawn_seed, input_names, planned, prepared_rows, searching
from infoprop.selection._validation import ValidationPlan, check_validation
from infoprop.selection.running._callbacks import CallbackSupportMixin, with_callbacks
from infoprop.selection.running._journal import check_checkpoint
from infoprop.selection.running._work import Work


@dataclass(frozen=True)
class Selection:
    """What a search returns.

    Attributes
    ----------
    chosen : ndarray
        Numbers of the groups chosen.
    order : ndarray of shape (n_groups,)
        All groups, best first; those not chosen are ranked by it.
    credits : FeatureCredits or None
        Becomes `credits_`: credits of all columns. None for a search that gives none.
    learned : dict
        Further attributes that fit sets, by name.
    message : str
        One line about the result, shown with ``verbose=1``.
    train : callable or None
        Trains the classifier on the columns chosen faster than its own fit does, if the search can.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection import Selection
    >>> Selection(chosen=np.array([2]), order=np.array([2, 0, 1])).credits is None
    True
    """

    chosen: IntArray
    order: IntArray
    credits: FeatureCredits | None = None
    learned: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    train: Train | None = None


class BaseFeatureSelector(
    CallbackSupportMixin, ReducedPrediction, ClassifierMixin, MetaEstimatorMixin, BaseEstimator
):
    """Selects columns, retrains a classifier on them, and predicts with it.

    A selector writes `_search`, which is handed a :class:`SubsetEvaluator`, a :class:`ColumnChoice` and the
    :class:`Work` to report to, and returns a :class:`Selection`. Everything else (checks, groups, validation
    rows, weights, routing, names, checkpoint, retraining, prediction) is here.

    Small hooks tell what a selector has beyond that: `_threshold`, `_may_be_auto`, `_may_skip_validation`,
    `_validation_words` with `_validation_for`, and `_check_own_parameters`, which raises before any work.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.selection import BaseFeatureSelector, Selection
    >>> class LastColumns(BaseFeatureSelector):
    ...     def __init__(self, estimator=None, n_features_to_select=None):
    ...         self.estimator = estimator
    ...         self.n_features_to_select = n_features_to_select
    ...
    ...     validation, groups, keep, random_state, n_jobs, verbose = 5, None, None, 0, None, 0
    ...
    ...     def _n_steps(self, evaluator, choice):
    ...         return 0
    ...
    ...     def _search(self, evaluator, choice, work):
    ...         order = np.arange(choice.groups.n_groups)[::-1]
    ...         return Selection(np.sort(order[: choice.n_select]), order)
    >>> LastColumns(n_features_to_select=1).fit(*load_iris(return_X_y=True)).feature_ranking_
    array([3, 2, 1, 0])
    """

    estimator: Any
    n_features_to_select: Any
    validation: Any = None
    groups: Any
    keep: Any
    random_state: Any
    n_jobs: int | None
    verbose: int
    checkpoint: Any = None
    time_limit: float | None = None

    @abstractmethod
    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        """Choose groups of columns."""

    @abstractmethod
    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        """Steps that the search will report to its progress bar, at most."""

    def _threshold(self) -> Any:
        """Return the credit, in bits, that decides instead of a number of features; None if a number does."""
        return None

    def _may_be_auto(self) -> bool:
        """Whether `n_features_to_select` may be "auto"."""
        return False

    def _may_skip_validation(self) -> bool:
        """Whether the search works without rows to count on (`validation` is None)."""
        return False

    def _validation_words(self) -> tuple[str, ...]:
        """Return words that `validation` may be, besides "given"."""
        return ()

    def _validation_for(self, X: Any, n_rows: int) -> Any:
        """Return what `validation` means for these rows, of which `n_rows` have a weight."""
        return self.validation

    def _check_own_parameters(self) -> None:
        """Refuse parameters that only this selector has."""

    def _deals_rows(self) -> bool:
        """Whether row groups matter to fit."""
        return True

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        **fit_params: Any,
    ) -> Self:
        """Choose columns, then train the classifier on them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in training and in the confusion table. A row of weight zero is left out.
        X_val, y_val : {array-like, sparse matrix, data frame} and array-like, default=None
            Rows that the confusion table is made of. If given, they are used whatever `validation` says.
        sample_weight_val : array-like, default=None
            Weights of these rows in the table.
        **fit_params : dict
            Further arguments for the classifier's fit, and ``groups`` (of rows) for a splitter; with metadata
            routing, whatever has been requested.

        Returns
        -------
        self
        """
        self._check_parameters(X_val is not None)
        evaluator, seed = prepared_rows(
            self,
            self._prototype(is_sparse=sparse.issparse(X)),
            X,
            y,
            sample_weight,
            fit_params,
            seed=self._seed,
            plan=self._plan,
            given=partial(self._given_rows, X_val, y_val, sample_weight_val),
            **self._check_options(),
        )
        choice = choose_columns(
            self.groups, self.keep, self.n_features_to_select, self._threshold(), evaluator.feature_names
        )
        self._finish(evaluator, choice, seed)
        return self

    def _seed(self) -> int:
        """Draw the seed of the split and the search."""
        return drawn_seed(self)

    def _plan(
        self, X: Any, rows: LabelledRows, has_given: bool, split_parameters: dict[str, Any], seed: int
    ) -> ValidationPlan:
        """Draw the splits."""
        weights = rows.sample_weight
        n_rows = len(rows.y) if weights is None else int(np.count_nonzero(weights))
        return planned(self._validation_for(X, n_rows), X, rows, has_given, split_parameters, seed)

    def _finish(self, evaluator: SubsetEvaluator, choice: ColumnChoice, seed: int) -> None:
        n_steps = self._n_steps(evaluator, choice)
        with searching(self, evaluator, seed, n_steps, n_more=1, seconds=self.time_limit) as work:
            selection = self._search(evaluator.watched_by(work.progress), choice, work)
            work.deadline.lift()
            self.__dict__.pop("credits_", None)
            for name, value in self._learned(selection, evaluator, choice).items():
                setattr(self, name, value)
            work.progress.step()
            kept = f"{self.n_features_} of {self.n_features_in_} features kept."
            work.progress.say(f"{selection.message}{kept}")

    def _learned(
        self, selection: Selection, evaluator: SubsetEvaluator, choice: ColumnChoice
    ) -> dict[str, Any]:
        """Everything that fit learns from a selection, by name; trains the classifier."""
        support = choice.support(selection.chosen)
        learned = dict(selection.learned)
        if selection.credits is not None:
            learned["credits_"] = selection.credits
        learned["support_"] = support
        learned["ranking_"] = choice.ranking(selection.chosen, selection.order)
        learned["feature_ranking_"] = choice.best_columns(selection.chosen, selection.order)
        learned["n_features_"] = int(support.sum())
        learned["estimator_"] = evaluator.fitted(np.flatnonzero(support), selection.train)
        return learned

    def get_metadata_routing(self) -> MetadataRouter:
        """Say who takes which arguments of fit: the selector, the classifier, the splitter."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self._prototype(), method_mapping=to_fit)
        if hasattr(self.validation, "get_metadata_routing"):
            to_split = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=self.validation, method_mapping=to_split)
        return router

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._prototype())
        tags.input_tags.sparse = inner.input_tags.sparse or self.estimator is None
        tags.input_tags.allow_nan = inner.input_tags.allow_nan or _imputes(self._prototype())
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
            # A part of the columns may not be enough to learn from.
            tags.classifier_tags.poor_score = True
        return tags

    def _prototype(self, *, is_sparse: bool = False) -> Any:
        """Return the classifier to train, untrained."""
        return self._default(is_sparse) if self.estimator is None else self.estimator

    def _default(self, is_sparse: bool) -> Any:
        """Return the classifier to train if the user has given none."""
        return scaled_machines(is_sparse)

    def _input_names(self) -> tuple[str, ...]:
        return input_names(self)

    def _check_parameters(self, has_given: bool) -> None:
        owner = type(self).__name__
        check_size(self.n_features_to_select, self._threshold(), owner, may_be_auto=self._may_be_auto())
        self._check_own_parameters()
        check_checkpoint(self.checkpoint, owner)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, owner, low=0.0, low_open=True)
        check_validation(
            self.validation,
            has_given,
            owner,
            may_be_none=self._may_skip_validation(),
            words=self._validation_words(),
        )
        check_integer(
            "verbose", int(self.verbose) if isinstance(self.verbose, bool) else self.verbose, owner, low=0
        )

    def _given_rows(self, X_val: Any, y_val: Any, sample_weight_val: Any) -> LabelledRows | None:
        if (X_val is None) != (y_val is None):
            raise ParameterError("X_val and y_val go together: pass both to fit, or neither.")
        if X_val is None:
            if sample_weight_val is not None:
                raise ParameterError("sample_weight_val weighs the rows of X_val, which is not given.")
            return None
        checked, labels = checked_training_rows(self, X_val, y_val, reset=False, **self._check_options())
        weights = checked_weights(sample_weight_val, len(labels))
        return LabelledRows(X_val if is_frame(X_val) else checked, column_or_1d(labels), weights)


def _imputes(estimator: Any) -> bool:
    """Whether a pipeline may take missing values, which its own tags do not tell.

    Scalers hand them on, so the first other step decides.
    """
    if not isinstance(estimator, Pipeline):
        return False
    for _, step in estimator.steps:
        if step is not None and not isinstance(step, (str, *COLUMNWISE)):
            return isinstance(step, ColumnTransformer) or bool(get_tags(step).input_tags.allow_nan)
    return False


def checked_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    return None if sample_weight is None else check_weights(sample_weight, n_rows)
