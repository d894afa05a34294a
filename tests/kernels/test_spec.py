import numpy as np
import pytest
from scipy import sparse

from infoprop.kernels import KernelSpec


def test_gamma_words_mean_what_scikit_learn_means():
    X = np.random.default_rng(0).normal(size=(20, 5))
    for container in (np.asarray, sparse.csr_array):
        assert KernelSpec.resolve("rbf", container(X), gamma="scale").gamma == pytest.approx(
            1 / (5 * X.var())
        )
        assert KernelSpec.resolve("rbf", container(X), gamma="auto").gamma == pytest.approx(0.2)


def test_a_weight_of_two_counts_as_two_rows():
    X = np.random.default_rng(1).normal(size=(6, 3))
    weights = np.array([1.0, 2.0, 0.0, 1.0, 3.0, 1.0])
    repeated = np.repeat(X, weights.astype(int), axis=0)
    weighted = KernelSpec.resolve("rbf", X, sample_weight=weights)
    assert weighted.gamma == pytest.approx(KernelSpec.resolve("rbf", repeated).gamma, rel=1e-13)


def test_constant_data_still_has_a_gamma():
    assert KernelSpec.resolve("rbf", np.ones((4, 2))).gamma == 1.0


def test_each_kernel_names_its_base():
    bases = {kind: KernelSpec(kind).base for kind in ("linear", "poly", "sigmoid", "rbf", "anova")}
    assert bases == {"linear": "dot", "poly": "dot", "sigmoid": "dot", "rbf": "distance", "anova": "sum"}
