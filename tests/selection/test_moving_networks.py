"""Searches with networks: which are moved, that they find what is there, and that nothing disturbs them."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

from infoprop.datasets import make_corral, make_led24
from infoprop.exceptions import ParameterError
from infoprop.mlp import MLPClassifier
from infoprop.mlp._moving import MovingMLP
from infoprop.selection import BackwardEliminationSelector, DirectedSearchSelector
from reference.evaluators import (
    LabelledRows,
    RefitSubsetModel,
    Split,
    SubsetEvaluator,
    ValidationPlan,
    moving_model,
    subset_model,
)
from reference.long_work import written_out

X, Y = make_led24(120, random_state=3, return_X_y=True)
X, Y = X[:, :12].copy(), Y % 3
ROWS = np.arange(120)


def perceptron(**parameters):
    return MLPClassifier(**({"hidden_layer_sizes": (3,), "alpha": 0.1, "random_state": 0} | parameters))


def evaluator(estimator, rows=X, y=Y):
    splits = tuple(Split(ROWS[k != ROWS % 3], ROWS[k == ROWS % 3]) for k in range(2))
    return SubsetEvaluator(
        estimator=estimator,
        training=LabelledRows(rows, y),
        fit_parameters={},
        plan=ValidationPlan(splits, shares_from_all=False),
        given=None,
        feature_names=tuple(f"x{k}" for k in range(rows.shape[1])),
        n_jobs=None,
    )


class Loud(MLPClassifier):
    """A classifier of somebody else, who may have changed anything."""


@pytest.mark.parametrize(
    "estimator",
    [
        perceptron(),
        make_pipeline(StandardScaler(), perceptron()),
        make_pipeline("passthrough", MinMaxScaler(), perceptron(early_stopping=True)),
    ],
    ids=["alone", "scaled", "stopped early"],
)
def test_networks_are_moved_alone_and_behind_scalers_of_single_columns(estimator):
    asked = evaluator(estimator)
    moved, anew = moving_model(asked), RefitSubsetModel(asked)
    assert isinstance(moved, MovingMLP)
    for model in (moved, anew):
        model.drop(np.array([3, 9]))
        model.fit()
    np.testing.assert_allclose(moved.credit_shares(), anew.credit_shares(), rtol=1e-9, atol=1e-12)
    for found, expected in zip(moved.predict(), anew.predict(), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "estimator",
    [
        perceptron(retrain="cold"),
        perceptron(warm_start=True),
        make_pipeline(Normalizer(), perceptron()),
        Loud((3,)),
    ],
    ids=["cold", "warm start", "mixed columns", "derived"],
)
def test_other_networks_are_trained_anew(estimator):
    assert moving_model(evaluator(estimator)) is None
    assert isinstance(subset_model(evaluator(estimator)), RefitSubsetModel)


def test_rows_that_are_no_numbers_and_splits_of_one_class_are_left_to_the_classifier():
    missing = np.where(X > 0.5, np.nan, X)
    assert moving_model(evaluator(perceptron(), rows=missing)) is None
    assert moving_model(evaluator(perceptron(), y=np.where(ROWS % 3 == 0, Y, 0))) is None


@pytest.mark.parametrize("kind", [BackwardEliminationSelector, DirectedSearchSelector])
@pytest.mark.parametrize("parameters", [{"retrain": "hot"}, {"alpha": -1.0}, {"warm_start": 3}])
def test_wrong_parameters_are_refused_before_the_search(kind, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        kind(perceptron(**parameters), n_features_to_select=3).fit(X, Y)


@pytest.mark.parametrize("retrain", ["warm", "cold"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_both_searches_find_the_relevant_inputs_of_corral(retrain, container):
    data = make_corral(300, random_state=1)
    network = perceptron(hidden_layer_sizes=(4,), alpha=0.01, retrain=retrain)
    for kind in (BackwardEliminationSelector, DirectedSearchSelector):
        search = kind(network, n_features_to_select=4, random_state=0).fit(container(data.X), data.y)
        assert search.get_support(indices=True).tolist() == [0, 1, 2, 3]
        assert search.score(data.X, data.y) > 0.97


SEARCHES = {
    "backward": (BackwardEliminationSelector, {"n_features_to_select": "auto", "validation": 3}),
    "by twos": (BackwardEliminationSelector, {"n_features_to_select": 3, "step": 2, "criterion": "margin"}),
    "without rows": (
        BackwardEliminationSelector,
        {"n_features_to_select": 3, "criterion": "margin", "validation": None},
    ),
    "directed": (DirectedSearchSelector, {"n_features_to_select": 5, "validation": 2}),
    "restarted": (DirectedSearchSelector, {"n_features_to_select": 4, "n_starts": 2, "init": "random"}),
}


def search(name, **parameters):
    kind, own = SEARCHES[name]
    return kind(**({"estimator": perceptron(), "random_state": 0} | own | parameters))


def learned(fitted):
    """Everything that a search gives, as values that differ if a bit does."""
    names = ("path_", "trace_", "credits_", "support_", "ranking_", "n_features_")
    values = {name: getattr(fitted, name) for name in names if hasattr(fitted, name)}
    return {name: written_out(value) for name, value in values.items()}


@pytest.fixture(scope="module")
def undisturbed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MovingMLP, "moves_between_snapshots", 3)
        return {name: learned(search(name).fit(X, Y)) for name in SEARCHES}


@pytest.mark.parametrize("name", SEARCHES)
def test_the_same_search_gives_the_same_bits_with_any_number_of_threads(undisturbed, name):
    for parameters in ({}, {"n_jobs": 2}, {"estimator": perceptron(n_jobs=2)}):
        assert learned(search(name, **parameters).fit(X, Y)) == undisturbed[name]


class Killed(BaseException):
    """What nobody expects."""


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("n_trainings", [3, 4, 5])
def test_a_search_ended_again_and_again_goes_on_to_the_same_bits(
    undisturbed, monkeypatch, tmp_path, name, n_trainings
):
    plain, n_left, n_killed, fitted = MovingMLP.fit, 0, 0, None

    def fit(self):
        nonlocal n_left
        n_left -= 1
        if n_left < 0:
            raise Killed
        plain(self)

    monkeypatch.setattr(MovingMLP, "moves_between_snapshots", 3)
    monkeypatch.setattr(MovingMLP, "fit", fit)
    while fitted is None:
        n_left = n_trainings
        try:
            fitted = search(name, checkpoint=tmp_path / "journal").fit(X, Y)
        except Killed:
            n_killed += 1
    assert n_killed >= 1
    assert learned(fitted) == undisturbed[name]


KILLED_PROCESS = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from infoprop.mlp._moving import MovingMLP
from test_moving_networks import X, Y, search
MovingMLP.moves_between_snapshots = 3
plain, count = MovingMLP.fit, 0
def fit(self):
    global count
    count += 1
    plain(self)
    if count == 8:
        os.kill(os.getpid(), signal.SIGKILL)
MovingMLP.fit = fit
search("directed", checkpoint=sys.argv[2]).fit(X, Y)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_leaves_what_another_goes_on_from(undisturbed, monkeypatch, tmp_path):
    journal = tmp_path / "journal"
    here = os.path.dirname(os.path.abspath(__file__))
    tests = os.pathsep.join([os.path.dirname(here), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", KILLED_PROCESS, here, str(journal)],
        env=os.environ | {"PYTHONPATH": tests},
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    monkeypatch.setattr(MovingMLP, "moves_between_snapshots", 3)
    assert learned(search("directed", checkpoint=journal).fit(X, Y)) == undisturbed["directed"]


def test_a_row_of_weight_two_is_the_row_twice():
    counts = np.random.default_rng(1).integers(0, 3, 120)
    repeated = np.repeat(ROWS, counts)
    given = {"X_val": X[::2], "y_val": Y[::2]}
    weighted = search("restarted").fit(X, Y, sample_weight=counts.astype(float), **given)
    again = search("restarted").fit(X[repeated], Y[repeated], **given)
    # Small differences grow from training to training.
    first = [fitted.trace_.steps[0].credits for fitted in (weighted, again)]
    np.testing.assert_allclose(*first, atol=0.01)
