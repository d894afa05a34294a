"""Nearest neighbours on moving subsets of the columns, for those who search.

:func:`votes` asks the neighbours of :class:`NeighborRows` on many subsets at once, :func:`grown_votes` on
those that grow from one by a column. :class:`KNNJudge` counts how often they are right.
"""

from infoprop.neighbors._judge import KNNJudge, NeighborTest
from infoprop.neighbors._rows import NeighborRows
from infoprop.neighbors._votes import grown_votes, votes

__all__ = ["KNNJudge", "NeighborRows", "NeighborTest", "grown_votes", "votes"]
