import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.report import Report
from infoprop.report._search_figures import beam_curve, evolution_curves
from infoprop.selection import ForwardBeamSelector, Generation, GeneticTrace
from reference.pages import summary_of

HOSTILE = "<script>alert(1)</script>"
NAMES = ("sepal length", "sepal width", "petal length", HOSTILE)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def forward(iris):
    return ForwardBeamSelector(beam_width=2, random_state=0).fit(*iris)


@pytest.fixture(scope="module")
def flow(iris, forward):
    return InformationFlow.from_predictions(iris[1], forward.predict(iris[0]))


def make_evolution(n_generations=3, n_strings=1, n_bits=4):
    rng = np.random.default_rng(0)
    generations = tuple(
        Generation(rng.random((6, n_strings, n_bits)) < 0.5, 0.5 + 0.4 * rng.random(6), n_new=6)
        for _ in range(n_generations)
    )
    return GeneticTrace(generations, tuple(f"x{bit}" for bit in range(n_bits)), "patience")


def beam_on_page(trace):
    return summary_of(NAMES, beam=trace).beam


def evolution_on_page(trace):
    return summary_of(NAMES, evolution=trace).evolution


def report(flow, **more):
    return Report.from_flow(flow, feature_names=NAMES, **more)


def test_levels_are_those_of_the_forward_search(forward):
    beam = beam_on_page(forward.trace_)
    assert [level.n_features for level in beam.levels] == [level.size for level in forward.trace_]
    assert beam.best.accuracy == forward.trace_.accuracy
    assert beam.best.kept[0].features == tuple(forward.trace_.groups.tolist())
    assert sum(level.n_tried for level in beam.levels) == beam.n_trainings == forward.trace_.n_trainings


def test_forward_search_in_words(forward):
    words = beam_on_page(forward.trace_).sentence
    assert f"the best has {len(forward.trace_.groups)} features" in words
    assert words.endswith("no larger subset is better.")


@pytest.mark.parametrize(
    ("scoring", "words"),
    [("roc_auc", "area under the ROC curve of 0.9"), ("information", "of the class entropy")],
)
def test_a_search_is_told_by_its_own_score(flow, forward, scoring, words):
    trace = replace(forward.trace_, scoring=scoring)
    beam = beam_on_page(trace)
    assert words in beam.sentence
    assert "right" not in beam_curve(beam) + beam.score_word
    evolution = replace(make_evolution(), scoring=scoring)
    assert "right" not in evolution_curves(evolution_on_page(evolution))
    made = report(flow, selected=forward.support_, beam=trace)
    assert f">{beam.score_word}</th>" in made.html()


def test_names_are_those_of_the_report(flow, forward):
    made = report(flow, selected=forward.support_, beam=forward.trace_)
    assert json.loads(made.json())["beam"]["names"] == list(NAMES)
    assert "petal length" in made.html()
    assert made.html().count("<script") == 2
    assert "&lt;script&gt;" in made.html()


def test_curve_has_a_ring_at_the_chosen_size(forward):
    drawn = beam_curve(beam_on_page(forward.trace_))
    assert drawn.count('class="curve"') == 1
    assert f"{len(forward.trace_.groups)} chosen" in drawn
    assert drawn.count("<circle") == 1 + sum(len(level.kept) for level in forward.trace_)


def test_forward_search_over_other_features_is_refused(flow, forward):
    with pytest.raises(ParameterError, match=r"'beam' parameter of Report .* has 4 features"):
        Report.from_flow(flow, feature_names=("a", "b"), beam=forward.trace_)


def test_generations_are_those_of_the_genetic_search(flow):
    trace = make_evolution()
    plain = json.loads(report(flow, evolution=trace).json())["evolution"]
    assert [entry["best_fitness"] for entry in plain["generations"]] == trace.best_fitness.tolist()
    assert [entry["mean_fitness"] for entry in plain["generations"]] == pytest.approx(
        trace.mean_fitness.tolist()
    )
    assert plain["best"] == [np.flatnonzero(trace.best[0]).tolist()]
    assert plain["names"] == list(NAMES)


def test_genetic_search_in_words():
    one = evolution_on_page(make_evolution()).sentence
    assert one.startswith("3 generations, 18 different genomes; the fittest uses")
    assert one.endswith("no generation was better for too long.")
    assert "features per pair" in evolution_on_page(make_evolution(1, n_strings=3)).sentence


def test_search_over_columns_keeps_its_own_names():
    assert evolution_on_page(make_evolution(n_bits=5)).names == (
        "x0",
        "x1",
        "x2",
        "x3",
        "x4",
    )


@pytest.mark.parametrize("n_generations", [1, 2, 2000])
def test_generations_of_any_number_are_drawn(n_generations):
    drawn = evolution_curves(evolution_on_page(make_evolution(n_generations)))
    assert drawn.count("curve") == 2
    assert len(drawn) < 200_000


def test_nothing_to_draw_is_no_figure():
    assert beam_curve(None) == evolution_curves(None) == ""


def test_markdown_lists_sizes_and_generations(flow, forward):
    text = report(flow, beam=forward.trace_, evolution=make_evolution()).markdown()
    assert "| features | tried | right | best subset |" in text
    assert "| generation | best | mean |" in text
    assert "<script" not in text
