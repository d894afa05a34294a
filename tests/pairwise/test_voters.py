import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from infoprop.pairwise import _neighbor_voter
from infoprop.pairwise._neighbor_voter import NeighborVoter, fastest_voter
from reference import pairwise
from reference.pairwise import TrainedVoter

X, Y = load_wine(return_X_y=True)


def pair_rows(estimator=None, y=Y, weights=None, **parameters):
    return pairwise.pair_rows(estimator, X, y, weights, **parameters)


def masks(n_masks=6):
    drawn = np.random.default_rng(0).random((n_masks, X.shape[1])) < 0.4
    drawn[0] = True
    return drawn


def test_a_pair_is_trained_on_its_own_rows_and_asked_about_all():
    rows = pair_rows(GaussianNB(), validation=3)
    mask = masks(1)
    (decided,) = TrainedVoter(rows).decide([(1, mask)])
    expected = []
    for split in rows.evaluator.plan.splits:
        train = split.train[Y[split.train] != 1]
        expected.append(GaussianNB().fit(X[train], Y[train]).predict(X[split.test]) == 0)
    np.testing.assert_array_equal(decided[0], np.concatenate(expected))
    assert set(Y[rows.tested]) == {0, 1, 2}


KNN = {
    "nearest, scaled": make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)),
    "five": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "by distance": make_pipeline(
        MinMaxScaler(), StandardScaler(), KNeighborsClassifier(4, weights="distance")
    ),
    "plain": KNeighborsClassifier(3),
}


@pytest.mark.parametrize("name", KNN)
@pytest.mark.parametrize("validation", [4, 0.3, StratifiedKFold(3), KFold(5)], ids=str)
def test_neighbours_decide_as_trained_classifiers_do(name, validation):
    rows = pair_rows(KNN[name], validation=validation)
    fast, slow = fastest_voter(rows), TrainedVoter(rows)
    assert isinstance(fast, NeighborVoter)
    asked = [(pair, masks(3 + pair)) for pair in range(3)]
    for got, expected in zip(fast.decide(asked), slow.decide(asked), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        KNeighborsClassifier(metric="manhattan"),
        make_pipeline(MinMaxScaler(clip=True), KNeighborsClassifier(1)),
    ],
    ids=str,
)
def test_whatever_is_no_plain_neighbour_is_trained(estimator):
    assert isinstance(fastest_voter(pair_rows(estimator)), TrainedVoter)


def test_a_pair_with_fewer_rows_than_neighbours_is_left_to_scikit_learn():
    few = np.where(np.arange(len(Y)) == 0, 5, np.where(np.arange(len(Y)) == 1, 6, Y))
    assert isinstance(fastest_voter(pair_rows(KNeighborsClassifier(3), y=few)), TrainedVoter)


def test_a_split_without_a_class_decides_for_the_other_one():
    order = np.argsort(Y, kind="stable")
    rows = pairwise.pair_rows(GaussianNB(), X[order][:130], Y[order][:130], validation=KFold(3))
    (decided,) = TrainedVoter(rows).decide([(0, masks(1))])
    first_fold = len(rows.evaluator.plan.splits[0].test)
    assert (Y[order][:first_fold] == 0).all()
    assert decided[0].shape == (130,)


def test_rows_without_a_weight_are_nobodys():
    weights = np.ones(len(Y))
    weights[::3] = 0.0
    rows = pair_rows(GaussianNB(), weights=weights)
    assert (rows.codes[::3] == -1).all()
    assert not np.isin(rows.of_pair(0), np.arange(0, len(Y), 3)).any()
    np.testing.assert_array_equal(rows.class_weights, np.bincount(Y, weights))


def test_votes_in_blocks_are_the_same(monkeypatch):
    asked = [(0, masks(9))]
    (whole,) = fastest_voter(pair_rows()).decide(asked)
    monkeypatch.setattr(_neighbor_voter, "BLOCK_VOTES", 400)
    (parts,) = fastest_voter(pair_rows()).decide(asked)
    np.testing.assert_array_equal(parts, whole)


@pytest.mark.parametrize("estimator", [GaussianNB(), KNN["five"]], ids=["trained", "neighbours"])
def test_any_number_of_jobs_gives_the_same(estimator):
    asked = [(pair, masks(2)) for pair in range(3)]
    with parallel_config("threading"):
        answers = [fastest_voter(pair_rows(estimator, n_jobs=n_jobs)).decide(asked) for n_jobs in (None, 2)]
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)
