import copy
import json
import pickle
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.exceptions import DataError, ParameterError
from infoprop.metrics import ConfusionCounts, InformationFlow
from reference import information as reference
from reference.information import rows_of, square_tables

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "infoprop2001.json").read_text())
ARRAYS = ("labels", "counts", "indicator_probabilities", "indicator_entropies", "indicator_credits")


@pytest.fixture
def flow() -> InformationFlow:
    return InformationFlow.from_confusion([[15, 0, 5], [0, 15, 5], [0, 0, 20]], labels=["a", "b", "c"])


def test_fields_are_those_that_were_promised():
    assert [field.name for field in fields(InformationFlow)] == [
        "labels",
        "counts",
        "class_entropy",
        "information",
        "relative_information",
        "indicator_probabilities",
        "indicator_entropies",
        "indicator_credits",
        "error_rate",
        "error_bounds",
        "correction",
        "n_samples",
    ]


@pytest.mark.parametrize("matrix", "abc")
def test_matrices_of_the_paper(matrix):
    expected = GOLDEN["confusion_matrices"][matrix]
    flow = InformationFlow.from_confusion(expected["table"])
    assert flow.class_entropy == pytest.approx(expected["class_entropy"], abs=5e-5)
    assert flow.information == pytest.approx(expected["information"], abs=5e-5)
    assert flow.relative_information == pytest.approx(
        expected["information"] / expected["class_entropy"], abs=1e-4
    )
    np.testing.assert_allclose(flow.indicator_credits, expected["indicator_credits"], atol=5e-5)
    assert flow.accuracy == pytest.approx(50 / 60, rel=1e-15)
    assert flow.n_samples == 60


@given(square_tables(), st.sampled_from([None, "miller-madow"]))
def test_predictions_and_their_table_give_equal_flows(counts, correction):
    labels = list(range(len(counts)))
    by_rows = InformationFlow.from_predictions(*rows_of(counts, labels), labels=labels, correction=correction)
    assert by_rows == InformationFlow.from_confusion(counts, correction=correction)
    assert by_rows.error_rate == by_rows.error_bounds.error
    assert by_rows.accuracy == pytest.approx(np.trace(counts) / np.sum(counts), abs=1e-15)


@given(square_tables())
def test_indicators_account_for_what_remains_unknown(counts):
    flow = InformationFlow.from_confusion(counts)
    assert flow.indicator_probabilities.sum() == pytest.approx(1, rel=1e-12)
    remaining = flow.indicator_probabilities @ flow.indicator_entropies
    assert flow.conditional_entropy == pytest.approx(remaining, abs=1e-12)


@given(square_tables(), st.data())
def test_permuting_labels_permutes_the_flow(counts, data):
    order = data.draw(st.permutations(range(len(counts))))
    flow = InformationFlow.from_confusion(counts)
    permuted = InformationFlow.from_confusion(np.array(counts)[np.ix_(order, order)], labels=order)
    for field in fields(InformationFlow):
        mine, other = getattr(flow, field.name), getattr(permuted, field.name)
        if field.name == "counts":
            assert mine[np.ix_(order, order)].tolist() == other.tolist()
        elif field.name in ARRAYS:
            assert mine[order].tolist() == other.tolist()
        else:
            assert mine == other


def test_flow_is_frozen_and_its_arrays_are_read_only(flow):
    with pytest.raises(FrozenInstanceError):
        flow.information = 2.0
    for name in ARRAYS:
        assert not getattr(flow, name).flags.writeable


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda flow: pickle.loads(pickle.dumps(flow))])
def test_copies_and_pickles_are_equal(flow, remake):
    again = remake(flow)
    assert again == flow
    assert not again.counts.flags.writeable


def test_flows_differ_by_counts_labels_and_correction(flow):
    table = flow.counts
    assert flow != InformationFlow.from_confusion(table * 2, labels=["a", "b", "c"])
    assert flow != InformationFlow.from_confusion(table, labels=["a", "b", "d"])
    assert flow != InformationFlow.from_confusion(table, labels=["a", "b", "c"], correction="miller-madow")
    assert flow != "flow"


def test_flow_of_counts_made_before(flow):
    table = ConfusionCounts.from_table(flow.counts, labels=flow.labels)
    assert InformationFlow.from_counts(table) == flow


def test_weights_are_used():
    weighted = InformationFlow.from_predictions([0, 0, 1], [0, 1, 1], sample_weight=[2, 1, 3])
    copied = InformationFlow.from_predictions([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1])
    assert weighted.information == copied.information
    assert weighted.n_samples == pytest.approx(36 / 14)


def test_correction_moves_entropies_and_credits_but_neither_bounds_nor_error(flow):
    corrected = InformationFlow.from_confusion(flow.counts, correction="miller-madow")
    assert corrected.class_entropy > flow.class_entropy
    assert corrected.information != flow.information
    assert corrected.indicator_credits.sum() == pytest.approx(corrected.information, abs=1e-12)
    assert corrected.error_bounds == flow.error_bounds
    assert corrected.indicator_entropies.tolist() == flow.indicator_entropies.tolist()


@pytest.mark.parametrize("build", ["from_predictions", "from_confusion", "from_counts"])
def test_an_unknown_correction_is_refused(build):
    arguments = {"from_predictions": ([], []), "from_confusion": ([],), "from_counts": (None,)}[build]
    with pytest.raises(ParameterError, match="'correction' parameter of InformationFlow"):
        getattr(InformationFlow, build)(*arguments, correction="jackknife")


def test_a_bad_table_is_refused():
    with pytest.raises(DataError, match="square"):
        InformationFlow.from_confusion([[1, 2]])


def test_representation_is_one_line(flow):
    assert repr(flow) == (
        "InformationFlow(information=0.9591, class_entropy=1.5850, relative_information=0.6052, "
        "accuracy=0.8333, n_labels=3, n_samples=60)"
    )


def test_text_tells_the_numbers(flow):
    text = str(flow)
    assert "Output information 0.9591 of 1.5850 bits (60.5%)" in text
    assert "Accuracy 83.3% on 60 rows; error 0.1667, bounds 0 to 0.1667" in text
    assert "credit bits       0.3962  0.3962  0.1667" in text
    corrected = InformationFlow.from_confusion(flow.counts, correction="miller-madow")
    assert "Miller-Madow corrected" in str(corrected)


def test_html_holds_table_and_headline(flow):
    html = flow._repr_html_()
    assert "0.9591 of 1.5850 bits" in html
    assert html.count("<tr>") == 1 + 3 + 3


def test_standard_error_is_the_delta_method_on_the_cells():
    table = np.array([[15.0, 2.0, 5.0], [1.0, 15.0, 5.0], [3.0, 1.0, 20.0]])
    p, n, h = table.ravel() / table.sum(), table.sum(), 1e-6

    def information(cells):
        return reference.output_information(cells.reshape(3, 3).tolist())

    # The slow twin divides by the sum, which makes this the gradient on the simplex.
    slopes = [(information(p + h * unit) - information(p - h * unit)) / (2 * h) for unit in np.eye(9)]
    covariance = (np.diag(p) - np.outer(p, p)) / n
    expected = np.sqrt(slopes @ covariance @ slopes)
    assert InformationFlow.from_confusion(table).standard_error == pytest.approx(expected, rel=1e-6)


@given(square_tables(), st.integers(2, 9))
def test_standard_error_falls_with_the_root_of_the_rows_and_knows_no_names(counts, times):
    counts = np.array(counts)
    flow = InformationFlow.from_confusion(counts)
    order = np.random.default_rng(0).permutation(len(counts))
    assert flow.standard_error >= 0.0
    more = InformationFlow.from_confusion(counts * times)
    assert more.standard_error == pytest.approx(flow.standard_error / np.sqrt(times), rel=1e-9, abs=1e-15)
    moved = InformationFlow.from_confusion(counts[np.ix_(order, order)])
    assert moved.standard_error == flow.standard_error


def test_nothing_told_and_equal_things_told_have_no_error():
    assert InformationFlow.from_confusion([[5, 0], [5, 0]]).standard_error == 0.0
    assert InformationFlow.from_confusion([[5, 0], [0, 5]]).standard_error == 0.0
    assert InformationFlow.from_confusion([[9, 0], [0, 1]]).standard_error > 0.1


def test_standard_error_counts_effective_rows():
    truth, found = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
    plain = InformationFlow.from_predictions(truth, found)
    scaled = InformationFlow.from_predictions(truth, found, sample_weight=[7.0] * 5)
    assert scaled.standard_error == pytest.approx(plain.standard_error, rel=1e-12)
