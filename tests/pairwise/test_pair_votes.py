import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from infoprop.pairwise import _pair_votes
from infoprop.pairwise._pair_votes import PairVotes
from reference.pairwise import TrainedVoter, pair_rows, voted

X, Y = load_wine(return_X_y=True)
PAIRS = [(0, 1), (0, 2), (1, 2)]


class Counting:
    """A voter that remembers what it was asked."""

    def __init__(self, rows):
        self.voter = TrainedVoter(rows)
        self.asked = []

    def decide(self, asked):
        self.asked += [(pair, mask.tobytes()) for pair, masks in asked for mask in masks]
        return self.voter.decide(asked)


def pair_votes(voting="majority", weights=None):
    rows = pair_rows(GaussianNB(), X, Y, weights, validation=3)
    return PairVotes(rows, Counting(rows), voting), rows


def genomes(n_genomes=3):
    return np.random.default_rng(1).random((n_genomes, 3, X.shape[1])) < 0.3


@pytest.mark.parametrize("voting", ["majority", "weighted"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_fitness_is_the_accuracy_of_the_vote_counted_by_hand(voting, is_weighted):
    weights = np.random.default_rng(2).uniform(0.1, 2.0, len(Y)) if is_weighted else None
    council, rows = pair_votes(voting, weights)
    own = np.ones(len(Y)) if weights is None else weights
    decisions = council.decisions(genomes())
    truth = Y[rows.tested]
    for genome, fitness in zip(decisions, council.fitness(genomes()), strict=True):
        counts = dict.fromkeys(PAIRS, 1.0)
        if voting == "weighted":
            counts = dict(zip(PAIRS, council.credibility(genome), strict=True))
        right = 0.0
        for number, row in enumerate(rows.tested):
            winners = {pair: pair[0] if genome[p, number] else pair[1] for p, pair in enumerate(PAIRS)}
            right += own[row] * (voted(winners, counts, np.bincount(Y, own)) == truth[number])
        assert fitness == pytest.approx(right / own[rows.tested].sum(), abs=1e-12)


def test_credibility_is_the_accuracy_on_the_rows_of_the_two_classes():
    council, rows = pair_votes()
    decisions = council.decisions(genomes())
    truth = Y[rows.tested]
    for pair, (one, other) in enumerate(PAIRS):
        own = np.isin(truth, (one, other))
        expected = (decisions[0, pair, own] == (truth[own] == one)).mean()
        assert council.credibility(decisions)[0, pair] == pytest.approx(expected, abs=1e-12)


def test_no_pair_is_asked_twice_about_the_same_columns():
    council, _ = pair_votes()
    several = np.concatenate([genomes(), genomes()[::-1]])
    first = council.fitness(several)
    asked = len(council._voter.asked)
    assert asked == len(set(council._voter.asked)) == 9
    np.testing.assert_array_equal(council.fitness(several), first)
    mixed = several[[0, 1]].copy()
    mixed[:, 1] = mixed[::-1, 1]
    council.fitness(mixed)
    assert len(council._voter.asked) == asked


def test_counting_in_blocks_changes_nothing(monkeypatch):
    whole = pair_votes("weighted")[0].fitness(genomes(7))
    monkeypatch.setattr(_pair_votes, "BLOCK_DECISIONS", 1000)
    np.testing.assert_array_equal(pair_votes("weighted")[0].fitness(genomes(7)), whole)


def test_a_pair_without_rows_in_validation_has_no_credibility():
    council, rows = pair_votes()
    council._truth = np.zeros_like(council._truth)
    council._truth[:] = 2
    credibility = council.credibility(council.decisions(genomes(1)))
    assert np.isnan(credibility[0, 0])
    assert not np.isnan(credibility[0, 1:]).any()
    assert rows.n_pairs == 3
