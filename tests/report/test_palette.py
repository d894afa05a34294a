import numpy as np
import pytest

from infoprop.report import ReportSummary
from infoprop.report._palette import N_COLOURS, bands


def test_few_classes_have_a_colour_each(credits):
    summary = ReportSummary.from_credits(credits)
    assert [(band.style, band.name) for band in bands(summary)] == [
        ("k0", "barolo"),
        ("k1", "grignolino"),
        ("k2", "barbera"),
    ]


def test_weak_classes_of_many_share_one_colour(credits_of):
    table = np.diag(np.arange(1, 13)) * 10
    summary = ReportSummary.from_credits(credits_of(table, list("abcdefghijkl"), ["x", "y"]))
    drawn = bands(summary)
    assert len(drawn) == N_COLOURS
    assert [band.name for band in drawn] == [*"fghijkl", "5 other classes"]
    assert sum(band.credit for band in drawn) == pytest.approx(summary.information)
    feature = summary.features[0]
    assert sum(band.credit_of(feature) for band in drawn) == pytest.approx(feature.credit)
