"""Nearest neighbours on moving subsets of the columns, for those who search.

:func:`votes` asks the neighbours of :class:`NeighborRows` on many subsets at once.
"""

from infoprop.neighbors._rows import NeighborRows
from infoprop.neighbors._votes import votes

__all__ = ["NeighborRows", "votes"]
