import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from infoprop.metrics._rendering import MAX_LABEL_WIDTH, MAX_SHOWN, FlowTable, render_html, render_text


def flow_table(labels, counts=None):
    size = len(labels)
    names = np.empty(size, dtype=object)
    names[:] = labels
    counts = np.eye(size) if counts is None else np.array(counts, dtype=float)
    return FlowTable(labels=names, counts=counts, footer={"credit": np.full(size, 0.25)})


def test_text_is_aligned():
    text = render_text(["head"], flow_table(["cat", "elephant"], [[1, 20], [300, 0.5]]))
    assert text.splitlines() == [
        "head",
        "true \\ predicted     cat  elephant",
        "cat                    1        20",
        "elephant             300       0.5",
        "credit            0.2500    0.2500",
    ]


@pytest.mark.parametrize("label", ["<script>1</script>", "a & b", '"quoted"', "<b>", None, 3, ("x", 1)])
def test_html_is_well_formed_and_escaped(label):
    html = render_html(["1 < 2 & 3"], flow_table([label, "other"]))
    root = ElementTree.fromstring(html)
    assert root.find("table/tbody/tr/th").text == str(label)
    assert root.find("p").text == "1 < 2 & 3"
    assert not root.findall(".//script")
    assert "http" not in html


def test_characters_that_move_the_cursor_are_not_printed():
    text = render_text([], flow_table(["a\nb", "\x1b[31mred"]))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 4


def test_long_labels_are_cut():
    text = render_text([], flow_table(["x" * 100, "y"]))
    assert "x" * (MAX_LABEL_WIDTH - 1) + "…" in text
    assert "x" * MAX_LABEL_WIDTH not in text


def test_wide_tables_are_cut_and_say_so():
    table = flow_table(list(range(MAX_SHOWN + 5)))
    text, html = render_text([], table), render_html([], table)
    for shown in (text, html):
        assert f"First {MAX_SHOWN} of {MAX_SHOWN + 5} labels shown." in shown
    assert html.count("<tr>") == 1 + MAX_SHOWN + 1
    assert len(text.splitlines()) == 1 + MAX_SHOWN + 1 + 1


def test_large_and_broken_counts_stay_short():
    text = render_text([], flow_table(["a", "b"], [[1e20, 1 / 3], [1234567, 0]]))
    assert "1e+20" in text
    assert "0.3333" in text
    assert "1234567" in text
