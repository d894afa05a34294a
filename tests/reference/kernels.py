"""Kernels written straight from their formulas, one pair at a time."""

import numpy as np


def kernel_value(x, y, kind, gamma, degree, coef0):
    dot = sum(a * b for a, b in zip(x, y, strict=True))
    if kind == "linear":
        return dot
    if kind == "poly":
        return (gamma * dot + coef0) ** degree
    if kind == "sigmoid":
        return np.tanh(gamma * dot + coef0)
    squares = [(a - b) ** 2 for a, b in zip(x, y, strict=True)]
    if kind == "rbf":
        return np.exp(-gamma * sum(squares))
    return sum(np.exp(-gamma * square) for square in squares) ** degree


def kernel_matrix(X, Y, **parameters):
    return np.array([[kernel_value(x, y, **parameters) for y in Y] for x in X])


def central_difference(X, Y, step=1e-6, **parameters):
    """d K(x_i, y_j) / d x_i^k, of shape (n_X, n_Y, n_features)."""
    gradient = np.empty((X.shape[0], Y.shape[0], X.shape[1]))
    for k in range(X.shape[1]):
        shift = np.zeros(X.shape[1])
        shift[k] = step
        above = kernel_matrix(X + shift, Y, **parameters)
        below = kernel_matrix(X - shift, Y, **parameters)
        gradient[:, :, k] = (above - below) / (2 * step)
    return gradient
