import re
from xml.etree import ElementTree

import numpy as np
import pytest

from infoprop.report import ReportSummary
from infoprop.report._figures import N_BARS, N_SOURCES, credit_bars, foremost, sankey

HOSTILE = "<script>alert(1)</script>"


def parsed(drawing):
    return ElementTree.fromstring(str(drawing))


def titles(drawing, tag):
    return [node.find("title").text for node in parsed(drawing).iter(tag) if node.find("title") is not None]


def ribbon_widths(drawing):
    """Height of each ribbon at its left end, by its words."""
    widths = {}
    for node in parsed(drawing).iter("path"):
        numbers = [float(number) for number in re.findall(r"[0-9.]+", node.get("d"))]
        widths[node.find("title").text] = numbers[-1] - numbers[1]
    return widths


def test_bars_are_as_long_as_credits(credits):
    summary = ReportSummary.from_credits(credits)
    rects = [node for node in parsed(credit_bars(summary)).iter("rect") if node.get("class") != "fade"]
    assert len(rects) == 4 * 3
    first = sum(float(rect.get("width").rstrip("%")) for rect in rects[:3])
    assert first == pytest.approx(100, abs=0.01)
    second = sum(float(rect.get("width").rstrip("%")) for rect in rects[3:6])
    assert second == pytest.approx(100 * summary.features[1].credit / summary.features[0].credit, abs=0.01)


def test_names_stand_as_text_in_both_figures(credits):
    summary = ReportSummary.from_credits(credits)
    for drawing in (credit_bars(summary), sankey(summary)):
        assert HOSTILE in [node.find("title").tail for node in parsed(drawing).iter("text") if len(node)]
        assert "<script" not in drawing


def test_only_the_best_of_many_features_get_a_bar(credits_of):
    summary = ReportSummary.from_credits(credits_of(names=[f"x{number}" for number in range(200)]))
    shown = titles(credit_bars(summary), "text")
    assert shown == [feature.name for feature in summary.features[:N_BARS]]


def test_sankey_keeps_every_bit(credits):
    summary = ReportSummary.from_credits(credits)
    widths = ribbon_widths(sankey(summary))
    arriving = sum(width for words, width in widths.items() if "→ output" in words)
    leaving = sum(width for words, width in widths.items() if "→ output" not in words)
    assert arriving == pytest.approx(leaving, abs=0.2)
    into_barolo = sum(width for words, width in widths.items() if "→ barolo" in words)
    assert into_barolo == pytest.approx(arriving * summary.classes[0].credit / summary.information, abs=0.2)


def test_sankey_joins_weak_features(credits_of):
    summary = ReportSummary.from_credits(credits_of(names=[f"x{number}" for number in range(100)]))
    names = titles(sankey(summary), "text")
    assert f"{100 - N_SOURCES} others" in names
    assert "2 others" not in names


def test_no_information_draws_nothing(credits_of):
    summary = ReportSummary.from_credits(credits_of([[5, 5], [5, 5]], [0, 1], ["a", "b"]))
    assert credit_bars(summary) == ""
    assert sankey(summary) == ""


def test_a_class_that_is_never_said_has_no_node(credits_of):
    summary = ReportSummary.from_credits(
        credits_of([[9, 0, 1], [4, 0, 6], [1, 0, 9]], ["a", "silent", "c"], ["x"])
    )
    names = titles(sankey(summary), "text")
    assert "a" in names
    assert "silent" not in names


def test_chosen_features_are_shown_however_weak_they_are(credits_of):
    credits = credits_of(names=[f"x{number}" for number in range(100)])
    weakest = credits.ranking[-2:]
    selected = np.zeros(100, dtype=bool)
    selected[weakest] = True
    summary = ReportSummary.from_credits(credits, selected=selected)
    shown = foremost(summary.features, 10)
    assert [feature.rank for feature in shown] == [*range(1, 9), 99, 100]
    for drawn in (credit_bars(summary), sankey(summary)):
        assert all(f">x{column}<" in drawn for column in weakest)
    assert "86 others" in sankey(summary)
