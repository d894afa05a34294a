"""Network: the weights of a multilayer perceptron, and what they compute, written plainly."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy.special import expit, log_softmax, softmax

from infoprop._core._typing import FloatArray, IntArray, Matrix

ACTIVATIONS = ("tanh", "logistic", "relu")
LOSSES = ("squared_error", "cross_entropy")
# What the last layer's outputs go through, by the loss that they are trained with.
OUTPUTS = {"squared_error": "logistic", "cross_entropy": "softmax"}


@dataclass(frozen=True, eq=False)
class Network:
    r"""Layers :math:`O^{l+1} = \phi(O^l W^l + b^l)` with :math:`O^0 = X`.

    Parameters
    ----------
    coefs : tuple of arrays of shape (n_in, n_out)
        One for each layer, as scikit-learn keeps them.
    intercepts : tuple of arrays of shape (n_out,)
    activation : {"tanh", "logistic", "relu"}
        Of the hidden layers.
    output : {"logistic", "softmax"}
        Of the last layer, one unit for each class.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.mlp._network import Network
    >>> network = Network.random((4, 3, 2), "tanh", "softmax", np.random.default_rng(0))
    >>> network.sizes, network.n_weights
    ((4, 3, 2), 23)
    """

    coefs: tuple[FloatArray, ...]
    intercepts: tuple[FloatArray, ...]
    activation: str
    output: str

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of the layers, from inputs to outputs."""
        return (self.coefs[0].shape[0], *(W.shape[1] for W in self.coefs))

    @property
    def n_weights(self) -> int:
        """Number of weights and intercepts."""
        return sum(W.size + W.shape[1] for W in self.coefs)

    @classmethod
    def random(
        cls, sizes: tuple[int, ...], activation: str, output: str, generator: np.random.Generator
    ) -> Self:
        """Draw weights and intercepts evenly from [-c, c], c = sqrt(6 / (n_in + n_out)).

        Logistic units, whose slope is at most 1/4, start from c = sqrt(2 / (n_in + n_out)).
        """
        coefs, intercepts = [], []
        scale = 2.0 if activation == "logistic" else 6.0
        for n_in, n_out in pairwise(sizes):
            bound = np.sqrt(scale / (n_in + n_out))
            coefs.append(generator.uniform(-bound, bound, (n_in, n_out)))
            intercepts.append(generator.uniform(-bound, bound, n_out))
        return cls(tuple(coefs), tuple(intercepts), activation, output)

    def vector(self) -> FloatArray:
        """Return all weights as one vector: layer by layer, weights row by row, then intercepts."""
        parts = [part for W, b in zip(self.coefs, self.intercepts, strict=True) for part in (W.ravel(), b)]
        return np.concatenate(parts)

    def with_vector(self, w: FloatArray) -> "Network":
        """Return a network of the same shape with these weights."""
        coefs, intercepts, offset = [], [], 0
        for W in self.coefs:
            coefs.append(w[offset : offset + W.size].reshape(W.shape).copy())
            offset += W.size
            intercepts.append(w[offset : offset + W.shape[1]].copy())
            offset += W.shape[1]
        return Network(tuple(coefs), tuple(intercepts), self.activation, self.output)


def forward(network: Network, X: Matrix) -> list[FloatArray]:
    """Return the outputs of every layer, hidden layers first; the last is without its output function."""
    outputs: list[Any] = [X]
    for layer, (W, b) in enumerate(zip(network.coefs, network.intercepts, strict=True)):
        z = np.asarray(outputs[-1] @ W) + b
        outputs.append(z if layer == len(network.coefs) - 1 else _activate(network.activation, z))
    return outputs[1:]


def class_outputs(network: Network, z: FloatArray) -> FloatArray:
    """Return what the last layer says: logistic functions of `z`, or their softmax."""
    return np.asarray(expit(z) if network.output == "logistic" else softmax(z, axis=1))


def loss_and_gradient(
    network: Network, X: Matrix, labels: IntArray, weights: FloatArray, penalty: float
) -> tuple[float, FloatArray]:
    r"""Return the penalised mean loss and its gradient in the order of :meth:`Network.vector`.

    Cross-entropy: :math:`-\sum_i s_i \log p_{i, y_i}`. Squared error:
    :math:`\tfrac12 \sum_i s_i \sum_c (o_{ic} - [y_i = c])^2`. Both with weights :math:`s_i` scaled to sum
    one, plus :math:`\tfrac\lambda2 \sum_l \|W^l\|^2` with :math:`\lambda` = `penalty`.
    """
    outputs = forward(network, X)
    z = outputs[-1]
    indicators = np.eye(z.shape[1])[labels]
    s = (weights / weights.sum())[:, None]
    if network.output == "softmax":
        loss = -(s * indicators * log_softmax(z, axis=1)).sum()
        delta = s * (softmax(z, axis=1) - indicators)
    else:
        o = expit(z)
        loss = 0.5 * (s * (o - indicators) ** 2).sum()
        delta = s * (o - indicators) * o * (1 - o)
    parts: list[FloatArray] = []
    for layer in range(len(network.coefs) - 1, -1, -1):
        W = network.coefs[layer]
        below: Any = outputs[layer - 1] if layer else X
        parts = [np.asarray(below.T @ delta + penalty * W).ravel(), delta.sum(axis=0), *parts]
        loss += 0.5 * penalty * (W**2).sum()
        if layer:
            delta = (delta @ W.T) * _slope(network.activation, below)
    return float(loss), np.concatenate(parts)


def _activate(activation: str, z: FloatArray) -> FloatArray:
    if activation == "tanh":
        return np.tanh(z)
    return np.asarray(expit(z)) if activation == "logistic" else np.maximum(z, 0.0)


def _slope(activation: str, outputs: FloatArray) -> FloatArray:
    if activation == "tanh":
        return 1.0 - outputs**2
    return outputs * (1.0 - outputs) if activation == "logistic" else (outputs > 0).astype(np.float64)
