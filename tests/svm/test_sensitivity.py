import numpy as np
import pytest
from scipy import sparse

import infoprop.svm._sensitivity as module
from infoprop.kernels import KernelSpec
from infoprop.svm._sensitivity import margin_sensitivity, sensitivity_shares
from reference.kernels import central_difference
from reference.svm import margin_sensitivity as slow_sensitivity

SPECS = [
    KernelSpec("linear"),
    KernelSpec("poly", gamma=0.4, degree=2, coef0=1.0),
    KernelSpec("rbf", gamma=0.3),
    KernelSpec("sigmoid", gamma=0.2, coef0=0.1),
    KernelSpec("anova", gamma=0.5, degree=2),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.kind)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_sensitivity_is_the_papers_sum_over_support_vectors(spec, container, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.7)
    dual_coef = rng.normal(size=9)
    gradient = central_difference(
        X, X, kind=spec.kind, gamma=spec.gamma, degree=spec.degree, coef0=spec.coef0
    )
    expected = slow_sensitivity(X, dual_coef, gradient)
    np.testing.assert_allclose(margin_sensitivity(container(X), dual_coef, spec), expected, rtol=1e-6)
    monkeypatch.setattr(module, "_BLOCK_ENTRIES", 20)
    np.testing.assert_allclose(margin_sensitivity(container(X), dual_coef, spec), expected, rtol=1e-6)


def test_linear_sensitivity_is_the_weight_times_the_sum_of_multipliers():
    X = np.array([[1.0, 2.0], [3.0, -1.0]])
    dual_coef = np.array([0.5, -0.5])
    np.testing.assert_allclose(
        margin_sensitivity(X, dual_coef, KernelSpec("linear")), np.abs(dual_coef @ X) * 1.0
    )


def test_shares_sum_to_one_and_an_insensitive_machine_shares_evenly():
    shares = sensitivity_shares(np.array([[1.0, 3.0, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(shares, [[0.25, 0.75, 0.0], [1 / 3, 1 / 3, 1 / 3]])
