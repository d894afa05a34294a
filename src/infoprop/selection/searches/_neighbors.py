"""Which nearest-neighbour classifiers can be judged without being trained, and how their rows get there."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop.neighbors import KNNJudge, NeighborRows, NeighborTest
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._moving import fills_gaps, numbers_before, parts_of, scaled_rows
from infoprop.selection._validation import FoldSplits, Split
from infoprop.selection.searches._scores import ACCURACY, BALANCED, constant_score

# What scikit-learn takes for no range at all.
NO_RANGE = 10.0 * np.finfo(np.float64).eps


def has_fast_neighbors(estimator: Any) -> bool:
    """Whether an estimator is made of scalers and a k-NN classifier with Euclidean distances."""
    _, classifier = parts_of(estimator)
    return bool(
        type(classifier) is KNeighborsClassifier
        and classifier.metric_params is None
        and isinstance(classifier.weights, str)
        and classifier.weights in ("uniform", "distance")
        and (classifier.metric == "euclidean" or (classifier.metric == "minkowski" and classifier.p == 2))
        and isinstance(classifier.n_neighbors, int | np.integer)
        and classifier.n_neighbors is not True
        and classifier.n_neighbors >= 1
    )


def neighbor_judge(evaluator: SubsetEvaluator, scoring: str = ACCURACY) -> KNNJudge | None:
    """Return a judge that trains nothing; None if the evaluator's classifier has to be trained.

    Whatever its own fit would refuse is left to its own fit. Scores that are no sum over rows are, too.
    """
    if scoring not in (ACCURACY, BALANCED):
        return None
    is_plain = all(value is None for value in evaluator.fit_parameters.values())
    if not is_plain or not has_fast_neighbors(evaluator.estimator):
        return None
    scalers, classifier = parts_of(evaluator.estimator)
    X = numbers_before(scalers, evaluator.training.X)
    if X is None or sparse.issparse(X):
        return None
    tests = _fold_test(evaluator, scalers, X) or _split_tests(evaluator, scalers, X)
    if not tests or min(fewest_voters(test.rows.train_folds) for test in tests) < classifier.n_neighbors:
        return None
    if scoring == BALANCED:
        tests = _balanced(tests)
    return KNNJudge(
        tests,
        int(classifier.n_neighbors),
        classifier.weights == "distance",
        partial(constant_score, evaluator, scoring),
    )


def _balanced(tests: list[NeighborTest]) -> list[NeighborTest]:
    """The tests with weights by which every class counts the same."""
    own = [np.ones(len(test.truth)) if test.weights is None else test.weights for test in tests]
    totals = np.bincount(np.concatenate([test.truth for test in tests]), weights=np.concatenate(own))
    return [
        replace(test, weights=weights / totals[test.truth]) for test, weights in zip(tests, own, strict=True)
    ]


def _fold_test(evaluator: SubsetEvaluator, scalers: list[Any], X: FloatArray) -> list[NeighborTest]:
    """All folds in one test; empty if the splits are no folds, or scalers do more than multiply."""
    folds = folds_of(evaluator.plan.splits)
    if folds is None or not all(is_linear(scaler) for scaler in scalers):
        return []
    X, y = np.ascontiguousarray(X[folds.rows]), evaluator.training.y[folds.rows]
    scales = fold_scales(scalers, X, folds.folds)
    codes = class_codes(evaluator.classes, y)
    asked = np.flatnonzero(folds.folds >= 0)
    weights = evaluator.training.sample_weight
    rows = NeighborRows(X, codes, folds.folds, X[asked], folds.folds[asked], scales, len(evaluator.classes))
    return [NeighborTest(rows, codes[asked], None if weights is None else weights[folds.rows[asked]])]


def _split_tests(evaluator: SubsetEvaluator, scalers: list[Any], X: FloatArray) -> list[NeighborTest]:
    """One test for each split; empty if some rows are no numbers."""
    tests = []
    for split in evaluator.plan.splits:
        asked = evaluator.test_rows(split)
        given = None if asked.X is None else numbers_before(scalers, asked.X)
        scaled = None if given is None else scaled_rows(scalers, X[split.train], given)
        if scaled is None:
            return []
        n_train, n_test = len(split.train), len(asked.y)
        rows = NeighborRows(
            scaled[0],
            class_codes(evaluator.classes, evaluator.training.y[split.train]),
            np.full(n_train, -1, dtype=np.intp),
            scaled[1],
            np.zeros(n_test, dtype=np.intp),
            np.ones((1, X.shape[1])),
            len(evaluator.classes),
        )
        tests.append(NeighborTest(rows, class_codes(evaluator.classes, asked.y), asked.sample_weight))
    return tests


def folds_of(splits: Sequence[Split]) -> FoldSplits | None:
    """Splits as folds; None unless each row is tested once at most, and trained on in all other splits."""
    if isinstance(splits, FoldSplits):
        return splits
    if len(splits) < 2 or any(split.test is None for split in splits):
        return None
    first = splits[0]
    rows = np.sort(np.concatenate([first.train, first.test]))
    folds = np.full(len(rows), -1, dtype=np.intp)
    for number, split in enumerate(splits):
        assert split.test is not None
        place = np.searchsorted(rows, split.test).clip(max=len(rows) - 1)
        if not np.array_equal(rows[place], split.test) or (folds[place] >= 0).any():
            return None
        folds[place] = number
        if not np.array_equal(rows[folds != number], np.sort(split.train)):
            return None
    return FoldSplits(rows, folds)


def fold_scales(scalers: list[Any], X: FloatArray, folds: IntArray) -> FloatArray:
    """What scalers, trained on the rows of all other folds, multiply each column by: (n_folds, n_columns)."""
    if not scalers:
        return np.ones((1, X.shape[1]))
    if len(scalers) == 1 and type(scalers[0]) is MinMaxScaler:
        clone(scalers[0]).fit(X)
        return _min_max_scales(scalers[0].feature_range, X, folds)
    scales = np.ones((folds.max() + 1, X.shape[1]))
    for fold, scale in enumerate(scales):
        seen = X[folds != fold]
        for scaler in scalers:
            fitted = clone(scaler).fit(seen)
            scale *= _factor(fitted)
            seen = fitted.transform(seen)
    return scales


def _min_max_scales(feature_range: tuple[float, float], X: FloatArray, folds: IntArray) -> FloatArray:
    """The same for one scaler to a range, without training it for each fold."""
    high = _largest_elsewhere(X, folds)
    low = -_largest_elsewhere(-X, folds)
    spread = high - low
    spread[spread < NO_RANGE] = 1.0
    return np.asarray((feature_range[1] - feature_range[0]) / spread)


def _largest_elsewhere(X: FloatArray, folds: IntArray) -> FloatArray:
    """Largest number of each column in all other folds: (n_folds, n_columns)."""
    n_folds = int(folds.max()) + 1
    largest = np.full((n_folds + 1, X.shape[1]), -np.inf)
    # Rows of no fold are in the last one, which is elsewhere for all.
    np.maximum.at(largest, folds, X)
    columns = np.arange(X.shape[1])
    top = largest.argmax(axis=0)
    best = largest[top, columns]
    largest[top, columns] = -np.inf
    second = largest.max(axis=0)
    return np.where(np.arange(n_folds)[:, None] == top, second, best)


def is_linear(scaler: Any) -> bool:
    """Whether differences are only multiplied: clipping cuts some of them off, an imputer makes some."""
    return not (getattr(scaler, "clip", False) or fills_gaps(scaler))


def _factor(fitted: Any) -> FloatArray | float:
    if isinstance(fitted, MinMaxScaler):
        return np.asarray(fitted.scale_)
    if isinstance(fitted, StandardScaler | RobustScaler) and fitted.scale_ is None:
        return 1.0
    return np.asarray(1.0 / fitted.scale_)


def fewest_voters(folds: IntArray) -> int:
    """Fewest rows, of those with these folds, that vote on a row."""
    own = folds[folds >= 0]
    return len(folds) - int(np.bincount(own, minlength=1).max())


def class_codes(classes: LabelArray, labels: LabelArray) -> IntArray:
    """Class numbers of labels; the number of classes for any other label."""
    numbers = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    return np.where(classes[numbers] == labels, numbers, len(classes))
