import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from infoprop.credit import FeatureCredits
from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.plots import InformationFlowDisplay


def ends(ribbon):
    """Width of a ribbon at its left and right end, in bits."""
    vertices = ribbon.get_path().vertices
    return vertices[0, 1] - vertices[7, 1], vertices[3, 1] - vertices[4, 1]


def test_every_bit_arrives(credits_of):
    credits = credits_of(5)
    display = InformationFlowDisplay(credits).plot()
    assert len(display.ribbons_) == 5 * 3 + 3
    widths = np.array([ends(ribbon) for ribbon in display.ribbons_])
    np.testing.assert_allclose(widths[:, 0], widths[:, 1])
    assert widths[:15, 0].sum() == pytest.approx(credits.information)
    np.testing.assert_allclose(widths[15:, 0], credits.by_class.sum(axis=1))


def test_other_features_flow_together(credits_of):
    credits = credits_of(50)
    display = InformationFlowDisplay(credits).plot(top=4)
    words = [text.get_text() for text in display.texts_]
    assert words[4] == "46 other features"
    assert words[5:8] == ["a", "b", "c"]
    assert words[8] == f"{credits.information:.2f} bits\ndelivered"
    assert sum(ends(ribbon)[0] for ribbon in display.ribbons_[:15]) == pytest.approx(credits.information)


def test_no_information_draws_no_ribbon():
    flow = InformationFlow.from_confusion([[5, 5], [5, 5]])
    display = InformationFlowDisplay(FeatureCredits.from_shares(flow, [[1.0], [1.0]], ["x"])).plot()
    display.figure_.canvas.draw()
    assert display.ribbons_ == []


def test_given_axes_are_used(credits_of, pyplot):
    figure, ax = pyplot.subplots()
    display = InformationFlowDisplay(credits_of(3)).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert not ax.axison


def test_from_estimator_draws_its_credits():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    display = InformationFlowDisplay.from_estimator(model, X[1::2], y[1::2], top=2)
    assert len(display.ribbons_) == 3 * 3 + 3


def test_top_must_be_a_positive_number(credits_of):
    with pytest.raises(ParameterError, match="'top' parameter of InformationFlowDisplay"):
        InformationFlowDisplay(credits_of(3)).plot(top=0)
