"""Problems with binary features: LED display, Corral, parity."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from infoprop._core._checks import check_boolean, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop.datasets._labelled import LabelledData, RandomSource, check_size, deliver, random_source

if TYPE_CHECKING:
    from infoprop._core._typing import FloatArray, IntArray

_SEGMENT_NAMES = ("top", "upper left", "upper right", "middle", "lower left", "lower right", "bottom")
_LIT_SEGMENTS = (
    (1, 1, 1, 0, 1, 1, 1),
    (0, 0, 1, 0, 0, 1, 0),
    (1, 0, 1, 1, 1, 0, 1),
    (1, 0, 1, 1, 0, 1, 1),
    (0, 1, 1, 1, 0, 1, 0),
    (1, 1, 0, 1, 0, 1, 1),
    (1, 1, 0, 1, 1, 1, 1),
    (1, 0, 1, 0, 0, 1, 0),
    (1, 1, 1, 1, 1, 1, 1),
    (1, 1, 1, 1, 0, 1, 1),
)
_CORRAL_NAMES = ("A0", "A1", "B0", "B1", "irrelevant", "correlated")
_CORRAL_CYCLE = 128


@overload
def make_led24(
    n_samples: int = ...,
    *,
    inversion: float = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[False] = ...,
) -> LabelledData: ...
@overload
def make_led24(
    n_samples: int = ...,
    *,
    inversion: float = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[True],
) -> tuple[FloatArray, IntArray]: ...
def make_led24(
    n_samples: int = 700,
    *,
    inversion: float = 0.1,
    random_state: RandomSource = None,
    return_X_y: bool = False,
) -> LabelledData | tuple[FloatArray, IntArray]:
    """Ten digits on a faulty seven-segment display, with 17 random bits beside it.

    The digits 0 to 9 are equally likely. Each of the seven segments shows its digit's state, inverted
    with probability `inversion` independently of the others; the other 17 features are fair coins.

    Parameters
    ----------
    n_samples : int, default=700
        Number of rows; the paper trains on 200 and tests on 500.
    inversion : float, default=0.1
        Probability that a segment shows the wrong state, from 0 to 1.
    random_state : int, RandomState, Generator or None, default=None
        Seed or source of the random numbers.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    LabelledData or tuple of ndarray
        `X` of zeros and ones, shape (n_samples, 24); `y`, the digits; the relevant columns 0, ..., 6.

    References
    ----------
    Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984, section 2.6.1.
    Used in Sindhwani, Bhattacharya, Rakshit, 2001, section 6.

    Examples
    --------
    >>> from infoprop.datasets import make_led24
    >>> data = make_led24(200, random_state=0)
    >>> data.X.shape, data.relevant
    ((200, 24), (0, 1, 2, 3, 4, 5, 6))
    """
    owner = "make_led24"
    check_size(n_samples, return_X_y, owner)
    check_number("inversion", inversion, owner, low=0.0, high=1.0)
    random = random_source(random_state, owner)

    y = random.randint(10, size=n_samples)
    lit = np.take(_LIT_SEGMENTS, y, axis=0)
    inverted = random.uniform(size=lit.shape) < inversion
    coins = random.randint(2, size=(n_samples, 17))
    data = LabelledData(
        X=np.hstack([lit ^ inverted, coins]).astype(np.float64),
        y=y,
        feature_names=_SEGMENT_NAMES + tuple(f"random {k}" for k in range(1, 18)),
        relevant=tuple(range(7)),
        description=(
            "Digits 0 to 9 on a seven-segment display whose segments are each inverted with probability "
            f"{inversion:g}, followed by 17 random bits."
        ),
    )
    return deliver(data, return_X_y)


@overload
def make_corral(
    n_samples: int = ...,
    *,
    match: float = ...,
    complete: bool = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[False] = ...,
) -> LabelledData: ...
@overload
def make_corral(
    n_samples: int = ...,
    *,
    match: float = ...,
    complete: bool = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[True],
) -> tuple[FloatArray, IntArray]: ...
def make_corral(
    n_samples: int = 128,
    *,
    match: float = 0.75,
    complete: bool = False,
    random_state: RandomSource = None,
    return_X_y: bool = False,
) -> LabelledData | tuple[FloatArray, IntArray]:
    r"""Six bits: four that make the class, one idle, one that merely agrees with the class often.

    .. math:: y = (A_0 \wedge A_1) \vee (B_0 \wedge B_1)

    :math:`A_0, A_1, B_0, B_1` and the irrelevant bit are fair coins; the correlated bit equals `y` with
    probability 3/4. Alone it is the best feature, beside the first four it is useless.
    :math:`P(y = 1) = 7/16`, so H(Y) = 0.989 bits.

    Parameters
    ----------
    n_samples : int, default=128
        Number of rows.
    match : float, default=0.75
        Probability that the correlated bit equals the class, from 0 to 1.
    complete : bool, default=False
        Enumerate instead of drawing: the 32 settings of the five coins, each four times, three of them
        with a correlated bit that matches. These 128 rows have exactly the probabilities above, in
        lexicographic order; `n_samples` must be a multiple of 128 and `match` 0.75.
    random_state : int, RandomState, Generator or None, default=None
        Seed or source of the random numbers; of no effect if `complete`.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    LabelledData or tuple of ndarray
        `X` of zeros and ones, shape (n_samples, 6); `y` of 0, 1; the relevant columns 0, 1, 2, 3.

    References
    ----------
    John, Kohavi, Pfleger, "Irrelevant features and the subset selection problem", 1994.
    Used in Sindhwani et al., "Feature Selection in MLPs and SVMs Based on Maximum Output Information",
    2004, section IV-A.

    Examples
    --------
    >>> from infoprop.datasets import make_corral
    >>> data = make_corral(complete=True)
    >>> float(data.y.mean()), float((data.X[:, 5] == data.y).mean())
    (0.4375, 0.75)
    """
    owner = "make_corral"
    check_size(n_samples, return_X_y, owner)
    check_number("match", match, owner, low=0.0, high=1.0)
    check_boolean("complete", complete, owner)
    random = random_source(random_state, owner)
    if complete:
        _check_complete(n_samples, match)
        settings = np.array(list(product((0, 1), repeat=5)))
        bits = np.tile(np.repeat(settings, 4, axis=0), (n_samples // _CORRAL_CYCLE, 1))
        matches = np.arange(n_samples) % 4 != 3
    else:
        bits = random.randint(2, size=(n_samples, 5))
        matches = random.uniform(size=n_samples) < match

    y = (bits[:, 0] & bits[:, 1]) | (bits[:, 2] & bits[:, 3])
    correlated = np.where(matches, y, 1 - y)
    data = LabelledData(
        X=np.column_stack([bits, correlated]).astype(np.float64),
        y=y,
        feature_names=_CORRAL_NAMES,
        relevant=(0, 1, 2, 3),
        description=(
            f"Corral: class (A0 and A1) or (B0 and B1), an irrelevant bit, and a bit that matches the class "
            f"in {match:.4g} of the cases; {'complete enumeration' if complete else 'random draws'}."
        ),
    )
    return deliver(data, return_X_y)


def _check_complete(n_samples: int, match: float) -> None:
    if n_samples % _CORRAL_CYCLE:
        raise ParameterError(
            "The 'n_samples' parameter of make_corral must be a multiple of 128 with complete=True. "
            f"Got {n_samples!r}."
        )
    if match != 0.75:
        raise ParameterError(
            f"The 'match' parameter of make_corral must be 0.75 with complete=True. Got {match!r}."
        )


@overload
def make_parity(
    n_samples: int = ...,
    *,
    n_relevant: int = ...,
    n_redundant: int = ...,
    n_irrelevant: int = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[False] = ...,
) -> LabelledData: ...
@overload
def make_parity(
    n_samples: int = ...,
    *,
    n_relevant: int = ...,
    n_redundant: int = ...,
    n_irrelevant: int = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[True],
) -> tuple[FloatArray, IntArray]: ...
def make_parity(
    n_samples: int = 500,
    *,
    n_relevant: int = 5,
    n_redundant: int = 5,
    n_irrelevant: int = 5,
    random_state: RandomSource = None,
    return_X_y: bool = False,
) -> LabelledData | tuple[FloatArray, IntArray]:
    r"""Parity of five bits, with a copy of each and five idle bits.

    .. math:: y = (x_1 + x_2 + \dots + x_5) \bmod 2

    Columns: the relevant bits, then their copies, then the irrelevant bits, all fair coins. A subset
    that lacks a bit and its copy says nothing at all about the class, so no search that goes by graded
    credits can find its way: the problem marks where such searches end.

    Parameters
    ----------
    n_samples : int, default=500
        Number of rows.
    n_relevant : int, default=5
        Number of bits the parity is taken of.
    n_redundant : int, default=5
        Number of copies; the k-th copies the k-th relevant bit. At most `n_relevant`.
    n_irrelevant : int, default=5
        Number of bits without any part in the class.
    random_state : int, RandomState, Generator or None, default=None
        Seed or source of the random numbers.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    LabelledData or tuple of ndarray
        `X` of zeros and ones, shape (n_samples, n_relevant + n_redundant + n_irrelevant); `y` of 0, 1.
        `relevant` names the originals; a copy may stand in for its original.

    References
    ----------
    Sindhwani et al., "Feature Selection in MLPs and SVMs Based on Maximum Output Information", 2004,
    section IV-A.

    Examples
    --------
    >>> from infoprop.datasets import make_parity
    >>> data = make_parity(random_state=0)
    >>> data.X.shape, data.relevant
    ((500, 15), (0, 1, 2, 3, 4))
    """
    owner = "make_parity"
    check_size(n_samples, return_X_y, owner)
    check_integer("n_relevant", n_relevant, owner, low=1)
    check_integer("n_redundant", n_redundant, owner, low=0, high=n_relevant)
    check_integer("n_irrelevant", n_irrelevant, owner, low=0)
    random = random_source(random_state, owner)

    bits = random.randint(2, size=(n_samples, n_relevant))
    idle = random.randint(2, size=(n_samples, n_irrelevant))
    data = LabelledData(
        X=np.hstack([bits, bits[:, :n_redundant], idle]).astype(np.float64),
        y=bits.sum(axis=1) % 2,
        feature_names=(
            *(f"bit {k}" for k in range(1, n_relevant + 1)),
            *(f"copy of bit {k}" for k in range(1, n_redundant + 1)),
            *(f"irrelevant {k}" for k in range(1, n_irrelevant + 1)),
        ),
        relevant=tuple(range(n_relevant)),
        description=(
            f"Parity of {n_relevant} bits, copies of the first {n_redundant} of them, and {n_irrelevant} "
            "irrelevant bits."
        ),
    )
    return deliver(data, return_X_y)
