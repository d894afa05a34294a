"""Small multilayer perceptrons, trained by a compiled quasi-Newton method.

:class:`MLPClassifier` is the classifier. :func:`train` trains given networks on given rows, for those who
search, and :class:`MovingMLP` moves them between subsets of the columns. :func:`propagated_shares` follows
information back through the :class:`Layer` of any network.
"""

from infoprop.mlp._classifier import MLPClassifier
from infoprop.mlp._moving import MovingMLP
from infoprop.mlp._network import Network
from infoprop.mlp._propagation import Layer, propagated_shares
from infoprop.mlp._rows import Rows
from infoprop.mlp._trainer import Settings, Trained, train

__all__ = [
    "Layer",
    "MLPClassifier",
    "MovingMLP",
    "Network",
    "Rows",
    "Settings",
    "Trained",
    "propagated_shares",
    "train",
]
