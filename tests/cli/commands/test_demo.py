import json
import re

import jsonschema
import numpy as np
from sklearn.datasets import load_wine

from infoprop.cli._data._demo_data import wine_and_shuffled_copies
from infoprop.report import Report


def test_demo_tells_its_story(run, tmp_path):
    page = tmp_path / "demo.html"
    outcome = run("demo", "--report", page)
    assert outcome.code == 0
    assert re.search(
        r"9 of 26 features are enough: 9\d\.\d% right on the rows that helped to choose", outcome.out
    )
    assert "The 13 shuffled copies, which know nothing, got" in outcome.out
    assert "none of them is among the 9 kept" in outcome.out
    assert f"report written to {page} and {page.with_suffix('.json')}\n" in outcome.err
    numbers = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    jsonschema.validate(numbers, Report.schema())
    assert "cultivar 1" in page.read_text(encoding="utf-8")


def test_report_goes_to_the_current_folder_by_default(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run("demo", "--quiet")
    assert outcome.code == 0
    assert outcome.err == ""
    assert {path.name for path in tmp_path.iterdir()} == {"infoprop-demo.html", "infoprop-demo.json"}


def test_place_of_the_report_is_checked_first(refused, tmp_path):
    assert "there is no folder" in refused("demo", "--report", tmp_path / "no" / "x.html")


def test_copies_are_the_same_values_in_another_order():
    frame, cultivar = wine_and_shuffled_copies(0, "?")
    X = frame.to_numpy()
    np.testing.assert_array_equal(X[:, :13], load_wine().data)
    np.testing.assert_array_equal(np.sort(X[:, 13:], axis=0), np.sort(load_wine().data, axis=0))
    assert frame.columns[13] == "alcohol?"
    assert cultivar.name == "cultivar"
    correlation = [np.corrcoef(X[:, k], X[:, 13 + k])[0, 1] for k in range(13)]
    assert np.abs(correlation).max() < 0.3
