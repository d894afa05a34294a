import numpy as np
import pytest
from scipy import sparse

from infoprop.exceptions import DataError
from infoprop.shaping import ShapingRule, ValueTables


@pytest.fixture
def shapes(mixed):
    X, y = mixed
    return ShapingRule(zero_bin=True, zero_stays=True).learn(ValueTables.from_rows(X, y, n_classes=2), 1)


def test_a_curve_gives_distinct_values_and_what_they_become(mixed, shapes):
    X, _ = mixed
    for column in range(X.shape[1]):
        values, shaped = shapes.curve(column)
        np.testing.assert_array_equal(values, np.unique(X[:, column]))
        rows = np.zeros((len(values), X.shape[1]))
        rows[:, column] = values
        np.testing.assert_array_equal(shapes.apply(rows)[:, column], shaped)


def test_sparse_rows_without_entries_stay_empty(shapes):
    out = shapes.apply(sparse.csr_array((4, 7)))
    assert out.shape == (4, 7)
    assert out.nnz == 0


def test_log_odds_lie_on_the_line_between_probabilities():
    x = np.arange(0.0, 80.0, 2.0)
    tables = ValueTables.from_rows(x[:, None], (x > 40).astype(int), n_classes=2)
    local = ShapingRule(scaling=None).learn(tables, 1)
    odds = ShapingRule(scaling=None, probability="log-odds").learn(tables, 1)
    v = np.linspace(-3, 90, 200)
    p = local.of_column(0, v)
    np.testing.assert_allclose(odds.of_column(0, v), np.log(p / (1 - p)), atol=1e-10)


def test_rows_that_would_become_dense_are_refused(mixed):
    X, y = mixed
    shapes = ShapingRule().learn(ValueTables.from_rows(X, y, n_classes=2), 1)
    with pytest.raises(DataError, match="Zero is not mapped to zero"):
        shapes.apply(sparse.csr_array(X))
