from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.selection import CreditSelector
from infoprop.svm import OneVsRestSVC
from infoprop.workflow._script import Script, call, quoted


def test_only_what_differs_from_the_defaults_is_written():
    assert Script().written(LogisticRegression()) == "LogisticRegression()"
    assert Script().written(LogisticRegression(C=2.0, max_iter=100)) == "LogisticRegression(C=2.0)"
    assert Script().written(OneVsRestSVC(C=3.0)) == "OneVsRestSVC(C=3.0)"


def test_variables_are_written_by_name():
    model, features = LogisticRegression(), ["a", "b"]
    selector = CreditSelector(model, n_features_to_select=1, groups=features)
    written = Script(model=model, features=features).written(selector)
    assert written == "CreditSelector(model, n_features_to_select=1, groups=features)"
    assert 'groups=["a", "b"]' in Script(model=model, features=list(features)).written(selector)


def test_script_made_of_what_is_written_runs():
    script = Script()
    script.add(f"model = {script.written(make_pipeline(StandardScaler(), OneVsRestSVC(C=np.float64(0.5))))}")
    names = {}
    exec(script.text(), names)
    assert names["model"][-1].C == 0.5
    assert script.text().splitlines()[:3] == [
        "from sklearn.pipeline import make_pipeline",
        "from sklearn.preprocessing import StandardScaler",
        "from infoprop.svm import OneVsRestSVC",
    ]


def test_long_calls_have_a_line_for_each_argument():
    assert call("f", ["1", "2"]) == "f(1, 2)"
    assert call("f", ["x" * 60, "y" * 60]).splitlines() == ["f(", f"    {'x' * 60},", f"    {'y' * 60},", ")"]


@pytest.mark.parametrize(
    "text", ["plain", "it's", 'say "x"', "both ' and \"", "back\\slash", "new\nline", ""]
)
def test_strings_are_read_back(text):
    assert eval(quoted(text)) == text
    assert eval(Script().written(Path("a b.csv"))) == "a b.csv"
