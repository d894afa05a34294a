import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from infoprop.selection import SearchTrace
from infoprop.selection.searches._directed_search import SubsetScore, directed_steps
from reference.directed_search import directed_search as slow_search

NOBODY = np.array([], dtype=np.intp)


class Problem:
    """A deterministic score of subsets that counts how often it is asked.

    Credits are whole multiples of 1 / `grain`, so that a small grain makes many ties, drawn anew for every
    subset ("wild") or around a worth of each group ("tame").
    """

    def __init__(self, n_groups, seed, grain, is_wild):
        self.n_groups, self.seed, self.grain = n_groups, seed, grain
        self.worth = None if is_wild else np.random.default_rng(seed).random(n_groups)
        self.calls = []

    def __call__(self, groups):
        self.calls.append(tuple(groups.tolist()))
        drawn = np.random.default_rng([self.seed, *groups.tolist()]).random(len(groups))
        if self.worth is not None:
            drawn = 0.5 * self.worth[groups] + 0.5 * drawn
        credits = np.floor(drawn * (self.grain + 1)) / self.grain
        information = credits.sum()
        return SubsetScore(credits, information, information / (1.0 + information))

    def plain(self, subset):
        scored = self(np.array(subset))
        return dict(zip(subset, scored.credits.tolist(), strict=True)), scored.information


@st.composite
def searches(draw):
    n_groups = draw(st.integers(1, 12))
    n_select = draw(st.integers(1, n_groups))
    order = np.array(draw(st.permutations(range(n_groups))))
    keep = np.array(
        draw(st.lists(st.integers(0, n_groups - 1), unique=True, max_size=n_select)), dtype=np.intp
    )
    problem = Problem(
        n_groups, draw(st.integers(0, 2**32)), draw(st.sampled_from([1, 3, 10**6])), draw(st.booleans())
    )
    return problem, order, n_select, keep


def directed_search(score, orders, n_select, **given):
    steps = tuple(directed_steps(score, orders, n_select, **given))
    return SearchTrace(steps, tuple(map(str, range(len(orders[0])))), steps[-1].end or "")


def subsets(trace):
    return [tuple(step.groups.tolist()) for step in trace]


@given(searches())
def test_every_step_is_that_of_the_plain_algorithm(search):
    problem, order, n_select, keep = search
    trace = directed_search(problem, [order], n_select, keep=keep)
    asked, best, end = slow_search(problem.plain, order.tolist(), n_select, keep.tolist())
    assert subsets(trace) == asked
    assert tuple(trace.best.groups.tolist()) == best
    assert trace.end == end


@given(searches())
def test_a_run_ends_within_the_bound_of_the_paper(search):
    problem, order, n_select, keep = search
    trace = directed_search(problem, [order], n_select, keep=keep)
    assert len(trace) <= 4 * (len(order) - n_select + 1)
    assert trace.end in ("converged", "returned", "bound")


@given(searches())
def test_no_subset_is_scored_twice_and_the_best_one_is_returned(search):
    problem, order, n_select, keep = search
    trace = directed_search(problem, [order], n_select, keep=keep)
    assert len(problem.calls) == len(set(problem.calls)) == trace.n_trainings
    assert sorted(set(subsets(trace))) == sorted(problem.calls)
    most = max(problem(np.array(asked)).information for asked in set(problem.calls))
    assert trace.best.information == pytest.approx(most, abs=1e-12)


@given(searches())
def test_kept_groups_never_leave_and_every_other_one_gets_its_turn(search):
    problem, order, n_select, keep = search
    trace = directed_search(problem, [order], n_select, keep=keep)
    for asked in subsets(trace):
        assert len(asked) == n_select
        assert set(keep.tolist()) <= set(asked)
    if len(keep) < n_select:
        assert set().union(*subsets(trace)) == set(range(len(order)))
        assert not np.isnan(trace.last_credits).any()


@settings(max_examples=15)
@given(searches(), st.integers(1, 4))
def test_restarts_share_what_is_known_and_the_same_orders_give_the_same_trace(search, n_starts):
    problem, order, n_select, keep = search
    random = np.random.default_rng(0)
    orders = [order, *(random.permutation(len(order)) for _ in range(n_starts - 1))]
    trace = directed_search(problem, orders, n_select, keep=keep)
    assert len(problem.calls) == len(set(problem.calls)) == trace.n_trainings
    assert trace.n_runs == n_starts
    assert [step.run for step in trace if step.end is not None] == list(range(n_starts))
    assert trace == directed_search(problem, orders, n_select, keep=keep)
    alone = [directed_search(problem, [each], n_select, keep=keep) for each in orders]
    most = max(each.best.information for each in alone)
    assert trace.best.information == pytest.approx(most, abs=1e-12)
    assert subsets(trace) == [asked for each in alone for asked in subsets(each)]


@given(searches(), st.integers(1, 6))
def test_a_limit_on_trainings_cuts_the_same_search_short(search, max_trainings):
    problem, order, n_select, keep = search
    orders = [order, order[::-1]]
    whole = directed_search(problem, orders, n_select, keep=keep)
    cut = directed_search(problem, orders, n_select, keep=keep, max_trainings=max_trainings)
    assert cut.n_trainings == min(max_trainings, whole.n_trainings)
    assert subsets(cut) == subsets(whole)[: len(cut)]
    if len(cut) < len(whole):
        assert cut[-1].end == "max_trainings" or cut.n_runs < whole.n_runs


@given(searches(), st.floats(0.1, 0.9))
def test_a_satisfying_subset_ends_the_search_at_once(search, satisfied):
    problem, order, n_select, keep = search
    orders = [order, order[::-1]]
    whole = directed_search(problem, orders, n_select, keep=keep)
    ended = directed_search(problem, orders, n_select, keep=keep, satisfied=satisfied)
    reached = [round(step.relative_information, 12) >= satisfied for step in whole]
    assert len(ended) == (reached.index(True) + 1 if any(reached) else len(whole))
    assert (ended.end == "satisfied") == any(reached)
    if any(reached):
        assert ended.best is ended[-1]


def test_a_level_that_rounding_just_misses_still_satisfies():
    trace = directed_search(
        lambda groups: SubsetScore(np.zeros(1), 0.0, 1.0 - 1e-15),
        [np.arange(3)],
        1,
        keep=NOBODY,
        satisfied=1.0,
    )
    assert len(trace) == 1
    assert trace.end == "satisfied"


@pytest.mark.parametrize("n_select", [1, 4, 9, 10])
def test_without_any_credit_it_stops_when_all_have_been_tried(n_select):
    trace = directed_search(
        lambda groups: SubsetScore(np.zeros(len(groups)), 0.0, 0.0), [np.arange(10)], n_select, keep=NOBODY
    )
    assert trace.n_trainings == 10 - n_select + 1
    assert trace.end == "converged"
    np.testing.assert_array_equal(trace.best.groups, np.arange(n_select))


def test_all_groups_are_one_training():
    problem = Problem(5, 0, 10, True)
    trace = directed_search(problem, [np.arange(5), np.arange(5)[::-1]], 5, keep=NOBODY)
    assert trace.n_trainings == 1
    assert [step.move for step in trace] == ["start", "start"]


def test_all_slots_kept_are_one_training():
    problem = Problem(5, 0, 10, True)
    trace = directed_search(problem, [np.arange(5)], 2, keep=np.array([1, 3]))
    assert subsets(trace) == [(1, 3)]


def test_additive_worth_is_found_after_every_group_was_tried():
    worth = np.random.default_rng(0).permutation(30) / 30
    trace = directed_search(
        lambda groups: SubsetScore(worth[groups], worth[groups].sum(), 0.5), [np.arange(30)], 7, keep=NOBODY
    )
    assert set(trace.best.groups) == set(np.argsort(-worth)[:7])
    assert trace.n_trainings <= 2 * (30 - 7 + 1)


def test_equal_credits_leave_the_earlier_in_the_order_in_place():
    order = np.array([3, 1, 0, 2])
    trace = directed_search(
        lambda groups: SubsetScore(np.ones(len(groups)), 1.0, 0.5), [order], 2, keep=NOBODY
    )
    assert subsets(trace)[:3] == [(1, 3), (0, 3), (2, 3)]


def test_credits_that_differ_by_rounding_only_are_equal():
    def score(groups):
        return SubsetScore(1.0 + 1e-15 * groups, 1.0 + 1e-15 * groups.sum(), 0.5)

    trace = directed_search(score, [np.arange(6)], 2, keep=NOBODY)
    np.testing.assert_array_equal(trace.best.groups, [0, 1])
    assert trace.n_trainings == 5


def test_moves_say_how_each_subset_was_reached():
    # Group 2 shines beside group 0 alone, so its stale credit misleads the search once it is out again.
    table = {
        (0, 1): ([0.3, 0.2], 0.5),
        (0, 2): ([0.1, 0.3], 0.4),
        (0, 3): ([0.1, 0.1], 0.2),
        (1, 2): ([0.1, 0.1], 0.2),
        (1, 3): ([0.1, 0.1], 0.2),
        (2, 3): ([0.2, 0.05], 0.25),
    }

    def score(groups):
        credits, information = table[tuple(groups.tolist())]
        return SubsetScore(np.array(credits), information, information)

    trace = directed_search(score, [np.arange(4)], 2, keep=NOBODY)
    assert subsets(trace) == [(0, 1), (0, 2), (2, 3), (1, 2), (0, 1)]
    assert [step.move for step in trace] == ["start", "untested", "untested", "swap", "back"]
    assert [step.is_best for step in trace] == [True, False, False, False, False]
    assert [step.is_new for step in trace] == [True, True, True, True, False]
    assert [step.end for step in trace] == [None, None, None, None, "converged"]


def test_steps_are_made_one_by_one():
    problem = Problem(8, 1, 10**6, True)
    steps = directed_steps(problem, [np.arange(8)], 3, keep=NOBODY)
    first = next(steps)
    assert len(problem.calls) == 1
    assert first.move == "start"
    next(steps)
    assert len(problem.calls) == 2


def test_many_wild_problems_end_long_before_the_bound():
    ratios = []
    for seed in range(20):
        trace = directed_search(Problem(60, seed, 10**6, True), [np.arange(60)], 6, keep=NOBODY)
        assert trace.end != "bound"
        ratios.append(len(trace) / (60 - 6 + 1))
    assert np.mean(ratios) < 2.0
