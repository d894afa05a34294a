"""What a search that can be stopped and resumed works with."""

from infoprop.selection.running._interruption import best_so_far
from infoprop.selection.running._journal import Journal
from infoprop.selection.running._progress import Progress
from infoprop.selection.running._seal import FORMAT, make

__all__ = ["FORMAT", "Journal", "Progress", "best_so_far", "make"]
