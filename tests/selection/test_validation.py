import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit

from infoprop._core._folds import held_out_rows
from infoprop.exceptions import DataError, ParameterError
from infoprop.selection._validation import (
    FoldSplits,
    check_validation,
    fold_numbers,
    plan_validation,
    random_units,
)


def plan(validation, X, y, weights=None, *, has_given=False, seed=0, **split_parameters):
    weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    return plan_validation(
        validation, X, y, weights, has_given=has_given, seed=seed, split_parameters=split_parameters
    )


def some_rows(sizes, seed=0):
    y = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(seed).normal(size=(len(y), 3)), y


@given(st.lists(st.integers(2, 40), min_size=1, max_size=4), st.floats(0.05, 0.95), st.integers(0, 3))
def test_a_fraction_of_each_class_is_held_out(sizes, fraction, seed):
    X, y = some_rows(sizes)
    (split,) = plan(fraction, X, y, seed=seed).splits
    assert sorted([*split.train, *split.test]) == list(range(len(y)))
    held = np.bincount(y[split.test], minlength=len(sizes))
    assert held.sum() >= 1
    for size, number in zip(sizes, held, strict=True):
        assert number < size
        assert abs(number - fraction * size) <= 1 or len(split.test) == 1


def test_a_class_with_a_single_row_is_trained_on():
    X, y = some_rows([20, 1, 20])
    (split,) = plan(0.5, X, y).splits
    assert 1 in y[split.train]
    folds = plan(4, X, y)
    assert all(1 in y[split.train] for split in folds.splits)


def test_tiny_data_still_hold_out_one_row():
    X, y = some_rows([2, 3])
    (split,) = plan(0.05, X, y).splits
    assert len(split.test) == 1


def test_nothing_to_hold_out_is_an_error():
    X, y = some_rows([1, 1, 1])
    for validation in (0.25, 3, "loo"):
        with pytest.raises(DataError, match="no class has two different rows"):
            plan(validation, X, y)


@given(st.lists(st.integers(0, 4), min_size=12, max_size=12), st.sampled_from([0.25, 0.5, 2, 3]))
def test_a_weight_is_as_many_copies_and_order_does_not_matter(weights, validation):
    X, y = some_rows([4, 5, 3])
    weights = np.array(weights)
    if any(weights[y == number].astype(bool).sum() < 2 for number in range(3)):
        weights += 1
    copies = np.random.default_rng(1).permutation(np.repeat(np.arange(12), weights))
    weighted = plan(validation, X, y, weights).splits
    copied = plan(validation, X[copies], y[copies]).splits
    assert len(weighted) == len(copied)
    for one, other in zip(weighted, copied, strict=True):
        assert set(one.test) == set(copies[other.test])
        assert set(one.train) == set(copies[other.train])
        assert not set(one.train) & set(one.test)


def test_rows_without_weight_are_on_neither_side():
    X, y = some_rows([10, 10])
    weights = np.ones(20)
    weights[[0, 13]] = 0
    for validation in (0.3, 3, KFold(4), [(np.arange(10, 20), np.arange(10))]):
        for split in plan(validation, X, y, weights).splits:
            assert not {0, 13} & {*split.train, *split.test}
    assert not {0, 13} & {*plan("given", X, y, weights, has_given=True).splits[0].train}


def test_copies_stay_together_until_the_rows_are_a_table_of_counts():
    few = np.repeat(np.eye(4), 5, axis=0)
    classes = np.repeat([0, 1], 10)
    (split,) = plan(0.5, few, classes).splits
    assert not {tuple(row) for row in few[split.train]} & {tuple(row) for row in few[split.test]}
    many = np.repeat(np.eye(4), 50, axis=0)
    (split,) = plan(0.5, many, np.repeat([0, 1], 100)).splits
    assert {tuple(row) for row in many[split.train]} == {tuple(row) for row in many[split.test]}
    assert np.bincount(np.repeat([0, 1], 100)[split.test]).tolist() == [50, 50]


def test_folds_are_of_nearly_equal_size_and_mixed():
    X, y = some_rows([31, 17, 8])
    splits = plan(5, X, y).splits
    sizes = [len(split.test) for split in splits]
    assert max(sizes) - min(sizes) <= 1
    assert sorted(np.concatenate([split.test for split in splits])) == list(range(56))
    assert all(set(y[split.test]) == {0, 1, 2} for split in splits)
    assert plan(5, X, y).shares_from_all


def test_more_folds_than_rows_are_as_many_as_rows():
    X, y = some_rows([3, 2])
    assert len(plan(50, X, y).splits) == 5


def test_splitters_and_iterables_are_taken_at_their_word():
    X, y = some_rows([6, 6])
    for validation in (KFold(3), RepeatedKFold(n_splits=2, n_repeats=2), ShuffleSplit(2, random_state=0)):
        assert plan(validation, X, y).shares_from_all
    (split,) = plan([(np.arange(12) > 3, np.arange(12) <= 3)], X, y).splits
    assert split.test.tolist() == [0, 1, 2, 3]
    with pytest.raises(ParameterError, match="no row with a weight"):
        plan([(np.arange(12), np.array([], dtype=int))], X, y)


def test_given_rows_leave_all_others_for_training():
    X, y = some_rows([3, 3])
    chosen = plan(0.25, X, y, has_given=True)
    assert chosen.splits[0].test is None
    assert chosen.splits[0].train.tolist() == list(range(6))
    assert not chosen.shares_from_all


@pytest.mark.parametrize("validation", [0.0, 1.0, 1.5, -0.1, np.nan, 1, 0, True, None, "holdout", object()])
def test_impossible_validation_is_refused(validation):
    with pytest.raises(ParameterError, match="validation"):
        check_validation(validation, False, "CreditSelector")
    check_validation(validation, True, "CreditSelector")


def test_given_without_rows_is_refused():
    with pytest.raises(ParameterError, match="X_val"):
        check_validation("given", False, "CreditSelector")


def test_units_fall_evenly():
    X, y = some_rows([400, 400])
    counts = np.zeros(800)
    for seed in range(40):
        counts += held_out_rows(random_units(X, y, seed), y, np.ones(800), 0.25)
    assert counts.mean() == 10
    assert counts.std() == pytest.approx(np.sqrt(40 * 0.25 * 0.75), rel=0.15)
    assert (fold_numbers(random_units(X, y, 0), y, 4) >= 0).all()


def test_no_validation_trains_on_all_rows_and_counts_none():
    weights = np.array([1.0, 0.0, 2.0])
    plan = plan_validation(
        None,
        np.eye(3),
        np.array([0, 1, 1]),
        weights,
        has_given=False,
        seed=0,
        split_parameters={},
    )
    assert [split.train.tolist() for split in plan.splits] == [[0, 2]]
    assert [split.test.tolist() for split in plan.splits] == [[]]
    check_validation(None, False, "SomeSelector", may_be_none=True)
    with pytest.raises(ParameterError, match="'validation' parameter of SomeSelector"):
        check_validation(None, False, "SomeSelector")


def test_one_row_is_left_out_at_a_time_with_its_copies():
    X, y = some_rows([5, 4])
    X, y = np.vstack([X, X[:2]]), np.append(y, y[:2])
    splits = plan("loo", X, y).splits
    assert len(splits) == 9
    assert sorted(tuple(split.test) for split in splits) == sorted(
        [(0, 9), (1, 10), *((row,) for row in range(2, 9))]
    )
    for split in splits:
        assert sorted([*split.train, *split.test]) == list(range(11))


def test_the_only_row_of_a_class_is_never_left_out_and_one_without_weight_is_nowhere():
    X, y = some_rows([5, 1, 4])
    weights = np.ones(10)
    weights[8] = 0.0
    splits = plan("loo", X, y, weights).splits
    assert sorted(int(row) for split in splits for row in split.test) == [0, 1, 2, 3, 4, 6, 7, 9]
    assert all(5 in split.train and 8 not in split.train for split in splits)


def test_folds_are_a_sequence_of_splits():
    X, y = some_rows([6, 6])
    splits = plan(3, X, y).splits
    assert isinstance(splits, FoldSplits)
    assert len(splits) == len(list(splits)) == 3
    np.testing.assert_array_equal(splits[-1].test, splits[2].test)
    assert [split.test.tolist() for split in splits[1:]] == [splits[1].test.tolist(), splits[2].test.tolist()]
    with pytest.raises(IndexError):
        splits[3]


def test_words_are_known_to_those_who_say_so():
    check_validation("loo", False, "Some", words=("loo",))
    with pytest.raises(ParameterError, match="of Some must be 'loo', a fraction of rows"):
        check_validation("out", False, "Some", words=("loo",))
