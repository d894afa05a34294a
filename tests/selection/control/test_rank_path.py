import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.selection import RankStability
from infoprop.selection.control._rank_path import size_weights
from reference.control import expected_false_positives, q_values


def drawn_ranks(seed, n_pairs, n_features, n_stable):
    """Ranks in which some features are always near the top."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(2 * n_pairs, n_features))
    values[:, :n_stable] += 3.0
    return (-values).argsort(axis=1).argsort(axis=1) + 1


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 12), st.integers(0, 4), st.integers(3, 5))
def test_estimates_are_those_of_the_formulas(seed, n_pairs, n_features, n_stable, exponent):
    ranks = drawn_ranks(seed, n_pairs, n_features, n_stable)
    stability = RankStability(tuple("abcdefghijkl"[:n_features]), ranks, exponent=exponent)
    expected = expected_false_positives(ranks.tolist(), exponent)
    np.testing.assert_allclose(stability.false_positives, expected, rtol=1e-9)
    np.testing.assert_allclose(stability.q_values, q_values(stability.false_positives.tolist()), rtol=1e-9)
    assert (stability.scores >= 0.0).all()
    assert (stability.scores <= 1.0).all()


def test_names_of_features_do_not_matter_but_ranks_do():
    ranks = drawn_ranks(0, 10, 20, 3)
    order = np.random.default_rng(1).permutation(20)
    plain = RankStability(tuple(map(str, range(20))), ranks)
    moved = RankStability(tuple(map(str, order)), ranks[:, order])
    np.testing.assert_array_equal(moved.q_values, plain.q_values[order])
    assert set(plain.best_first[:3]) == {0, 1, 2}


def test_features_that_are_kept_are_not_ranked():
    ranks = np.insert(drawn_ranks(0, 5, 8, 2), 3, 0, axis=1)
    stability = RankStability(tuple("abcdefghi"), ranks)
    alone = RankStability(tuple("abcefghi"), np.delete(ranks, 3, axis=1))
    assert np.isnan(stability.q_values[3])
    assert np.isnan(stability.frequencies(4)[3])
    np.testing.assert_array_equal(np.delete(stability.q_values, 3), alone.q_values)
    assert stability.best_first[0] == 3
    frame = stability.to_frame()
    assert list(frame.columns) == ["feature", "score", "false_positives", "q_value", "mean_rank"]
    assert len(frame) == 9


def test_more_pairs_allow_more_sizes():
    few, many = size_weights(500, 5)[0], size_weights(500, 50)[0]
    assert len(many) > len(few)
    assert few.sum() == pytest.approx(1.0)
    assert [len(part) for part in size_weights(0, 5)] == [0, 0]
