"""Small multilayer perceptrons, trained by a compiled quasi-Newton method.

:class:`MLPClassifier` is the classifier. :func:`train` trains given networks on given rows, for those who
search, and :class:`MovingMLP` moves them between subsets of the columns. :func:`propagated_shares` follows
information back through the :class:`Layer` of any network.
"""

from infoprop.mlp._classifier import MLPClassifier

__all__ = [
    "MLPClassifier",
]
