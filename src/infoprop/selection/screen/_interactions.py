"""interaction_screen: which columns go with the class, alone or in pairs, before anything is trained."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _get_feature_names

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import DataError
from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray, Matrix
from infoprop.selection.screen._chance import HEAVY, log_bennett, log_chance, log_sum_tail, log_tail
from infoprop.selection.screen._pairs import ORDERS, BestPairs, PairShapes, best_pairs
from infoprop.selection.screen._shapes import RankFractions, Waves, WavesOf, column_blocks, shape

OWNER = "interaction_screen"
# Shapes of one column that are tried: from monotone to three full waves.
N_SHAPES = 6
# Columns and pairs that chance would give this often in a whole screen, or less, are taken out of the class
# before the next round looks at what is left.
FOUND = 0.05
# A fit of what was found has at most one term for so many rows: more would follow the noise.
ROWS_PER_TERM = 10


@dataclass(frozen=True)
class ScreenedPair:
    """Two columns whose product goes with the class.

    Attributes
    ----------
    columns : tuple of int
        Numbers of the two columns.
    names : tuple of str
        Their names.
    shape : {"monotone", "middle"}
        Which product: of two columns from low to high (as in XOR), or of how far each is from its middle.
    indicator : object
        Class that it tells from the others.
    correlation : float
        Squared correlation of the product with that class.
    z : float
        The correlation times the root of the number of rows: what chance gives has a standard deviation of 1.
    log_expected : float
        Natural logarithm of how many such pairs chance would give.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection import interaction_screen
    >>> X = np.random.default_rng(0).random((200, 5))
    >>> interaction_screen(X, (X[:, 1] - 0.5) * (X[:, 4] - 0.5) > 0).pairs[0].names
    ('x1', 'x4')
    """

    columns: tuple[int, int]
    names: tuple[str, str]
    shape: str
    indicator: Any
    correlation: float
    z: float
    log_expected: float

    @property
    def expected(self) -> float:
        """How many such pairs chance would give."""
        return float(np.exp(min(self.log_expected, 700.0)))


@dataclass(frozen=True, eq=False)
class InteractionScreen(FrozenArrays):
    """What a screen of all columns and all pairs found.

    Attributes
    ----------
    feature_names : tuple of str
    feature_ranking : ndarray of shape (n_features,)
        Numbers of the columns, best first.
    log_expected : ndarray of shape (n_features,)
        Natural logarithm of how many columns (or pairs) of such a correlation chance would give among all
        that were tried. Below -3, one in twenty screens of pure noise has one.
    order : ndarray of shape (n_features,)
        Shape in which the column goes with the class: 1 monotone, 2 middle against ends, 3 to 6 waves; 0 if
        it does so best with a partner.
    partner : ndarray of shape (n_features,)
        That partner, else -1.
    found_in : ndarray of shape (n_features,)
        Round in which chance would give less than 0.05 such columns; 0 for columns not found.
    pairs : tuple of ScreenedPair
        The best pairs, best first.

    Examples
    --------
    >>> from infoprop.datasets import make_parity
    >>> from infoprop.selection import interaction_screen
    >>> data = make_parity(400, n_relevant=2, n_redundant=0, n_irrelevant=20, random_state=0)
    >>> screen = interaction_screen(data.X, data.y)
    >>> sorted(screen.feature_ranking[:2].tolist()) == sorted(data.relevant)
    True
    """

    feature_names: tuple[str, ...]
    feature_ranking: IntArray
    log_expected: FloatArray
    order: IntArray
    partner: IntArray
    found_in: IntArray
    pairs: tuple[ScreenedPair, ...]

    @cached_property
    def expected(self) -> FloatArray:
        """How many columns as good as each chance would give, among all that were tried."""
        return np.exp(np.minimum(self.log_expected, 700.0))

    @property
    def support(self) -> BoolArray:
        """Mask of the columns that were found: chance would give less than 0.05 of them."""
        return np.asarray(self.found_in > 0)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row for each column, best first.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None takes pandas if it is installed, else polars.
        """
        ranked = self.feature_ranking
        partners = [self.feature_names[k] if k >= 0 else "" for k in self.partner[ranked]]
        columns = {
            "feature": [self.feature_names[k] for k in ranked],
            "expected_by_chance": self.expected[ranked],
            "shape": [SHAPES[k] for k in self.order[ranked]],
            "partner": partners,
            "found_in_round": self.found_in[ranked],
        }
        return to_native_frame(columns, backend, "InteractionScreen.to_frame")


SHAPES = ("pair", "monotone", "middle", "wave", "wave", "wave", "wave")


def interaction_screen(X: Any, y: Any, *, n_pairs: int = 20, n_rounds: int = 3) -> InteractionScreen:
    r"""Rank columns by what they tell about the class alone, in any of six shapes, or as one of a pair.

    Every column is turned into ranks :math:`u`, and its shapes :math:`\cos(\pi q u)`, q = 1 ... 6, are
    correlated with every class indicator; so are the products of the first shapes, and of the second, of
    *every pair* of columns, by a few products of matrices. A correlation becomes the number of columns
    (pairs) that chance would give which are at least as good, among all that were tried: its tail
    probability times the number of trials. A column counts by its smallest number.

    What was found (less than 0.05 expected) is then fitted, and the next round looks at what it leaves of the
    class, where weaker columns are easier to see.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Numbers. The scale of a column does not matter.
    y : array-like of shape (n_samples,)
        Class labels.
    n_pairs : int, default=20
        How many of the best pairs to list.
    n_rounds : int, default=3
        Rounds at most; a round that finds nothing new is the last.

    Returns
    -------
    InteractionScreen

    Notes
    -----
    The cost is that of three products of (n_features × n_samples) matrices for each of two shapes, and one
    more for each further class; memory stays below about 1 GB. A column is ranked by what it tells, whether
    or not another tells the same. The numbers of the first round are valid p-values times the number of
    trials; those of later rounds are estimates, since what was fitted was chosen on the same rows.

    References
    ----------
    A smooth test in the sense of J. Neyman, "Smooth test for goodness of fit", Skandinavisk Aktuarietidskrift
    20, 1937, for each column; products of pairs as in a factorial analysis of variance.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection import interaction_screen
    >>> X = np.random.default_rng(0).random((500, 30))
    >>> y = np.hypot(X[:, 3] - 0.5, X[:, 8] - 0.5) < 0.3
    >>> screen = interaction_screen(X, y)
    >>> sorted(screen.feature_ranking[:2].tolist()), screen.pairs[0].columns
    ([3, 8], (3, 8))
    """
    check_integer("n_pairs", n_pairs, OWNER, low=1)
    check_integer("n_rounds", n_rounds, OWNER, low=1)
    names = _get_feature_names(X)
    X, y = check_X_y(X, y, accept_sparse="csc", dtype=np.float64)
    check_classification_targets(y)
    labels, targets, shares = _indicators(y)
    feature_names = tuple(f"x{k}" for k in range(X.shape[1])) if names is None else tuple(map(str, names))
    return _Rounds(X, labels, targets, shares, feature_names, n_pairs).run(n_rounds)


def _indicators(y: LabelArray) -> tuple[list[Any], FloatArray, FloatArray]:
    """Return the classes that have an indicator (two share one), standardised indicators, parts of rows."""
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"{OWNER} needs rows of at least two classes. Got one class label only, {classes[0]!r}."
        )
    used = classes[1:] if len(classes) == 2 else classes
    targets = np.array([codes == np.searchsorted(classes, label) for label in used], dtype=np.float64)
    return used.tolist(), _standardised(targets), targets.mean(axis=1)


def _standardised(targets: FloatArray) -> FloatArray:
    centred = targets - targets.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.asarray(centred / np.where(spread > 0.0, spread, 1.0))


@dataclass(frozen=True, eq=False)
class _Evidence:
    """One round: for each column the better of its own shapes and its best pair."""

    log_expected: FloatArray
    order: IntArray
    partner: IntArray
    pairs: BestPairs


class _Rounds:
    """Rounds of looking and fitting."""

    def __init__(
        self,
        X: Matrix,
        labels: list[Any],
        targets: FloatArray,
        shares: FloatArray,
        names: tuple[str, ...],
        n_pairs: int,
    ) -> None:
        self._X, self._labels, self._targets, self._names, self._n_pairs = X, labels, targets, names, n_pairs
        n_features = X.shape[1]
        # Each shape with each class, and the first shapes together.
        self._log_single = np.log(n_features * N_SHAPES * (len(labels) + 1))
        self._shares = shares
        self._fractions = RankFractions(X)
        self._waves = WavesOf(self._fractions, N_SHAPES)
        self._shapes = PairShapes(self._fractions)
        n_products = max(n_features * (n_features - 1) // 2, 1) * len(ORDERS) * len(labels)
        self._log_pairs = np.log(n_products)

    def run(self, n_rounds: int) -> InteractionScreen:
        first = self._look(self._targets, 0)
        result, found_in = first, np.zeros(len(self._names), dtype=np.intp)
        targets, terms = self._targets, np.zeros((self._X.shape[0], 0))
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
            targets = _standardised(_residuals(self._targets, terms))
            evidence = self._look(targets, terms.shape[1])
        return self._result(result, found_in, first)

    def _look(self, targets: FloatArray, n_terms: int) -> _Evidence:
        n_rows = self._X.shape[0] - n_terms
        single, order = self._single(targets, n_rows)
        pairs = best_pairs(self._shapes, targets, self._n_pairs)
        double = self._log_of_pairs(pairs, targets, n_rows)
        in_pair = double < single
        return _Evidence(
            np.where(in_pair, double, single),
            np.where(in_pair, 0, order),
            np.where(in_pair, pairs.partner, -1),
            pairs,
        )

    def _single(self, targets: FloatArray, n_rows: int) -> tuple[FloatArray, IntArray]:
        """Return the evidence of each column alone, and in which shape it goes best with the class.

        By one shape and one class, or by the first shapes and all classes together, whichever is better.
        """
        n_features = self._X.shape[1]
        best, order = np.empty(n_features), np.empty(n_features, dtype=np.intp)
        fourth = np.mean(targets**4, axis=1) - 3.0
        peaks = np.abs(targets).max(axis=1)
        for columns in column_blocks(n_features):
            waves = self._waves.of(columns)
            # (n_shapes, n_targets, n_columns)
            r_squared = np.array([targets @ z / len(z) for z in waves.values]) ** 2
            order[columns] = r_squared.max(axis=1).argmax(axis=0) + 1
            heavy = waves.kurtosis[:, None] * fourth[:, None] / targets.shape[1] > HEAVY
            plain = np.where(heavy, 0.0, r_squared)
            alone = log_tail(plain.max(axis=(0, 1)), n_rows)
            evidence = np.minimum(alone, self._together(waves, plain, n_rows))
            q, c, k = np.nonzero(heavy)
            bound = log_bennett(r_squared[q, c, k], n_rows, waves.largest[q, k] * peaks[c])
            np.minimum.at(evidence, k, np.maximum(bound, log_tail(r_squared[q, c, k], n_rows)))
            best[columns] = evidence
        return best + self._log_single, order

    def _together(self, waves: Waves, r_squared: FloatArray, n_rows: int) -> FloatArray:
        r"""Return log p of the first one, two, ... shapes together, for all classes; the best number of them.

        With :math:`S_q = \sum_c (1 - \pi_c) r_{qc}^2` the part of shape q that lies between the classes (with
        parts :math:`\pi_c` of the rows), the sum of :math:`-m \log(1 - S_q)`, m = n - 1.5 - L/2, is
        close to chi-squared with L - 1 degrees of freedom for each shape (Bartlett). A column of few values
        has fewer shapes; a class for which it has too heavy a tail counts as zero here.
        """
        n_classes = max(len(self._shares), 2)
        weights = np.ones(1) if len(self._shares) == 1 else 1.0 - self._shares
        scale = max(n_rows - 1.5 - 0.5 * n_classes, 1.0)
        between = np.minimum(np.einsum("c,qck->qk", weights, r_squared), 1.0 - 1e-12)
        total = np.cumsum(-scale * np.log1p(-between), axis=0)
        freedom = (n_classes - 1) * np.cumsum(waves.is_new, axis=0, dtype=np.float64)
        return np.asarray(log_sum_tail(total, freedom).min(axis=0))

    def _log_of_pairs(self, pairs: BestPairs, targets: FloatArray, n_rows: int) -> FloatArray:
        """Return the evidence of each column's best pair, with tails by what the products are."""
        evidence = np.full(len(pairs.r_squared), self._log_pairs)
        has_partner = pairs.partner >= 0
        for columns in column_blocks(len(evidence)):
            some = np.arange(len(evidence))[columns][has_partner[columns]]
            if len(some):
                products = self._products(some, pairs.partner[some], pairs.order[some])
                for indicator, target in enumerate(targets):
                    mine = pairs.indicator[some] == indicator
                    r_squared = pairs.r_squared[some[mine]]
                    tails = log_chance(r_squared, n_rows, products[:, mine], target)
                    evidence[some[mine]] = tails + self._log_pairs
        return evidence

    def _products(self, first: IntArray, second: IntArray, order: IntArray) -> FloatArray:
        """Return standardised products of pairs of columns, in shape (n_samples, n_pairs)."""
        left, right = self._fractions.of(first), self._fractions.of(second)
        products = np.empty(left.shape)
        for number, q in enumerate(ORDERS):
            mine = order == number
            products[:, mine] = shape(left[:, mine], q).astype(np.float64) * shape(right[:, mine], q)
        return _standardised(products.T).T

    def _terms(self, evidence: _Evidence, new: BoolArray, terms: FloatArray) -> FloatArray:
        """Add the shapes and products of what was found, best first, as many as the rows can bear."""
        most = max(self._X.shape[0] // ROWS_PER_TERM, 1)
        added = [terms]
        n_terms = terms.shape[1]
        seen: set[tuple[int, int]] = set()
        for k in np.flatnonzero(new)[np.argsort(evidence.log_expected[new], kind="stable")]:
            if n_terms >= most:
                break
            partner = int(evidence.partner[k])
            pair = (min(int(k), partner), max(int(k), partner))
            if partner >= 0 and pair in seen:
                continue
            seen.add(pair)
            term = self._term(int(k), partner, evidence)
            added.append(term)
            n_terms += term.shape[1]
        return np.column_stack(added)

    def _term(self, k: int, partner: int, evidence: _Evidence) -> FloatArray:
        if partner < 0:
            fractions = self._fractions.of([k])
            return np.column_stack([shape(fractions, q) for q in range(1, N_SHAPES + 1)]).astype(np.float64)
        order = evidence.pairs.order[[k]]
        return self._products(np.array([k]), np.array([partner]), order)

    def _result(self, result: _Evidence, found_in: IntArray, first: _Evidence) -> InteractionScreen:
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
        return InteractionScreen(
            self._names,
            ranking,
            result.log_expected,
            result.order,
            result.partner,
            found_in,
            self._listed(first.pairs),
        )

    def _listed(self, pairs: BestPairs) -> tuple[ScreenedPair, ...]:
        if not len(pairs.pairs):
            return ()
        i, j, order, indicator = pairs.pairs.T
        products = self._products(i, j, order)
        listed = []
        for n, (first, second) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
            target = self._targets[indicator[n]]
            r_squared = np.array([(products[:, n] @ target / len(target)) ** 2])
            tail = log_chance(r_squared, len(target), products[:, [n]], target) + self._log_pairs
            listed.append(
                ScreenedPair(
                    (first, second),
                    (self._names[first], self._names[second]),
                    SHAPES[ORDERS[order[n]]],
                    self._labels[indicator[n]],
                    float(r_squared[0]),
                    float(np.sqrt(r_squared[0] * len(target))),
                    float(tail[0]),
                )
            )
        return tuple(listed)


def _joined(before: _Evidence, now: _Evidence, found_in: IntArray, number: int) -> _Evidence:
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
    coefficients, *_ = np.linalg.lstsq(terms, targets.T, rcond=1e-8)
    return np.asarray(targets - (terms @ coefficients).T)
