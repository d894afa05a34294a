"""A comparison in numbers and words, on its own page and inside a report."""

import json
import re
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from infoprop.report import ComparisonReport, Report
from infoprop.report._comparison_figures import comparison_figures, method_seconds
from infoprop.selection import ComparedChoice, Comparison
from reference.pages import compared_on_page

HOSTILE = "<script>alert(1)</script>"
NAMES = (HOSTILE, *"bcdefgh")


def choice(method, size, right, promised=None, n=10, seconds=1.0):
    """A choice with so many rows right of `n` in each of two classes, fold by fold."""
    tables = np.array([[[r, n - r], [n - r, r]] for r in right], dtype=float)
    inner = np.zeros_like(tables)
    if promised is not None:
        inner[:] = [[promised, 10 - promised], [10 - promised, promised]]
    supports = np.tile(np.arange(8) < (8 if size is None else size), (len(right), 1))
    if size is not None:
        supports[0] = np.roll(supports[0], 1)
    spent = np.full(len(right), seconds)
    return ComparedChoice(method, size, supports, tables, inner, spent, spent / 10)


def compared(*choices, n_planned=4):
    return Comparison(choices, np.array(["no", "yes"]), NAMES, 80, n_planned)


@pytest.fixture
def several():
    return compared(
        choice("one", 1, [7, 7, 8, 8], 9),
        choice("one", 3, [9, 8, 10, 9], 10),
        choice(HOSTILE, 1, [6, 6, 6, 6], 7, seconds=0.5),
        choice(HOSTILE, 3, [9, 8, 9, 9], 9, seconds=0.25),
        choice("all", None, [8, 8, 10, 8], 8),
    )


@pytest.fixture
def single():
    return compared(choice("backward", None, [9, 8, 10, 9], 10))


def test_words_name_the_best_what_is_near_it_and_the_bias(several):
    summary = compared_on_page(several)
    assert summary.best_sentence == (
        "Best: one with 3 features, 90.0% of the rows right (standard error 4.1%), 0.53 of 1.00 bits."
    )
    assert summary.near_sentence == (
        f"Within one standard error of it, with the fewest features of each: {HOSTILE} 3."
    )
    assert summary.bias_sentence == (
        "Selection bias: cross-validated on the very rows that chose its features, one with 3 features would "
        "promise 100%; on rows it has not seen it is right on 90.0%."
    )
    assert "stability of 0.73 (95% interval 0.51 to 0.96" in summary.stability_sentence
    assert len(summary.sentences) == 4


def test_interrupted_comparison_says_how_many_folds_are_done():
    summary = compared_on_page(compared(choice("one", 1, [7, 7]), n_planned=5))
    assert "(2 of 5 folds)" in summary.how


def test_single_fold_leaves_out_what_it_does_not_know():
    summary = compared_on_page(compared(choice("one", 1, [7]), choice("one", 2, [8]), n_planned=1))
    assert summary.sentences == ("Best: one with 2 features, 80.0% of the rows right, 0.28 of 1.00 bits.",)
    assert summary.choices[0].accuracy_error is None
    assert summary.choices[0].stability is None


def test_all_features_promise_nothing_by_choosing(several):
    summary = compared_on_page(compared(choice("all", None, [8, 8], 10), n_planned=2))
    assert summary.bias_sentence == ""
    assert summary.has_inner
    assert compared_on_page(several).most_promising.method == "one"


def test_features_of_the_best_choice_are_counted_over_the_folds(several):
    assert compared_on_page(several).best_features == (("b", 4), ("c", 4), (HOSTILE, 3), ("d", 1))


def test_seconds_of_a_run_for_all_sizes_count_once(several):
    summary = compared_on_page(several)
    assert method_seconds(summary.of("one")) == 1.0
    assert method_seconds(summary.of(HOSTILE)) == 0.75


def test_figures_are_well_formed_and_hold_every_point(several):
    figures = comparison_figures(compared_on_page(several))
    for drawn in (
        figures.accuracy,
        figures.information,
        figures.stability,
        figures.promised,
        figures.seconds,
    ):
        ElementTree.fromstring(str(drawn))
        assert "alert(1)" not in re.sub(r"&lt;script&gt;alert\(1\)", "", str(drawn))
    assert figures.accuracy.count('class="point') == 4
    assert figures.accuracy.count('class="level kx"') == 1
    assert figures.promised.count('class="ring') == 3
    assert figures.styles == {"one": "k0", HOSTILE: "k1", "all": "kx"}


def test_more_methods_than_colours_are_dashed():
    many = compared(*(choice(f"m{k}", size, [7, 8]) for k in range(10) for size in (1, 2)), n_planned=2)
    styles = comparison_figures(compared_on_page(many)).styles
    assert styles["m7"] == "k7"
    assert styles["m8"] == "k0 dashed"


def test_size_that_a_method_found_is_a_ring(several):
    own = choice("one", None, [9, 9, 9, 9])
    own = ComparedChoice(
        own.method,
        None,
        np.arange(32).reshape(4, 8) % 3 == 0,
        own.tables,
        own.inner_tables,
        own.search_seconds,
        own.fit_seconds,
    )
    figures = comparison_figures(compared_on_page(compared(*several.choices, own)))
    assert figures.accuracy.count('class="ring k0"') == 1


def test_one_size_alone_has_no_curves(single):
    figures = comparison_figures(compared_on_page(single))
    assert not figures.accuracy
    assert not figures.stability
    assert not figures.seconds


def test_page_is_the_same_twice_and_keeps_names_as_text(several):
    report = Report.from_comparison(several, data="<b>.csv", settings={"outer folds": 4})
    assert (
        report.html() == Report.from_comparison(several, data="<b>.csv", settings={"outer folds": 4}).html()
    )
    assert "<script>alert" not in report.html()
    assert "&lt;script&gt;alert(1)" in report.html()
    assert report.html().count("<tr") > 8
    assert "undefined" not in report.html()


def test_page_says_in_json_what_its_schema_describes(several, single):
    validator = jsonschema.Draft202012Validator(ComparisonReport.schema())
    validator.check_schema(ComparisonReport.schema())
    for comparison in (several, single, compared(choice("one", 1, [7]), n_planned=3)):
        plain = json.loads(Report.from_comparison(comparison, data="wine", target="class").json())
        validator.validate(plain)
    assert plain["comparison"]["choices"][0]["folds"] == [[1]]


def test_markdown_has_the_table(several):
    text = Report.from_comparison(several, data="wine").markdown()
    assert "| **one** | 3 | 90.0% | 4.1% |" in text
    assert "&lt;script&gt;" in text
    assert text.startswith("# wine: ways to choose features, compared")


def test_report_of_a_selection_holds_its_nested_validation(credits, single):
    report = Report.from_credits(credits, nested=single)
    jsonschema.Draft202012Validator(Report.schema()).validate(json.loads(report.json()))
    page = report.html()
    assert "What the whole selection delivers on rows it has not seen" in page
    assert "The whole selection was judged by nested cross-validation on 80 rows (4 folds)" in page
    assert "What the whole selection delivers" in report.markdown()
    assert report.summary.nested.best.accuracy == 0.9


def test_pages_are_written_to_files(several, tmp_path):
    report = Report.from_comparison(several)
    assert report.write_html(tmp_path / "a.html").read_text(encoding="utf-8") == report.html()
    assert report.write_json(tmp_path / "a.json").read_bytes().endswith(b"}\n")
    assert report.write_markdown(tmp_path / "a.md").exists()
