"""Probabilities and support vectors of OneVsRestSVC, beside scikit-learn's."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from infoprop.exceptions import ParameterError
from infoprop.svm import OneVsRestSVC

X, Y = load_wine(return_X_y=True)
X = scale(X)
NAMES = np.array(["barbera", "barolo", "grignolino"])[Y]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_two_classes_have_the_support_of_libsvm(kernel):
    rows, labels = X[Y > 0], NAMES[Y > 0]
    ours = OneVsRestSVC(kernel=kernel, tol=1e-8).fit(rows, labels)
    theirs = SVC(kernel=kernel, tol=1e-8).fit(rows, labels)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5)


def test_support_goes_class_by_class_and_rebuilds_the_outputs():
    ours = OneVsRestSVC(kernel="linear").fit(X, NAMES)
    assert ours.dual_coef_.shape == (3, len(ours.support_))
    assert ours.n_support_.sum() == len(ours.support_)
    assert NAMES[ours.support_].tolist() == np.repeat(ours.classes_, ours.n_support_).tolist()
    outputs = X @ (ours.dual_coef_ @ ours.support_vectors_).T + ours.intercept_
    np.testing.assert_allclose(outputs, ours.decision_function(X), atol=1e-8)


def test_weightless_rows_support_nothing():
    weights = np.arange(178) % 2
    ours = OneVsRestSVC(kernel="rbf").fit(X, NAMES, sample_weight=weights)
    assert (weights[ours.support_] == 1).all()
    assert NAMES[ours.support_].tolist() == np.repeat(ours.classes_, ours.n_support_).tolist()


def test_probabilities_are_better_than_none_and_do_not_depend_on_the_order_of_rows():
    train, test = np.arange(0, 178, 2), np.arange(1, 178, 2)
    model = OneVsRestSVC(kernel="rbf", calibration="validation").fit(X[train], NAMES[train])
    found = model.predict_proba(X[test])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert log_loss(NAMES[test], found) < 0.2 < np.log(3)
    order = np.random.default_rng(0).permutation(train)
    again = OneVsRestSVC(kernel="rbf", calibration="validation").fit(X[order], NAMES[order])
    np.testing.assert_allclose(again.predict_proba(X[test]), found, atol=2e-3)


def test_a_row_of_weight_two_is_two_rows_and_sparse_rows_are_as_dense():
    rows, labels = load_iris(return_X_y=True)
    weights = 1 + np.arange(150) % 2
    model = OneVsRestSVC(kernel="linear", calibration="validation", tol=1e-10)
    found = model.fit(rows, labels, sample_weight=weights).predict_proba(rows)
    repeated = model.fit(np.repeat(rows, weights, axis=0), np.repeat(labels, weights)).predict_proba(rows)
    np.testing.assert_allclose(found, repeated, atol=1e-6)
    as_sparse = model.fit(sparse.csr_array(rows), labels, sample_weight=weights).predict_proba(rows)
    np.testing.assert_allclose(found, as_sparse, atol=1e-6)


def test_two_classes_share_a_sigmoid_that_follows_the_outputs():
    rows, labels = X[Y > 0], Y[Y > 0]
    model = OneVsRestSVC(kernel="linear", calibration="train").fit(rows, labels)
    found = model.predict_proba(rows)
    assert len(model.sigmoids_) == 1
    np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(rows))
    assert (np.diff(found[np.argsort(model.decision_function(rows)), 1]) >= 0.0).all()


def test_a_class_of_one_row_is_calibrated_by_the_rows_trained_on():
    rows, labels = np.vstack([X[:40], X[-1:]]), np.append(np.arange(40) % 2, 2)
    by_fold = OneVsRestSVC(calibration="validation").fit(rows, labels)
    by_train = OneVsRestSVC(calibration="train").fit(rows, labels)
    np.testing.assert_array_equal(by_fold.predict_proba(rows), by_train.predict_proba(rows))


def test_there_are_no_probabilities_without_calibration():
    model = OneVsRestSVC(calibration="train").fit(X, Y)
    assert not hasattr(OneVsRestSVC(), "predict_proba")
    assert not hasattr(model.set_params(calibration=None).fit(X, Y), "sigmoids_")
    with pytest.raises(ParameterError, match="'calibration' parameter of OneVsRestSVC"):
        OneVsRestSVC(calibration="platt").fit(X, Y)
