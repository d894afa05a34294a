"""What a classifier built on searches begins with: rows to train on, and work to report to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from infoprop._core._exceptions import DataError, UnsupportedEstimatorError
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import IntArray
from infoprop._core._weights import check_weights
from infoprop.selection._containers import is_frame
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._trainability import check_trainable
from infoprop.selection._validation import LEAVE_ONE_OUT, check_validation, plan_validation
from infoprop.selection.running._callbacks import SearchTasks
from infoprop.selection.running._fingerprint import fingerprint
from infoprop.selection.running._journal import Journal, check_checkpoint, remembered_seed
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
    trains_with_weights: bool = True,
    **options: Any,
) -> tuple[SubsetEvaluator, int]:
    """Check everything that is given to fit, and draw the splits.

    Parameters
    ----------
    owner : estimator
        Whose fit it is. Has `validation` (None for no splits), `random_state`, `n_jobs` and `checkpoint`, and
        says by `get_metadata_routing` who takes which arguments.
    estimator : classifier
        What `owner` trains.
    X, y, sample_weight, fit_params
        Arguments of fit.
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
    check_checkpoint(owner.checkpoint, name)
    check_validation(owner.validation, False, name, may_be_none=True, words=(LEAVE_ONE_OUT,))
    if not is_classifier(estimator) or not hasattr(estimator, "fit"):
        raise UnsupportedEstimatorError(f"The 'estimator' of {name} must be a classifier. Got {estimator!r}.")
    checked, y = checked_training_rows(owner, X, y, **options)
    check_classification_targets(y)
    weights = None if sample_weight is None else check_weights(sample_weight, len(y))
    used = np.ones(len(y)) if weights is None else weights
    occurring = np.unique(y[used > 0.0])
    if len(occurring) < 2:
        counted = "" if weights is None else " among the rows whose sample_weight is not zero"
        raise DataError(
            f"A classifier needs rows of at least two classes. Got one class label only, {occurring[0]!r}"
            f"{counted}."
        )
    routed = route_fit(owner, estimator, weights if trains_with_weights else None, fit_params)
    seed = int(check_random_state(owner.random_state).randint(np.iinfo(np.int32).max))
    if owner.random_state is None:
        seed = remembered_seed(owner.checkpoint, seed, name)
    plan = plan_validation(
        owner.validation, checked, y, used, has_given=False, seed=seed, split_parameters=routed.splitter
    )
    names = getattr(owner, "feature_names_in_", [f"x{k}" for k in range(owner.n_features_in_)])
    rows = LabelledRows(X if is_frame(X) else checked, y, weights)
    names = tuple(str(column) for column in names)
    check_trainable(estimator, rows.X, y, weights if trains_with_weights else None, name)
    return SubsetEvaluator(estimator, rows, routed.estimator, plan, None, names, owner.n_jobs), seed


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
def searching(owner: Any, evaluator: SubsetEvaluator, seed: int, n_steps: int) -> Iterator[Work]:
    """Open the checkpoint and the progress bar of `owner` for a search of at most `n_steps` steps.

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
            splits=evaluator.plan,
            fit_parameters=evaluator.fit_parameters,
            selector=owner,
        )
    with (
        Journal.open(owner.checkpoint, kept, name, seed) as journal,
        Progress(verbose=owner.verbose, title=name, total=n_steps) as progress,
    ):
        tasks = SearchTasks(owner, evaluator.training.X, evaluator.training.y, n_steps)
        yield Work(journal, progress, seed, tasks, name)
        tasks.end()
