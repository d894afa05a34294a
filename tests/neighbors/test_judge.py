"""How often neighbours are right."""

import numpy as np
import pytest

from infoprop.neighbors import KNNJudge, NeighborRows, NeighborTest
from infoprop.neighbors import _judge as judging
from reference.neighbors import plain_votes


def a_test(seed, weights=None, n=80, d=4):
    random = np.random.default_rng(seed)
    X, codes, own = random.random((n, d)), random.integers(0, 3, n), np.arange(n)
    return NeighborTest(NeighborRows(X, codes, own, X, own, np.ones((1, d)), 3), codes, weights)


def all_masks(d=4):
    return (np.arange(2**d)[:, None] >> np.arange(d)) % 2 == 1


@pytest.mark.parametrize("is_weighted", [False, True])
def test_accuracy_is_the_weighted_part_that_is_right(is_weighted):
    weights = np.random.default_rng(1).random(80) if is_weighted else None
    tests = [a_test(0, weights), a_test(1, weights)]
    judge = KNNJudge(tests, 3, False, lambda: 0.25)
    right = [plain_votes(test.rows, all_masks(), 3) == test.truth for test in tests]
    expected = np.average(np.hstack(right), axis=1, weights=None if weights is None else np.tile(weights, 2))
    np.testing.assert_allclose(judge.judge(all_masks())[1:], expected[1:], rtol=1e-14)
    assert judge.judge(all_masks())[0] == 0.25
    assert judge.n_columns == 4


def test_growing_is_judged_as_the_grown_subsets_are():
    judge = KNNJudge([a_test(2)], 1, True, lambda: 0.0)
    grown = judge.judge_grown(np.array([3, 1]), np.array([0, 2]))
    assert grown.tolist() == judge.judge(all_masks()[[0b1011, 0b1110]]).tolist()


def test_subsets_are_judged_in_blocks_with_the_same_answers(monkeypatch):
    weights = np.random.default_rng(1).random(80)
    at_once = KNNJudge([a_test(3, weights)], 1, False, lambda: 0.0).judge(all_masks())
    monkeypatch.setattr(judging, "ANSWERS_AT_A_TIME", 200)
    in_blocks = KNNJudge([a_test(3, weights)], 1, False, lambda: 0.0).judge(all_masks())
    assert at_once.tolist() == in_blocks.tolist()


def test_a_judge_goes_on_from_nothing():
    judge = KNNJudge([a_test(4)], 1, False, lambda: 0.0)
    before = judge.judge(all_masks())
    judge.restore(judge.snapshot())
    assert before.tolist() == judge.judge(all_masks()).tolist()
