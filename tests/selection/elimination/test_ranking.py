import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infoprop.selection.elimination._ranking import group_worth, worst_groups


@given(st.integers(0, 2**32 - 1))
def test_groups_are_worth_the_shares_of_their_columns(seed):
    rng = np.random.default_rng(seed)
    sensitivities = rng.random((3, 7)) * (rng.random((3, 1)) < 0.8)
    scale, group_of = rng.random(3), rng.integers(0, 4, 7)
    totals = sensitivities.sum(axis=1)
    expected = np.zeros(5)
    for q in range(3):
        for k in range(7):
            share = sensitivities[q, k] / totals[q] if totals[q] > 0 else 1 / 7
            expected[group_of[k]] += scale[q] * share
    worth = group_worth(sensitivities, totals, scale, group_of, 5)
    np.testing.assert_allclose(worth, expected, rtol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_the_worst_groups_are_those_of_a_sort(seed, count):
    rng = np.random.default_rng(seed)
    worth = rng.choice([0.0, 0.1, 0.1 + 1e-14, 0.2, 0.5], 12)
    groups = np.flatnonzero(rng.random(12) < 0.8)
    count = min(count, len(groups))
    expected = sorted(groups, key=lambda g: (round(worth[g], 12), -g))[:count]
    assert worst_groups(worth, groups, count).tolist() == expected
