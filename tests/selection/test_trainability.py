"""No selector begins to train a classifier that its own fit would refuse."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from infoprop._core._matrices import LARGEST_VALUE
from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    GradientAngleSelector,
    compare_selectors,
)
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier

RNG = np.random.default_rng(0)
X = RNG.standard_normal((45, 4))
Y = np.arange(45) % 3
HUGE = X.copy()
HUGE[3, 2] = 1e160


def fit_by(selector):
    return lambda classifier, X, y: selector(classifier).fit(X, y)


def compare(classifier, X, y):
    """Compare a method that can be trained with the one in question."""
    methods = {"good": CreditSelector(), "asked": CreditSelector(classifier)}
    return compare_selectors(methods, X, y, validation=3, inner_validation=None)


def compare_judged(classifier, X, y):
    return compare_selectors(
        {"good": CreditSelector()}, X, y, estimator=classifier, validation=3, inner_validation=None
    )


SEARCHES = {
    "backward": fit_by(BackwardEliminationSelector),
    "backward-unvalidated": fit_by(
        lambda classifier: BackwardEliminationSelector(
            classifier, criterion="margin", n_features_to_select=1, validation=None
        )
    ),
    "credit": fit_by(CreditSelector),
    "directed": fit_by(DirectedSearchSelector),
    "forward": fit_by(ForwardBeamSelector),
    "genetic": fit_by(GeneticSelector),
    "gradient-angle": fit_by(GradientAngleSelector),
    "pairwise": fit_by(PairwiseClassifier),
    "compare": compare,
    "compare-judged": compare_judged,
}

SETTINGS = {
    "primal-kernel": (OneVsRestSVC(kernel="rbf", solver="primal"), X, Y),
    "cd-kernel": (OneVsRestSVC(kernel="poly", solver="cd"), X, Y),
    "primal-sparse": (OneVsRestSVC(kernel="linear", solver="primal"), sparse.csr_array(X), Y),
    "squared-hinge-kernel": (OneVsRestSVC(loss="squared_hinge"), X, Y),
    "squared-hinge-smo": (OneVsRestSVC(loss="squared_hinge", kernel="linear", solver="smo"), X, Y),
    "kernel": (OneVsRestSVC(kernel="gaussian"), X, Y),
    "kernel-missing": (OneVsRestSVC(kernel={0: "rbf", 1: "rbf"}), X, Y),
    "solver": (OneVsRestSVC(solver="fast"), X, Y),
    "C": (OneVsRestSVC(C=0.0), X, Y),
    "C-linear": (OneVsRestSVC(kernel="linear", C=-1.0), X, Y),
    "gamma": (OneVsRestSVC(gamma=-1.0), X, Y),
    "class-weight": (OneVsRestSVC(class_weight="fair"), X, Y),
    "piped": (make_pipeline(StandardScaler(), OneVsRestSVC(kernel="rbf", solver="primal")), X, Y),
    "hidden": (MLPClassifier(hidden_layer_sizes=(0,)), X, Y),
    "activation": (MLPClassifier(activation="step"), X, Y),
    "network-loss": (make_pipeline(StandardScaler(), MLPClassifier(loss="hinge")), X, Y),
    "costs": (ShapedLinearClassifier(Cs=[-1.0]), X, Y),
}


@pytest.fixture
def n_trained(monkeypatch):
    """Count what could be a training: solved problems, trained networks, fits of selectors' classifiers."""
    trained = []
    for kind in (OneVsRestSVC, MLPClassifier, ShapedLinearClassifier):
        monkeypatch.setattr(kind, "fit", lambda self, *given, **more: trained.append(self))
    monkeypatch.setattr("infoprop.selection._refit.moving_model", lambda evaluator: trained.append(evaluator))
    monkeypatch.setattr("infoprop.svm._trainer.Trainer.solve", lambda self, *given: trained.append(self))
    return trained


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_that_cannot_work_are_refused_before_any_training(search, setting, n_trained):
    classifier, rows, labels = SETTINGS[setting]
    error = own_refusal(classifier, rows, labels)
    with pytest.raises(type(error)) as refused:
        SEARCHES[search](clone(classifier), rows, labels)
    assert str(refused.value) == str(error)
    assert n_trained == []


def own_refusal(classifier, X, y):
    """What the classifier's own checks say; `test_the_check_is_that_of_fit` compares them with its fit."""
    last = classifier.steps[-1][1] if hasattr(classifier, "steps") else classifier
    with pytest.raises((ValueError, TypeError)) as refused:
        clone(last)._check_trainable(X, y)
    return refused.value


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_check_is_that_of_fit(setting):
    classifier, rows, labels = SETTINGS[setting]
    with pytest.raises((ValueError, TypeError)) as refused:
        clone(classifier).fit(rows, labels)
    assert str(refused.value) == str(own_refusal(classifier, rows, labels))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    "classifier",
    [
        OneVsRestSVC(kernel="linear"),
        MLPClassifier(hidden_layer_sizes=(2,)),
        make_pipeline(StandardScaler(), OneVsRestSVC()),
        LogisticRegression(),
    ],
    ids=["machines", "network", "scaled", "other"],
)
def test_values_whose_squares_overflow_are_refused_before_any_training(search, classifier, n_trained):
    with pytest.raises(ValueError, match=r"needs values of at most 1e\+100 .* Got 1e\+160 in column 2"):
        SEARCHES[search](clone(classifier), HUGE, Y)
    assert n_trained == []


def test_the_last_step_is_asked_about_its_settings_where_it_sees_other_rows():
    words = np.array([["a"], ["b"], ["c"]] * 6, dtype=object)
    coded = FunctionTransformer(lambda X: np.array([[ord(word) for word in row] for row in X]))
    classifier = make_pipeline(coded, OneVsRestSVC(kernel="rbf", solver="cd"))
    with pytest.raises(ValueError, match="'cd' of OneVsRestSVC needs the linear kernel"):
        CreditSelector(classifier).fit(words, np.arange(18) % 2)


def test_nothing_is_left_on_the_classifier_that_was_asked():
    classifier = OneVsRestSVC(kernel="linear")
    CreditSelector(classifier).fit(X, Y)
    assert not hasattr(classifier, "n_features_in_")


def test_the_largest_value_is_taken():
    rows = X.copy()
    rows[0, 0] = LARGEST_VALUE
    assert OneVsRestSVC(kernel="linear").fit(rows, Y).n_features_in_ == 4
