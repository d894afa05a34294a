"""ClassPairs: the classifiers of all pairs of classes, with the features that each one uses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class ClassPair(FrozenArrays):
    """The classifier that tells two classes apart.

    Attributes
    ----------
    classes : tuple of two labels
        The first vote is for ``classes[0]``.
    columns : ndarray of shape (n_selected,)
        Numbers of the columns it uses, ascending.
    features : tuple of str
        Their names.
    credibility : float
        Part of the rows of the two classes that it names right in validation, from 0 to 1; NaN if there was
        none.
    n_rows : int
        Rows it was trained on.
    estimator : classifier
        Trained on `columns` of the rows of the two classes.

    Examples
    --------
    >>> pair = ClassPair(("cat", "dog"), np.array([2]), ("tail",), 0.9, 20, None)
    >>> pair
    ClassPair('cat' | 'dog', 1 features, credibility=0.900)
    """

    classes: tuple[Any, Any]
    columns: IntArray
    features: tuple[str, ...]
    credibility: float
    n_rows: int
    estimator: Any

    def __repr__(self) -> str:
        one, other = self.classes
        return (
            f"ClassPair({one!r} | {other!r}, {len(self.features)} features, "
            f"credibility={self.credibility:.3f})"
        )


@dataclass(frozen=True, repr=False)
class ClassPairs(Sequence[ClassPair]):
    """All pairs of classes of a :class:`PairwiseClassifier`: a sequence.

    Attributes
    ----------
    pairs : tuple of ClassPair
        First class first: (0, 1), (0, 2), ..., (1, 2), ...
    feature_names : tuple of str
        Names of all columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.pairwise import PairwiseClassifier
    >>> pairs = PairwiseClassifier(random_state=0).fit(*load_iris(return_X_y=True)).pairs_
    >>> pairs[2].classes, pairs.support.shape
    ((1, 2), (3, 4))
    """

    pairs: tuple[ClassPair, ...]
    feature_names: tuple[str, ...]

    @property
    def support(self) -> BoolArray:
        """Which pair uses which column: shape (n_pairs, n_features)."""
        support = np.zeros((len(self.pairs), len(self.feature_names)), dtype=bool)
        for row, pair in zip(support, self.pairs, strict=True):
            row[pair.columns] = True
        return support

    @property
    def credibility(self) -> FloatArray:
        """Validated accuracy of each pair: shape (n_pairs,)."""
        return np.array([pair.credibility for pair in self.pairs], dtype=np.float64)

    def of(self, one: Any, other: Any) -> ClassPair:
        """Return the pair of two classes, in whatever order.

        Raises
        ------
        KeyError
            If there is no such pair.
        """
        for pair in self.pairs:
            if pair.classes in ((one, other), (other, one)):
                return pair
        raise KeyError(f"There is no pair of the classes {one!r} and {other!r}.")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per pair.

        Columns: ``first`` and ``second`` (labels), ``credibility``, ``n_rows``, ``n_features`` and
        ``features`` (names, joined by ", ").

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        data: dict[str, Any] = {
            "first": [pair.classes[0] for pair in self.pairs],
            "second": [pair.classes[1] for pair in self.pairs],
            "credibility": self.credibility,
            "n_rows": [pair.n_rows for pair in self.pairs],
            "n_features": [len(pair.features) for pair in self.pairs],
            "features": [", ".join(pair.features) for pair in self.pairs],
        }
        return to_native_frame(data, backend, "ClassPairs.to_frame")

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, number: int) -> ClassPair: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[ClassPair, ...]: ...
    def __getitem__(self, number: int | slice) -> ClassPair | tuple[ClassPair, ...]:
        return self.pairs[number]

    def __iter__(self) -> Iterator[ClassPair]:
        return iter(self.pairs)

    def __repr__(self) -> str:
        sizes = [len(pair.features) for pair in self.pairs]
        return (
            f"ClassPairs(n_pairs={len(self)}, n_features={min(sizes)}..{max(sizes)} of "
            f"{len(self.feature_names)}, credibility={self.credibility.min():.3f}.."
            f"{self.credibility.max():.3f})"
        )
