"""The curvature of a network's layers as its definition says, on whole matrices."""

import numpy as np
from scipy.special import expit, softmax

from reference.networks import forward


def factors(network, X, weights):
    """Return A and G of every layer, from the inputs to the outputs."""
    s = weights / weights.sum()
    outputs = forward(network, X)
    p = softmax(outputs[-1], axis=1) if network.output == "softmax" else expit(outputs[-1])
    if network.output == "softmax":
        curvatures = np.einsum("ic,cd->icd", p, np.eye(p.shape[1])) - np.einsum("ic,id->icd", p, p)
    else:
        curvatures = np.einsum("ic,cd->icd", (p * (1 - p)) ** 2, np.eye(p.shape[1]))
    doubts = s * np.trace(curvatures, axis1=1, axis2=2)
    G = [np.einsum("i,icd->cd", s, curvatures)]
    for layer in range(len(network.coefs) - 2, -1, -1):
        slopes = slope(network.activation, outputs[layer])
        V = network.coefs[layer + 1]
        G.insert(0, (slopes.T * doubts) @ slopes / doubts.sum() * (V @ G[0] @ V.T))
    A = []
    for inputs in (X, *outputs[:-1]):
        with_one = np.column_stack([inputs, np.ones(len(X))])
        A.append((with_one.T * s) @ with_one)
    return A, G


def slope(activation, outputs):
    if activation == "tanh":
        return 1 - outputs**2
    return outputs * (1 - outputs) if activation == "logistic" else (outputs > 0).astype(float)


def damped_inverses(A, G, damping):
    """Return the inverses of A + ratio sqrt(damping) and G + sqrt(damping) / ratio."""
    ratio = np.sqrt((np.trace(A) / len(A)) / (np.trace(G) / len(G)))
    root = np.sqrt(damping)
    return (
        np.linalg.inv(A + ratio * root * np.eye(len(A))),
        np.linalg.inv(G + root / ratio * np.eye(len(G))),
    )
