"""Votes of pairs: how well all pairs of classes together do in validation, whatever features each one has."""

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.pairwise._voters import PairRows, PairVoter
from infoprop.pairwise._voting import class_votes, elected, larger_first, vote_weights

# Decisions that are counted at a time.
BLOCK_DECISIONS = 1 << 24


class PairVotes:
    """Asks a voter about pairs and subsets, none of them twice, and counts the votes.

    Parameters
    ----------
    rows : PairRows
    voter : PairVoter
    voting : {"majority", "weighted"}
        Whether a vote counts one, or the credibility of its pair.
    """

    def __init__(self, rows: PairRows, voter: PairVoter, voting: str) -> None:
        self._rows = rows
        self._voter = voter
        self._is_weighted = voting == "weighted"
        # A decision is one bit: kept as bits, those of a long search fit into memory.
        self._known: list[dict[bytes, BoolArray]] = [{} for _ in range(rows.n_pairs)]
        self._truth = rows.codes[rows.tested]
        weights = rows.evaluator.training.sample_weight
        self._weights = np.ones(len(rows.tested)) if weights is None else weights[rows.tested]
        self._priority = larger_first(rows.class_weights)

    def fitness(self, genomes: BoolArray) -> FloatArray:
        """Validated accuracy of the whole vote.

        Parameters
        ----------
        genomes : ndarray of shape (n_genomes, n_pairs, n_columns)
            Columns of each pair, none empty.

        Returns
        -------
        ndarray of shape (n_genomes,)
        """
        # All unknown subsets are asked about at once, votes are counted in blocks.
        self._ask(genomes, self._keys(genomes))
        size = max(1, BLOCK_DECISIONS // (self._rows.n_pairs * max(1, len(self._truth))))
        starts = range(0, len(genomes), size)
        return np.concatenate(
            [self.accuracy(self.decisions(genomes[start : start + size])) for start in starts]
        )

    def decisions(self, genomes: BoolArray) -> BoolArray:
        """Whether tested rows are given to the first class of each pair: (n_genomes, n_pairs, n_tested)."""
        keys = self._keys(genomes)
        self._ask(genomes, keys)
        n_tested = len(self._truth)
        bits = [[known[key] for key in own] for own, known in zip(keys, self._known, strict=True)]
        decisions = np.unpackbits(np.array(bits), axis=2, count=n_tested).astype(bool)
        return np.ascontiguousarray(decisions.transpose(1, 0, 2))

    def credibility(self, decisions: BoolArray) -> FloatArray:
        """Part of the rows of its two classes that each pair names right: (..., n_pairs); NaN without any."""
        right = np.full(decisions.shape[:-1], np.nan)
        for pair in range(self._rows.n_pairs):
            is_first = self._truth == self._rows.first[pair]
            own = np.flatnonzero(is_first | (self._truth == self._rows.second[pair]))
            if len(own):
                is_right = decisions[..., pair, :][..., own] == is_first[own]
                right[..., pair] = is_right @ self._weights[own] / self._weights[own].sum()
        return right

    def accuracy(self, decisions: BoolArray) -> FloatArray:
        """Part of the tested rows that the whole vote names right: shape (...)."""
        found = self.elected(decisions)
        right: FloatArray = (found == self._truth) @ self._weights / self._weights.sum()
        return right

    def elected(self, decisions: BoolArray) -> IntArray:
        """Class number that the tested rows are given: (..., n_tested)."""
        rows = self._rows
        weights = np.ones(decisions.shape[:-1])
        if self._is_weighted:
            weights = vote_weights(self.credibility(decisions))
        votes = class_votes(decisions, weights, rows.first, rows.second, len(rows.class_weights))
        return elected(votes, self._priority)

    def _keys(self, genomes: BoolArray) -> list[list[bytes]]:
        """What the strings are known by, pair by pair."""
        packed = np.packbits(genomes, axis=2)
        return [[string.tobytes() for string in packed[:, pair]] for pair in range(self._rows.n_pairs)]

    def _ask(self, genomes: BoolArray, keys: list[list[bytes]]) -> None:
        asked, owners = [], []
        for pair, own in enumerate(keys):
            unknown = {key: number for number, key in enumerate(own) if key not in self._known[pair]}
            if unknown:
                asked.append((pair, genomes[list(unknown.values()), pair]))
                owners.append((pair, list(unknown)))
        if not asked:
            return
        for (pair, unknown_keys), decided in zip(owners, self._voter.decide(asked), strict=True):
            self._known[pair].update(zip(unknown_keys, np.packbits(decided, axis=1), strict=True))
