import json
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.report import Report
from infoprop.report._shape_figures import shape_figure
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper
from reference.pages import summary_of

N_SHAPES = 12
"""Columns that a page shows."""
MOST_KNOTS = 200
"""Points of a line on it."""
HOSTILE = "<script>alert(1)</script>"


def shapes_of(shaper, names, owners=None):
    return summary_of(names, shapes=shaper, owners=owners).shapes


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="module")
def shaper(cancer):
    return FeatureShaper().fit(*cancer)


def names(n):
    return [HOSTILE, *(f"x{column}" for column in range(1, n))]


def test_best_columns_are_those_with_the_highest_scores(shaper):
    told = shapes_of(shaper, names(30))
    scores = [shape.score for shape in told.shapes]
    assert len(scores) == N_SHAPES
    assert scores == sorted(shaper.scores_, reverse=True)[:N_SHAPES]
    assert told.n_classes == 1


def test_lines_and_shares_are_those_of_the_shaper(cancer, shaper):
    X, y = cancer
    shape = shapes_of(shaper, names(30)).shapes[0]
    column = names(30).index(shape.name)
    values, shaped = shaper.shapes_[0].curve(column)
    assert len(shape.values) == min(len(values), MOST_KNOTS)
    assert (shape.values[0], shape.values[-1]) == (values[0], values[-1])
    np.testing.assert_allclose(np.interp(shape.values, values, shaped), shape.shaped)
    assert sum(shape.positives) == pytest.approx(1)
    assert sum(shape.others) == pytest.approx(1)
    counts = np.histogram(X[y == 1, column], shape.edges)[0]
    np.testing.assert_allclose(shape.positives, counts / (y == 1).sum())


def test_every_class_has_shapes_of_its_own():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", HOSTILE])[y]
    told = shapes_of(FeatureShaper(multiclass="ovr").fit(X, labels), names(4))
    assert told.n_classes == 3
    assert [shape.positive for shape in told.shapes] == [HOSTILE] * 4 + ["setosa"] * 4 + ["versicolor"] * 4
    one = shapes_of(FeatureShaper(positive_label="setosa").fit(X, labels), names(4))
    assert {shape.positive for shape in one.shapes} == {"setosa"}


def test_columns_without_scores_are_ranked_by_their_spread(cancer):
    X, y = cancer
    noise = np.random.default_rng(0).normal(size=(len(y), 1))
    told = shapes_of(LocalProbabilityShaper().fit(np.hstack([noise, X[:, [0]]]), y), ["noise", "radius"])
    assert [shape.name for shape in told.shapes] == ["radius", "noise"]


def test_words_keep_their_counts():
    X = sparse.csr_array(np.array([[0.0, 2.0], [1.0, 0.0], [0.0, 0.0], [3.0, 0.0]]))
    told = shapes_of(BNSScaler().fit(X, [0, 1, 0, 1]), ["wheat", "profit"])
    wheat = next(shape for shape in told.shapes if shape.name == "wheat")
    assert wheat.values == (0.0, 1.0, 3.0)
    assert wheat.edges == (-0.5, 0.5, 2.0, 4.0)
    assert wheat.positives == (0.0, 0.5, 0.5)
    assert wheat.others == (1.0, 0.0, 0.0)


def test_missing_values_have_a_place(cancer):
    X, y = np.array(cancer[0][:, :2]), cancer[1]
    X[::7, 0] = np.nan
    told = shapes_of(FeatureShaper(missing="bin").fit(X, y), ["with", "without"])
    assert {shape.name: shape.missing is None for shape in told.shapes} == {"with": False, "without": True}


def test_columns_that_never_change_have_no_shape(cancer):
    X = np.hstack([cancer[0][:, :1], np.ones((len(cancer[1]), 1))])
    assert [shape.name for shape in shapes_of(FeatureShaper().fit(X, cancer[1]), "ab").shapes] == ["a"]


def test_line_stays_within_its_figure(shaper):
    shape = shapes_of(shaper, names(30)).shapes[0]
    drawn = shape_figure(shape, "k1")
    line = re.search(r'<path d="M([^"]*)" class="curve"', drawn)[1]
    points = np.array([[float(part) for part in point.split()] for point in line.split("L")])
    assert points[:, 0].min() >= 0
    assert points[:, 0].max() <= 100
    assert points[:, 1].min() == pytest.approx(8)
    assert points[:, 1].max() == pytest.approx(118)
    assert drawn.count("k1 share") == sum(share > 0 for share in shape.positives)


def test_page_shows_names_as_text(cancer, shaper):
    flow = InformationFlow.from_predictions(cancer[1], cancer[1])
    columns = [HOSTILE] * 30
    made = Report.from_flow(flow, feature_names=names(30), owners=columns, shapes=shaper)
    assert made.html().count("<script") == 2
    assert made.html().count('class="shape"') == N_SHAPES
    assert json.loads(made.json())["shapes"]["shapes"][0]["name"] == HOSTILE
    assert "<script" not in made.markdown()


def test_others_than_fitted_shapers_are_refused(shaper):
    with pytest.raises(ParameterError, match=r"must be a fitted FeatureShaper, .* Got FeatureShaper"):
        shapes_of(FeatureShaper(), ["a"])
    with pytest.raises(ParameterError, match=r"each of 30 columns. Got 2"):
        shapes_of(shaper, ["a", "b"], ["a", "b"])


def test_other_columns_than_features_keep_their_names(shaper):
    assert {shape.name[0] for shape in shapes_of(shaper, ["a", "b"]).shapes} == {"x"}
