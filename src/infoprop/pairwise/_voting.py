"""From the decisions of all pairs of classes to one class."""

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray

# Sums of the same weights may differ in their last bits, by the order of the terms.
TIE_DECIMALS = 12


def class_pairs(n_classes: int) -> tuple[IntArray, IntArray]:
    """Numbers of the first and the second class of every pair, ``(n^2 - n) / 2`` of them.

    Examples
    --------
    >>> class_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(n_classes, k=1)
    return first, second


def class_votes(
    is_first: BoolArray, weights: FloatArray, first: IntArray, second: IntArray, n_classes: int
) -> FloatArray:
    """Add up the votes: ``v_c = sum over pairs with c of w_p [the pair decides for c]``.

    Parameters
    ----------
    is_first : ndarray of shape (..., n_pairs, n_rows)
        Whether a pair decides for its first class.
    weights : ndarray of shape (..., n_pairs)
        What its vote counts.
    first, second : ndarray of shape (n_pairs,)
    n_classes : int

    Returns
    -------
    ndarray of shape (..., n_rows, n_classes)

    Examples
    --------
    >>> decisions = np.array([[True], [True], [False]])
    >>> class_votes(decisions, np.ones(3), *class_pairs(3), 3)
    array([[2., 0., 1.]])
    """
    votes = np.zeros((*is_first.shape[:-2], n_classes, is_first.shape[-1]))
    for pair, (one, other) in enumerate(zip(first, second, strict=True)):
        for_first = weights[..., pair, None] * is_first[..., pair, :]
        votes[..., one, :] += for_first
        votes[..., other, :] += weights[..., pair, None] - for_first
    return np.moveaxis(votes, -2, -1)


def vote_weights(credibility: FloatArray) -> FloatArray:
    """What votes count by the credibility of their pairs; one that nobody could judge counts as a guess.

    Examples
    --------
    >>> vote_weights(np.array([0.9, np.nan]))
    array([0.9, 0.5])
    """
    return np.nan_to_num(credibility, nan=0.5)


def elected(votes: FloatArray, priority: IntArray) -> IntArray:
    """Number of the class with most votes; of equal ones the first in `priority`.

    Parameters
    ----------
    votes : ndarray of shape (..., n_classes)
    priority : ndarray of shape (n_classes,)
        All classes.

    Returns
    -------
    ndarray of shape (...)

    Examples
    --------
    >>> elected(np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]]), np.array([2, 0, 1]))
    array([2, 0])
    """
    return np.asarray(priority[np.argmax(votes[..., priority].round(TIE_DECIMALS), axis=-1)])


def larger_first(class_weights: FloatArray) -> IntArray:
    """Classes by falling weight of their training rows, of equal ones the lower number first.

    Examples
    --------
    >>> larger_first(np.array([3.0, 5.0, 5.0]))
    array([1, 2, 0])
    """
    return np.lexsort((np.arange(len(class_weights)), -class_weights))
