import re

import pytest

from infoprop.report._bounds_figure import bounds_figure
from infoprop.report._parts import BoundsSummary


def test_every_classifier_has_two_intervals_and_its_error():
    rows = [
        ("all", BoundsSummary(0.1, 0.05, 0.2, 0.06, 0.25)),
        ("few", BoundsSummary(0.2, 0.1, 0.3, 0.1, 0.4)),
    ]
    drawn = bounds_figure(rows)
    assert drawn.count('class="wide"') == drawn.count('class="narrow"') == drawn.count("<circle") == 2
    assert "observed: 10.0%" in drawn
    assert "5.0% to 20.0%" in drawn
    places = [float(place) for place in re.findall(r'<circle cx="([\d.]+)%"', drawn)]
    # The axis ends at 40%.
    assert places == pytest.approx([32 + 66 * 0.25, 32 + 66 * 0.5])


def test_nothing_is_drawn_where_no_error_is_possible():
    perfect = ("all", BoundsSummary(0.0, 0.0, 0.0, 0.0, 0.0))
    assert bounds_figure([perfect]) == ""
    beside = bounds_figure([perfect, ("few", BoundsSummary(0.2, 0.1, 0.3, 0.1, 0.4))])
    assert 'cx="32.000%"' in beside
