"""How well a cut separates two classes, from the shares of both that lie above it; the best cut counts."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import entr, ndtri

from infoprop._core._typing import FloatArray, IntArray
from infoprop.shaping._cuts_fast import rates_above_cuts
from infoprop.shaping._threads import blocks, map_blocks

RATE_CLIP = 0.0005
"""Rates are kept this far from 0 and 1, where the normal quantile is infinite."""


def bi_normal_separation(true_rate: FloatArray, false_rate: FloatArray, prior: float) -> FloatArray:
    """``|z(true_rate) - z(false_rate)|``, z the quantile of the normal distribution (section 2.2)."""
    true_rate = np.clip(true_rate, RATE_CLIP, 1.0 - RATE_CLIP)
    false_rate = np.clip(false_rate, RATE_CLIP, 1.0 - RATE_CLIP)
    return np.abs(ndtri(true_rate) - ndtri(false_rate))


def information_gain(true_rate: FloatArray, false_rate: FloatArray, prior: float) -> FloatArray:
    """Bits that the side of the cut tells about the class; `prior` is the share of positives."""
    cells = [prior * true_rate, prior * (1.0 - true_rate)]
    cells += [(1.0 - prior) * false_rate, (1.0 - prior) * (1.0 - false_rate)]
    sides = [cells[0] + cells[2], cells[1] + cells[3]]
    nats = entr(prior) + entr(1.0 - prior) + sum(map(entr, sides)) - sum(map(entr, cells))
    return np.maximum(nats / np.log(2.0), 0.0)


def hellinger_distance(true_rate: FloatArray, false_rate: FloatArray, prior: float) -> FloatArray:
    """Hellinger distance between the sides of the cut in both classes, from 0 to the root of 2."""
    above = np.sqrt(true_rate) - np.sqrt(false_rate)
    below = np.sqrt(1.0 - true_rate) - np.sqrt(1.0 - false_rate)
    return np.hypot(above, below)


SCORES: dict[str, Callable[[FloatArray, FloatArray, float], FloatArray]] = {
    "bns": bi_normal_separation,
    "information_gain": information_gain,
    "hellinger": hellinger_distance,
}


def best_separation(
    starts: IntArray,
    points: FloatArray,
    positives: FloatArray,
    negatives: FloatArray,
    *,
    score: str,
    n_jobs: Any = None,
) -> FloatArray:
    """Score of the best cut of every column.

    Parameters
    ----------
    starts : array of shape (n_features + 1,)
        Where the entries of each column begin.
    points : array of shape (n_distinct,)
        Where each entry lies; cuts run between points that differ. NaN lies nowhere.
    positives, negatives : array of shape (n_distinct,)
        Weights of both classes.
    score : {"bns", "information_gain", "hellinger"}
        What is taken the maximum of.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    array of shape (n_features,)
        Zero where there is no cut.
    """
    scores = np.empty(len(starts) - 1)
    total = positives.sum() + negatives.sum()
    prior = float(positives.sum() / total)
    true_rate, false_rate = np.empty(len(points)), np.empty(len(points))

    def work(first: int, last: int) -> None:
        rates_above_cuts(starts, points, positives, negatives, first, last, true_rate, false_rate)
        part = slice(starts[first], starts[last])
        separations = SCORES[score](true_rate[part], false_rate[part], prior)
        scores[first:last] = np.maximum.reduceat(separations, starts[first:last] - starts[first])

    map_blocks(work, blocks(starts), n_jobs)
    return scores
