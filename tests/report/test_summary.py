import json

import numpy as np
import pytest

from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.report import Report, ReportSummary


def test_numbers_are_those_of_the_credits(credits):
    summary = ReportSummary.from_credits(credits)
    assert summary.information == credits.information
    assert summary.class_entropy == credits.flow.class_entropy
    assert summary.n_judged == 178
    assert summary.accuracy == pytest.approx(170 / 178)
    assert [feature.column for feature in summary.features] == credits.ranking.tolist()
    assert [feature.rank for feature in summary.features] == [1, 2, 3, 4]
    np.testing.assert_allclose(
        [feature.credit for feature in summary.features], credits.values[credits.ranking]
    )
    assert sum(sum(feature.by_class) for feature in summary.features) == pytest.approx(summary.information)
    assert sum(entry.credit for entry in summary.classes) == pytest.approx(summary.information)
    assert [entry.true_count for entry in summary.classes] == [59, 71, 48]
    assert [entry.predicted_count for entry in summary.classes] == [60, 69, 49]
    assert summary.confusion[1] == (3.0, 66.0, 2.0)


def test_bounds_enclose_the_error(credits):
    bounds = ReportSummary.from_credits(credits).bounds
    assert bounds.lower <= bounds.error <= bounds.upper
    assert bounds.lower_without_error <= bounds.error <= bounds.upper_without_error


def test_headline_says_how_often_the_class_is_right(credits):
    assert (
        ReportSummary.from_credits(credits).headline
        == "4 features get 95.5% of the judged rows right (± 1.7)"
    )


def test_headline_of_one_feature_is_singular(credits_of):
    summary = ReportSummary.from_credits(credits_of(names=["only"]))
    assert summary.headline == "1 feature gets 95.5% of the judged rows right (± 1.7)"


def test_headline_of_a_choice_counts_the_chosen(credits):
    selected = np.zeros(4, dtype=bool)
    selected[credits.ranking[:2]] = True
    summary = ReportSummary.from_credits(credits, selected=selected)
    bits = credits.values[selected].sum()
    assert summary.headline == f"2 of 4 features carry {bits:.2f} of 1.29 bits"
    assert [feature.rank for feature in summary.selected_features] == [1, 2]


def test_headline_after_retraining_says_what_the_chosen_deliver_alone(credits):
    retrained = InformationFlow.from_confusion(
        [[59, 0, 0], [0, 71, 0], [0, 0, 48]], labels=["barolo", "grignolino", "barbera"]
    )
    summary = ReportSummary.from_credits(
        credits, selected=np.array([True, False, False, False]), retrained=retrained
    )
    assert summary.headline == "1 of 4 features is enough: 100% of the judged rows right (± 0.8)"
    assert "Trained again on the chosen features alone, it delivers 1.57 bits" in summary.lead
    assert "accuracy of 100% on the same rows" in summary.lead


def test_lead_without_information_says_there_is_nothing_to_share(credits_of):
    summary = ReportSummary.from_credits(credits_of([[5, 5], [5, 5]], [0, 1], ["a", "b"]))
    assert summary.information == 0
    assert "nothing to share out" in summary.lead
    assert all(feature.share == 0 for feature in summary.features)
    assert summary.n_features_for(0.9) == 0


def test_number_of_features_that_carry_a_share(credits):
    summary = ReportSummary.from_credits(credits)
    shares = np.cumsum([feature.share for feature in summary.features])
    for wanted in (0.1, 0.5, 0.9, 1.0):
        needed = summary.n_features_for(wanted)
        assert shares[needed - 1] >= wanted - 1e-9
        assert needed == 1 or shares[needed - 2] < wanted
    assert summary.n_features_for(1.0) == 4


def test_error_sentences_name_the_bounds(credits):
    sentences = ReportSummary.from_credits(credits).error_sentences
    assert sentences[0] == "The classifier was wrong on 4.5% of the 178 rows judged."
    assert "(Fano)" in sentences[1]
    assert "extended Fano" in sentences[2]


def test_perfect_classifier_has_no_bounds_to_tell(credits_of):
    summary = ReportSummary.from_credits(credits_of(np.eye(3) * 9, ["a", "b", "c"], ["x", "y"]))
    assert summary.error_sentences[0] == "The classifier was right on all 27 rows judged."
    assert "no room for an error" in summary.error_sentences[1]
    assert "with both features delivers" in summary.lead


def test_same_credits_give_equal_summaries_without_date_or_place(credits):
    assert ReportSummary.from_credits(credits) == ReportSummary.from_credits(credits)
    names = [name for name, _ in ReportSummary.from_credits(credits).run.versions]
    assert names == ["infoprop", "Python", "numpy", "scipy", "scikit-learn", "numba"]


def test_dictionary_survives_json(credits):
    summary = ReportSummary.from_credits(
        credits,
        selected=np.array([True, False, True, False]),
        data="wine.csv",
        n_rows=200,
        target="cultivar",
        settings={"C": 1.0, "kernel": "rbf"},
    )
    plain = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    assert plain["schema"] == 3
    assert plain["headline"] == summary.headline
    assert plain["run"]["settings"] == {"C": "1.0", "kernel": "rbf"}
    assert plain["run"]["n_rows"] == 200
    table = plain["features"]
    chosen = dict(zip(table["column"], table["selected"], strict=True))
    assert chosen == {0: True, 1: False, 2: True, 3: False}
    assert table["q_value"] is None


@pytest.mark.parametrize("selected", [[0, 1], np.array([True]), np.array([1, 0, 0, 0])])
def test_choice_must_be_a_mask_over_the_features(credits, selected):
    with pytest.raises(ParameterError, match="boolean array of shape"):
        ReportSummary.from_credits(credits, selected=selected)


def test_names_lose_what_no_file_can_hold(credits_of):
    summary = ReportSummary.from_credits(credits_of(names=["a\x00\x1b[31mb", "\ud800", " ", "naïve ☃"]))
    names = {feature.column: feature.name for feature in summary.features}
    assert names == {0: "a��[31mb", 1: "?", 2: "(blank)", 3: "naïve ☃"}


def test_labels_of_any_type_become_text(credits_of):
    summary = ReportSummary.from_credits(credits_of(labels=[None, 1.5, "x"]))
    assert [entry.label for entry in summary.classes] == ["None", "1.5", "x"]


def test_classifier_without_credits_has_a_summary_of_its_own():
    flow = InformationFlow.from_confusion([[40, 10], [0, 50]], labels=["no", "yes"])
    summary = ReportSummary.from_flow(flow, feature_names=["a", "b", "c"])
    assert summary.headline == "3 features get 90.0% of the judged rows right (± 3.1)"
    assert summary.features == ()
    assert summary.selected is None
    assert "carry" not in summary.lead
    chosen = ReportSummary.from_flow(
        flow, feature_names=["a", "b", "c"], selected=np.array([True, False, True]), data="x.csv"
    )
    assert chosen.headline == "2 of 3 features get 90.0% of the judged rows right (± 3.1)"
    assert chosen.selected == ("a", "c")
    assert "The classifier with the chosen features delivers" in chosen.lead
    assert chosen.title == "x.csv: what the classifier delivers"


def test_retrained_confusion_follows_the_order_of_the_classes():
    flow = InformationFlow.from_confusion(np.eye(3) * 5, labels=["b", "a", "c"])
    retrained = InformationFlow.from_confusion([[4, 1], [2, 3]], labels=["a", "b"])
    told = ReportSummary.from_flow(flow, feature_names=["x"], retrained=retrained).retrained
    assert told.confusion == ((3, 2, 0), (1, 4, 0), (0, 0, 0))
    assert [entry.label for entry in told.classes] == ["b", "a", "c"]
    assert sum(entry.credit for entry in told.classes) == pytest.approx(retrained.information)


def test_retrained_with_other_classes_is_refused(credits):
    other = InformationFlow.from_confusion([[1, 0], [0, 1]], labels=["barolo", "merlot"])
    with pytest.raises(ParameterError, match="no other classes than those judged before: it has 'merlot'"):
        ReportSummary.from_credits(credits, retrained=other)


def test_unknown_keyword_is_refused(credits):
    with pytest.raises(TypeError, match="unexpected keyword argument 'slected'"):
        ReportSummary.from_credits(credits, slected=None)


def test_code_keeps_its_lines(credits):
    assert ReportSummary.from_credits(credits, code="a = 1\n\nb = 2\n").run.code == "a = 1\n\nb = 2"


def test_other_stages_than_a_choice_have_their_names():
    raw = InformationFlow.from_confusion([[40, 10], [0, 50]])
    shaped = InformationFlow.from_confusion([[50, 0], [0, 50]])
    summary = ReportSummary.from_flow(
        raw, feature_names=["a", "b"], retrained=shaped, stages=("raw columns", "shaped columns")
    )
    assert (
        summary.headline == "Shaped columns get 100% of the judged rows right (± 1.3); raw columns get 90.0%"
    )
    assert "The classifier with raw columns delivers 0.61 of them" in summary.lead
    assert "Trained again on shaped columns, it delivers 1.00 bits" in summary.lead
    assert "Before: raw columns" in Report(summary).html()
    assert "With shaped columns:" in Report(summary).markdown()


def test_bits_of_very_many_features_and_classes_are_told_of_the_best(credits_of, monkeypatch):
    monkeypatch.setattr("infoprop.report._summary.N_JSON_CELLS", 7)
    told = ReportSummary.from_credits(credits_of()).to_dict()["features"]["by_class"]
    assert [row is None for row in told] == [False, False, True, True]
