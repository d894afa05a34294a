"""What every solver of the dual must do, on every kernel it takes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from infoprop.kernels import KernelSpec, kernel_matrix
from infoprop.svm.solvers import _primal as primal
from infoprop.svm.solvers._primal_fast import first_ascent
from infoprop.svm.solvers._smo import _State
from infoprop.svm.solvers._smo_fast import MOST_WHOLE
from reference.engine import DualProblem, solve
from reference.svm import dual_objective, solve_dual, violation

KERNELS = {
    "linear": KernelSpec("linear"),
    "poly": KernelSpec("poly", gamma=0.2, degree=2, coef0=1.0),
    "rbf": KernelSpec("rbf", gamma=0.2),
    "sigmoid": KernelSpec("sigmoid", gamma=0.01, coef0=0.0),
    "anova": KernelSpec("anova", gamma=0.3, degree=2),
}
CASES = [*(("smo", kind) for kind in KERNELS), ("cd", "linear"), ("primal", "linear")]
LINEAR = ["smo", "cd", "primal"]


def make_problem(n=160, C=1.0, seed=0, flip=0.1):
    X, y = make_classification(n, 12, n_informative=5, flip_y=flip, random_state=seed)
    return X, DualProblem(np.where(y == 1, 1.0, -1.0), np.full(n, C))


def gram(X, spec):
    return kernel_matrix(X, kernel=spec.kind, gamma=spec.gamma, degree=spec.degree, coef0=spec.coef0)


@pytest.mark.parametrize(("solver", "kind"), CASES)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_solution_meets_the_optimality_conditions_and_libsvm(solver, kind, C):
    X, problem = make_problem(C=C)
    spec = KERNELS[kind]
    K = gram(X, spec)
    (solution,) = solve(solver, spec, X, [problem], tol=1e-6)
    alpha = solution.beta * problem.y
    assert solution.converged
    assert np.all((alpha >= 0) & (alpha <= C))
    assert abs(solution.beta.sum()) <= 1e-9 * alpha.sum()
    np.testing.assert_allclose(solution.f, K @ solution.beta - problem.y, atol=1e-8 * max(1.0, C))
    assert violation(alpha, problem.y, K, problem.upper) < 1e-6 + 1e-9 * C

    peer = SVC(kernel="precomputed", C=C, tol=1e-6).fit(K, problem.y)
    peer_alpha = np.zeros(len(X))
    peer_alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    expected = dual_objective(peer_alpha, problem.y, K)
    assert solution.objective(problem) == pytest.approx(expected, rel=1e-6)
    ours = K @ solution.beta + solution.bias(problem)
    np.testing.assert_allclose(ours, peer.decision_function(K), atol=1e-3 * max(1.0, np.abs(ours).max()))


@pytest.mark.parametrize(("solver", "kind"), CASES)
def test_objective_is_not_above_that_of_libsvm_at_the_same_loose_tolerance(solver, kind):
    X, problem = make_problem(n=300, C=3.0, seed=4)
    K = gram(X, KERNELS[kind])
    (solution,) = solve(solver, KERNELS[kind], X, [problem], tol=1e-2)
    peer = SVC(kernel="precomputed", C=3.0, tol=1e-2).fit(K, problem.y)
    alpha = np.zeros(len(X))
    alpha[peer.support_] = np.abs(peer.dual_coef_[0])
    expected = dual_objective(alpha, problem.y, K)
    assert solution.objective(problem) <= expected + 1e-6 * abs(expected)


@pytest.mark.parametrize(("solver", "kind"), CASES)
def test_solution_is_that_of_a_general_optimiser(solver, kind):
    X, problem = make_problem(n=24, seed=2)
    upper = np.linspace(0.2, 2.0, 24)
    problem = DualProblem(problem.y, upper)
    K = gram(X, KERNELS[kind])
    (solution,) = solve(solver, KERNELS[kind], X, [problem])
    expected = dual_objective(solve_dual(K, problem.y, upper), problem.y, K)
    assert solution.objective(problem) <= expected + 1e-9
    assert solution.objective(problem) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("solver", "kind"), [case for case in CASES if case[0] != "primal"])
def test_sparse_rows_give_the_dense_solution(solver, kind):
    X, problem = make_problem()
    X = X * (np.random.default_rng(0).random(X.shape) < 0.4)
    (dense,) = solve(solver, KERNELS[kind], X, [problem])
    (from_csr,) = solve(solver, KERNELS[kind], sparse.csr_array(X), [problem])
    np.testing.assert_allclose(from_csr.f, dense.f, atol=1e-8)


@pytest.mark.parametrize(("solver", "kind"), CASES)
def test_warm_start_reaches_the_cold_solution_in_fewer_steps(solver, kind):
    X, problem = make_problem(n=400, seed=1)
    wider = DualProblem(problem.y, problem.upper * np.where(np.arange(400) < 10, 1.2, 1.0))
    (first,) = solve(solver, KERNELS[kind], X, [problem])
    (cold,) = solve(solver, KERNELS[kind], X, [wider])
    (warm,) = solve(solver, KERNELS[kind], X, [wider], [first.beta])
    np.testing.assert_allclose(warm.f, cold.f, atol=1e-3)
    assert warm.objective(wider) == pytest.approx(cold.objective(wider), rel=1e-6)
    assert warm.n_iter < cold.n_iter


@pytest.mark.parametrize(("solver", "kind"), [("smo", "rbf"), *((solver, "linear") for solver in LINEAR)])
def test_number_of_threads_changes_no_bit(solver, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 10))
    labels = (X[:, :3] @ rng.normal(size=(3, 4)) + rng.normal(size=(900, 4))).argmax(axis=1)
    problems = [DualProblem(np.where(labels == r, 1.0, -1.0), np.ones(900)) for r in range(4)]
    one = solve(solver, KERNELS[kind], X, problems, threads=1)
    three = solve(solver, KERNELS[kind], X, problems, threads=3)
    for a, b in zip(one, three, strict=True):
        assert np.array_equal(a.beta, b.beta)


@pytest.mark.parametrize("kind", ["rbf", "linear"])
def test_little_memory_gives_the_same_solution(kind):
    X, problem = make_problem(n=1500, C=5.0, seed=3)
    opposite = DualProblem(-problem.y, problem.upper)
    full = solve("smo", KERNELS[kind], X, [problem, opposite])
    starved = solve("smo", KERNELS[kind], X, [problem, opposite], megabytes=0.001)
    for a, b, own in zip(full, starved, [problem, opposite], strict=True):
        np.testing.assert_allclose(a.f, b.f, atol=2e-3)
        assert a.objective(own) == pytest.approx(b.objective(own), rel=1e-6)


def test_many_outer_steps_shrink_and_still_converge(monkeypatch):
    refresh, refreshed = _State._refresh, []
    monkeypatch.setattr(_State, "_refresh", lambda *given: refreshed.append(1) or refresh(*given))
    n = MOST_WHOLE + 1
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.1 * rng.normal(size=n) > 0, 1.0, -1.0)
    problem = DualProblem(y, np.full(n, 10.0))
    spec = KernelSpec("rbf", gamma=2.0)
    (solution,) = solve("smo", spec, X, [problem], megabytes=20.0)
    assert refreshed, "no variable was set aside"
    beta, some = solution.beta, slice(None, None, 40)
    expected = kernel_matrix(X[some], X, kernel="rbf", gamma=2.0) @ beta - y[some]
    np.testing.assert_allclose(solution.f[some], expected, atol=1e-7)
    gap = solution.f[beta > problem.low].max() - solution.f[beta < problem.high].min()
    assert gap < 1.001e-3


@pytest.mark.parametrize("solver", LINEAR)
def test_few_free_variables_end_on_the_exact_optimum(solver):
    X, problem = make_problem(n=1200, C=0.5, seed=5)
    (solution,) = solve(solver, KERNELS["linear"], X, [problem], tol=1e-2)
    K = X @ X.T
    assert violation(solution.beta * problem.y, problem.y, K, problem.upper) < 1e-8


@pytest.mark.parametrize(("solver", "kind"), CASES)
def test_a_limit_on_the_steps_is_kept_and_told(solver, kind):
    X, problem = make_problem(C=100.0)
    (solution,) = solve(solver, KERNELS[kind], X, [problem], max_iter=2, tol=1e-6)
    assert not solution.converged
    assert solution.n_iter <= 2
    np.testing.assert_allclose(solution.f, gram(X, KERNELS[kind]) @ solution.beta - problem.y, atol=1e-8)


@pytest.mark.parametrize(("solver", "kind"), CASES)
def test_duplicate_and_constant_rows_do_no_harm(solver, kind):
    X = np.vstack([np.ones((10, 3)), np.zeros((10, 3)), np.ones((3, 3))])
    problem = DualProblem(np.r_[np.ones(10), -np.ones(13)], np.ones(23))
    (solution,) = solve(solver, KERNELS[kind], X, [problem])
    assert solution.converged
    assert np.isfinite(solution.bias(problem))


@pytest.mark.parametrize("solver", LINEAR)
def test_all_zero_data_gives_a_machine_without_weights(solver):
    problem = DualProblem(np.array([1.0, 1.0, -1.0]), np.ones(3))
    (solution,) = solve(solver, KERNELS["linear"], np.zeros((3, 2)), [problem])
    assert solution.converged
    assert solution.squared_norm(problem) == 0.0
    assert solution.bias(problem) > 0


@pytest.mark.parametrize("solver", LINEAR)
@pytest.mark.parametrize("n", [3, 5, 7, 12])
def test_a_handful_of_rows_is_enough(solver, n):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 4))
        y = np.where(np.arange(n) % 2, 1.0, -1.0)
        problem = DualProblem(y, np.ones(n))
        (solution,) = solve(solver, KERNELS["linear"], X, [problem])
        assert violation(solution.beta * y, y, X @ X.T, problem.upper) < 1e-3


@pytest.mark.parametrize("solver", LINEAR)
def test_unscaled_features_with_a_high_cost_do_not_take_forever(solver):
    rng = np.random.default_rng(0)
    X = 5e3 * rng.normal(size=(40, 3))
    y = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    problem = DualProblem(y, np.full(40, 2500.0))
    (solution,) = solve(solver, KERNELS["linear"], X, [problem])
    assert solution.n_iter < 100_000
    scaled = DualProblem(y, np.full(40, 2500.0 * 25e6))
    (expected,) = solve("smo", KERNELS["linear"], X / 5e3, [scaled])
    assert solution.objective(problem) == pytest.approx(expected.objective(scaled) / 25e6, rel=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_descent_from_kink_to_kink_ends_on_the_exact_optimum_where_many_rows_tie(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(40, 400)), int(rng.integers(1, 6))
    X = rng.integers(0, 3, size=(n, d)).astype(float)
    y = np.where(X[:, 0] + rng.normal(0, 1.5, n) > 0.8, 1.0, -1.0)
    problem = DualProblem(y, rng.choice([0.0, 0.5, 1.0, 3.0], n))
    (solution,) = solve("primal", KERNELS["linear"], X, [problem])
    assert solution.converged
    K = X @ X.T
    assert abs(solution.beta.sum()) < 1e-9
    assert violation(solution.beta * y, y, K, problem.upper) < 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_rows_kept_on_their_sides_change_no_optimum(monkeypatch, seed):
    monkeypatch.setattr(primal, "_MANY_ROWS", 60)
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(60, 2000)), int(rng.integers(1, 6))
    X = rng.integers(0, 4, size=(n, d)).astype(float) if seed % 2 else rng.normal(size=(n, d))
    # Every third problem has a class that a sample may miss.
    bar = np.quantile(X[:, 0], 0.998 if seed % 3 == 0 else 0.6)
    y = np.where(X[:, 0] + rng.normal(0, 0.1, n) >= bar, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    problem = DualProblem(y, rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.1, 0.3, 0.3, 0.3]))
    start = [problem.feasible(y * rng.uniform(0.0, 1.0, n))] if seed % 4 == 0 else [None]
    (solution,) = solve("primal", KERNELS["linear"], X, [problem], start)
    assert solution.converged
    assert abs(solution.beta.sum()) < 1e-8
    assert violation(solution.beta * y, y, X @ X.T, problem.upper) < 1e-7


def test_a_rare_class_that_nothing_tells_apart_gets_no_weights(monkeypatch):
    monkeypatch.setattr(primal, "_MANY_ROWS", 60)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 5))
    y = np.where(rng.permutation(900) < 30, 1.0, -1.0)
    problem = DualProblem(y, np.full(900, 0.01))
    (solution,) = solve("primal", KERNELS["linear"], X, [problem])
    assert solution.converged
    assert np.abs(X.T @ solution.beta).max() < 1e-9
    assert violation(solution.beta * y, y, X @ X.T, problem.upper) < 1e-9


def test_a_start_far_away_leads_to_the_same_optimum():
    X, problem = make_problem(n=500, seed=7)
    (cold,) = solve("primal", KERNELS["linear"], X, [problem])
    far = DualProblem(problem.y, problem.upper).feasible(np.random.default_rng(0).normal(size=500))
    (warm,) = solve("primal", KERNELS["linear"], X, [problem], [far])
    np.testing.assert_allclose(warm.f, cold.f, atol=1e-9)


def test_the_first_ascent_is_where_the_sorted_kinks_say():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(0, 30))
        crossing = rng.integers(0, 12, n) / 12.0
        steepening = rng.random(n)
        slope = -float(rng.random() * 6)
        order = rng.permutation(n)
        length, row, n_passed = first_ascent(crossing, steepening, order, n, slope, -slope)
        passed = order[:n_passed]
        here = slope - slope * length + steepening[passed].sum()
        if row < 0:
            assert here == pytest.approx(0.0, abs=1e-12)
            assert np.all(crossing[passed] <= length + 1e-12)
        else:
            assert crossing[row] == length
            assert here < 0.0 <= here + steepening[row] + 1e-12
        rest = np.setdiff1d(np.arange(n), passed)
        assert np.all(crossing[rest] >= length - 1e-12)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_a_descent_starts_from_least_squares_at_the_best_scale(C):
    X, problem = make_problem(n=500, C=C, seed=3)
    (w,) = primal.least_squares(X, problem.y[None])
    (start,) = primal._separations(X, [problem])
    outputs = X @ w
    outputs += problem.y.mean() - outputs.mean()

    def loss(scale):
        missing = np.maximum(0.0, 1.0 - scale * problem.y * outputs)
        return 0.5 * scale**2 * (w @ w) + problem.upper @ missing

    found = float(start @ w / (w @ w))
    np.testing.assert_allclose(start, found * w)
    assert loss(found) <= min(map(loss, np.linspace(0.0, 16.0, 400))) + 1e-9 * C


def test_rows_that_say_nothing_make_a_start_of_nothing():
    X, y = np.ones((40, 3)), np.where(np.arange(40) % 3 == 0, 1.0, -1.0)
    (solution,) = solve("primal", KERNELS["linear"], X, [DualProblem(y, np.ones(40))])
    assert solution.converged
    assert not (X.T @ solution.beta).any()
