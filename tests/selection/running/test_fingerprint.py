import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.selection import CreditSelector
from infoprop.selection.running._fingerprint import differing_parts, fingerprint
from reference.evaluators import LabelledRows

X = np.arange(12.0).reshape(4, 3)
Y = np.array([0, 1, 0, 1])


def difference(one, other):
    return differing_parts(fingerprint(**one), fingerprint(**other))


def linear(u, v):
    return u @ v.T


def changed(array):
    array = array.copy()
    array.flat[5] += 1e-15 * abs(array.flat[5])
    return array


@pytest.mark.parametrize(
    "other",
    [
        changed(X),
        X.astype(np.float32),
        X.reshape(3, 4),
        X[::-1],
        sparse.csr_matrix(X),
        pd.DataFrame(X),
        X.tolist(),
        None,
    ],
)
def test_other_data_have_another_fingerprint(other):
    assert difference({"X": X, "y": Y}, {"X": other, "y": Y}) == ["X"]


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, pd.DataFrame, pl.DataFrame, np.array])
def test_equal_data_have_equal_fingerprints_whatever_they_come_in(form):
    assert fingerprint(X=form(X)) == fingerprint(X=form(X.copy()))
    assert fingerprint(X=form(X)) != fingerprint(X=form(changed(X)))


def test_the_order_of_storage_does_not_matter():
    assert fingerprint(X=np.asfortranarray(X)) == fingerprint(X=X)
    assert fingerprint(X=np.repeat(X, 2, axis=1)[:, ::2]) == fingerprint(X=X)


def test_names_types_and_words_of_a_frame_count():
    words = pd.DataFrame({"colour": ["red", "blue"], "size": [1, 2]})
    assert fingerprint(X=words) == fingerprint(X=words.copy())
    for other in (
        words.rename(columns={"size": "length"}),
        words.astype({"size": float}),
        words.replace("red", "pink"),
        words.assign(colour=["red", None]),
    ):
        assert fingerprint(X=words) != fingerprint(X=other)


@pytest.mark.parametrize("parameter", ["n_jobs", "verbose", "checkpoint"])
def test_how_a_search_is_run_does_not_count(parameter):
    class Searcher(CreditSelector):
        def __init__(self, estimator=None, n_jobs=None, verbose=0, checkpoint=None):
            self.estimator = estimator
            self.n_jobs = n_jobs
            self.verbose = verbose
            self.checkpoint = checkpoint

    plain, told = Searcher(), Searcher().set_params(**{parameter: 2})
    assert fingerprint(selector=plain) == fingerprint(selector=told)
    assert fingerprint(selector=CreditSelector(plain)) == fingerprint(selector=CreditSelector(told))


@pytest.mark.parametrize(
    ("one", "other", "parts"),
    [
        ({"threshold": 0.1}, {"threshold": 0.2}, ["selector.threshold"]),
        ({"n_features_to_select": 1}, {"n_features_to_select": 1.0}, ["selector.n_features_to_select"]),
        ({"n_features_to_select": 1}, {"n_features_to_select": True}, ["selector.n_features_to_select"]),
        ({"keep": ["a", "bc"]}, {"keep": ["ab", "c"]}, ["selector.keep"]),
        ({"groups": {"a": [0], "b": [1]}}, {"groups": {"b": [1], "a": [0]}}, ["selector.groups"]),
        ({"estimator": LinearSVC(C=1.0)}, {"estimator": LinearSVC(C=2.0)}, ["selector.estimator"]),
        ({"estimator": LinearSVC()}, {"estimator": SVC()}, ["selector.estimator"]),
        (
            {"estimator": make_pipeline(StandardScaler(), SVC(C=1.0))},
            {"estimator": make_pipeline(StandardScaler(), SVC(C=3.0))},
            ["selector.estimator"],
        ),
        (
            {"estimator": SVC(kernel=linear)},
            {"estimator": SVC(kernel=lambda u, v: u @ v.T)},
            ["selector.estimator"],
        ),
        (
            {"estimator": SVC(kernel=lambda u, v: u @ v.T + 1)},
            {"estimator": SVC(kernel=lambda u, v: u @ v.T + 2)},
            ["selector.estimator"],
        ),
        (
            {"estimator": SVC(kernel=partial(linear, v=1))},
            {"estimator": SVC(kernel=partial(linear, v=2))},
            ["selector.estimator"],
        ),
        (
            {"validation": StratifiedKFold(3)},
            {"validation": StratifiedKFold(4)},
            ["selector.validation"],
        ),
        (
            {"random_state": np.random.RandomState(0)},
            {"random_state": np.random.RandomState(1)},
            ["selector.random_state"],
        ),
    ],
)
def test_other_settings_are_named(one, other, parts):
    assert difference({"selector": CreditSelector(**one)}, {"selector": CreditSelector(**one)}) == []
    assert difference({"selector": CreditSelector(**one)}, {"selector": CreditSelector(**other)}) == parts


def test_parts_of_rows_are_named():
    one, other = LabelledRows(X, Y), LabelledRows(X, Y, np.ones(4))
    assert difference({"rows": one, "given": None}, {"rows": other, "given": None}) == ["rows.sample_weight"]
    assert difference({"rows": one, "given": None}, {"rows": one, "given": one}) == [
        "given",
        "given.X",
        "given.y",
        "given.sample_weight",
    ]


def test_a_generator_of_splits_can_be_told_from_a_list_only():
    one, other = ((pair for pair in [(0, 1)]) for _ in range(2))
    assert fingerprint(validation=one) == fingerprint(validation=other)
    assert fingerprint(validation=one) != fingerprint(validation=[(0, 1)])


def test_the_same_call_in_another_process_has_the_same_fingerprint():
    program = """
import numpy as np, pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.linear_model import LogisticRegression
from infoprop.selection import CreditSelector
from infoprop.selection.running._fingerprint import fingerprint
frame = pd.DataFrame({"a": ["x", "y"], "b": [0.1, 0.2]})
selector = CreditSelector(LogisticRegression(class_weight={"u": 1, "v": 2}),
                          validation=StratifiedKFold(3, shuffle=True, random_state=0), keep={"a", "b", "c"},
                          random_state=np.random.RandomState(3))
print(fingerprint(X=frame, y=np.array(["u", "v"]), selector=selector))
"""
    frame = pd.DataFrame({"a": ["x", "y"], "b": [0.1, 0.2]})
    selector = CreditSelector(
        LogisticRegression(class_weight={"u": 1, "v": 2}),
        validation=StratifiedKFold(3, shuffle=True, random_state=0),
        keep={"c", "b", "a"},
        random_state=np.random.RandomState(3),
    )
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == fingerprint(X=frame, y=np.array(["u", "v"]), selector=selector)


def test_versions_of_the_libraries_count(monkeypatch):
    before = fingerprint(X=X)
    monkeypatch.setattr(np, "__version__", "0.0")
    assert differing_parts(before, fingerprint(X=X)) == ["libraries"]
