"""Tables in Parquet files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from infoprop._core._exceptions import DataError
from infoprop.datasets._columns import build_table
from infoprop.datasets._request import Request, assign_roles

if TYPE_CHECKING:
    from infoprop.datasets._table import Table


def read_parquet(raw: bytes, request: Request) -> Table:
    """Read a Parquet file; its schema decides what is a number."""
    import polars as pl

    # polars panics on some truncated files, so look at the format's marks at both ends first.
    if not (raw.startswith(b"PAR1") and raw.endswith(b"PAR1")):
        raise DataError(f"{request.source} is not a Parquet file, or only part of one.")
    try:
        frame = pl.read_parquet(io.BytesIO(raw))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{request.source} is not a readable Parquet file: {str(error).splitlines()[0]}."
        ) from error
    if not frame.width:
        raise DataError(f"{request.source} has no columns.")
    if not frame.height:
        raise DataError(f"{request.source} has columns but no rows.")
    roles = assign_roles(frame.columns, request)
    return build_table(frame, roles, request, rules=None)
