import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import scale

from infoprop.exceptions import MissingDependencyError, ParameterError
from infoprop.plots import SelectionPathDisplay
from infoprop.selection import BackwardEliminationSelector, CreditSelector
from reference.paths import path_of, tables_of


def make_path(n_features, n_samples=60.0, step=1):
    """A path whose classifier gets worse with every feature that goes."""
    sizes = np.arange(n_features, 0, -step)
    right = 28.0 - 18.0 * (1.0 - sizes / n_features) ** 2
    counts = np.stack([np.array([[r, 30.0 - r], [30.0 - r, r]]) for r in right])
    n_dropped = n_features - int(sizes[-1])
    order = np.arange(n_features)[::-1][:n_dropped]
    return path_of(counts, n_samples, sizes, order=order, credits=np.linspace(0.0, 0.1, n_dropped))


def band_of(shaded):
    """Lower and upper edge of a shaded band, by place."""
    points = shaded.get_paths()[0].vertices
    return {
        place: (points[points[:, 0] == place, 1].min(), points[points[:, 0] == place, 1].max())
        for place in np.unique(points[:, 0])
    }


@pytest.mark.parametrize("metric", ["information", "relative_information", "accuracy"])
def test_line_goes_through_the_values_of_the_path(metric):
    path = make_path(12)
    display = SelectionPathDisplay.from_path(path, metric=metric)
    np.testing.assert_array_equal(display.line_.get_xdata(), path.n_features)
    np.testing.assert_array_equal(display.line_.get_ydata(), getattr(path, metric))
    assert display.ax_.get_xlabel() == "features"
    assert display.chosen_ is None


def test_band_is_one_standard_error_wide():
    path = make_path(5)
    edges = band_of(SelectionPathDisplay.from_path(path).band_)
    lower, upper = edges[2.0]
    assert (lower + upper) / 2 == pytest.approx(path.information[3])
    assert (upper - lower) / 2 == pytest.approx(path.standard_error[3])


def test_band_of_the_relative_information_is_in_its_own_unit():
    path = make_path(5)
    lower, upper = band_of(SelectionPathDisplay.from_path(path, metric="relative_information").band_)[2.0]
    # Two classes of equal size: H(Y) is one bit.
    assert (upper - lower) / 2 == pytest.approx(path.standard_error[3])
    quiet = make_path(5)
    object.__setattr__(quiet, "tables", tables_of(np.full((5, 2, 2), 15.0), 60.0))
    lower, upper = band_of(SelectionPathDisplay.from_path(quiet, metric="relative_information").band_)[2.0]
    assert lower == upper == 0.0


def test_band_of_the_accuracy_is_that_of_a_proportion():
    path = make_path(5)
    lower, upper = band_of(SelectionPathDisplay.from_path(path, metric="accuracy").band_)[1.0]
    accuracy = path.accuracy[-1]
    assert (upper - lower) / 2 == pytest.approx(np.sqrt(accuracy * (1 - accuracy) / 60))
    assert SelectionPathDisplay.from_path(path, band=False).band_ is None


def test_bounds_enclose_the_accuracy():
    path = make_path(5)
    display = SelectionPathDisplay.from_path(path, metric="accuracy", band=False, bounds=True)
    for size, accuracy in zip(path.n_features, path.accuracy, strict=True):
        lower, upper = band_of(display.bounds_)[float(size)]
        assert lower - 1e-9 <= accuracy <= upper + 1e-9
    step = path[2]
    assert band_of(display.bounds_)[3.0] == pytest.approx((1 - step.error_upper, 1 - step.error_lower))


def test_chosen_size_is_ringed_on_the_line():
    path = make_path(9)
    display = SelectionPathDisplay(path, n_chosen=4).plot()
    assert display.chosen_.get_xdata() == [4]
    assert display.chosen_.get_ydata()[0] == path.information[5]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["4 chosen"]


def test_chosen_size_between_those_counted_lies_on_the_line():
    path = make_path(9, step=4)
    assert path.n_features.tolist() == [9, 5, 1]
    display = SelectionPathDisplay(path, n_chosen=3).plot()
    assert display.chosen_.get_ydata()[0] == pytest.approx(path.information[1:].mean())


def test_many_features_have_a_logarithmic_axis():
    display = SelectionPathDisplay.from_path(make_path(2000))
    assert display.ax_.get_xscale() == "log"
    display.figure_.canvas.draw()
    words = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert {"10", "1,000"} <= set(words)
    assert SelectionPathDisplay.from_path(make_path(30)).ax_.get_xscale() == "linear"


def test_paths_are_laid_over_each_other():
    first = SelectionPathDisplay.from_path(make_path(30), name="a $1", n_chosen=3)
    second = SelectionPathDisplay.from_path(make_path(200), name="b", ax=first.ax_, color="black")
    assert second.ax_ is first.ax_
    assert first.line_.get_color() != second.line_.get_color() == "black"
    assert first.chosen_.get_color() == first.line_.get_color()
    assert [text.get_text() for text in first.ax_.get_legend().get_texts()] == [r"a \$1", "b"]
    assert first.ax_.get_xscale() == "log"


def test_from_selector_marks_what_it_chose():
    X, y = load_wine(return_X_y=True)
    groups = [[0, 1], [2, 3]]
    selector = BackwardEliminationSelector(
        RidgeClassifier(), n_features_to_select=5, step=2, groups=groups, random_state=0
    ).fit(scale(X), y)
    display = SelectionPathDisplay.from_selector(selector, metric="accuracy", bounds=True)
    assert display.chosen_.get_xdata() == [5]
    assert display.path is selector.path_
    # A copy for another size marks that one.
    assert SelectionPathDisplay.from_selector(selector.at(6)).chosen_.get_xdata() == [6]


def test_given_axes_are_used_and_nothing_global_changes(pyplot):
    before = dict(pyplot.rcParams)
    figure, ax = pyplot.subplots()
    display = SelectionPathDisplay.from_path(make_path(4), ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert dict(pyplot.rcParams) == before
    assert pyplot.get_fignums() == [figure.number]


def test_selectors_without_a_path_are_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(NotFittedError):
        SelectionPathDisplay.from_selector(BackwardEliminationSelector())
    other = CreditSelector(RidgeClassifier(), n_features_to_select=5, random_state=0).fit(scale(X), y)
    with pytest.raises(ParameterError, match=r"such as BackwardEliminationSelector\. Got CreditSelector"):
        SelectionPathDisplay.from_selector(other)


def test_path_that_counted_nothing_is_refused(pyplot):
    with pytest.raises(ParameterError, match="nothing to draw: no rows were counted"):
        SelectionPathDisplay.from_path(make_path(4, n_samples=0.0))
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"metric": "bits"}, "'metric' parameter of SelectionPathDisplay.plot must be one of"),
        ({"bounds": True}, "it goes with metric='accuracy'. Got metric='information'"),
        ({"band": 1}, "'band' parameter"),
        ({"n_chosen": 0}, "'n_chosen' parameter .* >= 1 and <= 4. Got 0"),
    ],
)
def test_what_does_not_fit_is_refused(more, sentence):
    with pytest.raises(ParameterError, match=sentence):
        SelectionPathDisplay.from_path(make_path(4), **more)


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependencyError, match=r"infoprop\[plots\]"):
        SelectionPathDisplay.from_path(make_path(4))
