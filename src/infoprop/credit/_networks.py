"""Networks of other libraries, read as layers."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier
from sklearn.utils.validation import check_array, validate_data

from infoprop._core._exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop._core._typing import FloatArray, LabelArray, Matrix
from infoprop.mlp import MLPClassifier
from infoprop.mlp._propagation import Layer, propagated_shares

# What the modules of torch are called here. Those of the second kind do nothing once training is over.
_ACTIVATIONS = {
    "Tanh": "tanh",
    "Sigmoid": "logistic",
    "ReLU": "relu",
    "Softmax": "softmax",
    "LogSoftmax": "log_softmax",
}
_IDLE = ("Identity", "Dropout", "AlphaDropout", "Flatten")


def network_shares(network: PeerMLPClassifier, X: Any, sample_weight: Any) -> FloatArray:
    """Shares in scikit-learn's network; its single output for two classes serves both."""
    rows = validate_data(network, needed_rows(network, X), accept_sparse="csr", dtype=np.float64, reset=False)
    shares = propagated_shares(layers_of(network), rows, sample_weight)
    return _row_per_class(shares, np.size(network.classes_))


def layers_of(network: Any) -> Sequence[Layer]:
    """Layers of our network or of scikit-learn's, which keep them alike, or of torch's."""
    if isinstance(network, SequentialClassifier):
        return network.layers
    is_peer = isinstance(network, PeerMLPClassifier)
    if is_peer and network.out_activation_ == "logistic" and len(network.intercepts_[-1]) > 1:
        raise UnsupportedEstimatorError(
            "MLPClassifier was trained with several labels per row; credits are shared for one label per row."
        )
    activations = [network.activation] * (len(network.coefs_) - 1) + [network.out_activation_]
    return [
        Layer(np.asarray(W, dtype=np.float64), np.asarray(b, dtype=np.float64), activation)
        for W, b, activation in zip(network.coefs_, network.intercepts_, activations, strict=True)
    ]


def needed_rows(network: Any, X: Any) -> Any:
    """Return X, which networks cannot do without."""
    if X is None:
        raise ParameterError(
            f"The shares of {type(network).__name__} are covariances over rows: X must be given. "
            "Call credit_shares(network, X) or credit_features(network, X, y)."
        )
    return X


def is_sequential(estimator: Any) -> bool:
    """Whether it is a torch.nn.Sequential. Whoever holds one has imported torch; nobody else has to."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(estimator, torch.nn.Sequential)


@dataclass(frozen=True, eq=False)
class SequentialClassifier:
    """A torch.nn.Sequential as a classifier.

    The largest output gives the class; a single one says the second of two classes if it is above 0.5 after
    a sigmoid, above 0 otherwise.
    """

    layers: tuple[Layer, ...]
    classes_: LabelArray

    @classmethod
    def from_labels(cls, network: Any, y: Any = None) -> "SequentialClassifier":
        """Read a network whose classes are its attribute ``classes_`` or, without one, found in labels.

        Whole numbers below the number of outputs are those torch counts classes with, as without labels; any
        other labels are taken in ascending order.
        """
        layers = sequential_layers(network)
        n_classes = max(2, len(layers[-1].intercepts))
        found = np.arange(n_classes) if y is None else np.unique(y)
        classes = np.asarray(getattr(network, "classes_", found))
        if not hasattr(network, "classes_") and _counts_below(classes, n_classes):
            classes = np.arange(n_classes)
        if len(classes) != n_classes:
            raise DataError(
                f"The network tells {n_classes} classes apart, but there are {len(classes)} labels in y. Say "
                "which they are, in the order of the outputs: network.classes_ = [...]."
            )
        return cls(layers, classes)

    def predict(self, X: Any) -> LabelArray:
        """Return the class of every row."""
        block: Any = _numbers(X)
        for layer in self.layers:
            block = layer.outputs(block)
        if block.shape[1] > 1:
            return np.asarray(self.classes_[block.argmax(axis=1)])
        threshold = 0.5 if self.layers[-1].activation == "logistic" else 0.0
        return np.asarray(self.classes_[(block[:, 0] > threshold).astype(np.intp)])

    def credit_shares(self, X: Any, sample_weight: Any = None) -> FloatArray:
        """Return shares by equation 8, one row per class: (n_classes, n_features)."""
        shares = propagated_shares(self.layers, self.rows(needed_rows(self, X)), sample_weight)
        return _row_per_class(shares, len(self.classes_))

    def rows(self, X: Any) -> Matrix:
        """Return tensors, arrays or frames as numbers."""
        rows = _numbers(X)
        if rows.shape[1] != len(self.layers[0].weights):
            raise DataError(
                f"X has {rows.shape[1]} columns, but the network was made for {len(self.layers[0].weights)}."
            )
        return rows


NETWORKS = MLPClassifier, PeerMLPClassifier, SequentialClassifier


def sequential_layers(network: Any) -> tuple[Layer, ...]:
    """Layers of a torch.nn.Sequential of Linear and activation modules, as it is when not in training.

    An activation that does not follow a Linear module is a layer of its own, which mixes nothing.
    """
    layers: list[Layer] = []
    for module in _modules(network):
        kind = type(module).__name__
        if kind == "Linear":
            layers.append(Layer(*_parameters(module), "identity"))
            continue
        activation = _activation(module)
        if not layers:
            raise UnsupportedEstimatorError(f"The network must begin with a Linear module. Got {kind} first.")
        if layers[-1].activation != "identity":
            width = len(layers[-1].intercepts)
            layers.append(Layer(np.eye(width), np.zeros(width), "identity"))
        layers[-1] = Layer(layers[-1].weights, layers[-1].intercepts, activation)
    if not layers:
        raise UnsupportedEstimatorError("The network has no Linear module.")
    return tuple(layers)


def _modules(network: Any) -> Iterator[Any]:
    """Modules that do something, in order, those of inner Sequentials among them."""
    for module in network:
        if is_sequential(module):
            yield from _modules(module)
        elif type(module).__name__ not in _IDLE:
            yield module


def _activation(module: Any) -> str:
    kind = type(module).__name__
    if kind not in _ACTIVATIONS:
        raise UnsupportedEstimatorError(
            f"Credits cannot be followed back through the module {kind}. Supported in a torch.nn.Sequential: "
            f"Linear, {', '.join(_ACTIVATIONS)}; {', '.join(_IDLE)} are passed over."
        )
    if getattr(module, "dim", 1) not in (1, -1, None):
        raise UnsupportedEstimatorError(f"{kind} must work along the classes, dim=1. Got dim={module.dim}.")
    return _ACTIVATIONS[kind]


def _parameters(linear: Any) -> tuple[FloatArray, FloatArray]:
    """Weights, inputs first, and intercepts of a Linear module."""
    W = np.asarray(_array(linear.weight), dtype=np.float64).T
    b = np.zeros(W.shape[1]) if linear.bias is None else np.asarray(_array(linear.bias), dtype=np.float64)
    return W, b


def _counts_below(labels: LabelArray, n_classes: int) -> bool:
    return labels.dtype.kind in "iu" and bool(np.isin(labels, np.arange(n_classes)).all())


def _numbers(X: Any) -> Matrix:
    return check_array(_array(X), accept_sparse="csr", dtype=np.float64)


def _array(values: Any) -> Any:
    """Return a tensor as an array; anything else as it is."""
    return values.detach().cpu().numpy() if hasattr(values, "detach") else values


def _row_per_class(shares: FloatArray, n_classes: int) -> FloatArray:
    return np.repeat(shares, n_classes, axis=0) if len(shares) == 1 else shares
