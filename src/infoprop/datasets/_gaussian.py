"""Problems with Gaussian features: Infoprop's synthetic one, Breiman's waveforms, graded noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop.datasets._labelled import LabelledData, RandomSource, check_size, deliver, random_source

if TYPE_CHECKING:
    from infoprop._core._typing import FloatArray, IntArray

_PRIORS = (0.5, 0.3, 0.2)
_WAVE_LENGTH = 21
_WAVE_PAIRS = ((0, 1), (0, 2), (1, 2))


@overload
def make_infoprop_synthetic(
    n_samples: int = ...,
    *,
    reading: Literal["printed", "equal-means"] = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[False] = ...,
) -> LabelledData: ...
@overload
def make_infoprop_synthetic(
    n_samples: int = ...,
    *,
    reading: Literal["printed", "equal-means"] = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[True],
) -> tuple[FloatArray, IntArray]: ...
def make_infoprop_synthetic(
    n_samples: int = 300,
    *,
    reading: Literal["printed", "equal-means"] = "printed",
    random_state: RandomSource = None,
    return_X_y: bool = False,
) -> LabelledData | tuple[FloatArray, IntArray]:
    r"""Three biased classes, a feature of its own for each, six features of loud noise.

    Class :math:`i \in \{1, 2, 3\}` is drawn with probability 0.5, 0.3, 0.2, then

    .. math::

        x_i \sim N(\mu_i, s^2), \qquad x_j \sim N(0, s^2) \;\; (j \le 3, j \ne i), \qquad
        x_k \sim N(0, 20) \;\; (k = 4, \dots, 9).

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows. The paper trains on 200 and tests on 100; rows are independent, so the first
        200 and the last 100 will do.
    reading : {"printed", "equal-means"}, default="printed"
        "printed" takes the paper at its word: :math:`\mu_i = i`, variance :math:`s^2 = 0.1`.
        "equal-means" is the reading that agrees with its figure, where feature 1 gets most credit:
        :math:`\mu_i = 1`, standard deviation :math:`s = 0.1`. With the printed means a linear machine
        credits feature 2 most.
    random_state : int, RandomState, Generator or None, default=None
        Seed or source of the random numbers.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    LabelledData or tuple of ndarray
        `X` of shape (n_samples, 9), `y` of 1, 2, 3, and the relevant columns 0, 1, 2.

    References
    ----------
    Sindhwani, Bhattacharya, Rakshit, "Information Theoretic Feature Crediting in Multiclass Support
    Vector Machines", 2001, section 6.

    Examples
    --------
    >>> from infoprop.datasets import make_infoprop_synthetic
    >>> data = make_infoprop_synthetic(random_state=0)
    >>> data.X.shape, data.relevant
    ((300, 9), (0, 1, 2))
    """
    owner = "make_infoprop_synthetic"
    check_size(n_samples, return_X_y, owner)
    check_choice("reading", reading, ("printed", "equal-means"), owner)
    random = random_source(random_state, owner)
    means, spread = ((1.0, 2.0, 3.0), np.sqrt(0.1)) if reading == "printed" else ((1.0, 1.0, 1.0), 0.1)

    y = random.choice([1, 2, 3], size=n_samples, p=_PRIORS)
    own = random.standard_normal((n_samples, 3)) * spread
    own[np.arange(n_samples), y - 1] += np.take(means, y - 1)
    noise = random.standard_normal((n_samples, 6)) * np.sqrt(20.0)
    data = LabelledData(
        X=np.hstack([own, noise]),
        y=y,
        feature_names=tuple(f"x{k}" for k in range(1, 10)),
        relevant=(0, 1, 2),
        description=(
            "Infoprop's synthetic problem: three classes with probabilities 0.5, 0.3, 0.2; feature i is "
            f"raised by {', '.join(f'{mean:g}' for mean in means)} in class 1, 2, 3 over noise of standard "
            f"deviation {spread:.3g}; features 4 to 9 are noise of variance 20."
        ),
    )
    return deliver(data, return_X_y)


@overload
def make_waveform40(
    n_samples: int = ..., *, random_state: RandomSource = ..., return_X_y: Literal[False] = ...
) -> LabelledData: ...
@overload
def make_waveform40(
    n_samples: int = ..., *, random_state: RandomSource = ..., return_X_y: Literal[True]
) -> tuple[FloatArray, IntArray]: ...
def make_waveform40(
    n_samples: int = 300, *, random_state: RandomSource = None, return_X_y: bool = False
) -> LabelledData | tuple[FloatArray, IntArray]:
    r"""Breiman's three classes of mixed triangular waves, followed by 19 features of pure noise.

    With the waves :math:`h_1(k) = \max(6 - |k - 11|, 0)`, :math:`h_2(k) = h_1(k - 4)`,
    :math:`h_3(k) = h_1(k + 4)` and one :math:`u \sim U(0, 1)` per row,

    .. math::

        x_k = u\, h_a(k) + (1 - u)\, h_b(k) + e_k \;\; (k \le 21), \qquad x_k = e_k \;\; (k > 21),
        \qquad e_k \sim N(0, 1),

    where :math:`(a, b)` is (1, 2), (1, 3), (2, 3) in class 0, 1, 2. Classes are equally likely.

    All three waves are zero at features 1 and 21. These two are therefore noise as well, although
    the problem is usually described as having 21 relevant features, and are not listed in `relevant`.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows; the paper trains on 200 and tests on 100.
    random_state : int, RandomState, Generator or None, default=None
        Seed or source of the random numbers.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    LabelledData or tuple of ndarray
        `X` of shape (n_samples, 40), `y` of 0, 1, 2, and the relevant columns 1, ..., 19.

    References
    ----------
    Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984, section 2.6.2.
    Used in Sindhwani, Bhattacharya, Rakshit, 2001, section 6.

    Examples
    --------
    >>> from infoprop.datasets import make_waveform40
    >>> X, y = make_waveform40(50, random_state=0, return_X_y=True)
    >>> X.shape, sorted(set(y.tolist()))
    ((50, 40), [0, 1, 2])
    """
    owner = "make_waveform40"
    check_size(n_samples, return_X_y, owner)
    random = random_source(random_state, owner)

    waves = _waves()
    y = random.randint(3, size=n_samples)
    share = random.uniform(size=(n_samples, 1))
    first, second = np.take(_WAVE_PAIRS, y, axis=0).T
    X = random.standard_normal((n_samples, 40))
    X[:, :_WAVE_LENGTH] += share * waves[first] + (1.0 - share) * waves[second]
    data = LabelledData(
        X=X,
        y=y,
        feature_names=tuple(f"x{k}" for k in range(1, 41)),
        relevant=tuple(int(k) for k in np.flatnonzero(waves.any(axis=0))),
        description=(
            "Breiman's waveform problem: each class mixes two of three triangular waves over features 1 to "
            "21 with unit Gaussian noise; features 22 to 40 are that noise alone, and so are 1 and 21, "
            "where every wave is zero."
        ),
    )
    return deliver(data, return_X_y)


def _waves() -> FloatArray:
    k = np.arange(1, _WAVE_LENGTH + 1)
    peaks = np.array([[11], [15], [7]])
    waves: FloatArray = np.maximum(6.0 - np.abs(k - peaks), 0.0)
    return waves


@overload
def make_graded_noise(
    n_samples: int = ...,
    *,
    n_features: int = ...,
    noise: float = ...,
    growth: float = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[False] = ...,
) -> LabelledData: ...
@overload
def make_graded_noise(
    n_samples: int = ...,
    *,
    n_features: int = ...,
    noise: float = ...,
    growth: float = ...,
    random_state: RandomSource = ...,
    return_X_y: Literal[True],
) -> tuple[FloatArray, IntArray]: ...
def make_graded_noise(
    n_samples: int = 500,
    *,
    n_features: int = 20,
    noise: float = 0.2,
    growth: float = 1.2,
    random_state: RandomSource = None,
    return_X_y: bool = False,
) -> LabelledData | tuple[FloatArray, IntArray]:
    r"""Two classes around (1, ..., 1) and (-1, ..., -1) whose noise grows from feature to feature.

    .. math:: x_i = y + \sigma_i e_i, \qquad \sigma_i = 0.2 \cdot 1.2^{\,i - 1}, \qquad e_i \sim N(0, 1)

    for :math:`i = 1, \dots, 20` and :math:`y = \pm 1`. Every feature tells something, each less than the
    one before it, so the right ranking is 1, 2, ..., 20.

    Parameters
    ----------
    n_samples : int, default=500
        Number of rows; the classes have equally many, the odd row out goes to +1.
    n_features : int, default=20
        Number of features.
    noise : float, default=0.2
        Standard deviation of the first feature's noise.
    growth : float, default=1.2
        Ratio of one feature's standard deviation to that of the feature before.
    random_state : int, RandomState, Generator or None, default=None
        Seed or source of the random numbers.
    return_X_y : bool, default=False
        Return ``(X, y)`` only.

    Returns
    -------
    LabelledData or tuple of ndarray
        `X` of shape (n_samples, n_features), `y` of -1, +1; all columns are relevant, best first.

    References
    ----------
    Hermes, Buhmann, "Feature Selection for Support Vector Machines", 2000, section 4.

    Examples
    --------
    >>> from infoprop.datasets import make_graded_noise
    >>> data = make_graded_noise(random_state=0)
    >>> data.X.shape, len(data.relevant)
    ((500, 20), 20)
    """
    owner = "make_graded_noise"
    check_size(n_samples, return_X_y, owner)
    check_integer("n_features", n_features, owner, low=1)
    check_number("noise", noise, owner, low=0.0)
    check_number("growth", growth, owner, low=0.0, low_open=True)
    random = random_source(random_state, owner)

    y = random.permutation(np.where(np.arange(n_samples) % 2 == 0, 1, -1))
    spread = noise * growth ** np.arange(n_features)
    data = LabelledData(
        X=y[:, np.newaxis] + random.standard_normal((n_samples, n_features)) * spread,
        y=y,
        feature_names=tuple(f"x{k}" for k in range(1, n_features + 1)),
        relevant=tuple(range(n_features)),
        description=(
            f"Two Gaussian classes centred at +1 and -1 in {n_features} features; the standard deviation of "
            f"feature i is {noise:g} * {growth:g}**(i - 1), so features lose worth in their order."
        ),
    )
    return deliver(data, return_X_y)
