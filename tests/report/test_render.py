import json
import re
import time
from html.parser import HTMLParser

import numpy as np
import pytest

from infoprop.metrics import InformationFlow
from infoprop.report import Report, ReportSummary, _feature_table, _views
from infoprop.report._render import N_MATRIX_CLASSES

HOSTILE = "<script>alert(1)</script>"
VOID = {"col", "meta", "link", "input", "br", "hr", "img"}


class Page(HTMLParser):
    """Checks that every element is closed, and keeps what tests ask for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.cells = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)
            self.cells.setdefault(self.open[-1], []).append(data)


def data_of(text):
    """What the page's script reads."""
    return json.loads(re.search(r'<script type="application/json" id="feature-data">(.*?)</script>', text)[1])


def report(credits, **more):
    return Report.from_credits(
        credits, data="wine.csv", n_rows=200, target="cultivar", settings={"kernel": "linear"}, **more
    )


def test_html_is_well_formed(credits):
    page = Page(report(credits).html())
    assert page.open == []
    assert page.tags.count("script") == 3
    assert page.tags.count("h1") == 1
    assert page.tags.count("table") == 3


def test_page_needs_no_network(credits):
    text = report(credits).html()
    page = Page(text)
    sources = [value for name, value in page.attributes if name in ("src", "href", "xlink:href", "action")]
    assert sources == ["data:,"]
    assert not re.search(r"url\((?!#)", text)
    assert "@import" not in text
    assert "https://" not in text
    assert "http://" not in text
    assert "default-src 'none'" in text


def test_names_from_the_data_are_text(credits_of):
    names = [HOSTILE, "a & b", '"quoted"', "' onmouseover='evil()"]
    page = Page(report(credits_of(labels=["<i>x</i>", "</style>", "c"], names=names)).html())
    assert page.tags.count("script") == 3
    assert "i" not in {tag for tag in page.tags if page.tags.count(tag) == 1}
    assert {HOSTILE, "a & b", '"quoted"', "' onmouseover='evil()"} <= set(page.cells["th"])
    assert "<i>x</i>" in page.cells["th"]
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_same_run_gives_the_same_bytes(credits_of):
    first, second = report(credits_of()), report(credits_of())
    assert first.html() == second.html()
    assert first.json() == second.json()
    assert first.markdown() == second.markdown()


def test_page_says_what_was_run(credits):
    words = " ".join(Page(report(credits).html()).words)
    for word in ("wine.csv", "200", "cultivar", "linear", "infoprop", "scikit-learn"):
        assert word in words


def test_chosen_features_are_marked(credits):
    selected = np.array([True, False, False, False])
    text = report(credits, selected=selected).html()
    assert text.count('<tr class="dropped"') == 3
    assert text.count('<g class="bar dropped"') == 3
    assert Page(text).cells["td"].count("yes") == 1
    assert "chosen" not in Page(report(credits).html()).cells["th"]


def test_page_after_retraining_shows_both_accuracies(credits):
    retrained = InformationFlow.from_confusion(
        [[59, 0, 0], [0, 71, 0], [0, 0, 48]], labels=["barolo", "grignolino", "barbera"]
    )
    text = report(credits, selected=np.array([True, False, False, False]), retrained=retrained).html()
    assert "accuracy, chosen features" in text
    assert [words.strip() for words in Page(text).cells["dd"]].count("100%") == 2
    assert "The classifier with the chosen features was right on all 178 rows judged." in text


def test_chosen_features_are_named_at_the_top_best_first(credits):
    text = report(credits, selected=np.array([True, True, False, False])).html()
    head = Page(text.split('<dl class="figures">')[0])
    best = [feature.name for feature in ReportSummary.from_credits(credits).features]
    named = ", ".join(name for name in best if name in ("proline", "hue"))
    assert "".join(head.words).endswith(f"Chosen: {named}\n")
    assert "Chosen:" not in report(credits).html()


def test_class_that_was_never_said_leaves_no_number_for_its_doubt(credits_of):
    page = Page(report(credits_of([[5, 0, 1], [1, 0, 5], [0, 0, 9]], ["a", "b", "c"], ["x", "y"])).html())
    assert "–" in [word.strip() for word in page.words]


def test_page_without_information_is_whole(credits_of):
    page = Page(report(credits_of([[5, 5], [5, 5]], [0, 1], ["a", "b"])).html())
    assert not {"sankey", "bars"} & {value for name, value in page.attributes if name == "class"}
    assert "nothing to show" in " ".join(page.words)


def test_ten_thousand_features_are_all_there_and_a_hundred_stand_in_the_page(credits_of):
    names = [f"word {number}" for number in range(10_000)]
    begin = time.perf_counter()
    text = report(credits_of(names=names)).html()
    assert time.perf_counter() - begin < 20
    assert text.count('<th scope="row" class="name">word ') == 100
    assert len(data_of(text)["names"]) == 10_000
    assert len(text) < 2_000_000


def test_more_features_than_a_page_holds_are_counted(credits_of, monkeypatch):
    monkeypatch.setattr(_feature_table, "N_TABLE_ROWS", 20)
    monkeypatch.setattr(_views, "N_TABLE_ROWS", 20)
    made = report(credits_of(names=[f"x{number}" for number in range(25)]))
    assert "The 20 best of 25 features are listed" in made.html()
    assert len(data_of(made.html())["names"]) == 20
    assert len(json.loads(made.json())["features"]["name"]) == 25


def test_many_classes_show_their_confusions_instead_of_a_table(credits_of):
    n_classes = N_MATRIX_CLASSES + 1
    table = np.eye(n_classes) * 20
    table[3, 7] = 5
    labels = [f"class {number}" for number in range(n_classes)]
    credits = credits_of(table, labels, ["x", "y"])
    page = Page(report(credits).html())
    assert page.open == []
    assert page.cells["td"][-3:] == ["class 3", "class 7", "5"]
    assert "| class 3 | class 7 | 5 |" in report(credits).markdown()


def test_json_holds_every_number_unrounded(credits):
    plain = json.loads(report(credits).json())
    assert sum(plain["features"]["credit"]) == pytest.approx(credits.information, abs=1e-12)
    assert plain["features"]["credit"][0] == credits.values.max()
    assert plain["confusion"][0] == [57.0, 2.0, 0.0]


def test_markdown_tables_have_a_cell_for_every_column(credits):
    text = report(credits, selected=np.array([True, False, False, False])).markdown()
    tables = [line for line in text.splitlines() if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in tables]
    assert cells[:6] == [7] * 6
    assert cells[6:] == [4] * 6
    assert "**proline**" in text
    assert "&lt;script&gt;" in text
    assert r"a\|b &amp;" in text
    assert r"\*e\*" in text
    assert "\n\n\n\n" not in text


def test_markdown_lists_the_best_hundred(credits_of):
    text = report(credits_of(names=[f"x{number}" for number in range(150)])).markdown()
    assert "The 100 best of 150 features." in text
