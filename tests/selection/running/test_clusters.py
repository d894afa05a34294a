"""Searches on a cluster end with the bits of a search in one process, whatever happens to its workers."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import scale

from infoprop._core._cluster import is_in_worker
from infoprop.credit import cross_val_credits
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    KnockoffSelector,
    StabilitySelector,
    compare_selectors,
)
from reference.cluster import cluster_of

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")

X, Y = load_wine(return_X_y=True)
X = scale(X)[:, :6]
PLACES = []


class NotedRidge(RidgeClassifier):
    """Notes for each training whether a worker does it."""

    def fit(self, X, y, sample_weight=None):
        PLACES.append(is_in_worker())
        return super().fit(X, y, sample_weight)


RIDGE = NotedRidge()


def learned(estimator):
    """What fit learned, as bytes."""
    fitted = estimator.fit(X, Y)
    names = [name for name in ("support_", "ranking_", "validated_accuracy_") if hasattr(fitted, name)]
    found = {name: np.asarray(getattr(fitted, name)).tobytes() for name in names}
    if hasattr(fitted, "path_"):
        found["information"] = fitted.path_.information.tobytes()
    return {**found, "predicted": fitted.predict(X).tobytes()}


def compared(n_jobs):
    methods = {"credit": CreditSelector(RIDGE), "F": SelectKBest()}
    found = compare_selectors(
        methods,
        X,
        Y,
        estimator=RIDGE,
        sizes=[2],
        validation=3,
        inner_validation=None,
        random_state=0,
        n_jobs=n_jobs,
    )
    return found.to_frame()[["method", "size", "accuracy", "stability"]].to_csv()


ESTIMATORS = {
    "credit": CreditSelector(RIDGE, validation=3, random_state=0),
    "backward": BackwardEliminationSelector(RIDGE, n_features_to_select=4, validation=3, random_state=0),
    "directed": DirectedSearchSelector(
        RIDGE, n_features_to_select=2, n_starts=3, validation=3, random_state=0
    ),
    "forward": ForwardBeamSelector(RIDGE, n_features_to_select=2, validation=3, random_state=0),
    "genetic": GeneticSelector(RIDGE, population_size=5, n_generations=2, validation=3, random_state=0),
    "stability": StabilitySelector(RIDGE, n_pairs=3, n_features_to_select=2, random_state=0),
    "knockoffs": KnockoffSelector(RIDGE, n_draws=2, n_features_to_select=2, random_state=0),
    "pairs": PairwiseClassifier(RIDGE, selector=SelectKBest(k=3), validation=3, random_state=0),
}


@pytest.fixture(scope="module")
def threads():
    """A cluster that costs next to nothing: its workers are threads."""
    with cluster_of(3, processes=False) as client:
        yield client


def on_workers(call):
    """What `call` gives on the cluster; all but one training, that of the result, are done by workers."""
    PLACES.clear()
    found = call()
    assert PLACES.count(True) >= 3
    assert PLACES.count(False) <= 1
    return found


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_cluster_gives_the_same_bits(threads, name):
    here = pickle.loads(pickle.dumps(ESTIMATORS[name])).set_params(n_jobs=1)
    assert on_workers(lambda: learned(ESTIMATORS[name])) == learned(here)


def test_a_comparison_on_a_cluster_gives_the_same_numbers(threads):
    assert on_workers(lambda: compared(None)) == compared(1)


def test_credits_of_folds_on_a_cluster_have_the_same_bits(threads):
    there = on_workers(lambda: cross_val_credits(RIDGE, X, Y, validation=3))
    here = cross_val_credits(RIDGE, X, Y, validation=3, n_jobs=1)
    assert there.by_class.tobytes() == here.by_class.tobytes()
