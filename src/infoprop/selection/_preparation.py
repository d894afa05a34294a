"""What a classifier built on searches begins with: rows to train on, and work to report to."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from infoprop._core._deadline import OutOfTime, time_limit
from infoprop._core._exceptions import DataError, Parameter, ParameterError, UnsupportedEstimatorError
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import IntArray
from infoprop._core._weights import check_weights
from infoprop.selection._containers import is_frame
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._trainability import check_trainable
from infoprop.selection._validation import ValidationPlan, plan_validation
from infoprop.selection.running._callbacks import SearchTasks
from infoprop.selection.running._fingerprint import fingerprint
from infoprop.selection.running._journal import Journal, remembered_seed
from infoprop.selection.running._progress import Progress
from infoprop.selection.running._routing import route_fit
from infoprop.selection.running._work import Work


def prepared_rows(
    owner: Any,
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    fit_params: dict[str, Any],
    *,
    seed: Callable[[], int] | None = None,
    plan: Callable[..., ValidationPlan] | None = None,
    given: Callable[[], LabelledRows | None] | None = None,
    trains_with_weights: bool = True,
    **options: Any,
) -> tuple[SubsetEvaluator, int]:
    """Check everything that is given to fit, and draw the splits.

    Parameters
    ----------
    owner : estimator
        Whose fit it is. Has `validation` (None for no splits), `random_state`, `n_jobs` and `checkpoint`,
        checked, and says by `get_metadata_routing` who takes which arguments.
    estimator : classifier
        What `owner` trains.
    X, y, sample_weight, fit_params
        Arguments of fit.
    seed, plan : callable, default=None
        How `owner` draws its seed, and the splits (see :func:`planned`), if it has a way of its own.
    given : callable, default=None
        Returns rows that were passed to be counted on; asked once the training rows are checked.
    trains_with_weights : bool, default=True
        Whether weights go to the classifier's fit. A nearest neighbour is the same however often rows are
        repeated; then weights count in validation only.
    **options : dict
        For scikit-learn's `validate_data`.

    Returns
    -------
    SubsetEvaluator
        Holds the rows, the splits, and the arguments of the classifier's fit.
    int
        Seed for whatever is drawn at random; that of the checkpoint where a search goes on.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.selection import DirectedSearchSelector
    >>> from infoprop.selection._preparation import prepared_rows
    >>> from infoprop.svm import OneVsRestSVC
    >>> owner = DirectedSearchSelector(validation=4, random_state=0)
    >>> rows, seed = prepared_rows(owner, OneVsRestSVC(), *load_iris(return_X_y=True), None, {})
    >>> len(rows.plan.splits), rows.classes.tolist()
    (4, [0, 1, 2])
    """
    name = type(owner).__name__
    if not is_classifier(estimator) or not hasattr(estimator, "fit"):
        raise UnsupportedEstimatorError(f"The 'estimator' of {name} must be a classifier. Got {estimator!r}.")
    checked, y = checked_training_rows(owner, X, y, **options)
    check_classification_targets(y)
    weights = None if sample_weight is None else check_weights(sample_weight, len(y))
    used = np.ones(len(y)) if weights is None else weights
    counted_on = None if given is None else given()
    occurring = np.unique(y[used > 0.0])
    if len(occurring) < 2:
        counted = "" if weights is None else " among the rows whose sample_weight is not zero"
        raise DataError(
            f"A classifier needs rows of at least two classes. Got one class label only, {occurring[0]!r}"
            f"{counted}."
        )
    routed = route_fit(owner, estimator, weights if trains_with_weights else None, fit_params)
    drawn = drawn_seed(owner) if seed is None else seed()
    rows = LabelledRows(X if is_frame(X) else checked, y, weights)
    if plan is None:
        plan = partial(planned, owner.validation)
    splits = plan(checked, rows, counted_on is not None, routed.splitter, drawn)
    names = input_names(owner)
    check_trainable(estimator, rows.X, y, weights if trains_with_weights else None, name)
    groups = routed.splitter.get("groups")
    evaluator = SubsetEvaluator(
        estimator,
        rows,
        routed.estimator,
        splits,
        counted_on,
        names,
        owner.n_jobs,
        row_groups=None if groups is None else np.asarray(groups),
    )
    return evaluator, drawn


def planned(
    validation: Any, X: Any, rows: LabelledRows, has_given: bool, split_parameters: dict[str, Any], seed: int
) -> ValidationPlan:
    """Draw the splits that `validation` names; see :func:`plan_validation`."""
    weights = np.ones(len(rows.y)) if rows.sample_weight is None else rows.sample_weight
    return plan_validation(
        validation, X, rows.y, weights, has_given=has_given, seed=seed, split_parameters=split_parameters
    )


def input_names(owner: Any) -> tuple[str, ...]:
    """Names of the columns that fit has seen, or x0, x1, ... if they have none."""
    names = getattr(owner, "feature_names_in_", None)
    if names is None:
        return tuple(f"x{k}" for k in range(owner.n_features_in_))
    return tuple(str(name) for name in names)


def drawn_seed(owner: Any) -> int:
    """Draw the seed of the splits and the search; a search that goes on keeps the one it began with."""
    seed = int(check_random_state(owner.random_state).randint(np.iinfo(np.int32).max))
    if owner.random_state is not None:
        return seed
    return remembered_seed(owner.checkpoint, seed, type(owner).__name__)


def restricted(evaluator: SubsetEvaluator, rows: IntArray) -> SubsetEvaluator:
    """Return an evaluator that trains on some of the training rows only.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.selection import DirectedSearchSelector
    >>> from infoprop.selection._preparation import prepared_rows
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> owner = DirectedSearchSelector(validation=4, random_state=0)
    >>> whole, _ = prepared_rows(owner, OneVsRestSVC(), X, y, None, {})
    >>> restricted(whole, np.arange(100)).fitted().classes_
    array([0, 1])
    """
    training = evaluator.training
    weights = np.zeros(len(training.y))
    weights[rows] = 1.0 if training.sample_weight is None else training.sample_weight[rows]
    return replace(evaluator, training=LabelledRows(training.X, training.y, weights))


@contextmanager
def searching(
    owner: Any,
    evaluator: SubsetEvaluator,
    seed: int,
    n_steps: int,
    *,
    n_more: int = 0,
    seconds: float | None = None,
) -> Iterator[Work]:
    """Open the checkpoint and the progress bar of `owner` for a search of at most `n_steps` steps.

    The bar has `n_more` steps for what follows the search, which may take `seconds`.

    Its callbacks are told of the steps, if it inherits `CallbackSupportMixin` and decorates fit with
    `with_callbacks`; at the end of the block it has to be fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.selection import DirectedSearchSelector
    >>> from infoprop.selection._preparation import prepared_rows
    >>> from infoprop.svm import OneVsRestSVC
    >>> owner = DirectedSearchSelector(random_state=0)
    >>> rows, seed = prepared_rows(owner, OneVsRestSVC(), *load_iris(return_X_y=True), None, {})
    >>> with searching(owner, rows, seed, 10) as work:
    ...     work.journal.is_kept
    False
    """
    name, kept = type(owner).__name__, ""
    if owner.checkpoint is not None:
        kept = fingerprint(
            rows=evaluator.training,
            validation_rows=evaluator.given,
            splits=evaluator.plan,
            fit_parameters=evaluator.fit_parameters,
            selector=owner,
        )
    with (
        Journal.open(owner.checkpoint, kept, name, seed) as journal,
        Progress(verbose=owner.verbose, title=name, total=n_steps + n_more) as progress,
        time_limit(seconds) as deadline,
    ):
        tasks = SearchTasks(owner, evaluator.training.X, evaluator.training.y, n_steps)
        try:
            yield Work(journal, progress, seed, tasks, name, deadline)
        except OutOfTime as error:
            if not deadline.is_over:
                raise
            raise ParameterError(
                Parameter("time_limit", f"The time_limit of {name}"),
                f" ({seconds:g} seconds) was over before there was any result. Allow more time, or use fewer "
                "folds or a faster classifier.",
            ) from error
        tasks.end()
