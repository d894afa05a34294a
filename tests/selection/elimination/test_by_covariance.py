"""Eliminations by covariance: moved machines against classifiers that are trained anew and taken apart."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from infoprop.credit import _covariance, credit_features
from infoprop.exceptions import ParameterError
from infoprop.mlp import MLPClassifier
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    _refit,
    _sharing,
)
from infoprop.selection._sharing import CovarianceSharing
from infoprop.selection.elimination import _by_covariance, _covariance_fast
from infoprop.svm import OneVsRestSVC
from reference.eliminations import Schedule, elimination_for
from reference.evaluators import choose_columns, evaluator_over


def rows(n=90, p=12, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    scores = X[:, :n_classes] + 0.5 * X[:, 3 : 3 + n_classes] + 0.4 * rng.normal(size=(n, n_classes))
    return X, scores.argmax(axis=1)


MACHINES = {
    "gram, two classes": (OneVsRestSVC(kernel="linear", C=0.1), rows(60, 40, 2)),
    "gram, three classes": (OneVsRestSVC(kernel="linear", C=0.1), rows(80, 30)),
    "rows": (OneVsRestSVC(kernel="linear", C=0.1), rows(300, 9)),
    "squared hinge": (OneVsRestSVC(kernel="linear", C=0.1, loss="squared_hinge"), rows(90, 9)),
    "rbf": (OneVsRestSVC(kernel="rbf", gamma=0.1), rows(90, 8)),
}
GROUPS = [[0, 7], [1, 5, 6]]


def both(monkeypatch, selector, X, y, **fit):
    """The same search by moved machines, and by classifiers trained anew."""
    fast = selector.fit(X, y, **fit)
    path, credits = fast.path_, fast.credits_
    monkeypatch.setattr(_refit, "moving_model", lambda evaluator: None)
    slow = selector.fit(X, y, **fit)
    return (path, credits), (slow.path_, slow.credits_)


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["columns", "groups"])
@pytest.mark.parametrize("name", MACHINES)
def test_moved_machines_drop_what_machines_trained_anew_do(monkeypatch, name, groups):
    machine, (X, y) = MACHINES[name]
    selector = BackwardEliminationSelector(
        machine, n_features_to_select=1, sharing="covariance", validation=3, groups=groups, random_state=0
    )
    fast, slow = both(monkeypatch, selector, X, y)
    assert [step.dropped for step in fast[0]] == [step.dropped for step in slow[0]]
    # Machines trained anew are solved to 1e-3.
    assert_allclose(fast[1].values, slow[1].values, atol=0.02)
    assert_allclose(fast[1].values.sum(), fast[1].information)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rbf_machines_together_are_those_one_by_one(monkeypatch, n_classes):
    X, y = rows(90, 8, n_classes)
    selector = BackwardEliminationSelector(
        MACHINES["rbf"][0], n_features_to_select=1, sharing="covariance", validation=3, random_state=0
    )
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    together = clone(selector).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(_sharing, "MOST_ENTRIES", 0)
    one_by_one = selector.fit(X, y, sample_weight=weights)
    assert [step.dropped for step in together.path_] == [step.dropped for step in one_by_one.path_]
    assert_allclose(together.credits_.values, one_by_one.credits_.values, rtol=1e-8, atol=1e-12)


def test_weights_sparse_rows_and_several_at_a_time(monkeypatch):
    machine, (X, y) = MACHINES["rows"]
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    selector = BackwardEliminationSelector(
        machine, n_features_to_select=2, sharing="covariance", step=2, keep=[8], random_state=0
    )
    weights = np.arange(len(y)) % 3 + 1.0
    fast, slow = both(monkeypatch, selector, sparse.csr_array(X), y, sample_weight=weights)
    assert [step.dropped for step in fast[0]] == [step.dropped for step in slow[0]]
    monkeypatch.undo()
    dense = selector.fit(X, y, sample_weight=weights)
    assert [step.dropped for step in dense.path_] == [step.dropped for step in fast[0]]
    assert selector.support_[8]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_compiled_steps_are_those_of_the_loop(monkeypatch, n_classes):
    X, y = rows(60, 40, n_classes, seed=1)
    machine = OneVsRestSVC(kernel="linear", C=0.1)
    selector = BackwardEliminationSelector(
        machine, n_features_to_select=1, sharing="covariance", validation=3, step=2, random_state=0
    )
    fast = selector.fit(X, y).path_
    monkeypatch.setattr(_by_covariance, "GramMachines", type(None))
    slow = selector.fit(X, y).path_
    assert_array_equal(fast.order, slow.order)
    assert_allclose([step.information for step in fast], [step.information for step in slow])


def test_compiled_constants_are_those_of_the_rule():
    assert _covariance_fast.PENALTY == _covariance._PENALTY
    assert _covariance_fast.NOISE_FLOOR == _covariance.NOISE_FLOOR


def test_first_credits_are_those_of_the_rule():
    X, y = rows(120, 8)
    selector = BackwardEliminationSelector(
        LogisticRegression(), n_features_to_select=4, sharing="covariance", validation="given"
    ).fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    model = LogisticRegression().fit(X[::2], y[::2])
    assert_allclose(selector.credits_.values, credit_features(model, X[1::2], y[1::2]).values, atol=1e-6)


def test_directed_search_by_covariance(monkeypatch):
    X, y = rows(150, 9)
    machine = OneVsRestSVC(kernel="linear", C=0.1)
    selector = DirectedSearchSelector(
        machine, n_features_to_select=3, sharing="covariance", groups=GROUPS, random_state=0
    )
    fast = selector.fit(X, y).trace_
    monkeypatch.setattr(_refit, "moving_model", lambda evaluator: None)
    slow = selector.fit(X, y).trace_
    assert [tuple(step.groups) for step in fast.steps] == [tuple(step.groups) for step in slow.steps]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_network_shares_as_it_does_anyway():
    X, y = rows(60, 6)
    network = MLPClassifier(hidden_layer_sizes=(3,), max_iter=30, random_state=0)
    paths = [
        BackwardEliminationSelector(network, n_features_to_select=3, sharing=sharing, random_state=0)
        .fit(X, y)
        .path_.order.tolist()
        for sharing in ("margin", "covariance")
    ]
    assert paths[0] == paths[1]


def test_noise_goes_before_weak_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 40))
    y = (X[:, :4] @ [1.0, 1.0, 0.7, 0.7] + rng.normal(size=400) > 0).astype(int)
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear", C=0.1), n_features_to_select=4, sharing="covariance", validation=5
    ).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("selector", [BackwardEliminationSelector, DirectedSearchSelector, CreditSelector])
def test_unknown_rules_are_refused(selector):
    with pytest.raises(ParameterError, match="sharing"):
        selector(sharing="gap").fit(*rows())


def test_margins_are_compared_by_margin():
    with pytest.raises(ParameterError, match="'sharing' must be 'margin'"):
        BackwardEliminationSelector(criterion="margin", sharing="covariance").fit(*rows())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_of_many_columns_one_in_a_hundred_goes_between_two_prices(monkeypatch, n_classes):
    X, y = rows(40, 330, n_classes)
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear", C=0.1), n_features_to_select=195, sharing="covariance", random_state=0
    )
    n_pieces = []
    found = _by_covariance.eliminate_by_covariance
    monkeypatch.setattr(
        _by_covariance,
        "eliminate_by_covariance",
        lambda *given: n_pieces.append(len(given[2])) or found(*given),
    )
    fast = selector.fit(X, y).path_
    assert sum(n_pieces) >= 135
    n_priced = []
    monkeypatch.setattr(_by_covariance, "GramMachines", type(None))
    priced = CovarianceSharing.found
    monkeypatch.setattr(
        CovarianceSharing, "found", lambda own, columns: n_priced.append(len(columns)) or priced(own, columns)
    )
    slow = selector.fit(X, y).path_
    # The first of 330 are the credits that the selector shows.
    assert n_priced[1:] == [*range(330, 296, -3), *range(295, 198, -2), 198, 197, 196]
    assert_array_equal(fast.order, slow.order)
    for step, other in zip(fast, slow, strict=True):
        assert_allclose(step.credits, other.credits, atol=1e-9)
    monkeypatch.setattr(_refit, "moving_model", lambda evaluator: None)
    assert_array_equal(fast.order[:40], selector.fit(X, y).path_.order[:40])


@pytest.mark.parametrize("kind", ["compiled", "loop", "anew"])
def test_a_search_between_two_prices_goes_on(monkeypatch, kind):
    X, y = rows(40, 330, 3)
    if kind == "loop":
        monkeypatch.setattr(_by_covariance, "GramMachines", type(None))
    if kind == "anew":
        monkeypatch.setattr(_refit, "moving_model", lambda evaluator: None)
    evaluator = evaluator_over(
        [(np.arange(30), np.arange(30, 40))], OneVsRestSVC(kernel="linear", C=0.1), X, y
    )
    choice = choose_columns(None, None, 300, None, evaluator.feature_names)
    first, second = (
        elimination_for(evaluator, choice, Schedule.from_step(1, 330, 300), "information", "covariance")
        for _ in range(2)
    )
    done = first.advance(4)
    second.restore(done, first.snapshot())
    assert_array_equal(first.advance(9).dropped, second.advance(9).dropped)
