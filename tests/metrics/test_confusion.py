import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from infoprop.exceptions import DataError, ParameterError
from infoprop.metrics import ConfusionCounts, InformationFlow
from infoprop.metrics._confusion import MAX_LABELS
from reference.information import any_labels, rows_of, square_tables


@given(st.data())
def test_counts_of_labels_of_any_type(data):
    labels = data.draw(st.lists(any_labels(), min_size=1, max_size=4, unique=True))
    pairs = st.tuples(st.sampled_from(labels), st.sampled_from(labels))
    rows = data.draw(st.lists(pairs, min_size=1, max_size=30))
    table = ConfusionCounts.from_predictions(*map(list, zip(*rows, strict=True)))
    names = table.labels.tolist()
    assert set(names) == {label for row in rows for label in row}
    for i, true in enumerate(names):
        for j, predicted in enumerate(names):
            assert table.counts[i, j] == rows.count((true, predicted))
    assert table.n_samples == len(rows)


def test_counts_agree_with_scikit_learn():
    random = np.random.default_rng(0)
    y_true, y_pred, weights = random.integers(0, 5, 200), random.integers(0, 5, 200), random.random(200)
    table = ConfusionCounts.from_predictions(y_true, y_pred, sample_weight=weights)
    np.testing.assert_allclose(
        table.counts, confusion_matrix(y_true, y_pred, sample_weight=weights), rtol=1e-14
    )


def test_types_of_truth_and_prediction_may_differ():
    table = ConfusionCounts.from_predictions(np.array([0, 1, 1]), np.array([0.0, 1.0, 0.0]))
    assert table.labels.tolist() == [0, 1]
    table = ConfusionCounts.from_predictions(np.array(["a", "b"], dtype=object), np.array(["a", "b"]))
    assert table.labels.tolist() == ["a", "b"]
    table = ConfusionCounts.from_predictions([1, 2], ["1", "2"])
    assert table.labels.tolist() == [1, 2, "1", "2"]


@given(square_tables(), st.integers(2, 5))
def test_rows_give_back_the_table_and_weights_count_as_copies(counts, copies):
    labels = list(range(len(counts)))
    y_true, y_pred = rows_of(counts, labels)
    table = ConfusionCounts.from_predictions(y_true, y_pred, labels=labels)
    assert table.counts.tolist() == counts
    weighted = ConfusionCounts.from_predictions(
        y_true, y_pred, labels=labels, sample_weight=[copies] * len(y_true)
    )
    copied = ConfusionCounts.from_predictions(y_true * copies, y_pred * copies, labels=labels)
    assert weighted.counts.tolist() == copied.counts.tolist()
    assert weighted.n_samples == table.n_samples


def test_rows_of_weight_zero_are_as_if_absent():
    weights = [0.3, 0.0, 0.7, 0.2, 0.0]
    y_true, y_pred = ["a", "gone", "b", "a", "a"], ["a", "b", "b", "b", "gone"]
    used = [0, 2, 3]
    expected = ConfusionCounts.from_predictions(
        [y_true[i] for i in used], [y_pred[i] for i in used], sample_weight=[weights[i] for i in used]
    )
    assert ConfusionCounts.from_predictions(y_true, y_pred, sample_weight=weights) == expected
    given_labels = ConfusionCounts.from_predictions(y_true, y_pred, labels=["a", "b"], sample_weight=weights)
    assert given_labels == expected


def test_given_labels_set_the_order_and_may_name_absent_ones():
    table = ConfusionCounts.from_predictions(["a", "b"], ["a", "a"], labels=["c", "b", "a"])
    assert table.labels.tolist() == ["c", "b", "a"]
    assert table.counts.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]


def test_given_labels_must_cover_what_occurs_and_be_distinct():
    with pytest.raises(ParameterError, match=r"'labels' parameter must name every label .* Missing: 'b'"):
        ConfusionCounts.from_predictions(["a", "b"], ["a", "a"], labels=["a"])
    with pytest.raises(ParameterError, match=r"Missing: 1, 2, 3, 4, 5, \.\.\."):
        ConfusionCounts.from_predictions(range(8), range(8), labels=[0])
    with pytest.raises(ParameterError, match="name each label once"):
        ConfusionCounts.from_predictions(["a"], ["a"], labels=["a", "a"])


def test_lengths_must_agree():
    with pytest.raises(DataError, match=r"same length\. Got 2 and 3"):
        ConfusionCounts.from_predictions([0, 1], [0, 1, 1])
    with pytest.raises(DataError, match="one weight per row"):
        ConfusionCounts.from_predictions([0, 1], [0, 1], sample_weight=[1, 1, 1])


def test_targets_of_a_regression_are_refused_before_memory_runs_out():
    y = np.arange(MAX_LABELS + 1) / 7
    with pytest.raises(DataError, match="distinct labels are more than a confusion table can hold"):
        ConfusionCounts.from_predictions(y, y)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], r"square and not empty. Got shape \(2, 3\)"),
        ([1, 2], "square"),
        ([], "square"),
        (np.zeros((0, 0)), "square"),
        ([[1, -1], [0, 1]], "not be negative. Got -1"),
        ([[1, np.nan], [0, 1]], "finite"),
        ([[1, np.inf], [0, 1]], "finite"),
        ([[0, 0], [0, 0]], "positive, finite sum. Got 0"),
        ([[1e308, 1e308], [0, 0]], "positive, finite sum. Got inf"),
        ([["a", "b"], ["c", "d"]], "array of numbers"),
        ([[1, 2], [3]], "array of numbers"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(table, message):
    with pytest.raises(DataError, match=message):
        ConfusionCounts.from_table(table)


def test_a_table_is_taken_as_it_is():
    table = ConfusionCounts.from_table([[1, 2], [3, 4]])
    assert table.labels.tolist() == [0, 1]
    assert table.n_samples == 10
    assert table.true_totals.tolist() == [3, 7]
    assert table.predicted_totals.tolist() == [4, 6]
    assert table.total == 10
    assert table.n_labels == 2
    assert ConfusionCounts.from_table([[1, 2], [3, 4]], labels=["x", None]).labels.tolist() == ["x", None]


def test_labels_of_a_table_must_fit_it():
    with pytest.raises(DataError, match="one entry per row of the table, 2"):
        ConfusionCounts.from_table([[1, 2], [3, 4]], labels=["a", "b", "c"])
    with pytest.raises(ParameterError, match="name each label once"):
        ConfusionCounts.from_table([[1, 2], [3, 4]], labels=["a", "a"])


def test_counts_are_values():
    table = ConfusionCounts.from_table([[1, 2], [3, 4]], labels=["x", None])
    assert table.total == 10
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    assert not again.counts.flags.writeable
    assert not table.true_totals.flags.writeable


def test_tables_of_blocks_add_up_to_the_table_of_all_rows():
    random = np.random.default_rng(0)
    names = np.array(["a", "b", "c", "d"])
    true, predicted = names[random.integers(0, 4, 60)], names[random.integers(0, 4, 60)]
    true[:20], predicted[:20] = "a", "b"
    weights = random.random(60)
    for weight in (None, weights):
        parts = [
            ConfusionCounts.from_predictions(
                true[rows], predicted[rows], sample_weight=None if weight is None else weight[rows]
            )
            for rows in (slice(0, 20), slice(20, 35), slice(35, 60))
        ]
        whole = ConfusionCounts.from_predictions(true, predicted, sample_weight=weight)
        merged = parts[0].merged(parts[1]).merged(parts[2])
        assert merged.labels.tolist() == whole.labels.tolist()
        assert merged.n_samples == pytest.approx(whole.n_samples, rel=1e-14)
        assert np.allclose(merged.counts, whole.counts, rtol=1e-14, atol=0)
        if weight is None:
            there, here = InformationFlow.from_counts(merged), InformationFlow.from_counts(whole)
            assert there.information == here.information
            assert there.indicator_credits.tobytes() == here.indicator_credits.tobytes()
