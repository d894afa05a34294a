import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from infoprop.svm.solvers import _newton as newton
from reference.squared_hinge import assert_optimal, labelled, squared


@pytest.fixture(autouse=True)
def no_dense_rows(monkeypatch):
    """Small rows go the way of large ones."""
    monkeypatch.setattr(newton, "_FEW", 0)


def sparse_rows(n, n_columns):
    """Rows with a constant column and one that outshines the others."""
    X, y = labelled(n, n_columns, n_classes=3)
    X[np.abs(X) < 1.0] = 0.0
    X[:, 5] = 7.0
    X[:, 6] *= 100.0
    return X, y


@pytest.mark.parametrize("C", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize("shape", [(300, 40), (60, 200)])
def test_it_is_another_way_to_the_same_optimum(shape, C):
    X, y = sparse_rows(*shape)
    direct, model = squared(C=C).fit(X, y), squared(C=C, tol=1e-6).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(model.coef_, direct.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, direct.intercept_, atol=1e-5)
    assert_optimal(model, X, y, C, atol=1e-5)
    precise = squared(C=C, tol=1e-7).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(precise.coef_, direct.coef_, atol=1e-8)


def test_a_warm_start_begins_at_the_optimum():
    X, y = sparse_rows(300, 40)
    model = squared(warm_start=True).fit(sparse.csr_array(X), y)
    n_steps = model.n_iter_
    assert (model.fit(sparse.csr_array(X), y).n_iter_ < n_steps).all()


def test_weights_and_classes_count_and_threads_do_not():
    X, y = sparse_rows(120, 30)
    weights = np.random.default_rng(0).uniform(0.0, 2.0, 120)
    models = [
        squared(class_weight="balanced", tol=1e-9, n_jobs=n_jobs).fit(rows, y, sample_weight=weights)
        for rows, n_jobs in ((X, 1), (sparse.csr_array(X), 1), (sparse.csr_array(X), 2))
    ]
    np.testing.assert_allclose(models[1].coef_, models[0].coef_, atol=1e-8)
    np.testing.assert_array_equal(models[1].coef_, models[2].coef_)


def test_columns_that_say_nothing():
    X, y = sparse.csr_array(np.full((30, 2), [0.0, 3.0])), np.arange(30) % 3
    model = squared().fit(X, y)
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, -1 / 3)


def test_what_cannot_be_reached_is_told_of():
    X, y = sparse_rows(300, 40)
    with pytest.warns(ConvergenceWarning, match="rounding leaves nothing to gain"):
        squared(tol=1e-15).fit(sparse.csr_array(X), y)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        squared(max_iter=1).fit(sparse.csr_array(X), y)
