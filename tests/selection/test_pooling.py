import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.exceptions import DataError
from infoprop.metrics import ConfusionCounts
from infoprop.selection._pooling import PooledTable

ALL = [np.ones(3, dtype=bool)]
WORDS = np.array(["ash", "elm", "oak"])


def test_counts_are_those_of_all_predictions_end_to_end():
    truth = [np.array(["oak", "ash"]), np.array(["elm", "oak", "oak"])]
    predicted = [np.array(["oak", "oak"]), np.array(["elm", "ash", "oak"])]
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0])
    table = PooledTable.from_rows(WORDS, ALL * 2, truth, weights)
    expected = ConfusionCounts.from_predictions(
        np.concatenate(truth), np.concatenate(predicted), labels=WORDS, sample_weight=weights
    )
    np.testing.assert_array_equal(table.counts(predicted), expected.counts)
    assert table.n_samples == expected.n_samples
    assert table.flow(expected.counts).n_samples == expected.n_samples
    assert not table.is_empty


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30), st.integers(0, 30))
def test_cuts_between_splits_change_nothing(pairs, cut):
    truth, predicted = (np.array(labels) for labels in zip(*pairs, strict=True))
    whole = PooledTable.from_rows(np.arange(3), ALL, [truth], None)
    parts = PooledTable.from_rows(np.arange(3), ALL * 2, [truth[:cut], truth[cut:]], None)
    np.testing.assert_array_equal(whole.counts([predicted]), parts.counts([predicted[:cut], predicted[cut:]]))


def test_labels_that_only_validation_rows_have_come_last():
    table = PooledTable.from_rows(WORDS, ALL, [np.array(["yew", "ash", "box"])], None)
    assert table.labels.tolist() == ["ash", "elm", "oak", "box", "yew"]
    counts = table.counts([np.array(["ash", "ash", "elm"])])
    assert counts.shape == (5, 5)
    assert counts[4, 0] == counts[0, 0] == counts[3, 1] == 1
    assert counts[:, 3:].sum() == 0


def test_shares_of_a_class_are_those_of_the_splits_that_learn_it():
    learned = [np.array([True, True, False]), np.array([True, True, True]), np.array([True, False, False])]
    table = PooledTable.from_rows(WORDS, learned, [WORDS, WORDS, WORDS], None)
    np.testing.assert_array_equal(table.share_scale, [1.0, 1.5, 3.0])
    shares = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
    mean = np.mean([mask[:, None] * shares for mask in learned], axis=0)
    np.testing.assert_allclose(mean * table.share_scale[:, None], shares)


def test_a_class_that_no_split_learns_earns_nothing_and_breaks_nothing():
    learned = [np.array([True, True, False])]
    assert np.isfinite(PooledTable.from_rows(WORDS, learned, [WORDS], None).share_scale).all()


def test_no_rows_make_an_empty_table():
    table = PooledTable.from_rows(WORDS, ALL, [WORDS[:0]], None)
    assert table.is_empty
    np.testing.assert_array_equal(table.counts([WORDS[:0]]), np.zeros((3, 3)))


def test_labels_of_another_kind_are_refused_before_any_prediction():
    with pytest.raises(DataError, match="No label in y is a class"):
        PooledTable.from_rows(WORDS, ALL, [np.array([1, 2])], None)


def test_a_prediction_that_was_never_taught_is_refused():
    table = PooledTable.from_rows(WORDS, ALL, [WORDS], None)
    with pytest.raises(DataError, match="'yew', a label that it was never taught"):
        table.counts([np.array(["ash", "elm", "yew"])])
