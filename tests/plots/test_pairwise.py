import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from infoprop.exceptions import MissingDependencyError, ParameterError
from infoprop.pairwise import ClassPair, ClassPairs, PairwiseClassifier
from infoprop.plots import PairwiseFeaturesDisplay

NAMES = ("ears", "wings", "$tail", "fur")


def make_pairs(credibility=(0.9, 1.0, 0.8)):
    columns = ([0, 2], [1], [1, 2])
    classes = (("cat", "dog"), ("cat", "owl"), ("dog", "owl"))
    return ClassPairs(
        tuple(
            ClassPair(pair, np.array(own), tuple(NAMES[k] for k in own), value, 10, None)
            for pair, own, value in zip(classes, columns, credibility, strict=True)
        ),
        NAMES,
    )


def cells(display):
    return np.ma.filled(display.image_.get_array().astype(float), np.nan)


def test_cells_are_filled_where_a_pair_uses_a_feature():
    display = PairwiseFeaturesDisplay(make_pairs()).plot()
    np.testing.assert_array_equal(~np.isnan(cells(display)), make_pairs().support)
    np.testing.assert_array_equal(np.nanmax(cells(display), axis=1), [0.9, 1.0, 0.8])
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [
        "cat | dog",
        "cat | owl",
        "dog | owl",
    ]
    assert [label.get_text() for label in display.ax_.get_xticklabels()][2] == r"\$tail"
    assert display.colorbar_.ax.get_ylabel() == "credibility"


@pytest.mark.parametrize(
    ("order", "max_features", "expected"),
    [
        ("given", None, [0, 1, 2, 3]),
        ("used", None, [1, 2, 0, 3]),
        ("given", 2, [1, 2]),
        ("used", 3, [1, 2, 0]),
    ],
)
def test_features_are_ordered_and_chosen_by_use(order, max_features, expected):
    display = PairwiseFeaturesDisplay(make_pairs()).plot(order=order, max_features=max_features)
    assert display.features_.tolist() == expected
    np.testing.assert_array_equal(~np.isnan(cells(display)), make_pairs().support[:, expected])


def test_without_credibility_there_is_no_scale():
    display = PairwiseFeaturesDisplay(make_pairs([np.nan] * 3)).plot()
    assert display.colorbar_ is None
    np.testing.assert_array_equal(~np.isnan(cells(display)), make_pairs().support)


def test_a_fitted_classifier_is_drawn_into_axes_given(pyplot):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), np.arange(60) % 4
    model = PairwiseClassifier(GaussianNB(), validation=None).fit(X, y)
    _, ax = pyplot.subplots()
    display = PairwiseFeaturesDisplay.from_estimator(model, ax=ax, cmap="Greys")
    assert display.ax_ is ax
    assert display.image_.get_array().shape == (6, 4)
    assert display.image_.get_cmap().name == "Greys"
    display.figure_.canvas.draw()


def test_many_pairs_keep_readable_labels():
    pairs = tuple(ClassPair((0, k), np.array([k]), (f"x{k}",), 1.0, 2, None) for k in range(300))
    display = PairwiseFeaturesDisplay(ClassPairs(pairs, tuple(f"x{k}" for k in range(300)))).plot()
    assert len(display.ax_.get_yticks()) == 100
    assert max(display.figure_.get_size_inches()) <= 24.0


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ParameterError, match="must be a PairwiseClassifier"):
        PairwiseFeaturesDisplay.from_estimator(GaussianNB().fit([[0], [1]], [0, 1]))
    with pytest.raises(NotFittedError):
        PairwiseFeaturesDisplay.from_estimator(PairwiseClassifier())
    with pytest.raises(ParameterError, match="'order'"):
        PairwiseFeaturesDisplay(make_pairs()).plot(order="best")
    with pytest.raises(ParameterError, match="'max_features'"):
        PairwiseFeaturesDisplay(make_pairs()).plot(max_features=0)


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependencyError, match="infoprop\\[plots\\]"):
        PairwiseFeaturesDisplay(make_pairs()).plot()
