"""After a choice a page shows the model with the chosen features first, and says how sure its numbers are."""

import json

import numpy as np
import pytest

from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.report import Report, ReportSummary
from infoprop.report._tiles import tiles_of
from infoprop.report._views import drivers_of, views_of

LABELS = ("barolo", "grignolino", "barbera")


@pytest.fixture
def chosen(credits_of):
    """A summary of 40 features of which 20 were chosen, and what those are worth alone."""
    names = [f"x{number}" for number in range(40)]
    alone = credits_of([[58, 1, 0], [1, 69, 1], [0, 0, 48]], LABELS, names[::2])
    return ReportSummary.from_credits(
        credits_of(names=names),
        selected=np.arange(40) % 2 == 0,
        retrained=alone.flow,
        chosen_credits=alone,
        judged_on="unseen",
        auc=0.99,
    )


def test_headline_is_about_unseen_rows(chosen):
    assert chosen.headline == "20 of 40 features are enough: 98.3% of unseen rows right (± 1.2)"
    assert chosen.lead.startswith("Always naming the most frequent class would get 39.9% right.")
    assert "a bit answers one yes-or-no question" in chosen.lead


def test_rows_that_helped_to_choose_are_called_optimistic(credits_of):
    credits = credits_of()
    summary = ReportSummary.from_credits(
        credits, selected=np.array([True, False, False, False]), retrained=credits.flow, judged_on="choice"
    )
    assert summary.headline.endswith("95.5% right on the rows that helped to choose (optimistic)")
    assert "expect less on new rows" in summary.lead
    assert "accuracy, chosen features (optimistic)" in [tile.name for tile in tiles_of(summary)]
    with pytest.raises(ParameterError, match="judged_on"):
        ReportSummary.from_credits(credits, judged_on="training")


def test_a_choice_that_loses_is_not_called_enough(credits_of):
    worse = InformationFlow.from_confusion([[30, 29, 0], [20, 51, 0], [0, 20, 28]], labels=LABELS)
    summary = ReportSummary.from_credits(
        credits_of(), selected=np.array([True, False, False, False]), retrained=worse
    )
    assert summary.headline == "1 of 4 features gets 61.2% of the judged rows right (± 3.6); all get 95.5%"


def test_nothing_chosen_is_said(credits):
    assert ReportSummary.from_credits(credits, selected=np.zeros(4, dtype=bool)).headline == (
        "None of 4 features was chosen"
    )


def test_tiles_set_accuracy_beside_the_base_rate(chosen):
    tiles = {tile.name: tile for tile in tiles_of(chosen)}
    assert tiles["accuracy, chosen features"].beside == "base rate 39.9%"
    assert tiles["balanced accuracy, chosen features"].value == "98.5%"
    assert tiles["AUC, chosen features"].value == "0.990"
    assert tiles["all features, 40"].value == "95.5%"


def test_chosen_features_come_first_all_of_them(chosen):
    first, second = views_of(chosen)
    assert (first.key, second.key) == ("chosen-", "")
    assert first.summary.n_features == 20
    assert first.summary.information == chosen.retrained.information
    page = Report(chosen).html()
    assert page.index('id="chosen-features"') < page.index('id="full"') < page.index('id="features"')
    told = page.split('class="picks"')[1].split("</p>")[0]
    assert all(f"x{number}" in told for number in range(0, 40, 2))
    assert "more" not in told
    assert first.bars.count("<g ") == 20


def test_others_of_the_flow_are_all_that_are_not_drawn(chosen):
    assert "others" not in views_of(chosen)[0].sankey
    assert "26 others" in views_of(chosen)[1].sankey


def test_every_class_names_what_drives_it(chosen):
    drivers = drivers_of(chosen)
    assert [driver.entry.label for driver in drivers] == list(LABELS)
    for number, driver in enumerate(drivers):
        most = max(feature.by_class[number] for feature in chosen.features)
        assert driver.features[0][1] == most


def test_chosen_credits_keep_the_columns_of_the_whole(chosen):
    for feature in chosen.retrained.features:
        assert feature.name == f"x{feature.column}"
    plain = json.loads(Report(chosen).json())
    assert plain["judged_on"] == "unseen"
    assert len(plain["retrained"]["features"]["name"]) == 20


def test_credits_of_other_features_are_refused(credits_of):
    alone = credits_of(names=["unknown"])
    with pytest.raises(ParameterError, match="must be about features of the report"):
        ReportSummary.from_credits(credits_of(), retrained=alone.flow, chosen_credits=alone)
