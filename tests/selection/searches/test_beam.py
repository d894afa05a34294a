"""The forward search as an algorithm: against a plain twin, and on hand-made scores."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoprop.selection.searches._beam import beam_search, most_growths
from reference.beam import plain_forward_search

NOTHING = np.array([], dtype=int)


def table(n_groups, seed, levels=None):
    """Accuracy of every subset, at random; with few `levels` there are many ties."""
    random = np.random.default_rng(seed)
    subsets = [s for size in range(1, n_groups + 1) for s in combinations(range(n_groups), size)]
    values = random.random(len(subsets)) if levels is None else random.integers(0, levels, len(subsets)) / 10
    return {frozenset(subset): float(value) for subset, value in zip(subsets, values, strict=True)}


def grower(worth, asked=None):
    def grow(groups, candidates):
        subsets = [frozenset(groups.tolist()) | {int(candidate)} for candidate in candidates]
        if asked is not None:
            asked.extend(subsets)
        return np.array([worth[subset] for subset in subsets])

    return grow


@settings(max_examples=80)
@given(
    n_groups=st.integers(1, 6),
    beam_width=st.integers(1, 7),
    seed=st.integers(0, 10**6),
    levels=st.sampled_from([None, 3, 11]),
    n_kept=st.integers(0, 3),
    n_features_to_select=st.one_of(st.none(), st.integers(3, 6)),
)
def test_the_search_is_that_of_its_definition(
    n_groups, beam_width, seed, levels, n_kept, n_features_to_select
):
    worth, asked = table(n_groups, seed, levels), []
    keep = np.random.default_rng(seed).permutation(n_groups)[:n_kept]
    trace = beam_search(
        grower(worth, asked),
        n_groups,
        beam_width=beam_width,
        n_features_to_select=n_features_to_select,
        keep=keep,
    )
    expected = plain_forward_search(worth, n_groups, beam_width, n_features_to_select, keep.tolist())
    assert (set(trace.groups.tolist()), trace.accuracy, trace.end) == expected
    assert len(asked) == len(set(asked)) == trace.n_trainings
    assert all(set(keep.tolist()) <= subset for subset in asked)


def test_the_search_ends_when_no_larger_subset_is_strictly_better():
    worth = {subset: min(len(subset), 2) / 10 for subset in table(4, 0)}
    trace = beam_search(grower(worth), 4, keep=NOTHING)
    assert (trace.groups.tolist(), trace.end, len(trace)) == ([0, 1], "converged", 3)
    assert [level.is_better for level in trace] == [True, True, False]


def test_a_perfect_subset_ends_the_search():
    worth = {subset: 1.0 if 2 in subset else 0.5 for subset in table(4, 0)}
    trace = beam_search(grower(worth), 4, keep=NOTHING)
    assert (trace.groups.tolist(), trace.end, trace.n_trainings) == ([2], "perfect", 4)


def test_a_single_feature_is_taken_however_bad():
    worth = dict.fromkeys(table(1, 0), 0.0)
    trace = beam_search(grower(worth), 1, keep=NOTHING)
    assert (trace.groups.tolist(), trace.end) == ([0], "exhausted")


def test_a_wider_beam_finds_what_a_greedy_search_misses():
    # Two features are right together only; a third is better alone, and no better with any other.
    worth = {subset: 0.6 if 2 in subset else 0.5 for subset in table(3, 0)}
    worth[frozenset({0, 1})] = 0.9
    worth[frozenset({0, 1, 2})] = 0.8
    assert beam_search(grower(worth), 3, beam_width=1, keep=NOTHING).groups.tolist() == [2]
    assert beam_search(grower(worth), 3, beam_width=2, keep=NOTHING).groups.tolist() == [0, 1]


def test_what_is_kept_has_to_be_beaten():
    worth = {subset: 0.9 if subset == {1, 3} else 0.5 for subset in table(4, 0)}
    trace = beam_search(grower(worth), 4, keep=np.array([3, 1]))
    assert (trace.groups.tolist(), len(trace), trace.end) == ([1, 3], 2, "converged")
    assert trace[0].beam.tolist() == [[1, 3]]


def test_differences_in_the_last_bits_are_none():
    worth = {subset: 0.3 + 1e-16 * len(subset) for subset in table(3, 0)}
    worth[frozenset({2})] = 0.1 + 0.2
    assert beam_search(grower(worth), 3, keep=NOTHING).groups.tolist() == [0]


@pytest.mark.parametrize("beam_width", [1, 3])
@pytest.mark.parametrize("n_kept", [0, 1, 2])
def test_the_bound_on_growths_is_kept(beam_width, n_kept):
    grown = []
    worth = {subset: len(subset) / 10 for subset in table(5, 0)}

    def grow(groups, candidates):
        grown.append(groups)
        return grower(worth)(groups, candidates)

    beam_search(grow, 5, beam_width=beam_width, n_features_to_select=4, keep=np.arange(n_kept))
    assert len(grown) <= most_growths(5, beam_width=beam_width, n_features_to_select=4, n_kept=n_kept)
