import numpy as np
import pytest

from infoprop.shaping._order_fast import ascending


@pytest.mark.parametrize("n", [0, 1, 2, 31, 33, 399, 401, 5000])
@pytest.mark.parametrize("kind", ["ties", "wide", "negative", "missing"])
def test_numbers_are_put_in_ascending_order_and_ties_stay(n, kind):
    rng = np.random.default_rng(n)
    numbers = {
        "ties": rng.integers(-3, 4, n).astype(float),
        "wide": rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n),
        "negative": -rng.random(n),
        "missing": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n).round(1)),
    }[kind]
    order = np.empty(n + 3, dtype=np.int64)
    ascending(numbers + 0.0, order)
    np.testing.assert_array_equal(order[:n], np.argsort(numbers, kind="stable"))
