"""How rows get to the judge of nearest neighbours: folds, and what scalers multiply by."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, PolynomialFeatures, StandardScaler

from infoprop.selection.searches._neighbors import fold_scales, folds_of, has_fast_neighbors
from reference.evaluators import FoldSplits, Split

X = np.random.default_rng(0).lognormal(size=(30, 4))
Y = np.arange(30) % 3
FOLDS = np.random.default_rng(1).integers(-1, 5, 30)


def splits_of(splitter):
    return [Split(train, test) for train, test in splitter.split(X, Y)]


@pytest.mark.parametrize("splitter", [KFold(4), LeaveOneOut(), StratifiedKFold(3, shuffle=True)], ids=str)
def test_splits_that_are_folds_are_seen_to_be(splitter):
    splits = splits_of(splitter)
    folds = folds_of(splits)
    assert len(folds) == len(splits)
    for one, other in zip(folds, splits, strict=True):
        assert set(one.train) == set(other.train)
        assert set(one.test) == set(other.test)


def test_folds_may_leave_rows_that_are_always_trained_on():
    rows = np.arange(3, 20)
    splits = FoldSplits(rows, np.where(rows < 8, -1, rows % 3))
    assert folds_of(splits) is splits
    again = folds_of(list(splits))
    assert (again.folds == splits.folds).all()
    assert (again.rows == rows).all()


@pytest.mark.parametrize(
    "splits",
    [
        splits_of(ShuffleSplit(12, random_state=0)),
        splits_of(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)),
        splits_of(KFold(4))[:1],
        [Split(np.arange(10), np.arange(10, 20)), Split(np.arange(20, 30), np.arange(5))],
        [Split(np.arange(1, 30), np.arange(1)), Split(np.arange(5, 30), np.arange(1, 2))],
        [Split(np.arange(5), None), Split(np.arange(5), None)],
    ],
)
def test_other_splits_are_none(splits):
    assert folds_of(splits) is None


@pytest.mark.parametrize(
    "scalers",
    [[MinMaxScaler()], [MinMaxScaler((-1, 4))], [StandardScaler()], [MaxAbsScaler(), MinMaxScaler()]],
    ids=str,
)
def test_scales_are_those_of_scalers_trained_without_the_fold(scalers):
    rows = X.copy()
    rows[FOLDS != 2, 3] = 7.0
    scales = fold_scales(scalers, rows, FOLDS)
    assert scales.shape == (5, 4)
    for fold, scale in enumerate(scales):
        fitted = make_pipeline(*scalers).fit(rows[fold != FOLDS])
        steps = fitted.transform(rows[:5]) - fitted.transform(rows[5:10])
        np.testing.assert_allclose(steps, (rows[:5] - rows[5:10]) * scale, rtol=1e-9, atol=1e-12)


def test_without_scalers_one_scale_serves_all():
    assert fold_scales([], X, FOLDS).tolist() == [[1.0] * 4]


@pytest.mark.parametrize(
    ("estimator", "is_fast"),
    [
        (KNeighborsClassifier(3), True),
        (KNeighborsClassifier(3, metric="euclidean", weights="distance"), True),
        (make_pipeline(StandardScaler(), "passthrough", KNeighborsClassifier()), True),
        (make_pipeline(PolynomialFeatures(), KNeighborsClassifier()), False),
        (KNeighborsClassifier(3, p=3), False),
        (KNeighborsClassifier(3, metric="cosine"), False),
        (KNeighborsClassifier(3, metric_params={"w": [1.0]}), False),
        (KNeighborsClassifier(0), False),
        (KNeighborsClassifier(2.0), False),
        (RadiusNeighborsClassifier(), False),
    ],
)
def test_euclidean_neighbors_behind_scalers_are_fast(estimator, is_fast):
    assert has_fast_neighbors(estimator) == is_fast
