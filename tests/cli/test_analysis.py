import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold

from infoprop._core._exceptions import DataError, ParameterError
from infoprop.cli._analysis import Holdout, analyse, check_classes, judging_rows
from infoprop.cli._choice import Choice
from infoprop.cli._classifiers import classifier_for
from infoprop.cli._options import ModelOptions
from infoprop.cli._preparation import Problem


@pytest.fixture
def wine():
    data = load_wine()
    return Problem(data.data, data.target, tuple(data.feature_names), "cultivar")


def labelled(y, is_test=None):
    return Problem(np.zeros((len(y), 1)), np.array(y), ("x",), "kind", is_test)


def pipeline(**more):
    return classifier_for(ModelOptions(**more), None, is_sparse=False)


@pytest.mark.parametrize("validation", [0.3, 4])
def test_credit_and_select_agree_on_the_credits(wine, validation):
    options = ModelOptions(validation=validation)
    plain = analyse(wine, pipeline(), options, None, lambda step: None)
    chosen = analyse(wine, pipeline(), options, Choice(count=3), lambda step: None)
    assert plain.selected is None
    assert plain.retrained is None
    np.testing.assert_allclose(plain.credits.values, chosen.credits.values, rtol=1e-9)
    np.testing.assert_array_equal(np.flatnonzero(chosen.selected), np.sort(plain.credits.ranking[:3]))
    assert chosen.retrained.n_samples == plain.credits.flow.n_samples
    assert 0 < chosen.retrained.information <= chosen.retrained.class_entropy


def test_groups_come_and_go_as_one(wine):
    owners = ("acid",) * 5 + ("colour",) * 4 + ("rest",) * 4
    grouped = Problem(wine.X, wine.y, owners, wine.target)
    finding = analyse(grouped, pipeline(), ModelOptions(), Choice(count=2), lambda step: None)
    assert finding.credits.feature_names == ("acid", "colour", "rest")
    assert finding.selected.sum() == 2
    alone = analyse(wine, pipeline(), ModelOptions(), None, lambda step: None).credits
    np.testing.assert_allclose(
        finding.credits.values,
        [alone.values[:5].sum(), alone.values[5:9].sum(), alone.values[9:].sum()],
        rtol=1e-9,
    )


def test_split_rows_are_the_only_judges(wine):
    is_test = np.arange(len(wine.y)) % 3 == 0
    problem = Problem(wine.X, wine.y, wine.owners, wine.target, is_test)
    finding = analyse(
        problem, pipeline(), ModelOptions(validation="split"), Choice(count=0.5), lambda step: None
    )
    assert finding.credits.flow.n_samples == is_test.sum()
    assert finding.retrained.n_samples == is_test.sum()
    assert finding.selected.sum() == 6


def test_steps_are_told(wine):
    told = []
    analyse(wine, pipeline(), ModelOptions(), Choice(count=2), told.append)
    assert told == ["training on 178 rows, 13 columns", "training again on the chosen features"]


def test_threshold_keeps_what_is_worth_it(wine):
    finding = analyse(wine, pipeline(), ModelOptions(), Choice(threshold=0.15), lambda step: None)
    np.testing.assert_array_equal(finding.selected, finding.credits.values >= 0.15)
    with pytest.raises(
        ParameterError, match=r"No feature is worth --threshold 5 bits; the best, '.*', has 0\."
    ):
        analyse(wine, pipeline(), ModelOptions(), Choice(threshold=5.0), lambda step: None)


def test_more_features_than_there_are_is_refused(wine):
    with pytest.raises(ParameterError, match="-k 14 asks for more features than the 13 there are"):
        analyse(wine, pipeline(), ModelOptions(), Choice(count=14), lambda step: None)


@pytest.mark.parametrize(
    ("y", "options", "error", "sentence"),
    [
        (["a"] * 9, {}, DataError, "holds a single class \\('a'\\)"),
        (np.arange(20.0), {}, DataError, "20 distinct values in 20 rows, most of them once"),
        ([0, 1] * 5, {"validation": 6}, ParameterError, "more folds than the largest class has rows"),
        ([0, 1] * 5, {"validation": 0.05}, ParameterError, "2 classes need at least 2 rows on each side"),
    ],
)
def test_rows_that_cannot_be_learned_and_judged_are_refused(y, options, error, sentence):
    with pytest.raises(error, match=sentence):
        check_classes(labelled(y), ModelOptions(**options))


def test_held_out_rows_keep_the_classes_proportions():
    problem = labelled([0] * 60 + [1] * 20)
    judging = judging_rows(problem, ModelOptions(validation=0.25))
    assert isinstance(judging, Holdout)
    assert np.bincount(problem.y[judging.judge]).tolist() == [15, 5]
    np.testing.assert_array_equal(np.sort(np.concatenate([judging.train, judging.judge])), np.arange(80))


def test_a_single_row_of_a_class_is_learned():
    judging = judging_rows(labelled([0] * 10 + [1] * 10 + [2]), ModelOptions())
    assert 20 in judging.train


def test_same_seed_draws_the_same_rows():
    problem = labelled([0, 1] * 30)
    first, second = (judging_rows(problem, ModelOptions(seed=3)) for _ in range(2))
    other = judging_rows(problem, ModelOptions(seed=4))
    np.testing.assert_array_equal(first.judge, second.judge)
    assert first.judge.tolist() != other.judge.tolist()
    assert isinstance(judging_rows(problem, ModelOptions(validation=3)), StratifiedKFold)


def test_one_class_to_learn_from_is_refused():
    problem = labelled([0, 0, 1, 1], np.array([False, False, True, True]))
    with pytest.raises(DataError, match="training rows of the split column hold a single class"):
        judging_rows(problem, ModelOptions(validation="split"))
