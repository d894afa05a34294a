import numpy as np
import pytest
from scipy.optimize import minimize

from infoprop.shaping import ShapingRule, ValueTables
from infoprop.shaping._policy import is_worth_shaping
from infoprop.shaping._policy_fast import line_losses
from reference.shaping import left_out_loss, table


def slow_line_loss(rows):
    """Log-loss of the best line, by a general minimiser on standardised values."""
    v, negatives, positives = (np.array(part) for part in zip(*rows, strict=True))
    weights = negatives + positives
    mean = np.average(v, weights=weights)
    deviation = np.sqrt(np.average((v - mean) ** 2, weights=weights))
    x = (v - mean) / (deviation or 1.0)

    def loss(parameters):
        odds = parameters[0] + parameters[1] * x
        return (positives * np.logaddexp(0, -odds) + negatives * np.logaddexp(0, odds)).sum()

    return minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-8}).fun


def columns(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(-1.5 * x))).astype(int)
    return np.column_stack([x, np.abs(x) * 1e5, rng.integers(0, 9, n), np.full(n, 2.0)]), y


@pytest.mark.parametrize("n", [40, 300])
def test_the_line_is_the_best_line(n):
    X, y = columns(n, n)
    tables = ValueTables.from_rows(X, y, n_classes=2)
    losses = np.empty(4)
    line_losses(tables.starts, tables.values, *tables.one_vs_rest(1), 0, 4, losses)
    expected = [slow_line_loss(table(X[:, j], y, np.ones(n))) for j in range(4)]
    np.testing.assert_allclose(losses, expected, rtol=1e-6)


def test_a_line_that_separates_has_no_loss_and_missing_values_none_either():
    X = np.column_stack(
        [np.arange(20.0), np.where(np.arange(20) < 5, np.nan, np.arange(20.0)), [np.nan] * 20]
    )
    tables = ValueTables.from_rows(X, (np.arange(20) >= 10).astype(int), n_classes=2)
    losses = np.empty(3)
    line_losses(tables.starts, tables.values, *tables.one_vs_rest(1), 0, 3, losses)
    np.testing.assert_allclose(losses, 0.0, atol=0.02)


@pytest.mark.parametrize("window", [15, 3])
@pytest.mark.parametrize("zero_bin", [False, True])
def test_columns_are_worth_it_where_left_out_rows_say_so(window, zero_bin):
    for seed in range(6):
        X, y = columns(60, seed)
        X[::7, 2] = 0.0
        tables = ValueTables.from_rows(X, y, n_classes=2)
        local = ShapingRule(window=window, zero_bin=zero_bin).local_probabilities(tables, 1)
        rows = [table(X[:, j], y, np.ones(60)) for j in range(4)]
        expected = [
            len(own) <= 2 or left_out_loss(own, window, zero_bin=zero_bin) < slow_line_loss(own) + 2
            for own in rows
        ]
        assert is_worth_shaping(tables, 1, local.found, local.width).tolist() == expected
