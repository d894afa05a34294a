from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.exceptions import DataError, ParameterError
from infoprop.metrics import (
    ErrorBounds,
    InformationFlow,
    class_entropy,
    error_bounds,
    indicator_credits,
    output_information,
    relative_output_information,
)
from reference.information import any_labels, rows_of, square_tables

MEASURES = [output_information, relative_output_information, indicator_credits, error_bounds]
CORRECTED = MEASURES[:3]


@given(square_tables(), st.sampled_from([None, "miller-madow"]), st.data())
def test_functions_and_flow_tell_the_same(counts, correction, data):
    y_true, y_pred = rows_of(counts, range(len(counts)))
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(y_true), max_size=len(y_true)))
    flow = InformationFlow.from_predictions(y_true, y_pred, sample_weight=weights, correction=correction)
    options = {"sample_weight": weights, "correction": correction}
    assert class_entropy(y_true, **options) == pytest.approx(flow.class_entropy, abs=1e-12)
    assert output_information(y_true, y_pred, **options) == flow.information
    assert relative_output_information(y_true, y_pred, **options) == flow.relative_information
    assert indicator_credits(y_true, y_pred, **options).tolist() == flow.indicator_credits.tolist()
    assert error_bounds(y_true, y_pred, sample_weight=weights) == flow.error_bounds


@given(square_tables(), st.data())
def test_renaming_labels_changes_nothing_but_the_order_of_credits(counts, data):
    size = len(counts)
    names = data.draw(st.lists(any_labels(), min_size=size, max_size=size, unique=True))
    numbered, named = rows_of(counts, range(size)), rows_of(counts, names)
    assert output_information(*named) == output_information(*numbered)
    assert relative_output_information(*named) == relative_output_information(*numbered)
    assert class_entropy(named[0]) == class_entropy(numbered[0])
    assert error_bounds(*named) == error_bounds(*numbered)
    credits = indicator_credits(*named, labels=names)
    assert credits.tolist() == indicator_credits(*numbered, labels=list(range(size))).tolist()
    assert sorted(indicator_credits(*named)) == sorted(indicator_credits(*numbered))


@given(square_tables(), st.data())
def test_a_weight_is_a_number_of_copies(counts, data):
    y_true, y_pred = rows_of(counts, range(len(counts)))
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(y_true), max_size=len(y_true)))
    weights[data.draw(st.integers(0, len(y_true) - 1))] = 1
    copied = [np.repeat(y, weights) for y in (y_true, y_pred)]
    for measure in MEASURES:
        weighted, repeated = measure(y_true, y_pred, sample_weight=weights), measure(*copied)
        if isinstance(weighted, ErrorBounds):
            assert weighted == repeated
        else:
            np.testing.assert_array_equal(weighted, repeated)
    assert class_entropy(y_true, sample_weight=weights) == class_entropy(copied[0])


@given(square_tables(), st.data(), st.floats(1e-6, 1e6), st.integers(-40, 40))
def test_scaling_weights_changes_nothing(counts, data, factor, power):
    y_true, y_pred = rows_of(counts, range(len(counts)))
    n_rows = len(y_true)
    weights = np.array(data.draw(st.lists(st.floats(0.01, 10), min_size=n_rows, max_size=n_rows)))
    for measure in CORRECTED:
        plain = measure(y_true, y_pred, sample_weight=weights)
        np.testing.assert_array_equal(measure(y_true, y_pred, sample_weight=weights * 2.0**power), plain)
        scaled = measure(y_true, y_pred, sample_weight=weights * factor)
        np.testing.assert_allclose(scaled, plain, atol=1e-12)
    plain = error_bounds(y_true, y_pred, sample_weight=weights)
    assert error_bounds(y_true, y_pred, sample_weight=weights * 2.0**power) == plain
    scaled = error_bounds(y_true, y_pred, sample_weight=weights * factor)
    # Fano's curve is flat at its top, where half the digits of its inverse are lost.
    np.testing.assert_allclose(astuple(scaled), astuple(plain), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_single_class_is_nothing_to_know(measure):
    result = measure(["only"] * 3, ["only"] * 3)
    if isinstance(result, ErrorBounds):
        assert result.error == result.upper == 0
    else:
        assert not np.any(result)
    assert class_entropy(["only"] * 3) == 0


@pytest.mark.parametrize("measure", MEASURES)
def test_data_that_cannot_be_used_are_refused(measure):
    with pytest.raises(DataError, match="y_true is empty"):
        measure([], [])
    with pytest.raises(DataError, match="same length"):
        measure([0, 1], [0])
    with pytest.raises(DataError, match="at least one positive"):
        measure([0, 1], [0, 1], sample_weight=[0, 0])
    with pytest.raises(DataError, match="negative"):
        measure([0, 1], [0, 1], sample_weight=[1, -1])
    with pytest.raises(DataError, match="finite"):
        measure([0, 1], [0, 1], sample_weight=[1, np.nan])


@pytest.mark.parametrize("measure", CORRECTED)
@pytest.mark.parametrize("correction", ["jackknife", True, 1, ["miller-madow"]])
def test_an_unknown_correction_is_refused_before_the_data_are_read(measure, correction):
    with pytest.raises(
        ParameterError, match=f"'correction' parameter of {measure.__name__} must be one of None"
    ):
        measure([], [], correction=correction)


def test_class_entropy_refuses_what_the_others_refuse():
    with pytest.raises(ParameterError, match="'correction' parameter of class_entropy"):
        class_entropy([0], correction="no")
    with pytest.raises(DataError, match="y is empty"):
        class_entropy([])
    with pytest.raises(DataError, match="one weight per row"):
        class_entropy([0, 1], sample_weight=[1])


def test_class_entropy_needs_no_table():
    assert class_entropy(np.arange(2**15)) == 15


def test_class_entropy_forgets_labels_without_weight():
    weights = [1, 1, 0]
    assert class_entropy([0, 1, 2], sample_weight=weights, correction="miller-madow") == class_entropy(
        [0, 1], correction="miller-madow"
    )
