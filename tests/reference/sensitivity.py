"""Slow twins of the shares: decision functions differentiated numerically, one machine per pair."""

from itertools import combinations

import numpy as np
from sklearn.base import clone

STEP = 1e-5


def margin_sensitivity_by_differences(machine):
    """D_k = sum_i |b_i| |df/dx^k (x_i)| of a fitted binary SVC, with f asked twice per feature."""
    points = machine.support_vectors_
    points = points.toarray() if hasattr(points, "toarray") else points
    coefficients = machine.dual_coef_
    coefficients = coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients
    sensitivity = np.zeros(points.shape[1])
    for k in range(points.shape[1]):
        moved = np.zeros(points.shape[1])
        moved[k] = STEP
        slope = (machine.decision_function(points + moved) - machine.decision_function(points - moved)) / (
            2 * STEP
        )
        sensitivity[k] = np.abs(coefficients.ravel()) @ np.abs(slope)
    return sensitivity


def one_vs_one_shares(prototype, X, y):
    """Train a machine for each pair of classes on its own rows; a class sums over its machines."""
    classes = np.unique(y)
    total = np.zeros((len(classes), X.shape[1]))
    for i, j in combinations(range(len(classes)), 2):
        rows = np.isin(y, classes[[i, j]])
        machine = clone(prototype).fit(X[rows], y[rows])
        total[[i, j]] += margin_sensitivity_by_differences(machine)
    return total / total.sum(axis=1, keepdims=True)


def linear_shares(model):
    """The weights of a linear classifier by size, a row that sums to one for each class."""
    w = np.abs(np.atleast_2d(model.coef_))
    return np.broadcast_to(w / w.sum(axis=1, keepdims=True), (len(model.classes_), w.shape[1]))
