import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.selection import GeneticSelector
from infoprop.selection._preparation import prepared_rows, restricted, searching

X, Y = load_iris(return_X_y=True)
NAMES = load_iris().feature_names


def prepared(X=X, y=Y, weights=None, estimator=None, parameters=None, **changes):
    owner = GeneticSelector(**{"random_state": 0, "validation": 3} | changes)
    own = GaussianNB() if estimator is None else estimator
    return prepared_rows(owner, own, X, y, weights, parameters or {})


def test_rows_are_checked_split_and_named():
    evaluator, seed = prepared()
    assert len(evaluator.plan.splits) == 3
    assert evaluator.feature_names == ("x0", "x1", "x2", "x3")
    assert prepared()[1] == seed != prepared(random_state=1)[1]
    tested = np.concatenate([split.test for split in evaluator.plan.splits])
    np.testing.assert_array_equal(np.sort(tested), np.arange(len(Y)))


def test_frames_stay_frames():
    evaluator, _ = prepared(pd.DataFrame(X, columns=NAMES))
    assert evaluator.feature_names == tuple(NAMES)
    assert isinstance(evaluator.training.X, pd.DataFrame)


def test_weights_go_to_the_classifier_unless_it_has_no_use_for_them():
    weights = np.ones(len(Y))
    weights[:10] = 0.0
    evaluator, _ = prepared(weights=weights)
    np.testing.assert_array_equal(evaluator.fit_parameters["sample_weight"], weights)
    assert not any(np.isin(split.test, np.arange(10)).any() for split in evaluator.plan.splits)
    owner = GeneticSelector(validation=3)
    without, _ = prepared_rows(owner, GaussianNB(), X, Y, weights, {}, trains_with_weights=False)
    assert without.fit_parameters == {}
    np.testing.assert_array_equal(without.training.sample_weight, weights)


def test_a_restricted_evaluator_trains_on_its_rows_only():
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(Y))
    own = np.flatnonzero(Y != 1)
    for given in (None, weights):
        part = restricted(prepared(weights=given)[0], own)
        twin = GaussianNB().fit(X[own], Y[own], None if given is None else given[own])
        np.testing.assert_array_equal(part.fitted().predict(X), twin.predict(X))
        np.testing.assert_array_equal(part.all_rows(), own)


def test_one_leaves_one_row_out_or_judges_nothing():
    assert len(prepared(validation="loo")[0].plan.splits) > 140
    assert sum(len(split.test) for split in prepared(validation=None)[0].plan.splits) == 0


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"estimator": StandardScaler()}, UnsupportedEstimatorError, "must be a classifier"),
        ({"y": np.zeros(len(Y))}, DataError, "at least two classes"),
        ({"weights": (Y == 0).astype(float)}, DataError, "sample_weight"),
        ({"y": Y + 0.5}, ValueError, "Unknown label type"),
    ],
    ids=str,
)
def test_what_cannot_be_trained_on_is_refused(changes, error, message):
    with pytest.raises(error, match=message):
        prepared(**changes)


def test_a_checkpoint_knows_the_search_and_its_seed(tmp_path):
    path = tmp_path / "journal"
    owner = GeneticSelector(checkpoint=path, validation=3)
    evaluator, seed = prepared_rows(owner, GaussianNB(), X, Y, None, {})
    with searching(owner, evaluator, seed, 5) as work:
        work.journal.append([{"step": 1}], {})
        assert work.seed == seed
    again, same = prepared_rows(owner, GaussianNB(), X, Y, None, {})
    assert same == seed
    with searching(owner, again, same, 5) as work:
        assert work.journal.records() == [{"step": 1}]
    other = GeneticSelector(checkpoint=path, validation=3, mutation=0.5)
    with pytest.raises(ParameterError, match=r"selector\.mutation"), searching(other, again, same, 5):
        pass
