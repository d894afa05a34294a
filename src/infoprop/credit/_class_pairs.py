"""Classifiers made of a classifier for every pair of classes, each with columns of its own.

They say what they are made of by a method ``_credited_pairs(X)``; `infoprop.pairwise` has one.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._typing import FloatArray, IntArray, LabelArray


class CreditedPair(NamedTuple):
    """The classifier of two classes.

    Attributes
    ----------
    estimator : fitted classifier
        Of two classes.
    rows : matrix, data frame or None
        The rows as it is given them.
    columns : ndarray of shape (n_own,)
        Numbers of its columns.
    n_columns : int
        Of the classifier that it is part of.
    """

    estimator: Any
    rows: Any
    columns: IntArray
    n_columns: int

    @property
    def origins(self) -> sparse.csr_array:
        """Which column of the whole each of its columns is: shape (n_own, n_columns)."""
        n_own = len(self.columns)
        placed = np.ones(n_own), np.asarray(self.columns), np.arange(n_own + 1)
        return sparse.csr_array(placed, shape=(n_own, self.n_columns))


def pairs_inside(classifier: Any, X: Any = None) -> list[CreditedPair] | None:
    """The pairs that a classifier is made of; None for any other classifier."""
    return list(classifier._credited_pairs(X)) if hasattr(classifier, "_credited_pairs") else None


def shares_of_pairs(
    pairs: list[CreditedPair], shares: list[FloatArray], classes: LabelArray, n_columns: int
) -> FloatArray:
    """Mean share over the pairs that a class takes part in: shape (n_classes, n_columns).

    Parameters
    ----------
    pairs : list of CreditedPair
    shares : list of ndarray of shape (n_own,)
        Of each pair's own columns.
    classes : ndarray of shape (n_classes,)
    n_columns : int
    """
    number = {label: k for k, label in enumerate(classes.tolist())}
    total = np.zeros((len(number), n_columns))
    for pair, own in zip(pairs, shares, strict=True):
        for label in np.asarray(pair.estimator.classes_).tolist():
            total[number[label], pair.columns] += own
    return total / (len(number) - 1)
