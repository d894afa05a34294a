import json

import numpy as np
import pytest

from infoprop.report import ReportSummary, _feature_table
from infoprop.report._feature_table import feature_data


def test_columns_hold_what_the_summary_says(credits):
    summary = ReportSummary.from_credits(credits, selected=np.array([True, False, False, True]))
    data = json.loads(feature_data(summary))
    assert data["names"] == [feature.name for feature in summary.features]
    np.testing.assert_allclose(data["bits"], [feature.credit for feature in summary.features], rtol=6e-5)
    assert data["total"] == pytest.approx(summary.information)
    np.testing.assert_allclose(
        np.transpose(data["classes"]), [feature.by_class for feature in summary.features], rtol=6e-5
    )
    assert data["chosen"] == [int(feature.selected) for feature in summary.features]
    assert "strongest" not in data


def test_many_classes_are_told_by_the_strongest(credits_of, monkeypatch):
    labels = [f"class {number}" for number in range(9)]
    summary = ReportSummary.from_credits(credits_of(np.eye(9) * 5 + 1, labels, ["a", "b"]))
    assert len(json.loads(feature_data(summary))["classes"]) == 9
    monkeypatch.setattr(_feature_table, "N_CLASS_CELLS", 17)
    data = json.loads(feature_data(summary))
    assert "classes" not in data
    assert "chosen" not in data
    assert data["labels"] == labels
    assert data["strongest"] == [int(np.argmax(feature.by_class)) for feature in summary.features]


def test_no_name_can_end_the_script(credits_of):
    names = ["</script><b>", "<!--", "a & b", "line\u2028end", '"quoted" \\', "snow ☃"]
    text = feature_data(ReportSummary.from_credits(credits_of(names=names)))
    assert not set("<>&\u2028\u2029") & set(text)
    assert set(json.loads(text)["names"]) == set(names)
