import json

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest

from infoprop.report import Report
from infoprop.selection import KnockoffSelector, StabilitySelector
from reference.pages import summary_of

N_LISTED = 25
"""Features that a page lists."""
HOSTILE = "<script>alert(1)</script>"
GENERATOR = np.random.default_rng(0)
Y = np.arange(120) % 2
X = GENERATOR.normal(size=(120, 30))
X[:, :12] += 1.2 * Y[:, None] * GENERATOR.choice([-1.0, 1.0], 12)


def told(selector):
    return summary_of([f"x{k}" for k in range(30)], control=selector).control


@pytest.fixture(scope="module")
def stable():
    return StabilitySelector(n_pairs=6, keep=[29], random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def outlived():
    return KnockoffSelector(fdr=0.2, random_state=0).fit(X, Y)


@pytest.mark.parametrize("kind", ["stable", "outlived"])
def test_a_page_says_what_was_chosen_at_which_rate(kind, request):
    selector = request.getfixturevalue(kind)
    report = Report.from_selector(selector, X, Y, validation=2)
    plain = json.loads(report.json())
    jsonschema.Draft202012Validator(Report.schema()).validate(plain)
    table = plain["features"]
    rates = dict(zip(table["name"], table["q_value"], strict=True))
    assert rates["x3"] == pytest.approx(selector.q_values_[3], rel=1e-3)
    assert '<th scope="col" class="n">q</th>' in report.html()
    assert 0.5 < plain["auc"] <= 1
    control = report.summary.control
    rate, kept = (10, " (1 of them kept as asked for, without a test)") if kind == "stable" else (20, "")
    sentence = (
        f"{selector.n_features_} of 30 features{kept} at an estimated false discovery rate of {rate} %."
    )
    assert control.sentence == sentence
    assert sentence in report.html()
    assert sentence in report.markdown()
    assert sum(feature.selected for feature in control.features) == selector.n_features_
    values = {feature.name: feature.q_value for feature in control.features}
    for k in range(29):
        assert values[f"x{k}"] == pytest.approx(selector.q_values_[k])
    assert report.html().count("<tr") > N_LISTED


def test_the_smallest_q_value_is_told_where_nothing_is_chosen(outlived):
    nothing = KnockoffSelector(fdr=0.05, random_state=0).fit(X, Y)
    control, least = told(nothing), nothing.q_values_.min()
    n_least = int((nothing.q_values_ == least).sum())
    assert n_least > 1
    rate = "0 of 30 features at an estimated false discovery rate of 5 %."
    assert control.sentence == f"{rate} The smallest q-value is {least:.3g}, of {n_least} features."
    assert "smallest" not in told(outlived).sentence


def test_features_to_keep_have_no_q_value_and_are_always_there(stable):
    control = told(stable)
    kept = next(feature for feature in control.features if feature.name == "x29")
    assert kept.q_value is None
    assert set(kept.frequencies) == {1.0}
    assert [len(feature.frequencies) for feature in control.features].count(len(control.sizes)) >= 5


def test_a_size_that_was_asked_for_has_no_rate(stable):
    control = told(stable.at(3))
    assert control.fdr is None
    assert control.sentence == "3 of 30 features, as asked for."


def test_names_are_never_markup():
    names = [HOSTILE, *(f"c{k}" for k in range(11))]
    selector = StabilitySelector(n_pairs=2, n_features_to_select=2, random_state=0)
    selector.fit(*_named(names))
    page = Report.from_selector(selector, *_named(names), validation=2).html()
    assert HOSTILE not in page


@pytest.mark.parametrize("library", [pl, pd])
def test_nothing_chosen_from_a_frame_is_told(library):
    random = np.random.default_rng(1)
    noise = library.DataFrame({f"c{k}": random.standard_normal(40) for k in range(4)})
    labels = np.arange(40) % 2
    selector = KnockoffSelector(fdr=0.05, random_state=0).fit(noise, labels)
    assert selector.n_features_ == 0
    assert Report.from_selector(selector, noise, labels, validation=2).summary.selected == ()


def _named(names):
    return pl.DataFrame(X[:, : len(names)], schema=names), Y
