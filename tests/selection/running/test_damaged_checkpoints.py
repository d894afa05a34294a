"""Every search that keeps a checkpoint refuses one that is damaged, before it trains anything."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

from infoprop.datasets import make_led24
from infoprop.exceptions import ParameterError
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import (
    BackwardEliminationSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    compare_selectors,
)
from infoprop.svm import OneVsRestSVC

X, Y = make_led24(60, random_state=0, return_X_y=True)
X, Y = X[:, :5], Y % 3
MACHINES = OneVsRestSVC(kernel="linear")
SEARCHES = {
    "backward": BackwardEliminationSelector(MACHINES, n_features_to_select=2),
    "directed": DirectedSearchSelector(MACHINES, n_features_to_select=2),
    "forward": ForwardBeamSelector(GaussianNB(), beam_width=1, n_features_to_select=2),
    "genetic": GeneticSelector(GaussianNB(), population_size=4, n_generations=2),
    "pairwise": PairwiseClassifier(GaussianNB(), selector=ForwardBeamSelector(beam_width=1)),
    "genetic pairs": PairwiseClassifier(
        GaussianNB(), selector=GeneticSelector(population_size=4, n_generations=2)
    ),
}
DAMAGES = {
    "records": "UPDATE steps SET record = '{\"columns\": [0]}' WHERE number = 1",
    "state": "INSERT INTO state VALUES ('more', '<f8', '1', zeroblob(8))",
    "structure": "DROP TABLE steps",
}


def search(name, checkpoint):
    """Search, and keep it."""
    if name == "comparison":
        methods = {"F": SelectKBest()}
        return compare_selectors(
            methods,
            X,
            Y,
            estimator=GaussianNB(),
            sizes=[2],
            validation=2,
            random_state=0,
            checkpoint=checkpoint,
        )
    return clone(SEARCHES[name]).set_params(random_state=0, checkpoint=checkpoint).fit(X, Y)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Checkpoints of finished searches, as bytes."""
    folder, known = tmp_path_factory.mktemp("kept"), {}

    def content(name):
        if name not in known:
            search(name, folder / name)
            known[name] = (folder / name).read_bytes()
        return known[name]

    return content


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", [*SEARCHES, "comparison"])
def test_damaged_checkpoint_is_refused_before_any_training(tmp_path, monkeypatch, kept, name, damage):
    path = tmp_path / "journal"
    path.write_bytes(kept(name))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(DAMAGES[damage])
    before = path.read_bytes()
    for classifier in (GaussianNB, OneVsRestSVC, SelectKBest):
        monkeypatch.setattr(classifier, "fit", lambda *_, **__: pytest.fail("it was trained"))
    with pytest.raises(
        ParameterError, match=r"it is damaged \(.*\)\. It was left as it is\. Give another path"
    ):
        search(name, path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["journal"]


def test_what_stands_beside_a_checkpoint_of_pairs_stays_if_it_is_none(tmp_path):
    (tmp_path / "journal.pair0").write_text("mine")
    model = PairwiseClassifier(GaussianNB(), selector=SelectKBest(k=2), checkpoint=tmp_path / "journal")
    for _ in range(2):
        model.fit(X, Y)
        assert (tmp_path / "journal.pair0").read_text() == "mine"
    assert np.isin(model.predict(X), Y).all()
