"""Folds, and training sets of growing size inside them, the same in every run and for every method."""

from typing import Any, NamedTuple
from zlib import crc32

import numpy as np


class Split(NamedTuple):
    """Rows to train on, in an order whose beginnings are the smaller sets, and rows to ask about."""

    train: Any
    test: Any


def generator(seed: int, name: str, *numbers: int) -> np.random.Generator:
    """Random numbers that depend on what they are for, and on nothing else."""
    return np.random.default_rng([seed, crc32(name.encode()), *numbers])


def deal(codes: Any, n_folds: int, random: np.random.Generator) -> Any:
    """Deal the rows of each class out to folds: shape (n_samples,).

    A class goes on where the last one stopped, so that folds are of nearly equal size. The rows of a class
    that has at least two are never all in one fold.
    """
    folds = np.empty(len(codes), dtype=np.intp)
    dealt = 0
    for number in np.unique(codes):
        rows = random.permutation(np.flatnonzero(codes == number))
        folds[rows] = (dealt + np.arange(len(rows))) % n_folds
        dealt += len(rows)
    return folds


def stratified_order(codes: Any, random: np.random.Generator) -> Any:
    """Order in which every beginning has as much of each class as the whole, to within one row."""
    places = np.empty(len(codes))
    for number in np.unique(codes):
        rows = random.permutation(np.flatnonzero(codes == number))
        places[rows] = (np.arange(len(rows)) + random.uniform()) / len(rows)
    return np.argsort(places, kind="stable")


def outer_split(codes: Any, name: str, fold: int, n_folds: int, seed: int) -> Split:
    """One of the ten folds, with the training rows in nested order."""
    folds = deal(codes, n_folds, generator(seed, name))
    train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
    return Split(train[stratified_order(codes[train], generator(seed, name, fold))], test)
