"""Nearest neighbours as they are defined, one query and one subset at a time."""

import numpy as np


def plain_votes(rows, masks, n_neighbors=1, is_weighted=False):
    """Class numbers, (n_masks, n_test): sort by distance and row, count, first class of equals."""
    found = np.empty((len(masks), len(rows.X_test)), dtype=int)
    for t, mask in enumerate(masks):
        for i, (x, fold) in enumerate(zip(rows.X_test, rows.test_folds, strict=True)):
            scale = rows.scales[fold] if len(rows.scales) > 1 else rows.scales[0]
            found[t, i] = one_vote(rows, mask, x, fold, scale, n_neighbors, is_weighted)
    return found


def one_vote(rows, mask, x, fold, scale, n_neighbors, is_weighted):
    """Class that one query is given; -1 if no row may vote."""
    allowed = np.flatnonzero(rows.train_folds != fold)
    if not len(allowed):
        return -1
    codes = rows.codes[allowed]
    if not mask.any():
        return np.argmax(np.bincount(codes, minlength=rows.n_classes))
    steps = ((x - rows.X_train[allowed]) * scale)[:, mask]
    # Rounded, so that the order of the terms does not part rows that are equally far.
    squared = np.round((steps**2).sum(axis=1), 12)
    nearest = np.argsort(squared, kind="stable")[:n_neighbors]
    weights = np.ones(len(nearest))
    if is_weighted:
        distances = np.sqrt(squared[nearest])
        weights = (distances == 0.0).astype(float) if distances[0] == 0.0 else 1.0 / distances
    return np.argmax(np.bincount(codes[nearest], weights=weights, minlength=rows.n_classes).round(9))
