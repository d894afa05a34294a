import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.exceptions import DataError
from infoprop.shaping import ShapingRule, ValueTables
from reference.shaping import Column, local_probabilities, table


def tables_of(X, y, weights=None):
    return ValueTables.from_rows(np.asarray(X, dtype=float), np.asarray(y), n_classes=2, weights=weights)


@st.composite
def columns(draw):
    n = draw(st.integers(2, 70))
    values = draw(st.sampled_from([st.integers(-3, 3), st.integers(-40, 40), st.sampled_from([0.0, 1.5])]))
    column = draw(st.lists(values, min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.25]), min_size=n, max_size=n))
    return np.array(column, dtype=float), np.array(y), np.array(weights)


@given(columns(), st.sampled_from([15, 2.5, "auto"]), st.booleans(), st.booleans())
def test_local_probabilities_are_those_of_the_definition(rows, window, zero_bin, nominal):
    column, y, weights = rows
    rule = ShapingRule(window=window, zero_bin=zero_bin, nominal=np.array([nominal]))
    local = rule.local_probabilities(tables_of(column[:, None], y, weights), 1)
    expected = local_probabilities(table(column, y, weights), window, zero_bin=zero_bin, nominal=nominal)
    np.testing.assert_allclose(local.probability, expected, rtol=0, atol=1e-11)


def test_distinct_values_see_themselves_and_half_a_row_less_than_the_window_on_each_side():
    y = np.zeros(101, dtype=int)
    y[50] = 1
    local = ShapingRule().local_probabilities(tables_of(np.arange(101.0)[:, None], y), 1)
    np.testing.assert_allclose(local.width[20:80], 30.0)
    np.testing.assert_allclose(local.found[36:65], 1.0)
    np.testing.assert_allclose(local.found[[35, 65]], 0.5)
    np.testing.assert_allclose(local.found[[34, 66]], 0.0)


def test_large_blocks_and_two_values_are_estimated_from_their_own_rows():
    column = np.repeat([0.0, 1.0, 2.0], [40, 30, 50])
    y = np.concatenate([np.arange(40) < 10, np.arange(30) < 20, np.arange(50) < 5]).astype(int)
    local = ShapingRule().local_probabilities(tables_of(column[:, None], y), 1)
    np.testing.assert_allclose(local.probability, [11 / 42, 21 / 32, 6 / 52])
    rare = np.repeat([0.0, 1.0], [83, 17])
    local = ShapingRule().local_probabilities(tables_of(rare[:, None], np.arange(100) >= 84), 1)
    np.testing.assert_allclose(local.probability, [1 / 85, 17 / 19])


def test_swapping_the_classes_turns_probabilities_round(mixed):
    X, y = mixed
    rule = ShapingRule()
    one = rule.learn(tables_of(X, y), 1)
    other = rule.learn(tables_of(X, y), 0)
    np.testing.assert_allclose(other.points, 1.0 - one.points, atol=1e-11)
    np.testing.assert_allclose(other.scores, one.scores, atol=1e-9)


@pytest.mark.parametrize("window", [15, "auto"])
@pytest.mark.parametrize("probability", ["local", "log-odds"])
@pytest.mark.parametrize("scaling", ["bns", "information_gain", "hellinger", None])
@pytest.mark.parametrize("zero_bin", [False, True])
def test_shapes_are_those_of_the_definition(mixed, new_rows, window, probability, scaling, zero_bin):
    X, y = mixed
    rule = {"window": window, "probability": probability, "scaling": scaling, "zero_bin": zero_bin}
    shapes = ShapingRule(**rule, zero_stays=zero_bin).learn(tables_of(X, y), 1)
    shaped = shapes.apply(new_rows)
    for j in range(X.shape[1]):
        column = Column(X[:, j], y, **rule)
        np.testing.assert_allclose(shaped[:, j], [column.shaped(v) for v in new_rows[:, j]], atol=1e-9)


def test_zero_stays_zero_without_a_bin_of_its_own(mixed, new_rows):
    X, y = mixed
    shapes = ShapingRule(zero_stays=True).learn(tables_of(X, y), 1)
    free = ShapingRule().learn(tables_of(X, y), 1)
    at_zero = free.apply(np.zeros((1, X.shape[1])))
    np.testing.assert_allclose(shapes.apply(new_rows), free.apply(new_rows) - at_zero, atol=1e-12)
    assert not shapes.apply(np.zeros((1, X.shape[1]))).any()


def test_ranges_are_hit_exactly(mixed):
    X, y = mixed
    shapes = ShapingRule().learn(tables_of(X, y), 1)
    shaped = shapes.apply(X)
    assert (shaped.min(axis=0) == 0.0).all()
    assert (shaped.max(axis=0) == shapes.scores).all()


@pytest.mark.parametrize("zero_bin", [False, True])
def test_missing_values_have_a_bin_and_a_probability_of_their_own(mixed, zero_bin):
    X, y = mixed
    X = np.where(np.random.default_rng(5).random(X.shape) < 0.2, np.nan, X)
    shapes = ShapingRule(zero_bin=zero_bin, zero_stays=zero_bin).learn(tables_of(X, y), 1)
    shaped = shapes.apply(X)
    for j in range(X.shape[1]):
        column = Column(X[:, j], y, zero_bin=zero_bin)
        np.testing.assert_allclose(shaped[:, j], [column.shaped(v) for v in X[:, j]], atol=1e-9)


def test_a_missing_value_where_none_was_missing_is_as_all_rows_are(mixed):
    X, y = mixed
    shapes = ShapingRule(scaling=None).learn(tables_of(X, y), 1)
    missing = shapes.apply(np.full((1, X.shape[1]), np.nan))[0]
    overall = (y.sum() + 1) / (len(y) + 2)
    np.testing.assert_allclose(missing[:2], overall, atol=1e-11)


def test_a_name_that_was_never_seen_is_as_all_rows_are():
    column = np.repeat([1.0, 2.0, 5.0], 20)
    y = np.concatenate([np.arange(20) < k for k in (2, 10, 18)]).astype(int)
    shapes = ShapingRule(scaling=None, nominal=np.array([True])).learn(tables_of(column[:, None], y), 1)
    np.testing.assert_allclose(
        shapes.of_column(0, np.array([1.0, 2.0, 5.0, 3.0, 9.0])), [3 / 22, 11 / 22, 19 / 22, 31 / 62, 31 / 62]
    )


def test_an_empty_side_of_zero_is_as_all_rows_are():
    column, y = np.array([0.0] * 10 + [1.0] * 10 + [2.0] * 10), np.array([0] * 14 + [1] * 16)
    shapes = ShapingRule(scaling=None, zero_bin=True, zero_stays=True).learn(tables_of(column[:, None], y), 1)
    below = shapes.of_column(0, np.array([-1.0]))
    np.testing.assert_allclose(below, 17 / 32 - 1 / 12)
    # Nothing lies between zero and the first value.
    np.testing.assert_array_equal(shapes.of_column(0, np.array([0.1])), shapes.of_column(0, np.array([1.0])))


@pytest.mark.parametrize("zero_bin", [False, True])
def test_columns_without_anything_to_learn_become_zero(zero_bin):
    X = np.column_stack([np.full(8, 4.0), np.zeros(8), np.full(8, np.nan)])
    y = np.array([0, 1] * 4)
    shapes = ShapingRule(zero_bin=zero_bin, zero_stays=zero_bin).learn(tables_of(X, y), 1)
    assert shapes.scores.tolist() == [0.0, 0.0, 0.0]
    assert not shapes.apply(np.vstack([X, X + 1.0])).any()


def test_while_one_class_has_no_rows_nothing_is_separated():
    tables = tables_of(np.arange(9.0)[:, None], np.ones(9, dtype=int))
    assert ShapingRule().learn(tables, 1).scores.tolist() == [0.0]


def test_raw_values_are_stretched_to_their_score(mixed):
    X, y = mixed
    for zero_stays in (False, True):
        shapes = ShapingRule(policy="none", zero_stays=zero_stays).learn(tables_of(X, y), 1)
        low, high = X.min(axis=0), X.max(axis=0)
        if zero_stays:
            low, high = np.minimum(low, 0.0), np.maximum(high, 0.0)
        start = np.zeros(X.shape[1]) if zero_stays else low
        expected = shapes.scores * (X - start) / np.where(high > low, high - low, 1.0)
        np.testing.assert_allclose(shapes.apply(X), expected, atol=1e-12)


def test_values_between_raw_values_lie_between():
    tables = tables_of(np.array([[0.0], [2.0], [6.0], [6.0]]), [0, 0, 1, 1])
    shapes = ShapingRule(policy="none", scaling=None, zero_stays=True).learn(tables, 1)
    np.testing.assert_allclose(shapes.of_column(0, np.array([-1.0, 1.0, 3.0, 9.0])), [0.0, 1 / 6, 0.5, 1.0])
    # Zero was not seen here, and is zero all the same.
    tables = tables_of(np.array([[2.0], [4.0], [5.0]]), [0, 0, 1])
    shapes = ShapingRule(policy="none", scaling=None, zero_stays=True).learn(tables, 1)
    np.testing.assert_allclose(shapes.of_column(0, np.array([0.0, 2.0, 4.0])), [0.0, 0.4, 0.8])


def test_values_so_large_that_their_range_overflows_are_refused():
    tables = tables_of(np.array([[-1.7e308], [1.7e308], [0.0]]), [0, 1, 1])
    with pytest.raises(DataError, match="range of column 0 overflows"):
        ShapingRule(policy="none").learn(tables, 1)
    shapes = ShapingRule(window=1).learn(tables, 1)
    assert np.isfinite(shapes.of_column(0, np.array([1.0, -1e308]))).all()


def test_threads_change_no_bit(mixed, monkeypatch):
    X, y = mixed
    tables = tables_of(X, y)
    expected = ShapingRule(policy="auto").learn(tables, 1)
    monkeypatch.setattr("infoprop.shaping._threads.blocks.__defaults__", (40,))
    for n_jobs in (1, 3):
        shapes = ShapingRule(policy="auto").learn(tables, 1, n_jobs)
        assert shapes == expected
        np.testing.assert_array_equal(shapes.apply(X, n_jobs), expected.apply(X))
