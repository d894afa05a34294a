"""Equation 8 of moi-2004, written as loops over units."""

import numpy as np

from infoprop.mlp._propagation import ACTIVATIONS


def covariance(a, b, weights):
    """Weighted covariance of two columns."""
    total = weights.sum()
    return (weights * (a - weights @ a / total) * (b - weights @ b / total)).sum() / total


def layer_shares(O_before, O_after, W, weights):
    """``|c_kj| / sum_j |c_kj|`` for one layer; a row of zeros where the sum is zero."""
    n_before, n_after = W.shape
    shares = np.zeros((n_after, n_before))
    for k in range(n_after):
        for j in range(n_before):
            shares[k, j] = abs(covariance(O_after[:, k], W[j, k] * O_before[:, j], weights))
        if shares[k].sum() > 0:
            shares[k] /= shares[k].sum()
    return shares


def propagated_shares(layers, X, weights=None):
    """Credit one unit at each output and hand it back layer by layer."""
    weights = np.ones(len(X)) if weights is None else weights
    levels = [X]
    for layer in layers:
        levels.append(ACTIVATIONS[layer.activation](levels[-1] @ layer.weights + layer.intercepts))
    shares = []
    for r in range(levels[-1].shape[1]):
        credit = np.eye(levels[-1].shape[1])[r]
        for k in range(len(layers) - 1, -1, -1):
            W = layers[k].weights
            if layers[k].activation in ("softmax", "log_softmax"):
                W = W - W.mean(axis=1, keepdims=True)
            credit = credit @ layer_shares(levels[k], levels[k + 1], W, weights)
        shares.append(credit)
    return np.array(shares)
