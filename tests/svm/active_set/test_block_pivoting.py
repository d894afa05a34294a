import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from infoprop.kernels import KernelSpec
from infoprop.svm._machine import DualProblem
from infoprop.svm._workers import Rooms, Workers
from infoprop.svm.active_set import _block_pivoting
from infoprop.svm.active_set import _block_pivoting_fast as fast
from infoprop.svm.active_set._block_pivoting import Exchange, exchange_all
from infoprop.svm.active_set._kernel_store import MovingRows
from infoprop.svm.solvers._smo import SMOSolver
from reference.svm import violation

KEY = KernelSpec("rbf", gamma=1.0)


def rows_of(X, spec, key=KEY):
    store = MovingRows(np.ascontiguousarray(X.T), len(X), key, Workers(1))
    store.stand_on(np.arange(X.shape[1]))
    store.use(spec)
    return store


class Case:
    """A machine that was solved with a kernel and shall be solved with another one."""

    def __init__(self, X, y, C=1.0, before=0.05, after=0.06):
        self.problem = DualProblem(y, np.full(len(y), C))
        self.store = rows_of(X, KernelSpec("rbf", gamma=before))
        solver = SMOSolver(1e-8, -1, 200.0, 1)
        self.old = solver.solve_over(self.store, [self.problem], [None])[0].beta
        self.store.use(KernelSpec("rbf", gamma=after))
        self.f = self.store.product(self.old) - y
        self.exchange = Exchange(self.problem, Rooms())
        self.solved = self.exchange.solve(self.store, self.old, self.f)

    def assert_optimal(self, atol=1e-8):
        beta, bias = self.solved.beta, self.solved.bias(self.problem)
        y, upper = self.problem.y, self.problem.upper
        assert abs(beta.sum()) < 1e-10
        assert (self.problem.low <= beta).all()
        assert (beta <= self.problem.high).all()
        self.store.load(np.arange(len(y)))
        K = self.store.rows[:, : len(y)]
        assert violation(beta * y, y, K, upper) < atol
        free = (self.problem.low < beta) & (beta < self.problem.high)
        np.testing.assert_allclose((K @ beta - y + bias)[free], 0.0, atol=atol)
        np.testing.assert_allclose(self.solved.f, K @ beta - y, atol=atol)


def noisy(n=150, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return rng.normal(size=(n, 12)) + 0.4 * y[:, None], y


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("C", [0.5, 10.0])
def test_it_ends_at_the_optimum(seed, C):
    case = Case(*noisy(seed=seed), C=C)
    case.assert_optimal()
    assert np.abs(case.solved.beta - case.old).max() > 1e-4


def test_real_rows():
    X, y = load_breast_cancer(return_X_y=True)
    Case(scale(X), np.where(y == 1, 1.0, -1.0), before=0.03, after=0.031).assert_optimal()


def test_nothing_is_changed_where_it_starts():
    case = Case(*noisy())
    old, f = case.old.copy(), case.f.copy()
    case.exchange.solve(case.store, case.old, case.f)
    np.testing.assert_array_equal(case.old, old)
    np.testing.assert_array_equal(case.f, f)


@pytest.mark.parametrize("seed", range(4))
def test_twins_stay_together(seed):
    X, y = noisy(60, seed)
    Case(np.concatenate([X, X[:20]]), np.concatenate([y, y[:20]])).assert_optimal()


def test_rows_that_depend_on_each_other_are_left_to_the_solver():
    # Ten free variables in two dimensions.
    X, y = noisy(40)
    linear = KernelSpec("linear")
    store = rows_of(X[:, :2], linear, linear)
    beta = np.where(np.arange(40) < 10, 0.5, 0.0) * y
    assert Exchange(DualProblem(y, np.ones(40)), Rooms()).solve(store, beta, store.product(beta) - y) is None


def test_a_machine_without_free_variables_is_left_to_the_solver():
    X, y = noisy(40)
    store = rows_of(X, KernelSpec("rbf", gamma=0.1))
    assert Exchange(DualProblem(y, np.ones(40)), Rooms()).solve(store, np.zeros(40), -y) is None


@pytest.fixture
def begun_anew(monkeypatch):
    """Sizes of the faces that machines began anew on; the border has room for few variables."""
    sizes = []
    start_anew = fast.start_anew
    monkeypatch.setattr(_block_pivoting, "_LARGEST_BORDER", 0.1)
    monkeypatch.setattr(_block_pivoting, "_SMALL_BORDER", 2)
    monkeypatch.setattr(fast, "start_anew", lambda *given: sizes.append(start_anew(*given)) or sizes[-1])
    return sizes


@pytest.mark.parametrize("seed", range(8))
def test_a_border_that_is_full_becomes_part_of_the_face(begun_anew, seed):
    case = Case(*noisy(seed=seed), C=0.5)
    case.assert_optimal()
    free = (case.problem.low < case.solved.beta) & (case.solved.beta < case.problem.high)
    assert abs(begun_anew[-1] - free.sum()) <= 8


@pytest.mark.parametrize("seed", range(8))
def test_twins_that_joined_are_moved_once_when_the_face_begins_anew(begun_anew, seed):
    X, y = noisy(40, seed)
    Case(np.concatenate([X, X]), np.concatenate([y, y]), C=0.7).assert_optimal()
    assert begun_anew or seed != 6


def test_a_guess_that_was_none_is_given_up_at_once(begun_anew):
    X, y = noisy()
    store = rows_of(X, KernelSpec("rbf", gamma=0.05))
    beta = np.where(np.arange(len(y)) < 2, 0.5, 0.0) * y
    exchange = Exchange(DualProblem(y, np.ones(len(y))), Rooms())
    assert exchange.solve(store, beta, store.product(beta) - y) is None
    assert not begun_anew


@pytest.mark.parametrize("n_threads", [1, 2])
def test_machines_together_end_where_each_ends_alone(n_threads):
    X, y = noisy()
    others = [y, np.where(np.arange(len(y)) % 3 == 0, 1.0, -1.0), np.where(X[:, 0] > 1.0, 1.0, -1.0)]
    cases = [Case(X, labels) for labels in others]
    store = rows_of(X, KernelSpec("rbf", gamma=0.06))
    beta = np.stack([case.old for case in cases])
    f = store.products(beta) - np.stack(others)
    told = {}
    with Workers(n_threads) as workers:
        exchanges = [case.exchange for case in cases]
        found = exchange_all(store, exchanges, beta, f, workers, told.__setitem__)
    assert [told[q] for q in range(len(cases))] == found
    for case, optimum in zip(cases, found, strict=True):
        np.testing.assert_allclose(optimum.beta, case.solved.beta, atol=1e-12)
