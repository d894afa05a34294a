"""Small multilayer perceptrons, trained by compiled second-order methods.

:func:`propagated_shares` follows information back through the :class:`Layer` of any network.
"""

from infoprop.mlp._propagation import Layer, propagated_shares

__all__ = ["Layer", "propagated_shares"]
