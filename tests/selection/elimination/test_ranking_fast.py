import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infoprop.metrics import ConfusionCounts, InformationFlow
from infoprop.metrics._indicators_fast import share_information
from infoprop.selection.elimination import _ranking_fast as fast
from reference.splits import index_of

COUNTS = st.integers(2, 5).flatmap(
    lambda size: arrays(float, (size, size), elements=st.sampled_from([0.0, 1.0, 2.5, 7.0, 40.0]))
)


@given(COUNTS)
def test_information_and_credits_are_those_of_metrics(counts):
    if not counts.any():
        counts[0, 0] = 1.0
    credits = np.empty(len(counts))
    information = share_information(counts, credits)
    flow = InformationFlow.from_counts(ConfusionCounts(np.arange(len(counts)), counts, counts.sum()))
    assert information == pytest.approx(flow.information, abs=1e-12)
    np.testing.assert_allclose(credits, flow.indicator_credits, atol=1e-12)


def test_a_machine_is_worth_the_bits_of_its_labels():
    splits = index_of([0, 1, 2], [0, 2])
    counts = np.array([[9.0, 1.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 6.0]])
    bits, shares, scale = np.empty(3), np.empty(3), np.empty(4)
    information = share_information(counts, bits)
    assert fast.weigh_machines(splits, counts, True, shares, scale) == information
    # Labels 0 and 2 are learned twice, label 1 once; the last machine speaks for two labels.
    np.testing.assert_allclose(scale, [bits[0] / 2, bits[1], bits[2] / 2, (bits[0] + bits[2]) / 2])
    assert scale.sum() == pytest.approx(information)


@pytest.mark.parametrize(
    ("counts", "uses_information"),
    [
        (np.ones((3, 3)), True),
        # Independent, but rounding leaves a trace of information.
        (np.outer([0.1, 0.7, 1.3], [0.3, 1.1, 0.6]), True),
        (np.diag([1.0, 2.0, 3.0]), False),
    ],
)
def test_without_information_all_classes_are_worth_the_same(counts, uses_information):
    splits = index_of([0, 1, 2], [0, 2])
    scale = np.empty(4)
    assert fast.weigh_machines(splits, counts, uses_information, np.empty(3), scale) == 0.0
    np.testing.assert_allclose(scale, [1 / 6, 1 / 3, 1 / 6, 1 / 3])


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_the_worst_are_chosen_as_a_sort_would(seed, count):
    rng = np.random.default_rng(seed)
    ids = rng.permutation(20)[:12]
    keys = rng.choice([0.0, 0.1, 0.1 + 1e-14, 0.2, 0.5], 12)
    keys[rng.random(12) < 0.1] = np.inf
    is_kept = rng.random(20) < 0.2
    loose = [a for a in range(12) if not is_kept[ids[a]] and keys[a] < np.inf]
    count = min(count, len(loose))
    expected = sorted(loose, key=lambda a: (round(keys[a], 12), -ids[a]))[:count]
    chosen, values = np.zeros(count, dtype=np.int64), np.zeros(count)
    left = keys.copy()
    fast.choose_worst(left, ids, is_kept, count, chosen, values)
    assert chosen.tolist() == expected
    np.testing.assert_array_equal(values, keys[expected])
    assert np.isinf(left[expected]).all()
