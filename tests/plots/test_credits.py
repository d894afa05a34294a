import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from infoprop.credit import credit_features
from infoprop.exceptions import ParameterError
from infoprop.plots import CreditsDisplay


def test_bars_add_up_to_the_credits(credits_of):
    credits = credits_of(6)
    display = CreditsDisplay(credits).plot()
    assert display.stems_ is None
    assert len(display.bars_) == 3
    lengths = np.sum([[bar.get_width() for bar in container] for container in display.bars_], axis=0)
    np.testing.assert_allclose(lengths, credits.values[credits.ranking])
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [f"x{column}" for column in credits.ranking]
    assert display.ax_.get_xlabel() == "credit (bits)"


def test_many_features_are_stems_over_the_column_number(credits_of):
    credits = credits_of(100)
    display = CreditsDisplay(credits).plot()
    assert display.bars_ is None
    heights = [segment[1][1] for segment in display.stems_.get_segments()]
    np.testing.assert_allclose(heights, credits.values)
    assert display.ax_.get_xlabel() == "column"


def test_top_draws_only_the_best(credits_of):
    credits = credits_of(100)
    display = CreditsDisplay(credits).plot(top=5)
    assert [len(container) for container in display.bars_] == [5, 5, 5]


def test_given_axes_are_used_and_nothing_global_changes(credits_of, pyplot):
    before = dict(pyplot.rcParams)
    figure, ax = pyplot.subplots()
    display = CreditsDisplay(credits_of(4)).plot(ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert dict(pyplot.rcParams) == before
    assert pyplot.get_fignums() == [figure.number]


def test_from_estimator_draws_its_credits():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    display = CreditsDisplay.from_estimator(model, X[1::2], y[1::2], top=2)
    np.testing.assert_array_equal(display.credits.values, credit_features(model, X[1::2], y[1::2]).values)
    assert len(display.bars_[0]) == 2


def test_names_are_drawn_letter_by_letter(credits_of):
    display = CreditsDisplay(credits_of(3, labels=["$1$", "b_c^", "c"])).plot()
    display.figure_.canvas.draw()
    assert display.ax_.get_legend().get_texts()[0].get_text() == r"\$1\$"


def test_many_classes_have_no_legend(credits_of):
    display = CreditsDisplay(credits_of(3, labels=list("abcdefghijklmnop"))).plot()
    assert display.ax_.get_legend() is None


@pytest.mark.parametrize("top", [0, 1.5, "3"])
def test_top_must_be_a_positive_number(credits_of, top):
    with pytest.raises(ParameterError, match="'top' parameter of CreditsDisplay"):
        CreditsDisplay(credits_of(3)).plot(top=top)


def test_a_line_shows_how_far_chance_could_come():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    display = CreditsDisplay.from_estimator(model, X[1::2], y[1::2], null="shuffled", random_state=0)
    ends = [segment[0][0] for segment in display.floor_.get_segments()]
    np.testing.assert_allclose(ends, display.credits.noise.floor[display.credits.ranking])
    wide = np.hstack([X, np.random.default_rng(0).normal(size=(150, 40))])
    model = LogisticRegression(max_iter=1000).fit(wide[::2], y[::2])
    display = CreditsDisplay.from_estimator(model, wide[1::2], y[1::2], null="shuffled", random_state=0)
    np.testing.assert_allclose(display.floor_.get_ydata(), display.credits.noise.floor)
