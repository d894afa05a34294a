import json
from math import log, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.metrics import ConfusionCounts
from infoprop.metrics._information import (
    conditional_entropy,
    corrected_entropy,
    entropy,
    indicator_entropies,
    indicator_probabilities,
    measure_information,
)
from reference import information as reference
from reference.information import rows_of, square_tables

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "infoprop2001.json").read_text())
corrections = st.sampled_from([None, "miller-madow"])


def table_of(counts):
    return ConfusionCounts.from_table(counts)


@pytest.mark.parametrize("matrix", "abc")
def test_matrices_of_the_paper(matrix):
    expected = GOLDEN["confusion_matrices"][matrix]
    measured = measure_information(table_of(expected["table"]))
    for name in ("class_entropy", "information"):
        assert getattr(measured, name) == pytest.approx(expected[name], abs=5e-5)
        assert round(getattr(measured, name), 2) == expected["printed"][name]


@given(square_tables())
def test_measures_agree_with_the_slow_twin(counts):
    table = table_of(counts)
    measured = measure_information(table)
    assert measured.class_entropy == pytest.approx(reference.class_entropy(counts), abs=1e-12)
    assert measured.information == pytest.approx(reference.output_information(counts), abs=1e-12)
    assert conditional_entropy(table) == pytest.approx(reference.conditional_entropy(counts), abs=1e-12)
    np.testing.assert_allclose(indicator_entropies(table), reference.indicator_entropies(counts), atol=1e-12)
    np.testing.assert_allclose(
        indicator_probabilities(table), reference.indicator_probabilities(counts), atol=1e-12
    )


@given(square_tables(), st.floats(1e-3, 1e3), corrections)
def test_information_lies_between_zero_and_the_class_entropy(counts, scale, correction):
    measured = measure_information(table_of(np.array(counts) * scale), correction)
    assert 0 <= measured.information <= measured.class_entropy
    assert 0 <= measured.relative <= 1


@given(square_tables(), st.data(), corrections)
def test_permuting_labels_changes_no_bit(counts, data, correction):
    order = data.draw(st.permutations(range(len(counts))))
    weight = data.draw(st.floats(1e-6, 1e6))
    table = np.array(counts) * weight
    assert measure_information(table_of(table), correction) == measure_information(
        table_of(table[np.ix_(order, order)]), correction
    )


@given(square_tables(), st.integers(-30, 30), st.floats(1e-9, 1e9))
def test_scaling_a_table_changes_nothing(counts, power, factor):
    plain = measure_information(table_of(counts))
    assert measure_information(table_of(np.array(counts) * 2.0**power)) == plain
    scaled = measure_information(table_of(np.array(counts) * factor))
    np.testing.assert_allclose(scaled, plain, atol=1e-12, rtol=1e-12)


@given(square_tables(), st.data(), st.floats(1e-6, 1e6), corrections)
def test_scaling_weights_changes_nothing(counts, data, factor, correction):
    y_true, y_pred = rows_of(counts, range(len(counts)))
    n_rows = len(y_true)
    weights = np.array(data.draw(st.lists(st.floats(0.01, 10), min_size=n_rows, max_size=n_rows)))
    plain, scaled = (
        ConfusionCounts.from_predictions(y_true, y_pred, sample_weight=sample_weight)
        for sample_weight in (weights, weights * factor)
    )
    np.testing.assert_allclose(scaled.n_samples, plain.n_samples, rtol=1e-12)
    np.testing.assert_allclose(
        measure_information(scaled, correction),
        measure_information(plain, correction),
        atol=1e-12,
        rtol=1e-12,
    )


@given(square_tables())
def test_correction_agrees_with_the_slow_twin(counts):
    measured = measure_information(table_of(counts), "miller-madow")
    expected = reference.corrected_information(counts, sum(map(sum, counts)))
    np.testing.assert_allclose(measured, expected, atol=1e-12)


def test_correction_takes_the_plain_value_down_where_rows_are_few():
    random = np.random.default_rng(0)
    y_true, y_pred = random.integers(0, 4, (2, 60))
    table = ConfusionCounts.from_predictions(y_true, y_pred)
    assert measure_information(table, "miller-madow").information < measure_information(table).information / 2


def test_correction_uses_the_effective_number_of_rows():
    y = [0, 0, 1, 1]
    plain = ConfusionCounts.from_predictions(y, y)
    weighted = ConfusionCounts.from_predictions(y, y, sample_weight=[7, 7, 7, 7])
    assert measure_information(weighted, "miller-madow") == measure_information(plain, "miller-madow")


def test_entropy_of_known_distributions():
    assert entropy([1, 1, 1, 1]) == 2
    assert entropy([0, 5, 0]) == 0
    assert entropy([]) == 0
    assert entropy([0.0, 0.0]) == 0
    assert entropy([1e-320, 1e300]) == 0
    assert entropy([9, 1]) == pytest.approx(-0.9 * log2(0.9) - 0.1 * log2(0.1), rel=1e-15)
    assert str(entropy([3])) == "0.0"


def test_corrected_entropy_counts_cells_that_are_not_empty():
    assert corrected_entropy([1, 0, 1], 2, "miller-madow") == pytest.approx(1 + 1 / (4 * log(2)), rel=1e-15)
    assert corrected_entropy([1, 0, 1], 2, None) == 1


def test_a_single_class_has_no_information():
    for counts in ([[5]], [[5, 3], [0, 0]], [[0, 7], [0, 0]]):
        measured = measure_information(table_of(counts))
        assert (measured.class_entropy, measured.information, measured.relative) == (0, 0, 0)


def test_swapped_classes_carry_all_information():
    measured = measure_information(table_of([[0, 3], [5, 0]]))
    assert measured.information == measured.class_entropy
    assert measured.relative == 1


def test_a_class_never_predicted_and_a_label_never_true():
    never_predicted = measure_information(table_of([[2, 0], [2, 0]]))
    assert (never_predicted.class_entropy, never_predicted.information) == (1, 0)
    never_true = measure_information(table_of([[2, 0, 1], [0, 2, 1], [0, 0, 0]]))
    assert never_true.class_entropy == 1
    assert never_true.information == pytest.approx(2 / 3, rel=1e-15)
