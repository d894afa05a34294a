import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoprop.metrics import output_information
from infoprop.shaping._separation import RATE_CLIP, SCORES, best_separation, information_gain
from reference.shaping import best_separation as slow_separation

SCORE_NAMES = sorted(SCORES)


@given(
    st.lists(
        st.tuples(st.integers(-5, 5).map(float), st.integers(0, 9), st.integers(0, 9)),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from(SCORE_NAMES),
)
def test_the_best_cut_is_found(entries, score):
    places, negatives, positives = (np.array(part, dtype=float) for part in zip(*entries, strict=True))
    if not (negatives.sum() and positives.sum()):
        return
    found = best_separation(np.array([0, len(places)]), places, positives, negatives, score=score)
    expected = slow_separation(score, places, list(zip(places, negatives, positives, strict=True)))
    np.testing.assert_allclose(found, [expected], atol=1e-12)


def test_long_columns_and_missing_places_are_sorted_too():
    rng = np.random.default_rng(0)
    places = rng.normal(size=900).round(2)
    places[rng.random(900) < 0.1] = np.nan
    negatives, positives = rng.integers(0, 3, (2, 900)).astype(float)
    rows = list(zip(places, negatives, positives, strict=True))
    for part in (slice(0, 20), slice(0, 200), slice(0, 900)):
        starts = np.array([0, part.stop])
        found = best_separation(starts, places[part], positives[part], negatives[part], score="bns")
        np.testing.assert_allclose(found, [slow_separation("bns", places[part], rows[part])], atol=1e-12)


@pytest.mark.parametrize("score", SCORE_NAMES)
def test_nothing_is_separated_where_there_is_no_cut_or_no_difference(score):
    starts, ones = np.array([0, 1, 3]), np.ones(3)
    assert best_separation(starts, np.array([5.0, 2.0, 2.0]), ones, ones, score=score).tolist() == [0.0, 0.0]
    halves = best_separation(np.array([0, 2]), np.arange(2.0), ones[:2], ones[:2], score=score)
    np.testing.assert_allclose(halves, [0.0], atol=1e-12)


@pytest.mark.parametrize("score", SCORE_NAMES)
def test_an_increasing_change_of_the_places_and_mirroring_change_nothing(score):
    rng = np.random.default_rng(1)
    places = rng.random(50)
    negatives, positives = rng.integers(0, 4, (2, 50)).astype(float)
    starts = np.array([0, 50])
    expected = best_separation(starts, places, positives, negatives, score=score)
    for moved in (np.exp(places), -places):
        found = best_separation(starts, moved, positives, negatives, score=score)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(
        best_separation(starts, places, 3 * positives, 3 * negatives, score=score), expected, rtol=1e-12
    )


def test_perfect_separation_is_clipped_or_one_bit():
    starts, places = np.array([0, 2]), np.array([0.0, 1.0])
    positives, negatives = np.array([0.0, 4.0]), np.array([4.0, 0.0])
    best = {name: best_separation(starts, places, positives, negatives, score=name)[0] for name in SCORES}
    assert best["bns"] == pytest.approx(2 * 3.2905267314919255)
    assert best["information_gain"] == pytest.approx(1.0)
    assert best["hellinger"] == pytest.approx(np.sqrt(2.0))
    assert RATE_CLIP == 0.0005


def test_information_gain_is_the_output_information_of_the_cut():
    y, above = [1] * 7 + [0] * 9, [1] * 5 + [0] * 2 + [1] * 3 + [0] * 6
    bits = information_gain(np.array([5 / 7]), np.array([3 / 9]), np.float64(7 / 16))
    assert bits[0] == pytest.approx(output_information(y, above))
