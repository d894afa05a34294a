import numpy as np
import pytest
from sklearn.datasets import load_wine

from infoprop.exceptions import ParameterError
from infoprop.workflow._analysis import chosen_columns, find, trained_model
from infoprop.workflow._choice import Choice
from infoprop.workflow._classifiers import learner_for, prepared
from infoprop.workflow._options import ModelOptions
from infoprop.workflow._preparation import Problem
from infoprop.workflow._request import Request, Task
from infoprop.workflow._selectors import selector_for
from infoprop.workflow._steps import Steps


@pytest.fixture
def wine():
    data = load_wine()
    return Problem(data.data, data.target, tuple(data.feature_names), "cultivar")


class Told(Steps):
    """Remembers what it was told."""

    def __init__(self):
        self.told = []

    def begin(self, what):
        self.told.append(what)

    begin_aside = begin


def pipeline(options=None):
    return prepared(learner_for(options or ModelOptions()))


def analyse(problem, options=None, choice=None, steps=None):
    """What `find` says of options as the command line has them."""
    options = options or ModelOptions()
    request = Request(
        None if choice is None else selector_for(choice, options.sharing),
        classifier=learner_for(options),
        validation=options.validation,
        sharing=options.credit_sharing,
    )
    return find(problem, Task.of(request), steps or Steps())


@pytest.mark.parametrize("validation", [0.3, 4])
def test_credit_and_select_agree_on_the_credits(wine, validation):
    options = ModelOptions(validation=validation)
    plain = analyse(wine, options, None)
    chosen = analyse(wine, options, Choice(count=3))
    assert plain.selected is None
    assert plain.retrained is None
    np.testing.assert_allclose(plain.credits.values, chosen.credits.values, rtol=1e-9)
    np.testing.assert_array_equal(np.flatnonzero(chosen.selected), np.sort(plain.credits.ranking[:3]))
    assert chosen.retrained.n_samples == plain.credits.flow.n_samples
    assert 0 < chosen.retrained.information <= chosen.retrained.class_entropy


def test_groups_come_and_go_as_one(wine):
    owners = ("acid",) * 5 + ("colour",) * 4 + ("rest",) * 4
    grouped = Problem(wine.X, wine.y, owners, wine.target)
    finding = analyse(grouped, None, Choice(count=2))
    assert finding.credits.feature_names == ("acid", "colour", "rest")
    assert finding.selected.sum() == 2
    # By the papers' rule a group has the sum of its columns; by covariance it is one contribution.
    margin = ModelOptions(sharing="margin")
    together = analyse(grouped, margin, None).credits
    alone = analyse(wine, margin, None).credits
    np.testing.assert_allclose(
        together.values,
        [alone.values[:5].sum(), alone.values[5:9].sum(), alone.values[9:].sum()],
        rtol=1e-9,
    )


def test_split_rows_are_the_only_judges(wine):
    is_test = np.arange(len(wine.y)) % 3 == 0
    problem = Problem(wine.X, wine.y, wine.owners, wine.target, is_test)
    finding = analyse(problem, ModelOptions(validation="split"), Choice(count=0.5))
    assert finding.credits.flow.n_samples == is_test.sum()
    assert finding.retrained.n_samples == is_test.sum()
    assert finding.selected.sum() == 6


def test_steps_are_told(wine):
    steps = Told()
    analyse(wine, None, Choice(count=2), steps)
    assert steps.told == ["training on 178 rows, 13 columns", "training again on the chosen features"]


def test_threshold_keeps_what_is_worth_it(wine):
    finding = analyse(wine, None, Choice(threshold=0.15))
    np.testing.assert_array_equal(finding.selected, finding.credits.values >= 0.15)
    with pytest.raises(
        ParameterError, match=r"No feature is worth threshold 5 bits; the best, '.*', has 0\."
    ):
        analyse(wine, None, Choice(threshold=5.0))


def test_more_features_than_there_are_is_refused(wine):
    with pytest.raises(
        ParameterError, match="n_features_to_select 14 asks for more features than the 13 there are"
    ):
        analyse(wine, None, Choice(count=14))


@pytest.mark.parametrize("validation", [0.3, 4])
@pytest.mark.parametrize("method", ["forward", "genetic"])
def test_neighbours_choose_without_credits(wine, method, validation):
    options = ModelOptions("knn", validation=validation)
    choice = Choice(
        method=method, **({"generations": 3, "population": 6} if method == "genetic" else {"beam": 1})
    )
    finding = analyse(wine, options, choice)
    assert finding.credits is None
    assert finding.names == wine.owners
    assert finding.flow.n_samples == finding.retrained.n_samples
    assert finding.measure.values.shape == finding.selected.shape == (13,)
    assert finding.places[finding.selected].tolist() == [1] * finding.selected.sum()
    assert list(finding.searches) == [{"forward": "beam", "genetic": "evolution"}[method]]


def test_held_out_rows_take_no_part_in_a_forward_search(wine):
    options = ModelOptions("knn", validation="split")
    is_test = np.arange(len(wine.y)) % 4 == 0
    spoiled = np.where(is_test[:, None], 0.0, wine.X)
    found = [
        analyse(
            Problem(X, wine.y, wine.owners, wine.target, is_test),
            options,
            Choice(method="forward", beam=1),
        ).selected
        for X in (wine.X, spoiled)
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("validation", [0.3, 4])
@pytest.mark.parametrize("method", ["forward", "genetic"])
def test_every_pair_of_classes_gets_features(wine, method, validation):
    options = ModelOptions("pairwise", member="knn", validation=validation)
    choice = Choice(
        method=method, **({"generations": 2, "population": 4} if method == "genetic" else {"beam": 1})
    )
    finding = analyse(wine, options, choice)
    pairs = finding.searches["pairs"]
    assert pairs.pairs_.feature_names == wine.owners
    assert set(pairs.pairs_[0].features) <= set(wine.owners)
    np.testing.assert_array_equal(finding.measure.values, pairs.pairs_.support.sum(axis=0))
    np.testing.assert_array_equal(finding.selected, pairs.pairs_.support.any(axis=0))
    assert (finding.searches["evolution"] is not None) == (method == "genetic")
    model = trained_model(wine, pipeline(options), finding)
    np.testing.assert_array_equal(model.pairs_.support, pairs.pairs_.support)
    assert model.pairs_[0].n_rows == (wine.y < 2).sum()


@pytest.mark.parametrize(
    "choice", [Choice(method="forward", count=1), Choice(method="genetic", generations=2, population=6)]
)
def test_pairs_keep_nominal_features_whole(wine, choice):
    owners = ("acid",) * 5 + ("colour",) * 4 + ("rest",) * 4
    options = ModelOptions("pairwise", member="knn")
    grouped = Problem(wine.X, wine.y, owners, wine.target)
    finding = analyse(grouped, options, choice)
    for pair in finding.pairs.pairs_:
        assert len(pair.columns) == sum(owners.count(feature) for feature in set(pair.features))
    trace = finding.searches["evolution"]
    assert trace is None or trace.names == ("acid", "colour", "rest")


def test_model_is_trained_on_all_rows_of_the_chosen_columns(wine):
    owners = ("acid",) * 5 + ("colour",) * 4 + ("rest",) * 4
    grouped = Problem(wine.X, wine.y, owners, wine.target)
    finding = analyse(grouped, None, Choice(count=1))
    columns = chosen_columns(grouped, finding.selected)
    assert {owners[column] for column in columns} == {finding.credits.top(1)[0][0]}
    model = trained_model(grouped, pipeline(), finding)
    alone = pipeline().fit(wine.X[:, columns], wine.y)
    np.testing.assert_array_equal(model.predict(wine.X[:, columns]), alone.predict(wine.X[:, columns]))
