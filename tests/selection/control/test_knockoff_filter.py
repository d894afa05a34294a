import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.selection import KnockoffStatistics
from infoprop.selection.control._knockoff_filter import threshold
from reference.control import chosen_by_e_values, e_values, knockoff_threshold

statistics = st.lists(st.integers(-6, 9), min_size=1, max_size=12)
levels = st.sampled_from([0.1, 0.2, 0.35, 0.5, 0.9])
numbers = st.sampled_from([1, 2, 5])


def found(draws, level, n_knockoffs):
    W = np.array(draws, dtype=float)
    names, is_tested = tuple(map(str, range(W.shape[1]))), np.ones(W.shape[1], dtype=bool)
    return KnockoffStatistics(names, W, is_tested, level, n_knockoffs)


@given(statistics, levels, numbers)
def test_one_draw_is_knockoff_plus(W, level, n_knockoffs):
    filtered = found([W], level, n_knockoffs)
    T = knockoff_threshold(W, level, n_knockoffs)
    assert threshold(np.array(W, dtype=float), level, n_knockoffs) == T
    assert filtered.chosen.tolist() == [j for j, w in enumerate(W) if w >= T]
    np.testing.assert_array_equal(np.flatnonzero(filtered.q_values <= level), filtered.chosen)
    assert (filtered.q_values <= 1.0).all()


@given(st.integers(1, 8), st.integers(2, 4), st.integers(0, 10**6), levels, numbers)
def test_several_draws_are_put_together_by_e_values(n_features, n_draws, seed, level, n_knockoffs):
    draws = np.random.default_rng(seed).integers(-3, 9, size=(n_draws, n_features)).tolist()
    filtered = found(draws, level, n_knockoffs)
    expected = e_values(draws, level, n_knockoffs)
    np.testing.assert_allclose(filtered.e_values, expected, atol=1e-12)
    assert filtered.chosen.tolist() == chosen_by_e_values(filtered.e_values.tolist(), level)


def test_what_is_kept_is_not_tested():
    W = np.array([[0.0, 9, 8, 7, -1]])
    is_tested = np.array([False, True, True, True, True])
    filtered = KnockoffStatistics(tuple("abcde"), W, is_tested, 0.5)
    assert np.isnan(filtered.q_values[0])
    assert filtered.chosen.tolist() == [1, 2, 3]
    assert filtered.best_first.tolist() == [0, 1, 2, 3, 4]
    assert filtered.e_values[1] == pytest.approx(4.0)
    assert list(filtered.to_frame().columns) == ["feature", "W", "e_value", "q_value"]
    assert "n_chosen=3" in repr(filtered)


@pytest.mark.parametrize("n_knockoffs", [1, 2, 5])
@pytest.mark.parametrize("n_real", [0, 8])
def test_false_discoveries_are_within_the_level(n_knockoffs, n_real):
    """A false feature is the best of its versions with probability 1 / (K + 1), whatever the sizes are."""
    generator, level, n_draws, n_features = np.random.default_rng(0), 0.25, 2000, 60
    rates = np.empty(n_draws)
    for draw in range(n_draws):
        sizes = generator.exponential(size=n_features)
        is_best = generator.integers(n_knockoffs + 1, size=n_features) == 0
        W = np.where(is_best, sizes, -sizes)
        W[:n_real] = 1.0 + sizes[:n_real]
        chosen = np.flatnonzero(threshold(W, level, n_knockoffs) <= W)
        rates[draw] = (chosen >= n_real).sum() / max(1, len(chosen))
    error = rates.std() / np.sqrt(n_draws)
    assert rates.mean() <= level + 2.0 * error
    # A filter that stays far below its level wastes what may be found.
    assert n_real == 0 or rates.mean() > 0.5 * level
