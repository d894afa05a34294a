"""Stability: the published estimator, its limits, its invariances, its interval."""

from statistics import NormalDist

import numpy as np
import pytest

from infoprop.exceptions import DataError, ParameterError
from infoprop.selection import Stability, selection_stability
from reference.stability import jackknife_variance, stability_by_pairs, stability_variance


def random_sets(seed, n_sets=12, n_features=15, alike=0.5):
    """Sets of different sizes that share a core."""
    generator = np.random.default_rng(seed)
    core = generator.random(n_features) < 0.4
    drawn = generator.random((n_sets, n_features)) < generator.uniform(0.1, 0.6, size=(n_sets, 1))
    return np.where(generator.random((n_sets, n_features)) < alike, core, drawn)


@pytest.mark.parametrize("seed", range(5))
def test_value_and_interval_are_those_of_the_slow_twin(seed):
    sets = random_sets(seed)
    stability = selection_stability(sets, confidence=0.8)
    value = stability_by_pairs(sets)
    reach = NormalDist().inv_cdf(0.9) * stability_variance(sets) ** 0.5
    assert stability.value == pytest.approx(value, abs=1e-12)
    assert stability.lower == pytest.approx(value - reach, abs=1e-12)
    assert stability.upper == pytest.approx(value + reach, abs=1e-12)
    assert stability.n_sets == 12


@pytest.mark.parametrize("seed", range(5))
def test_variance_is_near_that_of_leaving_sets_out(seed):
    # Sets of different sizes: a wrong sign in the term that holds the sizes would show.
    sets = random_sets(seed, n_sets=200, alike=0.7)
    assert stability_variance(sets) == pytest.approx(jackknife_variance(sets), rel=0.05)


def test_equal_sets_have_stability_one_and_an_interval_without_width():
    assert selection_stability([[1, 0, 1, 0, 0]] * 4) == Stability(1.0, 1.0, 1.0, 4)


def test_two_sets_with_nothing_in_common_reach_the_lowest_value():
    stability = selection_stability([[1, 1, 0, 0], [0, 0, 1, 1]])
    assert stability.value == -1.0
    assert stability.lower == -1.0


def test_value_is_the_correlation_of_two_sets_of_one_size():
    first, second = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([1, 1, 0, 1, 0, 0, 0])
    assert selection_stability([first, second]).value == pytest.approx(np.corrcoef(first, second)[0, 1])


@pytest.mark.parametrize("n_chosen", [1, 5, 19])
def test_features_drawn_at_random_have_mean_zero_whatever_their_number(n_chosen):
    generator = np.random.default_rng(n_chosen)
    values = []
    for _ in range(300):
        sets = np.zeros((5, 20), dtype=bool)
        for row in sets:
            row[generator.choice(20, n_chosen, replace=False)] = True
        values.append(selection_stability(sets).value)
    assert abs(np.mean(values)) < 4 * np.std(values) / 300**0.5


def test_interval_holds_the_true_value_as_often_as_promised():
    # Each feature is chosen with its own probability, independently: the true stability is known.
    probability = np.array([0.9, 0.8, 0.7, 0.2, 0.1, 0.05, 0.05, 0.05])
    density = probability.mean()
    truth = 1 - (probability * (1 - probability)).mean() / (density * (1 - density))
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        stability = selection_stability(generator.random((60, 8)) < probability)
        held += stability.lower <= truth <= stability.upper
    assert 0.90 <= held / 400 <= 0.98


def test_order_of_sets_and_features_changes_nothing():
    sets = random_sets(0)
    generator = np.random.default_rng(1)
    mixed = sets[generator.permutation(12)][:, generator.permutation(15)]
    one, other = selection_stability(sets), selection_stability(mixed)
    assert (one.value, one.lower, one.upper) == pytest.approx((other.value, other.lower, other.upper))


def test_features_left_out_are_as_stable_as_those_chosen():
    sets = random_sets(0)
    one, other = selection_stability(sets), selection_stability(~sets)
    assert (one.value, one.lower, one.upper) == pytest.approx((other.value, other.lower, other.upper))


def test_more_confidence_takes_a_wider_interval():
    sets = random_sets(0)
    narrow, wide = (selection_stability(sets, confidence=level) for level in (0.5, 0.99))
    assert wide.lower < narrow.lower < narrow.value < narrow.upper < wide.upper


@pytest.mark.parametrize("filling", [0, 1])
def test_all_features_or_none_leave_nothing_to_agree_about(filling):
    stability = selection_stability(np.full((3, 4), filling))
    assert np.isnan([stability.value, stability.lower, stability.upper]).all()


@pytest.mark.parametrize("supports", [[[1, 0]], [1, 0], np.zeros((2, 0)), [[0, 2], [1, 3]]])
def test_what_is_no_set_of_masks_is_refused(supports):
    with pytest.raises(DataError, match="selection_stability"):
        selection_stability(supports)


@pytest.mark.parametrize("confidence", [0.0, 1.0, "high"])
def test_impossible_confidence_is_refused(confidence):
    with pytest.raises(ParameterError, match="confidence"):
        selection_stability([[1, 0], [0, 1]], confidence=confidence)
