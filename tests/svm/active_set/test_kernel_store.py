import numpy as np
import pytest

from infoprop.kernels import KernelSpec
from infoprop.svm.active_set import _kernel_store
from infoprop.svm.active_set._kernel_store import LevelRows, MovingRows
from reference.engine import WholeRows, Workers, apply_link, base_matrix

N, N_ALL, P = 20, 26, 9
RBF = KernelSpec("rbf", gamma=0.3)
SPECS = {
    "rbf": RBF,
    "poly": KernelSpec("poly", gamma=0.3, degree=2, coef0=1.0),
    "anova": KernelSpec("anova", gamma=0.3, degree=2),
}
KEYS = {
    "rbf": KernelSpec("rbf", gamma=1.0),
    "poly": KernelSpec("linear", gamma=1.0),
    "anova": KernelSpec("anova", gamma=0.3),
}


def columns_of(seed=0, whole=False):
    X = np.random.default_rng(seed).normal(size=(P, N_ALL))
    return np.rint(2.0 * X) if whole else X


def expected_rows(XT, columns, spec):
    rows = XT[columns].T
    return apply_link(base_matrix(rows[:N], rows, spec), spec)


def walk(store, spec, seed, n_moves=12):
    rng = np.random.default_rng(seed)
    for _ in range(n_moves):
        columns = np.flatnonzero(rng.random(P) < 0.6)
        if len(columns):
            store.set_columns(columns)
            store.use(spec)
            yield columns, np.flatnonzero(rng.random(N) < 0.5)


@pytest.mark.parametrize("kind", [MovingRows, WholeRows, LevelRows])
def test_rows_are_those_of_the_columns_whatever_the_way(kind):
    XT = columns_of(whole=kind is LevelRows)
    store = kind(XT, N, KEYS["rbf"], Workers(1))
    for columns, wanted in walk(store, RBF, 1):
        store.load(wanted)
        assert (store.slot_of[wanted] == wanted).all()
        np.testing.assert_allclose(store.rows[wanted], expected_rows(XT, columns, RBF)[wanted], atol=1e-12)
        fresh = kind(XT, N, KEYS["rbf"], Workers(1))
        fresh.set_columns(columns)
        fresh.use(RBF)
        fresh.load(wanted)
        np.testing.assert_array_equal(fresh.rows[wanted], store.rows[wanted])


@pytest.mark.parametrize("name", SPECS)
def test_products_and_bases(name):
    XT, spec = columns_of(), SPECS[name]
    store = MovingRows(XT, N, KEYS[name], Workers(1))
    rng = np.random.default_rng(2)
    for columns, wanted in walk(store, spec, 3):
        expected = expected_rows(XT, columns, spec)
        beta = rng.normal(size=(2, N)) * (rng.random((2, N)) < 0.4)
        store.load(wanted)
        np.testing.assert_allclose(store.products(beta), beta @ expected, atol=1e-9)
        np.testing.assert_allclose(store.product(beta[0]), beta[0] @ expected[:, :N], atol=1e-9)
        store.load_all()
        assert (store.slot_of == np.arange(N)).all()
        f = np.zeros((2, N_ALL))
        store.add_products(beta, f, N)
        np.testing.assert_allclose(f[:, N:], (beta @ expected)[:, N:], atol=1e-9)
        assert not f[:, :N].any()
        rows = XT[columns].T
        np.testing.assert_allclose(store.base(wanted), base_matrix(rows[:N], rows, spec)[wanted], atol=1e-12)


@pytest.mark.parametrize("kind", [MovingRows, WholeRows, LevelRows])
def test_threads_make_no_difference(kind, monkeypatch):
    monkeypatch.setattr(_kernel_store, "_ENTRIES_FOR_THREADS", 0)
    XT = columns_of(whole=kind is LevelRows)
    beta = np.random.default_rng(5).normal(size=(3, N))
    found = []
    for n_threads in (1, 3):
        with Workers(n_threads) as workers:
            store = kind(XT, N, KEYS["rbf"], workers)
            store.set_columns(np.arange(P))
            store.use(RBF)
            found.append((store.products(beta), store.rows))
    np.testing.assert_allclose(found[0][0], beta @ expected_rows(XT, np.arange(P), RBF), atol=1e-12)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_many_rows_that_know_nothing_are_measured_at_once(monkeypatch):
    monkeypatch.setattr(_kernel_store, "_BLOCK_ENTRIES", 3 * N_ALL)
    XT = columns_of(whole=True) + 40_000.0
    found = []
    for n_rows in (1, N + 1):
        monkeypatch.setattr(_kernel_store, "_MANY_FAR_ROWS", n_rows)
        store = LevelRows(XT, N, KEYS["rbf"], Workers(1))
        for _, wanted in walk(store, RBF, 6):
            store.load(wanted)
        store.load_all()
        found.append((store._base, store.rows))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_long_history_is_forgotten(monkeypatch):
    monkeypatch.setattr(_kernel_store, "_LONGEST_HISTORY", 5)
    XT = columns_of()
    store = MovingRows(XT, N, KEYS["rbf"], Workers(1))
    for columns, wanted in walk(store, RBF, 4, n_moves=40):
        store.load(wanted)
        np.testing.assert_allclose(store.rows[wanted], expected_rows(XT, columns, RBF)[wanted], atol=1e-12)
    assert len(store._moved) <= 5 + 2 * P


def test_a_column_a_million_times_longer_than_the_rest_leaves_no_trace():
    XT = columns_of()
    XT[0] *= 1e6
    store = MovingRows(XT, N, KEYS["rbf"], Workers(1))
    everyone = np.arange(N)
    for columns in (np.arange(P), np.arange(1, P), np.arange(P), np.arange(1, P)):
        store.set_columns(columns)
        store.use(RBF)
        store.load(everyone)
    np.testing.assert_allclose(store.rows, expected_rows(XT, columns, RBF), atol=1e-13)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda XT: XT, True),
        (lambda XT: XT + 0.5, False),
        (lambda XT: XT * 100.0, False),
        (lambda XT: XT + 20_000.0, True),
    ],
)
def test_tables_are_for_small_whole_numbers(change, expected):
    XT = change(columns_of(whole=True))
    assert LevelRows.suit(XT, KEYS["rbf"]) == expected
    assert not LevelRows.suit(XT, KEYS["poly"])
