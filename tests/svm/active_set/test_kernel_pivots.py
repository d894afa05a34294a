from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoprop.svm.active_set import _kernel_pivots
from reference.engine import DualProblem, KernelPivots
from reference.svm import violation


def gram(X, gamma=0.2):
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2))


def problems_of(labels, C):
    n_classes = labels.max() + 1
    return [DualProblem(np.where(labels == r, 1.0, -1.0), np.full(len(labels), C)) for r in range(n_classes)]


def assert_optimal(found, problems, K, atol=1e-8):
    for beta, f, bias, problem in zip(found.beta, found.f, found.bias, problems, strict=True):
        assert abs(beta.sum()) < 1e-9 * problem.upper[0] * len(beta)
        assert (problem.low <= beta).all()
        assert (beta <= problem.high).all()
        np.testing.assert_allclose(f, K @ beta - problem.y, atol=atol * problem.upper[0])
        assert violation(beta * problem.y, problem.y, K, problem.upper) < atol * max(1.0, problem.upper[0])
        free = (problem.low < beta) & (beta < problem.high)
        np.testing.assert_allclose(f[free] + bias, 0.0, atol=atol * max(1.0, problem.upper[0]))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 60),
    n_columns=st.integers(1, 6),
    C=st.sampled_from([0.01, 1.0, 100.0]),
)
def test_from_nothing_and_from_an_old_optimum_to_the_optimum(seed, n, n_columns, C):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, n_columns)), np.arange(n) % 3
    problems, pivots = problems_of(labels, C), KernelPivots(problems_of(labels, C))
    K = gram(X)
    found = pivots.solve(K, np.zeros((3, n)))
    assert_optimal(found, problems, K)
    beta, K = found.beta.copy(), gram(X, 0.25)
    assert_optimal(pivots.solve(K, beta), problems, K)


def test_copies_of_rows():
    X, labels = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    X, labels = np.repeat(X, 3, axis=0), np.repeat(labels, 3)
    problems = problems_of(labels, 1.0)
    K = gram(X)
    assert_optimal(KernelPivots(problems).solve(K, np.zeros((2, 60))), problems, K)


@pytest.mark.parametrize("limit", ["_LARGEST_FREE_SET", "_LARGEST_CAPACITY"])
def test_free_sets_too_large_are_refused(monkeypatch, limit):
    monkeypatch.setattr(_kernel_pivots, limit, 4)
    X, labels = np.random.default_rng(1).normal(size=(60, 8)), np.arange(60) % 2
    problems = problems_of(labels, 10.0)
    K, y = gram(X), np.stack([problem.y for problem in problems])
    start = np.where(np.arange(60) < 10, 0.1, 0.0) * y if limit == "_LARGEST_FREE_SET" else np.zeros_like(y)
    assert KernelPivots(problems).solve(K, start) is None


def test_validation_rows_follow_and_the_start_is_left_alone():
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(40, 3)), np.arange(30) % 2
    problems = problems_of(labels, 1.0)
    K = gram(X)[:30]
    beta = np.zeros((2, 30))
    found = KernelPivots(problems).solve(K, beta)
    assert not beta.any()
    np.testing.assert_allclose(found.f[:, 30:], found.beta @ K[:, 30:], atol=1e-12)
    assert_optimal(replace(found, f=found.f[:, :30]), problems, K[:, :30])
