import json
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infoprop.metrics import ConfusionCounts, ErrorBounds, InformationFlow
from reference import information as reference
from reference.information import entropy, square_tables, tables_of_spread_errors

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "infoprop2001.json").read_text())


def bounds_of(counts) -> ErrorBounds:
    return InformationFlow.from_confusion(counts).error_bounds


@given(square_tables(max_labels=7))
def test_bounds_bracket_the_error(counts):
    bounds = bounds_of(counts)
    assert bounds.error == pytest.approx(reference.error_rate(counts), abs=1e-12)
    assert 0 <= bounds.lower <= bounds.error <= bounds.upper <= 1
    assert 0 <= bounds.lower_without_error <= bounds.error <= bounds.upper_without_error <= 1


@given(square_tables(min_labels=3, max_labels=7))
def test_lower_bound_brackets_without_being_cut_off(counts):
    bound = reference.fano_lower(counts)
    assert bound <= reference.error_rate(counts) + 1e-12
    assert bounds_of(counts).lower == pytest.approx(max(bound, 0), abs=1e-12)


@given(tables_of_spread_errors())
def test_upper_bound_brackets_without_being_cut_off(counts):
    bound, bounds = reference.fano_upper(counts), bounds_of(counts)
    assert bound >= reference.error_rate(counts) - 1e-9
    assert bounds.upper == pytest.approx(min(bound, 1), abs=1e-9)
    assert bounds.upper_as_printed <= bound + 1e-9


@given(square_tables(max_labels=7))
@example([[2, 2, 2, 2, 2, 2, 2]] * 7)
def test_forms_without_the_error_bracket_without_being_cut_off(counts):
    bounds = bounds_of(counts)
    columns = reference.hellman_raviv(counts)
    assert columns >= reference.error_rate(counts) - 1e-12
    assert bounds.upper_without_error == pytest.approx(columns, abs=1e-12)
    unknown, lower = reference.conditional_entropy(counts), bounds.lower_without_error
    if 1e-9 < lower < bounds.error - 1e-6:
        reached = entropy([lower, 1 - lower]) + lower * log2(len(counts) - 1)
        assert reached == pytest.approx(unknown, abs=1e-9)


@given(square_tables(), st.data())
def test_permuting_labels_changes_no_bit(counts, data):
    order = data.draw(st.permutations(range(len(counts))))
    assert bounds_of(np.array(counts)[np.ix_(order, order)]) == bounds_of(counts)


def test_equation_3_as_printed_can_fall_below_the_error():
    bounds = bounds_of(GOLDEN["confusion_matrices"]["a"]["table"])
    assert bounds.upper_as_printed < 0 < bounds.error
    assert bounds.upper == pytest.approx(1 / 6, rel=1e-12)


def test_equation_3_as_printed_is_sound_when_errors_are_spread_evenly():
    bounds = bounds_of([[8, 1, 1], [1, 8, 1], [1, 1, 8]])
    assert bounds.upper_as_printed == pytest.approx(bounds.upper, rel=1e-12)
    assert bounds.lower == pytest.approx(bounds.error, rel=1e-12)
    assert bounds.lower_without_error == pytest.approx(bounds.error, rel=1e-12)
    assert bounds.upper == pytest.approx(bounds.error, rel=1e-12)


def test_two_labels_use_the_forms_without_the_error():
    bounds = bounds_of([[3, 1], [1, 3]])
    assert bounds.error == 0.25
    assert bounds.lower == bounds.lower_without_error == pytest.approx(0.25, rel=1e-12)
    assert bounds.upper == bounds.upper_without_error == pytest.approx(entropy([0.25, 0.75]) / 2, rel=1e-12)
    assert bounds.upper_as_printed == 1


def test_information_without_accuracy_leaves_the_error_open():
    bounds = bounds_of([[0, 3], [5, 0]])
    assert (bounds.error, bounds.lower, bounds.upper) == (1, 0, 1)
    assert (bounds.lower_without_error, bounds.upper_without_error) == (0, 1)


@pytest.mark.parametrize("counts", [[[4]], [[4, 0], [0, 2]], np.eye(4)])
def test_no_error_is_known_to_be_none(counts):
    assert bounds_of(counts) == ErrorBounds(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_labels_that_never_occur_only_loosen_the_lower_bounds():
    table = np.array([[5, 2, 1], [2, 5, 1], [2, 1, 5]])
    wider = np.zeros((5, 5))
    wider[:3, :3] = table
    tight, loose = bounds_of(table), bounds_of(wider)
    assert loose.lower < tight.lower
    assert loose.lower_without_error < tight.lower_without_error
    assert loose.upper == tight.upper
    assert loose.upper_without_error == tight.upper_without_error


def test_a_tie_stays_a_tie_when_weights_are_scaled():
    y_true, y_pred = [0, 0, 1, 1], [0, 0, 0, 1]
    for factor in (1.0, 0.1, 0.7, 3.3):
        weights = np.array([0.1, 0.2, 0.3, 1.0]) * factor
        table = ConfusionCounts.from_predictions(y_true, y_pred, sample_weight=weights)
        bounds = InformationFlow.from_counts(table).error_bounds
        assert bounds.upper_without_error == pytest.approx(0.6 / 1.6 / 2, rel=1e-12)
