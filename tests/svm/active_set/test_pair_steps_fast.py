import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infoprop.svm.active_set import _pair_steps_fast as fast


def slow_pair_steps(K, f, beta, low, high, tol, max_steps):
    for steps in range(max_steps + 1):
        rising, falling = np.where(beta < high, f, np.inf), np.where(beta > low, f, -np.inf)
        i, gap = rising.argmin(), falling.max() - rising.min()
        if not gap >= tol or steps == max_steps:
            return steps, gap
        difference = falling - f[i]
        curvature = np.maximum(K[i, i] + np.diag(K) - 2.0 * K[i], fast.SMALLEST_CURVATURE)
        j = np.where(difference > 0.0, difference**2 / curvature, 0.0).argmax()
        limit_i, limit_j = high[i] - beta[i], beta[j] - low[j]
        step = min(difference[j] / curvature[j], limit_i, limit_j)
        beta[i] = high[i] if step == limit_i else beta[i] + step
        beta[j] = low[j] if step == limit_j else beta[j] - step
        f += step * (K[i] - K[j])
    raise AssertionError


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 3 * fast.RUN),
    max_steps=st.integers(0, 30),
    tol=st.sampled_from([0.5, 1e-3]),
)
def test_pair_steps(seed, n, max_steps, tol):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 3)), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    # Bounds that steps do not meet by rounding alone, residuals that do not tie.
    upper = rng.uniform(0.5, 2.0, n)
    low, high = np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0)
    f = -y * rng.uniform(0.5, 1.5, n)
    beta, expected, outputs = np.zeros(n), np.zeros(n), f.copy()
    steps, gap = fast.pair_steps(K, f, beta, low, high, tol, max_steps)
    assert steps == slow_pair_steps(K, outputs, expected, low, high, tol, max_steps)[0]
    np.testing.assert_allclose(beta, expected, atol=1e-9)
    np.testing.assert_allclose(f, outputs, atol=1e-9)
    assert gap == np.where(beta > low, f, -np.inf).max() - np.where(beta < high, f, np.inf).min()


def test_no_pair_where_nobody_can_rise():
    beta, f = np.ones(3), np.array([0.0, 1.0, 2.0])
    steps, gap = fast.pair_steps(np.eye(3), f, beta, np.zeros(3), np.ones(3), 0.1, 10)
    assert (steps, gap) == (0, -np.inf)
    assert beta.tolist() == [1.0, 1.0, 1.0]
