import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import LinearSVC

from reference.evaluators import LabelledRows, RefitSubsetModel, Split, SubsetEvaluator, ValidationPlan
from reference.sensitivity import linear_shares
from reference.wine import X, Y

ROWS = np.arange(178)
FOLDS = tuple(Split(ROWS[fold != ROWS % 3], ROWS[fold == ROWS % 3]) for fold in range(3))


def model_of(splits=FOLDS, estimator=None, labels=Y, weights=None, n_jobs=None, given=None):
    estimator = RidgeClassifier() if estimator is None else estimator
    return RefitSubsetModel(
        SubsetEvaluator(
            estimator=estimator,
            training=LabelledRows(X, labels, weights),
            fit_parameters={} if weights is None else {"sample_weight": weights},
            plan=ValidationPlan(tuple(splits), shares_from_all=len(splits) > 1),
            given=given,
            feature_names=tuple(f"x{k}" for k in range(13)),
            n_jobs=n_jobs,
        )
    )


def test_it_stands_on_all_columns_at_first_and_moves():
    model = model_of()
    assert model.columns.tolist() == list(range(13))
    model.drop(np.array([0, 12, 5]))
    model.add(np.array([12]))
    assert model.columns.tolist() == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]
    assert model.classes.tolist() == [0, 1, 2]


def test_answers_are_those_of_a_classifier_trained_from_nothing_in_every_split():
    model = model_of()
    model.drop(np.array([3, 4]))
    model.fit()
    columns = model.columns
    twins = [RidgeClassifier().fit(X[split.train][:, columns], Y[split.train]) for split in FOLDS]
    for labels, twin, split in zip(model.predict(), twins, FOLDS, strict=True):
        np.testing.assert_array_equal(labels, twin.predict(X[split.test][:, columns]))
    expected = np.mean([linear_shares(twin) for twin in twins], axis=0)
    np.testing.assert_allclose(model.credit_shares(), expected, atol=1e-14)


def test_moving_there_and_back_changes_nothing():
    model = model_of()
    model.fit()
    before = model.credit_shares()
    model.drop(np.array([7]))
    model.fit()
    model.add(np.array([7]))
    model.fit()
    np.testing.assert_array_equal(model.credit_shares(), before)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_weights_go_along(n_jobs):
    weights = np.random.default_rng(0).uniform(0.5, 2, 178)
    model = model_of(weights=weights, n_jobs=n_jobs)
    model.fit()
    train, test = FOLDS[0].train, FOLDS[0].test
    twin = RidgeClassifier().fit(X[train], Y[train], sample_weight=weights[train])
    np.testing.assert_array_equal(model.predict()[0], twin.predict(X[test]))


def test_a_class_that_a_split_lacks_has_zeros_there():
    without_two = Split(ROWS[Y < 2], ROWS[Y == 2])
    model = model_of([without_two, FOLDS[0]])
    model.fit()
    shares = model.credit_shares()
    np.testing.assert_allclose(shares.sum(axis=1), [1.0, 1.0, 0.5])
    assert set(model.predict()[0].tolist()) <= {0, 1}


def test_without_rows_to_test_it_shares_by_all():
    model = model_of([Split(ROWS, ROWS[:0])], LinearSVC(dual=False))
    model.fit()
    assert [labels.tolist() for labels in model.predict()] == [[]]
    np.testing.assert_allclose(model.credit_shares(), linear_shares(LinearSVC(dual=False).fit(X, Y)))


def test_rows_given_are_tested():
    model = model_of([Split(ROWS, None)], given=LabelledRows(X[:20], Y[:20]))
    model.fit()
    np.testing.assert_array_equal(model.predict()[0], RidgeClassifier().fit(X, Y).predict(X[:20]))


def test_its_state_is_the_columns_alone():
    model, other = model_of(), model_of()
    model.drop(np.array([1, 2, 3]))
    other.restore(model.columns, model.snapshot())
    assert model.moves_between_snapshots == 1
    for one in (model, other):
        one.fit()
    assert other.columns.tolist() == model.columns.tolist()
    assert other.credit_shares().tobytes() == model.credit_shares().tobytes()


def test_unseen_labels_in_words():
    words = np.array(["red", "rose", "white"])[Y]
    model = model_of(labels=words)
    model.fit()
    assert model.classes.tolist() == ["red", "rose", "white"]
    assert model.credit_shares().shape == (3, 13)
