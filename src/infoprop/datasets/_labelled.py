"""What every generator returns, and where its random numbers come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

import numpy as np

from infoprop._core._checks import check_boolean, check_integer
from infoprop._core._exceptions import ParameterError

if TYPE_CHECKING:
    from infoprop._core._typing import FloatArray, LabelArray

RandomSource: TypeAlias = int | np.random.RandomState | np.random.Generator | None
"""What `random_state` may be."""


@dataclass(frozen=True, eq=False)
class LabelledData:
    """A generated classification problem whose relevant columns are known.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        One row per example, float64.
    y : ndarray of shape (n_samples,)
        Class labels.
    feature_names : tuple of str
        One name per column of `X`.
    relevant : tuple of int
        Numbers of the columns that carry what there is to know about the class, counted from 0.
        ``X[:, data.relevant]`` holds them.
    description : str
        One paragraph on how the rows were made.

    Examples
    --------
    >>> from infoprop.datasets import make_corral
    >>> data = make_corral(complete=True)
    >>> data.X.shape, data.relevant
    ((128, 6), (0, 1, 2, 3))
    """

    X: FloatArray
    y: LabelArray
    feature_names: tuple[str, ...]
    relevant: tuple[int, ...]
    description: str

    def __repr__(self) -> str:
        n_samples, n_features = self.X.shape
        return f"LabelledData({n_samples} rows, {n_features} columns, relevant {list(self.relevant)})"


def check_size(n_samples: int, return_X_y: bool, owner: str) -> None:
    """Check the two parameters that all generators share."""
    check_integer("n_samples", n_samples, owner, low=1)
    check_boolean("return_X_y", return_X_y, owner)


def random_source(random_state: RandomSource, owner: str) -> np.random.RandomState:
    """Return the stream of random numbers that `random_state` stands for.

    A `RandomState` serves because NumPy promises its numbers for good, those of a `Generator` not:
    the same seed has to give the same rows with every later NumPy.
    """
    if random_state is None:
        return np.random.RandomState()
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.bit_generator)
    try:
        seed = check_integer("random_state", random_state, owner, low=0, high=2**32 - 1)
    except ParameterError as error:
        must = "None, a whole number from 0 to 2**32 - 1, a RandomState or a Generator"
        raise ParameterError(
            f"The 'random_state' parameter of {owner} must be {must}. Got {random_state!r}."
        ) from error
    return np.random.RandomState(seed)


@overload
def deliver(data: LabelledData, return_X_y: Literal[False]) -> LabelledData: ...
@overload
def deliver(data: LabelledData, return_X_y: Literal[True]) -> tuple[FloatArray, LabelArray]: ...
@overload
def deliver(data: LabelledData, return_X_y: bool) -> LabelledData | tuple[FloatArray, LabelArray]: ...
def deliver(data: LabelledData, return_X_y: bool) -> LabelledData | tuple[FloatArray, LabelArray]:
    """Hand out the whole result, or its arrays alone."""
    return (data.X, data.y) if return_X_y else data
