import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.svm import SVC, NuSVC

from infoprop.credit._one_vs_one import pair_machines
from infoprop.credit._shares import credit_shares
from infoprop.exceptions import UnsupportedEstimatorError
from reference.sensitivity import one_vs_one_shares

KERNELS = {
    "linear": {},
    "poly": {"degree": 3, "coef0": 1.0, "gamma": 0.1},
    "rbf": {"gamma": 0.1},
    "sigmoid": {"gamma": 0.02, "coef0": -0.5},
}


def scaled_wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_shares_are_those_of_machines_trained_pair_by_pair(kernel, container):
    X, y = scaled_wine()
    prototype = SVC(kernel=kernel, tol=1e-8, **KERNELS[kernel])
    shares = credit_shares(prototype.fit(container(X), y))
    np.testing.assert_allclose(shares, one_vs_one_shares(prototype, X, y), rtol=1e-4, atol=1e-6)


def test_two_classes_share_one_machine():
    X, y = scaled_wine()
    X, y = X[y < 2], y[y < 2]
    prototype = SVC(gamma=0.1, tol=1e-8)
    shares = credit_shares(prototype.fit(X, y))
    np.testing.assert_array_equal(shares[0], shares[1])
    np.testing.assert_allclose(shares, one_vs_one_shares(prototype, X, y), rtol=1e-4)


def test_a_linear_machine_of_two_classes_shares_by_its_weights():
    X, y = scaled_wine()
    model = SVC(kernel="linear").fit(X[y < 2], y[y < 2])
    w = np.abs(model.coef_[0])
    np.testing.assert_allclose(credit_shares(model)[0], w / w.sum(), rtol=1e-9)


def test_linear_is_poly_of_degree_one():
    X, y = load_iris(return_X_y=True)
    linear = SVC(kernel="linear", tol=1e-9).fit(X, y)
    poly = SVC(kernel="poly", degree=1, gamma=1.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(credit_shares(linear), credit_shares(poly), rtol=1e-6)


def test_packed_coefficients_are_taken_apart_as_scikit_learn_does_for_linear_kernels():
    X, y = scaled_wine()
    model = SVC(kernel="linear").fit(X, y)
    w = [machine.dual_coef @ model.support_vectors_[machine.rows] for machine in pair_machines(model)]
    np.testing.assert_allclose(w, model.coef_, atol=1e-12)


def test_nu_machines_are_machines_too():
    X, y = scaled_wine()
    shares = credit_shares(NuSVC(nu=0.3, gamma=0.1).fit(X, y))
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("kernel", ["precomputed", lambda X, Y: X @ Y.T])
def test_kernels_without_a_gradient_are_refused(kernel):
    X, y = load_iris(return_X_y=True)
    rows = X @ X.T if kernel == "precomputed" else X
    with pytest.raises(UnsupportedEstimatorError, match="linear, poly, rbf, sigmoid"):
        credit_shares(SVC(kernel=kernel).fit(rows, y))


@pytest.mark.parametrize("model", [SVC(gamma=0.0), SVC(kernel="poly", degree=0, gamma=1.0)])
def test_a_constant_kernel_shares_evenly(model):
    X, y = load_iris(return_X_y=True)
    np.testing.assert_array_equal(credit_shares(model.fit(X, y)), np.full((3, 4), 0.25))
