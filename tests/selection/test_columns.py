import numpy as np
import pytest

from infoprop.credit import FeatureCredits
from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow
from infoprop.selection._columns import check_size, choose_columns

NAMES = ("a", "b", "c", "d", "e")
CREDITS = np.array([0.1, 0.3, 0.0, 0.3, 0.2]) / 0.9


def credits_of(values, groups):
    """Credits of a two-class problem whose classes pay alike, in the proportions of `values`."""
    flow = InformationFlow.from_confusion(np.eye(2), labels=[0, 1])
    shares = np.tile(values / values.sum(), (2, 1))
    return FeatureCredits.from_shares(flow, shares, NAMES).grouped(groups)


def chosen(credits=CREDITS, *, groups=None, keep=None, n_features_to_select=None, threshold=None):
    choice = choose_columns(groups, keep, n_features_to_select, threshold, NAMES)
    numbers = choice.best(credits_of(credits, groups))
    return np.flatnonzero(choice.support(numbers)).tolist()


def test_the_best_are_chosen_and_ties_go_to_the_lower_number():
    assert chosen(n_features_to_select=1) == [1]
    assert chosen(n_features_to_select=3) == [1, 3, 4]
    assert chosen(n_features_to_select=5) == [0, 1, 2, 3, 4]


def test_half_is_the_default_and_fractions_round_down_to_at_least_one():
    assert chosen() == [1, 3]
    assert chosen(n_features_to_select=0.79) == [1, 3, 4]
    assert chosen(n_features_to_select=0.01) == [1]
    assert chosen(n_features_to_select=1.0) == [0, 1, 2, 3, 4]


def test_a_threshold_keeps_what_reaches_it_and_at_least_one():
    assert chosen(threshold=0.2) == [1, 3, 4]
    assert chosen(threshold=0.0) == [0, 1, 2, 3, 4]
    assert chosen(threshold=9.0) == [1]


def test_kept_columns_count():
    assert chosen(keep="c", n_features_to_select=2) == [1, 2]
    assert chosen(keep=[2, "a"], n_features_to_select=2) == [0, 2]
    assert chosen(keep=["c"], threshold=0.3) == [1, 2, 3]
    assert chosen(keep=["c"], threshold=9.0) == [2]


def test_groups_come_and_go_together():
    groups = [["a", "b"], ["c", "d"]]
    assert chosen(groups=groups, n_features_to_select=1) == [0, 1]
    assert chosen(groups=groups, n_features_to_select=2) == [0, 1, 2, 3]
    assert chosen(groups=groups, keep=["c"], n_features_to_select=1) == [2, 3]
    assert chosen(groups=groups, threshold=0.4) == [0, 1]


def test_ranks_are_one_for_the_chosen_and_then_by_credit_of_the_group():
    choice = choose_columns([["a", "b"]], None, 1, None, NAMES)
    credits = credits_of(CREDITS, choice.groups)
    ranking = choice.ranking(choice.best(credits), choice.order(credits))
    assert ranking.tolist() == [1, 1, 4, 2, 3]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features_to_select": 6}, "n_features_to_select=6 is more than the features there are"),
        ({"n_features_to_select": 5, "groups": [[0, 1]]}, r"more than the groups there are \(n_groups=4\)"),
        ({"n_features_to_select": 1, "keep": ["a", "b"]}, "'keep' holds 2 features"),
        ({"keep": ["z"]}, "no column 'z'"),
        ({"keep": 7}, "no column 7"),
    ],
)
def test_what_the_columns_cannot_give_is_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        chosen(**parameters)


@pytest.mark.parametrize("size", [0, -1, 0.0, 1.5, -0.5, "half", True, np.nan])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(ParameterError, match="n_features_to_select"):
        check_size(size, None, "CreditSelector")


@pytest.mark.parametrize("threshold", [-0.1, "mean", np.inf])
def test_impossible_thresholds_are_refused(threshold):
    with pytest.raises(ParameterError, match="threshold"):
        check_size(None, threshold, "CreditSelector")


def test_a_size_and_a_threshold_contradict_each_other():
    with pytest.raises(ParameterError, match="not both"):
        check_size(3, 0.1, "CreditSelector")


def test_auto_leaves_the_number_to_the_search():
    choice = choose_columns(None, ["b", "e"], "auto", None, NAMES)
    assert choice.n_select is None
    assert choice.fewest == 2
    assert choose_columns(None, None, "auto", None, NAMES).fewest == 1
    check_size("auto", None, "SomeSelector", may_be_auto=True)
    with pytest.raises(ParameterError, match="one of 'auto'"):
        check_size("most", None, "SomeSelector", may_be_auto=True)
    with pytest.raises(ParameterError, match="n_features_to_select"):
        check_size("auto", None, "SomeSelector")


def test_values_of_some_columns_are_summed_over_their_groups():
    choice = choose_columns([["a", "d"], ["b", "c"]], None, 1, None, NAMES)
    sums = choice.group_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 3]))
    np.testing.assert_array_equal(sums, [5.0, 2.0, 0.0])
