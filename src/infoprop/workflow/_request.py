"""What a run is told, and what becomes of that once the data is known."""

from dataclasses import dataclass, replace
from typing import Any, Self

from sklearn.base import BaseEstimator, clone

from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import (
    FeatureSelector,
    ForwardBeamSelector,
    GeneticSelector,
    GradientAngleSelector,
)
from infoprop.workflow._classifiers import last_step, named_classifier, prepared
from infoprop.workflow._options import SPLIT
from infoprop.workflow._preparation import Problem
from infoprop.workflow._selectors import named_selector, told_of
from infoprop.workflow._words import word_weights


@dataclass(frozen=True)
class Request:
    """The parameters of :func:`infoprop.workflow.analyse`, which explains them."""

    method: Any = None
    n_features_to_select: Any = None
    per_class: int | None = None
    screen: int | None = None
    classifier: Any = "svm"
    validation: Any = 0.25
    repeat_choice: bool = False
    probabilities: bool = False
    nested: int | None = None
    consensus: int | None = None
    sharing: str = "covariance"
    n_null: int = 199
    explain_rows: tuple[int, ...] = ()
    impute: str | None = None
    scale: bool = True
    min_df: int = 2
    ngrams: int = 1
    weights: str | None = None
    groups: Any = None
    row_groups: Any = None
    random_state: int = 0
    n_jobs: int | None = None
    verbose: int = 0

    @property
    def split(self) -> str | None:
        """Name of the column that says which rows judge."""
        return SPLIT if isinstance(self.validation, str) and self.validation == SPLIT else None


@dataclass(frozen=True)
class Task:
    """What is done with a problem.

    Attributes
    ----------
    request : Request
        What was told.
    estimator : classifier
        Behind imputation and scaling, not trained.
    selector : selector or None
        Not yet told of the data; None leaves it at credits.
    weights : str or None
        Of words, see `analyse`; None for columns that are scaled as others are.
    """

    request: Request
    estimator: BaseEstimator
    selector: Any
    weights: str | None = None

    @classmethod
    def of(cls, request: Request, problem: Problem | None = None) -> Self:
        """Make classifier and selector out of what was told, for `problem` if it is known yet."""
        selector = named_selector(request.method, request.n_features_to_select, request.per_class)
        classifier = getattr(selector, "estimator", None)
        if classifier is None:
            classifier = named_classifier(request.classifier)
        weights = None
        if problem is not None:
            weights = word_weights(request, problem, is_searched=_is_search(selector))
        estimator = prepared(
            classifier,
            impute=request.impute,
            is_scaled=request.scale,
            is_sparse=problem is not None and problem.is_sparse,
            weights=weights,
            random_state=request.random_state,
            n_jobs=request.n_jobs,
        )
        return cls(request, estimator, selector, weights)

    def alone(self, problem: Problem) -> Self:
        """Return the same task with one thread: folds are what is done at the same time."""
        return type(self).of(replace(self.request, n_jobs=None), problem)

    def told_of(self, problem: Problem, verbose: int = 0) -> Any:
        """Return the selector, told of the data."""
        request = self.request
        return told_of(
            self.selector,
            problem,
            self.estimator,
            impute=request.impute,
            random_state=request.random_state,
            n_jobs=request.n_jobs,
            verbose=verbose or request.verbose,
        )

    def with_classifier_of(self, selector: Any) -> Self:
        """Return the same task with the classifier that a fitted selector has found, if it looked for one."""
        if not isinstance(selector, FeatureSelector):
            return self
        return replace(self, estimator=clone(selector.estimator_))

    @property
    def is_pairwise(self) -> bool:
        """Whether every pair of classes has a classifier of its own."""
        return isinstance(last_step(self.estimator), PairwiseClassifier)

    @property
    def is_search(self) -> bool:
        """Whether more than one subset is tried, which has a progress bar of its own."""
        return _is_search(self.selector)

    @property
    def counts_apart(self) -> bool:
        """Whether rows held out take no part in the search: it counts on training rows, or not at all."""
        apart = GradientAngleSelector | ForwardBeamSelector | GeneticSelector | FeatureSelector
        return isinstance(self.selector, apart)

    @property
    def has_validation(self) -> bool:
        """Whether the selector counts on rows that it did not train on."""
        return "validation" in self.selector.get_params(deep=False)


def _is_search(selector: Any) -> bool:
    return selector is not None and "checkpoint" in selector.get_params(deep=False)
