import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from infoprop.svm import OneVsRestSVC
from infoprop.svm.active_set import _feature_pivots
from infoprop.svm.active_set._feature_pivots import near_optima, solve_by_features
from reference.engine import ALONE, DualProblem, Workers
from reference.svm import violation


def problems_of(labels, C):
    n_classes = labels.max() + 1
    return [DualProblem(np.where(labels == r, 1.0, -1.0), np.full(len(labels), C)) for r in range(n_classes)]


def assert_optimal(found, problems, X, atol=1e-8):
    for solution, problem in zip(found, problems, strict=True):
        scale = max(1.0, problem.upper[0])
        assert solution.converged
        assert abs(solution.beta.sum()) < 1e-9 * scale * len(solution.beta)
        np.testing.assert_allclose(solution.f, X @ (X.T @ solution.beta) - problem.y, atol=atol * scale)
        K = X @ X.T
        assert violation(solution.beta * problem.y, problem.y, K, problem.upper) < atol * scale


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 50),
    n_columns=st.integers(1, 60),
    C=st.sampled_from([0.01, 1.0, 100.0]),
    is_sparse=st.booleans(),
)
def test_from_nothing_and_from_an_old_optimum_to_the_optimum(seed, n, n_columns, C, is_sparse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns)) * (rng.random((n, n_columns)) < 0.5)
    problems = problems_of(np.arange(n) % 3, C)
    rows = sparse.csr_array(X) if is_sparse else X
    found = solve_by_features(rows, problems, [None] * 3, ALONE)
    assert_optimal(found, problems, X)
    half = X * (np.arange(n_columns) % 2 == 0)
    starts = [solution.beta for solution in found]
    again = solve_by_features(sparse.csr_array(half) if is_sparse else half, problems, starts, ALONE)
    assert_optimal(again, problems, half)


def test_rows_without_an_entry_and_copies_of_rows():
    X = np.zeros((12, 3))
    assert_optimal(
        solve_by_features(sparse.csr_array(X), problems_of(np.arange(12) % 2, 1.0), [None] * 2, ALONE),
        problems_of(np.arange(12) % 2, 1.0),
        X,
    )
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 4, axis=0)
    problems = problems_of(np.arange(40) % 2, 1.0)
    assert_optimal(solve_by_features(sparse.csr_array(X), problems, [None] * 2, ALONE), problems, X)


def test_pair_steps_lead_most_of_the_way_and_leave_the_start_alone():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 20))
    problems = problems_of((X[:, 0] > 0.0).astype(int), 1.0)
    start = np.zeros(60)
    near = near_optima(sparse.csr_array(X), problems, [start, None])
    assert not start.any()
    exact = solve_by_features(X, problems, [None] * 2, ALONE)
    for solution, optimum, problem in zip(near, exact, problems, strict=True):
        assert solution.n_iter <= 60
        assert solution.objective(problem) < 0.9 * optimum.objective(problem) < 0.0


def test_the_same_bits_with_any_number_of_threads():
    rng = np.random.default_rng(2)
    X, problems = sparse.csr_array(rng.normal(size=(80, 40))), problems_of(np.arange(80) % 4, 1.0)
    alone = solve_by_features(X, problems, [None] * 4, ALONE)
    with Workers(3) as workers:
        shared = solve_by_features(X, problems, [None] * 4, workers)
    for one, other in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(one.beta, other.beta)


def test_a_machine_that_gets_lost_is_solved_by_blocks(monkeypatch):
    rng = np.random.default_rng(3)
    X, y = sparse.csr_array(rng.normal(size=(60, 30))), np.arange(60) % 2
    found = OneVsRestSVC(kernel="linear").fit(X, y).machines_[0].objective
    monkeypatch.setattr(_feature_pivots, "move_machine", lambda *_: False)
    assert solve_by_features(X, problems_of(y, 1.0), [None] * 2, ALONE) is None
    assert OneVsRestSVC(kernel="linear").fit(X, y).machines_[0].objective == pytest.approx(found, rel=1e-6)
