"""Small tables on disk."""

from reference.tables import iris, mixed, wine, write

__all__ = ["iris", "mixed", "wine", "write"]
