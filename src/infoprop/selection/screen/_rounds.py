"""Rounds of looking and fitting: what strong columns leave of the class shows the weaker ones."""

from dataclasses import dataclass, replace

import numpy as np

from infoprop._core._blas import one_blas_thread
from infoprop._core._typing import BoolArray, FloatArray, IntArray, Matrix
from infoprop.selection.screen._evidence import N_SHAPES, Evidence, Evidences, standardised
from infoprop.selection.screen._shapes import RankFractions, shape

# Columns and pairs that chance would give this often in a whole screen, or less, are taken out of the class
# before the next round looks at what is left.
FOUND = 0.05
# A fit of what was found has at most one term for so many rows: more would follow the noise.
ROWS_PER_TERM = 10


@dataclass(frozen=True, eq=False)
class Screened:
    """What all rounds found.

    Attributes
    ----------
    evidence : Evidence
        Of each column in the round that found it, else the best of the first and the last.
    found_in : ndarray of shape (n_features,)
        That round; 0 for columns not found.
    ranking : ndarray of shape (n_features,)
        Numbers of the columns, best first.
    listed : ndarray of shape (n_pairs, 4)
        Columns, order and indicator of the best pairs of the first round, best first.
    r_squared, log_expected : ndarrays of shape (n_pairs,)
        Theirs.
    """

    evidence: Evidence
    found_in: IntArray
    ranking: IntArray
    listed: IntArray
    r_squared: FloatArray
    log_expected: FloatArray


class Rounds:
    """Rounds of looking and fitting.

    Parameters
    ----------
    X : matrix of shape (n_samples, n_features)
    targets : array of shape (n_indicators, n_samples)
        Standardised class indicators.
    shares : array of shape (n_indicators,)
        Parts of the rows that belong to their classes.
    n_pairs : int
        How many of the best pairs to list.
    """

    def __init__(self, X: Matrix, targets: FloatArray, shares: FloatArray, n_pairs: int) -> None:
        self._targets = targets
        self._n_rows, self._n_features = X.shape
        self._fractions = RankFractions(X)
        self._evidences = Evidences(self._fractions, shares, n_pairs)

    def run(self, n_rounds: int) -> Screened:
        """Look, and fit what was found, at most `n_rounds` times."""
        first = self._evidences.about(self._targets)
        result, found_in = first, np.zeros(self._n_features, dtype=np.intp)
        targets, terms = self._targets, np.zeros((self._n_rows, 0))
        evidence = first
        for number in range(1, n_rounds + 1):
            new = (evidence.log_expected < np.log(FOUND)) & (found_in == 0)
            found_in[new] = number
            if number > 1:
                result = _joined(result, evidence, found_in, number)
            if number == n_rounds or not new.any() or new.all():
                break
            grown = self._terms(evidence, new, terms)
            if grown.shape[1] == terms.shape[1]:
                break
            terms = grown
            targets = standardised(_residuals(self._targets, terms))
            evidence = self._evidences.about(targets, terms.shape[1])
        return self._result(result, found_in, first)

    def _terms(self, evidence: Evidence, new: BoolArray, terms: FloatArray) -> FloatArray:
        """Add the shapes and products of what was found, best first, as many as the rows can bear."""
        most = max(self._n_rows // ROWS_PER_TERM, 1)
        n_terms = terms.shape[1]
        found: list[tuple[int, int]] = []
        seen: set[tuple[int, int]] = set()
        for k in np.flatnonzero(new)[np.argsort(evidence.log_expected[new], kind="stable")].tolist():
            if n_terms >= most:
                break
            partner = int(evidence.partner[k])
            pair = (min(k, partner), max(k, partner))
            if partner >= 0 and pair in seen:
                continue
            seen.add(pair)
            found.append((k, partner))
            n_terms += N_SHAPES if partner < 0 else 1
        single = [k for k, partner in found if partner < 0]
        fractions = self._fractions.of(single)
        # (n_columns, n_samples, n_shapes)
        shapes = iter(np.stack([shape(fractions, q).T for q in range(1, N_SHAPES + 1)], axis=2))
        added = [next(shapes) if partner < 0 else self._product(k, partner, evidence) for k, partner in found]
        return np.column_stack([terms, *added])

    def _product(self, k: int, partner: int, evidence: Evidence) -> FloatArray:
        order = evidence.pairs.order[[k]]
        return self._evidences.products(np.array([k]), np.array([partner]), order)

    def _result(self, result: Evidence, found_in: IntArray, first: Evidence) -> Screened:
        # What a fit leaves is mostly noise for a column never found: what it tells alone counts, too.
        weak = (found_in == 0) & (first.log_expected < result.log_expected)
        result = replace(
            result,
            log_expected=np.where(weak, first.log_expected, result.log_expected),
            order=np.where(weak, first.order, result.order),
            partner=np.where(weak, first.partner, result.partner),
        )
        late = np.where(found_in > 0, found_in, np.iinfo(np.intp).max)
        ranking = np.lexsort((np.arange(len(late)), result.log_expected, late))
        listed = self._evidences.of_listed(first.pairs, self._targets)
        return Screened(result, found_in, ranking, first.pairs.pairs, *listed)


def _joined(before: Evidence, now: Evidence, found_in: IntArray, number: int) -> Evidence:
    """Keep what earlier rounds said of the columns they found; take the rest from this round."""
    kept = (found_in > 0) & (found_in < number)
    return replace(
        now,
        log_expected=np.where(kept, before.log_expected, now.log_expected),
        order=np.where(kept, before.order, now.order),
        partner=np.where(kept, before.partner, now.partner),
    )


def _residuals(targets: FloatArray, terms: FloatArray) -> FloatArray:
    """What a least-squares fit of `terms` leaves of the indicators; dependent terms do no harm."""
    with one_blas_thread():
        coefficients, *_ = np.linalg.lstsq(terms, targets.T, rcond=1e-8)
    return np.asarray(targets - (terms @ coefficients).T)
