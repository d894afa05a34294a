from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from infoprop.pairwise._voting import class_pairs, class_votes, elected, larger_first, vote_weights
from reference.pairwise import voted


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_every_two_classes_are_a_pair_once(n_classes):
    first, second = class_pairs(n_classes)
    assert list(zip(first, second, strict=True)) == list(combinations(range(n_classes), 2))
    assert len(first) == (n_classes**2 - n_classes) // 2


@given(st.integers(2, 6), st.data())
def test_votes_are_counted_as_by_hand(n_classes, data):
    first, second = class_pairs(n_classes)
    n_pairs = len(first)
    choice = st.lists(st.booleans(), min_size=n_pairs, max_size=n_pairs)
    is_first = np.array(data.draw(choice))
    weight = st.sampled_from([0.5, 0.7, 1.0])
    weights = np.array(data.draw(st.lists(weight, min_size=n_pairs, max_size=n_pairs)))
    sizes = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n_classes, max_size=n_classes)))
    votes = class_votes(is_first[:, None], weights, first, second, n_classes)
    assert votes.sum() == pytest.approx(weights.sum())
    pairs = list(combinations(range(n_classes), 2))
    decisions = {pair: pair[0] if won else pair[1] for pair, won in zip(pairs, is_first, strict=True)}
    expected = voted(decisions, dict(zip(pairs, weights, strict=True)), sizes)
    assert elected(votes, larger_first(sizes.astype(float)))[0] == expected


def test_a_circle_goes_to_the_largest_class_then_to_the_first():
    circle = np.array([[True], [False], [True]])
    votes = class_votes(circle, np.ones(3), *class_pairs(3), 3)
    assert votes.tolist() == [[1.0, 1.0, 1.0]]
    assert elected(votes, larger_first(np.array([3.0, 4.0, 5.0])))[0] == 2
    assert elected(votes, larger_first(np.array([5.0, 5.0, 4.0])))[0] == 0


def test_many_elections_are_held_at_once():
    random = np.random.default_rng(0)
    decisions, weights = random.random((4, 6, 9)) < 0.5, random.random((4, 6))
    together = class_votes(decisions, weights, *class_pairs(4), 4)
    assert together.shape == (4, 9, 4)
    for number in range(4):
        alone = class_votes(decisions[number], weights[number], *class_pairs(4), 4)
        np.testing.assert_array_equal(together[number], alone)


def test_weights_that_differ_in_their_last_bits_are_a_tie():
    votes = np.array([[0.1 + 0.2, 0.3, 0.0]])
    assert elected(votes, np.array([1, 0, 2]))[0] == 1


def test_a_pair_that_nobody_could_judge_counts_as_a_guess():
    assert vote_weights(np.array([np.nan, 1.0])).tolist() == [0.5, 1.0]
