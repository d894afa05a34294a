"""Files of the experiments: numbers, agreement, and no difference without a sentence."""

import json

import pytest
from ledger import (
    Number,
    Published,
    differing,
    read_expected,
    read_results,
    read_settings,
    unexplained,
    write_results,
)

PLACE = {"part": "toy", "table": "features", "row": "all", "measure": "accuracy", "unit": "%"}


def test_a_number_is_the_mean_and_sample_deviation_of_its_draws():
    number = Number.of([90.0, 92.0], **PLACE)
    assert (number.mean, number.sd, number.n, str(number)) == (91.0, 1.41, 2, "91.00 ± 1.41 %")


def test_a_single_value_has_no_spread():
    assert str(Number.of([94.772], **PLACE)) == "94.77 %"


def test_claims_are_counted_in_draws():
    claim = Number.of([100.0, 0.0, 100.0], **{**PLACE, "unit": "% of draws"})
    assert str(claim) == "2 of 3 draws"
    assert str(Number.of([100.0, 0.0], **{**PLACE, "unit": "% of folds"})) == "1 of 2 folds"


@pytest.mark.parametrize(
    ("printed", "mean", "agrees"),
    [
        ("94.68", 94.69, True),
        ("94.68", 94.70, False),
        ("67", 66.4, True),
        ("67", 65.9, False),
        ("yes", 100.0, True),
        ("yes", 95.0, False),
    ],
)
def test_agreement_is_to_a_unit_of_the_last_printed_place(printed, mean, agrees):
    assert Published(printed, "%", "Table 1").agrees_with(mean) is agrees


def test_a_difference_without_a_sentence_is_named(toy):
    settings, expected, results = toy
    assert differing(expected, results) == ["toy/all/accuracy"]
    assert unexplained(expected, results, settings) == []
    assert unexplained(expected, results, {"difference": []}) == ["toy/all/accuracy"]


def test_results_are_read_back_as_written(tmp_path, toy):
    write_results(tmp_path, toy[2])
    first = (tmp_path / "results.json").read_bytes()
    write_results(tmp_path, read_results(tmp_path))
    assert (tmp_path / "results.json").read_bytes() == first


def test_published_numbers_are_well_formed(stored):
    expected, settings = read_expected(stored), read_settings(stored)
    parts = [part["name"] for part in settings["part"]]
    assert set(expected.paper) == {"authors", "title", "venue", "year"}
    for key, published in expected.numbers.items():
        assert key.partition("/")[0] in parts
        assert published.source.startswith(("Table", "Figure", "section", "result files"))
        assert published.value >= 0.0
    for entry in expected.not_rerun:
        assert set(entry) == {"what", "printed", "unit", "source"}


def test_no_published_number_is_given_twice(stored):
    def without_repeats(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys))
        return dict(pairs)

    json.loads((stored / "expected.json").read_text(encoding="utf-8"), object_pairs_hook=without_repeats)


def test_every_published_number_has_been_rerun(stored):
    expected, results = read_expected(stored), read_results(stored)
    assert [key for key in expected.numbers if key not in results] == []
    assert [
        key for key, number in results.items() if number.unit != expected_unit(expected, key, number)
    ] == []


def expected_unit(expected, key, number):
    return expected.numbers[key].unit if key in expected.numbers else number.unit


def test_every_difference_has_a_sentence_and_every_sentence_a_difference(stored):
    settings, expected, results = read_settings(stored), read_expected(stored), read_results(stored)
    assert unexplained(expected, results, settings) == []
    for entry in settings["difference"]:
        alone = {**settings, "difference": [entry]}
        assert len(unexplained(expected, results, alone)) < len(differing(expected, results)), entry
