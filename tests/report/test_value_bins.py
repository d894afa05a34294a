"""Classes over the values of a feature: counts against a slow twin, kinds of columns, what is kept."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.report import Report
from infoprop.report import _value_bins as value_bins
from infoprop.workflow import analyse

LABELS = ["a", "b", "c"]


def bins_of(X, y, names=None, **parts):
    flow = InformationFlow.from_confusion(np.eye(3), labels=LABELS)
    names = [f"x{column}" for column in range(X.shape[1])] if names is None else names
    return Report.from_flow(flow, feature_names=names, X=X, y=y, **parts).summary.value_bins


def twin(values, y):
    """Every row by itself: the tenth in which the middle of the rows with its value lies."""
    there = [value for value in values if value == value]
    bins = {}
    for value, label in zip(values, y, strict=True):
        if value != value:
            bins.setdefault(99, []).append((value, label))
            continue
        below, equal = sum(one < value for one in there), there.count(value)
        tenth = int(10 * Fraction(2 * below + equal, 2 * len(there)))
        bins.setdefault(tenth, []).append((value, label))
    words, counts = [], []
    for number in sorted(bins):
        inside = [value for value, _ in bins[number]]
        low, high = f"{min(inside):.6g}", f"{max(inside):.6g}"
        words.append("missing" if number == 99 else low if low == high else f"{low} to {high}")
        counts.append(tuple(sum(label == one for _, label in bins[number]) for one in LABELS))
    return tuple(words), tuple(counts)


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    X = np.column_stack(
        [
            random.normal(size=83),
            random.integers(0, 4, 83),
            random.poisson(0.4, 83),
            np.where(random.random(83) < 0.2, np.nan, random.normal(size=83)),
            np.zeros(83),
        ]
    )
    return X, random.choice(LABELS, 83)


def test_numbers_are_those_of_the_slow_twin(rows):
    X, y = rows
    found = bins_of(X, y)
    assert [(one.bins, one.counts) for one in found] == [twin(column.tolist(), y) for column in X.T]
    assert len(found[0].bins) == 10


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, pd.DataFrame, pl.DataFrame])
def test_any_container_gives_the_same_counts(rows, kind):
    X, y = rows[0][:, :3], rows[1]
    names = ["one", "two", "three"]
    data = (
        kind(X)
        if "csc" in kind.__name__ or "csr" in kind.__name__
        else kind(dict(zip(names, X.T, strict=True)))
    )
    assert [one.counts for one in bins_of(data, y, names)] == [one.counts for one in bins_of(X, y)]


def test_rare_words_are_absent_or_present():
    counts = sparse.csr_matrix(np.array([[0.0]] * 18 + [[1.0], [7.0]]))
    (word,) = bins_of(counts, ["a"] * 18 + ["b", "c"], ["word"])
    assert word.bins == ("absent", "present")
    assert word.counts == ((18, 0, 0), (0, 1, 1))


def test_categories_of_texts_and_of_indicators_agree():
    texts = [f"t{number % 13}" for number in range(60)]
    y = [LABELS[number % 3] for number in range(60)]
    (found,) = bins_of(pl.DataFrame({"colour": texts}), y, ["colour"])
    known = sorted(set(texts))
    indicators = np.array([[text == one for one in known] for text in texts], dtype=float)
    told = {"owners": ["colour"] * 13, "column_names": [f"colour={one}" for one in known]}
    assert bins_of(indicators, y, ["colour"], **told) == (found,)
    assert found.bins[-1] == "3 others"
    assert len(found.bins) == 11
    assert sum(map(sum, found.counts)) == 60
    unknown = bins_of(np.vstack([indicators, np.zeros((30, 13))]), y + ["a"] * 30, ["colour"], **told)
    assert unknown[0].bins[0] == "(none)"


def test_missing_texts_have_a_bin(rows):
    (found,) = bins_of(pd.DataFrame({"x": ["u", None, "v", None]}), ["a", "b", "c", "b"], ["x"])
    assert dict(zip(found.bins, found.counts, strict=True))["missing"] == (0, 2, 0)


def test_groups_of_numbers_have_no_one_shape(rows):
    X, y = rows[0][:, :3], rows[1]
    found = bins_of(X, y, ["both", "x2"], owners=["both", "both", "x2"])
    assert [one.name for one in found] == ["x2"]


def test_those_seen_first_are_kept(monkeypatch, credits_of):
    monkeypatch.setattr(value_bins, "N_BINNED", 3)
    names = [f"g{number}" for number in range(6)]
    credits = credits_of(names=names)
    worst = credits.ranking[-1]
    X, y = np.arange(18.0).reshape(3, 6), ["barolo", "barbera", "unheard"]
    report = Report.from_credits(credits, selected=np.arange(6) == worst, X=X, y=y)
    best = [names[column] for column in credits.ranking[:2]]
    assert [one.name for one in report.summary.value_bins] == [names[worst], *best]
    # A class that no judged row has is not on the page.
    assert sum(map(sum, report.summary.value_bins[0].counts)) == 2
    assert json.loads(report.json())["value_bins"]["bins"][0] == list(report.summary.value_bins[0].bins)


def test_rows_must_be_as_many_as_labels(rows):
    with pytest.raises(ParameterError, match="a row for each of 2 labels"):
        bins_of(rows[0], ["a", "b"])


def test_an_analysis_tells_categories(tmp_path):
    frame = pl.DataFrame({"age": [1, 2, 3, 4, 5, 6] * 4, "colour": ["red", "blue", "blue"] * 8})
    found = analyse(frame, ["x", "y", "y"] * 8)
    told = {one.name: one for one in found.report().summary.value_bins}
    assert told["colour"].bins == ("blue", "red")
    assert told["colour"].counts == ((0, 16), (8, 0))
    assert len(told["age"].bins) == 6
