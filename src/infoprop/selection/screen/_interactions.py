"""interaction_screen: which columns go with the class, alone or in pairs, before anything is trained."""

from dataclasses import dataclass
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
from infoprop._core._typing import BoolArray, FloatArray, IntArray, LabelArray
from infoprop.selection.screen._evidence import standardised
from infoprop.selection.screen._pairs import ORDERS
from infoprop.selection.screen._rounds import Rounds, Screened

OWNER = "interaction_screen"


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
    found = Rounds(X, targets, shares, n_pairs).run(n_rounds)
    evidence = found.evidence
    return InteractionScreen(
        feature_names,
        found.ranking,
        evidence.log_expected,
        evidence.order,
        evidence.partner,
        found.found_in,
        _listed(found, feature_names, labels, len(y)),
    )


def _indicators(y: LabelArray) -> tuple[list[Any], FloatArray, FloatArray]:
    """Return the classes that have an indicator (two share one), standardised indicators, parts of rows."""
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"{OWNER} needs rows of at least two classes. Got one class label only, {classes[0]!r}."
        )
    used = classes[1:] if len(classes) == 2 else classes
    targets = np.array([codes == np.searchsorted(classes, label) for label in used], dtype=np.float64)
    return used.tolist(), standardised(targets), targets.mean(axis=1)


def _listed(
    found: Screened, names: tuple[str, ...], labels: list[Any], n_rows: int
) -> tuple[ScreenedPair, ...]:
    return tuple(
        ScreenedPair(
            (first, second),
            (names[first], names[second]),
            SHAPES[ORDERS[order]],
            labels[indicator],
            r_squared,
            float(np.sqrt(r_squared * n_rows)),
            log_expected,
        )
        for (first, second, order, indicator), r_squared, log_expected in zip(
            found.listed.tolist(), found.r_squared.tolist(), found.log_expected.tolist(), strict=True
        )
    )
