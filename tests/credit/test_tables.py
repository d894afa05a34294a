import io
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from infoprop.credit import FeatureCredits
from infoprop.credit._tables import CLASSES_SHOWN, ROWS_SHOWN, class_columns
from infoprop.metrics import InformationFlow


def credits_of(names, labels=("no", "yes")):
    shares = np.arange(1.0, len(names) + 1)
    table = np.eye(len(labels)) * 5 + 1
    flow = InformationFlow.from_confusion(table, labels=list(labels))
    return FeatureCredits.from_shares(flow, np.tile(shares / shares.sum(), (len(labels), 1)), names)


def printed(credits):
    stream = io.StringIO()
    Console(file=stream, width=120).print(credits)
    return stream.getvalue()


@pytest.mark.parametrize("draw", [str, printed, FeatureCredits._repr_html_])
def test_tables_show_the_best_first_and_say_the_sum(draw):
    text = draw(credits_of(["low", "high"]))
    assert text.index("high") < text.index("low")
    assert "bits delivered" in text


@pytest.mark.parametrize("draw", [str, printed, FeatureCredits._repr_html_])
def test_long_tables_say_what_they_leave_out(draw):
    text = draw(credits_of([f"word{k}" for k in range(ROWS_SHOWN + 7)]))
    assert "and 7 more with" in text


def test_names_from_the_data_are_escaped():
    name, label = "<script>alert('x')</script>", "[bold]a & b"
    html = credits_of([name, "b"], labels=(label, "yes"))._repr_html_()
    assert "<script>" not in html
    rows = ElementTree.fromstring(html)
    cells = [cell.text for cell in rows.iter() if cell.tag in ("td", "th")]
    assert name in cells
    assert label in cells
    assert label in printed(credits_of(["a", "b"], labels=(label, "yes")))


def test_many_classes_are_left_to_the_frame():
    labels = [f"class {k}" for k in range(CLASSES_SHOWN + 1)]
    text = printed(credits_of(["a", "b"], labels=labels))
    assert "class 3" not in text
    assert "class 3" in printed(credits_of(["a", "b"], labels=labels[:-1]))


def test_representation_is_one_line():
    assert repr(credits_of(["a", "b"])).startswith("FeatureCredits(n_features=2, n_classes=2, information=0.")


def test_different_labels_have_different_columns():
    assert class_columns([1, "1", np.int64(2)]) == ["class_1", "class_'1'", "class_2"]


def test_nothing_delivered_is_drawn_as_nothing():
    flow = InformationFlow.from_confusion([[5, 0], [5, 0]])
    credits = FeatureCredits.from_shares(flow, np.full((2, 2), 0.5), ["a", "b"])
    for text in (str(credits), printed(credits), credits._repr_html_()):
        assert "0 of 1.0000 bits" in text


def test_small_credits_are_not_cut_to_zeros():
    flow = InformationFlow.from_confusion([[5, 1], [1, 5]])
    credits = FeatureCredits.from_shares(flow, np.array([[1.0, 1e-6, 0.0]] * 2), ["a", "b", "c"])
    for text in (str(credits), printed(credits), credits._repr_html_()):
        assert "0.0000" not in text
        assert "e-07" in text
