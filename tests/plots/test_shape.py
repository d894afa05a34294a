import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from infoprop.exceptions import DataError, ParameterError
from infoprop.plots import ShapeDisplay
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("shaper", [FeatureShaper(), BNSScaler(), LocalProbabilityShaper(window="auto")])
def test_the_line_is_what_the_shaper_has_learned(cancer, shaper):
    X, y = cancer
    display = ShapeDisplay.from_estimator(shaper.fit(X, y), "mean texture")
    values, shaped = shaper.shapes_[0].curve(1)
    np.testing.assert_array_equal(display.line_.get_xdata(), values)
    np.testing.assert_array_equal(display.line_.get_ydata(), shaped)
    assert display.ax_.get_xlabel() == "mean texture"
    assert display.ax_.get_ylabel() == "shaped value"


def test_densities_are_shares_of_the_classes(cancer):
    X, y = cancer
    display = ShapeDisplay.from_estimator(FeatureShaper().fit(X, y), 0)
    for bars in display.densities_:
        assert sum(bar.get_height() for bar in bars) == pytest.approx(1.0)
    texts = [text.get_text() for text in display.density_ax_.get_legend().get_texts()]
    assert texts == ["1", "all others"]
    edges = np.array([bar.get_x() for bar in display.densities_[0]])
    assert len(edges) == 30


def test_few_values_have_a_bin_each():
    X = np.array([[0.0], [0.0], [1.0], [4.0]])
    display = ShapeDisplay.from_estimator(FeatureShaper().fit(X, [0, 0, 1, 1]), 0)
    heights = [[bar.get_height() for bar in bars] for bars in display.densities_]
    assert heights == [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]
    constant = ShapeDisplay.from_estimator(FeatureShaper().fit(np.ones((4, 1)), [0, 0, 1, 1]), 0)
    assert len(constant.densities_[0]) == 1


def test_missing_values_are_left_out():
    X = np.array([[np.nan], [0.0], [1.0], [4.0]])
    shaper = FeatureShaper(missing="bin").fit(X, [0, 0, 1, 1])
    assert ShapeDisplay.from_estimator(shaper, 0).values.tolist() == [0.0, 1.0, 4.0]
    shaper.fit(np.full((4, 1), np.nan), [0, 0, 1, 1])
    with pytest.raises(DataError, match="all values of the column are missing"):
        ShapeDisplay.from_estimator(shaper, 0)


def test_each_class_has_its_own_shape():
    X, y = load_iris(return_X_y=True)
    shaper = FeatureShaper(multiclass="ovr").fit(X, y)
    display = ShapeDisplay.from_estimator(shaper, 2, label=1)
    np.testing.assert_array_equal(display.shaped, shaper.shapes_[1].curve(2)[1])
    assert display.positives.sum() == 50
    assert display.negatives.sum() == 100
    one = ShapeDisplay.from_estimator(FeatureShaper(positive_label=2).fit(X, y), 2)
    np.testing.assert_array_equal(one.shaped, shaper.shapes_[2].curve(2)[1])
    with pytest.raises(ParameterError, match=r"must be one of \[0, 1, 2\]. Got 'a'"):
        ShapeDisplay.from_estimator(shaper, 2, label="a")


def test_given_axes_are_used(cancer, pyplot):
    figure, ax = pyplot.subplots()
    display = ShapeDisplay([0.0, 1.0], [0.0, 2.0], [1, 3], [4, 0], name="$x$").plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.get_xlabel() == r"\$x\$"
    figure.canvas.draw()


@pytest.mark.parametrize("feature", [30, -1, "texture", 1.5])
def test_a_column_that_is_not_there_is_refused(cancer, feature):
    X, y = cancer
    with pytest.raises(ParameterError, match="must be a column of the shaper"):
        ShapeDisplay.from_estimator(FeatureShaper().fit(X, y), feature)
