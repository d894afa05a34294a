"""What an analysis finds: credits, a choice, and what the chosen features deliver alone."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.datasets import load_table
from infoprop.exceptions import ParameterError
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import CreditSelector, ForwardBeamSelector, GeneticSelector
from infoprop.svm import OneVsRestSVC
from infoprop.workflow import analyse

X, Y = load_wine(return_X_y=True, as_frame=True)
NAMES = tuple(X.columns)
GROUPS = {"acid": list(NAMES[:5]), "colour": list(NAMES[5:9]), "rest": list(NAMES[9:])}
OWNERS = ("acid",) * 5 + ("colour",) * 4 + ("rest",) * 4
PAIRS_OF_NEIGHBOURS = PairwiseClassifier(KNeighborsClassifier(1))


def analysed(method=None, **more):
    """An analysis of all rows."""
    return analyse(X, Y, method=method, **more)


def search(method, **fewer):
    if method == "genetic":
        return GeneticSelector(**{"n_generations": 3, "population_size": 6} | fewer)
    return ForwardBeamSelector(beam_width=1)


@pytest.fixture
def parted(tmp_path):
    """Make a table of these rows, some of which only judge."""

    def made(rows, is_test):
        path = tmp_path / "wine.csv"
        rows.assign(cultivar=Y, split=np.where(is_test, "test", "train")).to_csv(path, index=False)
        return load_table(path, "cultivar", split="split")

    return made


@pytest.mark.parametrize("validation", [0.3, 4])
def test_credits_are_the_same_with_and_without_a_choice(validation):
    plain = analysed(validation=validation)
    chosen = analysed("credit", n_features_to_select=3, validation=validation)
    assert plain.finding.selected is None
    assert plain.finding.retrained is None
    np.testing.assert_allclose(plain.credits.values, chosen.credits.values, rtol=1e-9)
    assert set(chosen.chosen) == {NAMES[k] for k in plain.credits.ranking[:3]}
    assert chosen.judgement.n_samples == plain.credits.flow.n_samples
    assert 0 < chosen.judgement.information <= chosen.judgement.class_entropy


def test_groups_come_and_go_as_one():
    found = analysed("credit", n_features_to_select=2, groups=GROUPS)
    assert found.credits.feature_names == ("acid", "colour", "rest")
    assert len(found.chosen) == 2
    # By the papers' rule a group has the sum of its columns; by covariance it is one contribution.
    together = analysed(sharing="margin", groups=GROUPS).credits.values
    alone = analysed(sharing="margin").credits.values
    np.testing.assert_allclose(together, [alone[:5].sum(), alone[5:9].sum(), alone[9:].sum()], rtol=1e-9)


def test_split_rows_are_the_only_judges(parted):
    is_test = np.arange(len(Y)) % 3 == 0
    found = analyse(parted(X, is_test), method="credit", n_features_to_select=0.5, validation="split")
    assert found.credits.flow.n_samples == found.judgement.n_samples == is_test.sum()
    assert len(found.chosen) == 6


def test_threshold_keeps_what_is_worth_it():
    found = analysed(CreditSelector(threshold=0.15))
    assert set(found.chosen) == {name for name, bits in found.credits.top(13) if bits >= 0.15}
    with pytest.raises(
        ParameterError, match=r"No feature is worth threshold 5 bits; the best, '.*', has 0\."
    ):
        analysed(CreditSelector(threshold=5.0))


def test_more_features_than_there_are_is_refused():
    with pytest.raises(
        ParameterError, match="n_features_to_select 14 asks for more features than the 13 there are"
    ):
        analysed("credit", n_features_to_select=14)


@pytest.mark.parametrize("validation", [0.3, 4])
@pytest.mark.parametrize("method", ["forward", "genetic"])
def test_neighbours_choose_without_credits(method, validation):
    finding = analysed(search(method), classifier="knn", validation=validation).finding
    assert finding.credits is None
    assert finding.names == NAMES
    assert finding.flow.n_samples == finding.retrained.n_samples
    assert finding.measure.values.shape == finding.selected.shape == (13,)
    assert finding.places[finding.selected].tolist() == [1] * finding.selected.sum()
    assert list(finding.searches) == [{"forward": "beam", "genetic": "evolution"}[method]]


def test_held_out_rows_take_no_part_in_a_forward_search(parted):
    is_test = np.arange(len(Y)) % 4 == 0
    one, two = (
        analyse(parted(rows, is_test), method=search("forward"), classifier="knn", validation="split").chosen
        for rows in (X, X * ~is_test[:, None])
    )
    assert one == two


@pytest.mark.parametrize("validation", [0.3, 4])
@pytest.mark.parametrize("method", ["forward", "genetic"])
def test_every_pair_of_classes_gets_features(method, validation):
    how = search(method, n_generations=2, population_size=4)
    found = analysed(how, classifier=PAIRS_OF_NEIGHBOURS, validation=validation)
    finding, pairs = found.finding, found.finding.searches["pairs"]
    assert pairs.pairs_.feature_names == NAMES
    assert set(pairs.pairs_[0].features) <= set(NAMES)
    np.testing.assert_array_equal(finding.measure.values, pairs.pairs_.support.sum(axis=0))
    np.testing.assert_array_equal(finding.selected, pairs.pairs_.support.any(axis=0))
    assert (finding.searches["evolution"] is not None) == (method == "genetic")
    model = found.model()
    np.testing.assert_array_equal(model.pairs_.support, pairs.pairs_.support)
    assert model.pairs_[0].n_rows == (Y < 2).sum()


@pytest.mark.parametrize(
    "how", [ForwardBeamSelector(n_features_to_select=1), search("genetic", n_generations=2)], ids=str
)
def test_pairs_keep_groups_whole(how):
    finding = analysed(how, classifier=PAIRS_OF_NEIGHBOURS, groups=GROUPS).finding
    for pair in finding.pairs.pairs_:
        assert len(pair.columns) == sum(OWNERS.count(owner) for owner in {OWNERS[k] for k in pair.columns})
    trace = finding.searches["evolution"]
    assert trace is None or trace.names == ("acid", "colour", "rest")


def test_model_is_trained_on_all_rows_of_the_chosen_columns():
    found = analysed("credit", n_features_to_select=1, groups=GROUPS)
    assert found.chosen == (found.credits.top(1)[0][0],)
    rows = X[GROUPS[found.chosen[0]]].to_numpy()
    alone = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear")).fit(rows, Y)
    np.testing.assert_array_equal(found.model().predict(rows), alone.predict(rows))
