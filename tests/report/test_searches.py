import json

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import scale

from infoprop.exceptions import ParameterError
from infoprop.report import Report
from infoprop.selection import BackwardEliminationSelector, DirectedSearchSelector, SearchStep, SearchTrace
from reference.pages import summary_of
from reference.paths import tables_of

N_STEPS = 20
"""Steps that a page lists."""
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def eliminated(wine):
    return BackwardEliminationSelector(RidgeClassifier(), n_features_to_select=4, random_state=0).fit(*wine)


@pytest.fixture(scope="module")
def searched(wine):
    return DirectedSearchSelector(RidgeClassifier(), n_features_to_select=4, random_state=0).fit(*wine)


def make_trace(n_steps, names=("a", HOSTILE, "c"), is_best=(0,)):
    steps = tuple(
        SearchStep(
            run=0,
            move="start" if number == 0 else "untested",
            groups=np.array([0, 1]),
            credits=np.array([0.1, 0.2]),
            information=0.5 + 0.1 * (number in is_best),
            relative_information=0.5,
            is_new=True,
            is_best=number in is_best,
            end="converged" if number == n_steps - 1 else None,
        )
        for number in range(n_steps)
    )
    return SearchTrace(steps, names, "converged")


def report(selector, **more):
    return Report.from_credits(
        selector.credits_,
        selected=selector.support_,
        path=getattr(selector, "path_", None),
        trace=getattr(selector, "trace_", None),
        **more,
    )


def test_numbers_are_those_of_the_path(eliminated):
    path = report(eliminated).summary.path
    assert path.n_chosen == 4
    assert [step.n_features for step in path.steps] == eliminated.path_.n_features.tolist()
    assert [step.information for step in path.steps] == eliminated.path_.information.tolist()
    assert path.steps[2].dropped == eliminated.path_[2].dropped
    assert path.steps[-1].dropped == ()


def test_json_holds_every_step(eliminated, searched):
    plain = json.loads(report(eliminated).json())
    assert plain["path"]["steps"]["n_features"] == list(range(13, 3, -1))
    assert plain["trace"] is None
    plain = json.loads(report(searched).json())
    assert plain["path"] is None
    assert len(plain["trace"]["steps"]) == len(searched.trace_)
    assert plain["trace"]["end"] == searched.trace_.end
    first = plain["trace"]["steps"][0]
    assert first["features"] == searched.trace_[0].groups.tolist()
    assert first["credits"] == searched.trace_[0].credits.tolist()
    assert plain["trace"]["names"][first["features"][0]] == f"x{first['features'][0]}"


def path_on_page(path, n_chosen=None, **more):
    selected = None if n_chosen is None else np.arange(len(path.names)) < n_chosen
    return summary_of(path.names, path=path, selected=selected, **more).path


def trace_on_page(trace):
    return summary_of(trace.names, trace=trace).trace


def test_path_in_words(eliminated):
    path = report(eliminated).summary.path
    words = path.sentence
    assert words.startswith("From 13 features to 4, 10 sizes were counted.")
    best = max(step.information for step in path.steps)
    assert f"the most: {best:.2f} bits (standard error" in words
    fewer = path_on_page(eliminated.path_, 6).sentence
    assert f"The 6 chosen deliver {path.steps[-3].information:.2f} bits" in fewer
    assert "chosen" not in path_on_page(eliminated.path_).sentence
    assert report(eliminated).summary.search_sentences == (words,)


@pytest.mark.parametrize(
    ("rule", "tolerance", "words"),
    [
        ("best", None, "the smallest size that delivers the most"),
        ("one-se", None, "within one standard error of the most"),
        ("tolerance", 0.05, "at least 95.0% of the most"),
        (None, None, "You asked for 4 features"),
    ],
)
def test_page_says_why_it_was_that_size(eliminated, rule, tolerance, words):
    made = Report.from_credits(
        eliminated.credits_,
        selected=eliminated.support_,
        path=eliminated.path_,
        rule=rule,
        tolerance=tolerance,
    )
    assert rule is None or made.summary.path.why.startswith("Why 4: ")
    assert words in made.summary.path.why
    assert words in made.html()
    assert words in made.markdown()
    assert (made.summary.path.why in made.summary.search_sentences) == (rule is not None)


def test_unknown_rule_is_refused(eliminated):
    with pytest.raises(ParameterError, match="'rule' parameter of Report"):
        path_on_page(eliminated.path_, 4, rule="cheapest")


def test_last_steps_are_listed_with_the_chosen_one_before_them(wine):
    X = np.hstack([wine[0], np.random.default_rng(0).normal(size=(178, 20))])
    selector = BackwardEliminationSelector(RidgeClassifier(), n_features_to_select=1, random_state=0)
    path = selector.fit(X, wine[1]).path_
    sizes = [step.n_features for step in path_on_page(path, 3).last_steps]
    assert sizes == list(range(N_STEPS, 0, -1))
    sizes = [step.n_features for step in path_on_page(path, 30).last_steps]
    assert sizes == [30, *range(N_STEPS, 0, -1)]
    assert len(path_on_page(path, 30).steps) == 33


def test_trace_lists_what_was_better_before_the_last_steps():
    summary = trace_on_page(make_trace(50, is_best=(0, 7, 45)))
    numbers = [number for number, _ in summary.last_steps]
    assert numbers == [1, 8, *range(31, 51)]
    few = trace_on_page(make_trace(3))
    assert [number for number, _ in few.last_steps] == [1, 2, 3]


def test_trace_in_words(searched):
    words = report(searched).summary.trace.sentence
    assert f"{len(searched.trace_)} subsets of 4 features asked about" in words
    assert f"{searched.n_trainings_} of them trained on" in words
    assert "no unused feature has a higher credit" in trace_on_page(make_trace(2)).sentence


def test_names_of_many_features_are_cut_short():
    names = tuple(f"x{number}" for number in range(20))
    summary = trace_on_page(make_trace(1, names))
    step = summary.steps[0]
    assert summary.names_of(step) == "x0, x1"
    long = type(step)(0, "start", tuple(range(20)), (0.0,) * 20, 0.5, 0.5, True, True, None)
    assert summary.names_of(long).endswith("x7 and 12 more")


def test_page_shows_path_or_trace(eliminated, searched):
    page = report(eliminated).html()
    assert '<section id="path">' in page
    assert '<section id="trace">' not in page
    assert page.count('<tr class="picked">') == 1
    page = report(searched).html()
    assert '<section id="trace">' in page
    assert page.count('<tr class="picked">') == sum(step.is_best for step in searched.trace_)
    bare = Report.from_credits(eliminated.credits_).html()
    assert "<section id=" in bare
    assert 'id="path"' not in bare
    assert 'id="trace"' not in bare


def test_markdown_shows_path_or_trace(eliminated, searched):
    text = report(eliminated).markdown()
    assert "## What every size delivers" in text
    assert "| **4** |" in text
    text = report(searched).markdown()
    assert "## Which subsets were tried" in text
    assert "| **1** |" in text
    for words in (text, report(eliminated).markdown()):
        assert "\n\n\n\n" not in words


def test_same_search_gives_the_same_bytes(eliminated, searched):
    for selector in (eliminated, searched):
        assert report(selector).html() == report(selector).html()
        assert report(selector).markdown() == report(selector).markdown()


def test_names_of_a_search_are_text(credits_of):
    credits = credits_of(names=("a", HOSTILE, "c"))
    made = Report.from_credits(credits, trace=make_trace(3))
    assert made.html().count("<script") == 3
    assert "<script" not in made.markdown()


def test_path_without_counted_rows_is_refused(wine, credits_of):
    selector = BackwardEliminationSelector(
        RidgeClassifier(), n_features_to_select=4, criterion="margin", validation=None
    ).fit(*wine)
    credits = credits_of(names=[f"x{number}" for number in range(13)])
    with pytest.raises(ParameterError, match="must be one on which rows were counted"):
        Report.from_credits(credits, path=selector.path_)


def test_search_over_other_features_is_refused(eliminated, credits_of):
    with pytest.raises(ParameterError, match="it has 13 features or groups, and the report has 4"):
        Report.from_credits(credits_of(), path=eliminated.path_)
    with pytest.raises(ParameterError, match="'trace' parameter of Report"):
        Report.from_credits(credits_of(), trace=make_trace(2))


def test_tables_of_nothing_delivered_make_a_whole_page(eliminated):
    empty = tables_of(np.full((10, 3, 3), 5.0), 45.0)
    path = eliminated.path_
    quiet = type(path)(
        path.n_columns, path.order, path.credits, path.starts, path.names, path.group_of_column, empty
    )
    page = Report.from_credits(eliminated.credits_, path=quiet).html()
    assert '<section id="path">' in page
    section = page.partition('<section id="path">')[2].partition("</section>")[0]
    assert "nan" not in section
