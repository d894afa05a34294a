import numpy as np
import pytest

from infoprop.kernels import KernelSpec
from infoprop.svm import _kernel_elimination_fast as fast
from infoprop.svm import margin_sensitivity

N, P, GAMMA = 40, 7, 0.2


@pytest.fixture
def machines():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P)) + np.arange(P)
    beta = rng.normal(size=(3, N)) * (rng.random((3, N)) < 0.5)
    K = np.exp(-GAMMA * ((X[:, None] - X) ** 2).sum(axis=2))
    return X, beta, K


def sensitivities(X, beta, K, columns):
    found, totals = np.empty((len(beta), len(columns))), np.zeros(beta.shape)
    none = np.empty((0, len(columns)))
    room = np.empty(N * (N + 3 * P))
    XT = np.ascontiguousarray(X.T)
    fast.rbf_sensitivities(K, XT, columns, beta, GAMMA, room, totals, found, none)
    return found, totals


def expected_of(X, beta):
    spec = KernelSpec("rbf", gamma=GAMMA)
    return np.stack([margin_sensitivity(X[own != 0.0], own[own != 0.0], spec) for own in beta])


def test_sensitivities_from_kernel_values(machines):
    X, beta, K = machines
    found, totals = sensitivities(X, beta, K, np.arange(P))
    np.testing.assert_allclose(found, expected_of(X, beta), rtol=1e-11)
    np.testing.assert_allclose(totals, (beta @ K) * (beta != 0.0), atol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 3, 4, P])
@pytest.mark.parametrize("n_rows", [N, N - 1])
def test_few_columns(machines, n_columns, n_rows):
    X, beta, K = machines
    beta = np.where(np.arange(N) < n_rows, beta, 0.0)
    beta[1] = 0.0
    columns = np.arange(P)[-n_columns:]
    found, expected = np.empty((3, n_columns)), expected_of(X, beta[[0, 2]])
    room = np.empty(N * (3 * n_columns + 8))
    fast.few_sensitivities(K, np.ascontiguousarray(X.T), columns, beta, GAMMA, room, found)
    np.testing.assert_allclose(found[[0, 2]], expected[:, columns], rtol=1e-11)
    assert not found[1].any()


def test_some_columns(machines):
    X, beta, K = machines
    found, _ = sensitivities(X, beta, K, np.array([1, 4]))
    np.testing.assert_allclose(found, expected_of(X, beta)[:, [1, 4]], rtol=1e-11)


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_single_precision_is_off_by_no_more_than_it_doubts(machines, offset):
    X, beta, K = machines
    X = X + offset * np.arange(P)
    found, totals = np.empty((3, P)), np.zeros(beta.shape)
    doubts = np.empty((3, P))
    room = np.empty(N * (N + 3 * P), dtype=np.float32)
    fast.rbf_sensitivities(
        K, np.ascontiguousarray(X.T), np.arange(P), beta, GAMMA, room, totals, found, doubts
    )
    exact, _ = sensitivities(X, beta, K, np.arange(P))
    assert (np.abs(found - exact) <= doubts).all()
    assert (doubts < 1e-3 * exact).all()
    np.testing.assert_allclose(totals, (beta @ K) * (beta != 0.0), atol=1e-12)


def test_one_machine_and_one_column(machines):
    X, beta, K = machines
    _, totals = sensitivities(X, beta, K, np.arange(P))
    found = [
        [fast.rbf_sensitivity(K, x, own, total, GAMMA) for x in np.ascontiguousarray(X.T)]
        for own, total in zip(beta, totals, strict=True)
    ]
    np.testing.assert_allclose(found, expected_of(X, beta), rtol=1e-11)


def test_machines_that_hear_nothing_have_no_sensitivities(machines):
    X, beta, K = machines
    same = np.zeros_like(X)
    found, _ = sensitivities(same, beta, np.ones_like(K), np.arange(P))
    assert not found.any()
    found[:] = 1.0
    room = np.empty(N * (3 * P + 8))
    fast.few_sensitivities(
        np.ones_like(K), np.ascontiguousarray(same.T), np.arange(P), beta, GAMMA, room, found
    )
    assert not found.any()
