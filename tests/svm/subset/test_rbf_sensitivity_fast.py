import numpy as np
import pytest

from infoprop.kernels import KernelSpec
from infoprop.svm.subset import _rbf_sensitivity_fast as fast
from reference.engine import margin_sensitivity

N, P, GAMMA = 40, 7, 0.2


@pytest.fixture
def machines():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P)) + np.arange(P)
    beta = rng.normal(size=(3, N)) * (rng.random((3, N)) < 0.5)
    K = np.exp(-GAMMA * ((X[:, None] - X) ** 2).sum(axis=2))
    return X, beta, K


def columnwise(X):
    """Columns, their middles, and the sum of their lengths around them."""
    return np.ascontiguousarray(X.T), X.mean(axis=0), np.linalg.norm(X - X.mean(axis=0), axis=0).sum()


def sensitivities(X, beta, K, columns):
    found = np.ones((len(beta), len(columns)))
    workspace = np.empty(N * (N + 2 * P))
    around = columnwise(X)
    for own, into in zip(beta, found, strict=True):
        fast.rbf_sensitivities(K, *around, columns, own, own @ K, GAMMA, workspace, into, np.empty(0))
    return found


def expected_of(X, beta):
    spec = KernelSpec("rbf", gamma=GAMMA)
    return np.stack([margin_sensitivity(X[own != 0.0], own[own != 0.0], spec) for own in beta])


@pytest.mark.parametrize("n_columns", [1, 3, 4, P])
@pytest.mark.parametrize("n_rows", [N, N - 1])
def test_sensitivities_from_kernel_values(machines, n_columns, n_rows):
    X, beta, K = machines
    beta = np.where(np.arange(N) < n_rows, beta, 0.0)
    columns = np.arange(P)[-n_columns:]
    found = sensitivities(X, beta, K, columns)
    np.testing.assert_allclose(found, expected_of(X, beta)[:, columns], rtol=1e-11)


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_single_precision_is_off_by_no_more_than_it_doubts(machines, offset):
    X, beta, K = machines
    X = X + offset * np.arange(P)
    found, doubts = np.empty((3, P)), np.empty((3, P))
    workspace = np.empty(N * (N + 2 * P + 2), dtype=np.float32)
    for own, *into in zip(beta, found, doubts, strict=True):
        fast.rbf_sensitivities(K, *columnwise(X), np.arange(P), own, own @ K, GAMMA, workspace, *into)
    exact = sensitivities(X, beta, K, np.arange(P))
    assert (np.abs(found - exact) <= doubts).all()
    assert (doubts < 1e-3 * exact).all()


def test_one_machine_and_one_column(machines):
    X, beta, K = machines
    found = [
        [fast.rbf_sensitivity(K, x, own, own @ K, GAMMA) for x in np.ascontiguousarray(X.T)] for own in beta
    ]
    np.testing.assert_allclose(found, expected_of(X, beta), rtol=1e-11)


def test_machines_that_hear_nothing_have_no_sensitivities(machines):
    X, beta, K = machines
    beta[1] = 0.0
    assert not sensitivities(np.zeros_like(X), beta, np.ones_like(K), np.arange(P)).any()
