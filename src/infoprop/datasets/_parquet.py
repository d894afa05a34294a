"""Tables in Parquet files."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from infoprop._core._exceptions import DataError
from infoprop._core._memory import fits_in_memory, memory_words
from infoprop.datasets._columns import build_table
from infoprop.datasets._request import Request, assign_roles

if TYPE_CHECKING:
    from infoprop.datasets._table import Table

_BYTES_OF_CELL = 8


def read_parquet(raw: bytes, request: Request) -> Table:
    """Read a Parquet file; its schema decides what is a number."""
    import polars as pl

    # polars panics on some truncated files, so look at the format's marks at both ends first.
    if not (raw.startswith(b"PAR1") and raw.endswith(b"PAR1")):
        raise DataError(f"{request.source} is not a Parquet file, or only part of one.")
    try:
        _refuse_large(raw, request.source)
        frame = pl.read_parquet(io.BytesIO(raw))
    except DataError:
        raise
    # A forged or damaged file makes polars panic, which is no Exception.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, OverflowError) as error:
        raise DataError(
            f"{request.source} is not a readable Parquet file: {str(error).splitlines()[0]}."
        ) from error
    if not frame.width:
        raise DataError(f"{request.source} has no columns.")
    if not frame.height:
        raise DataError(f"{request.source} has columns but no rows.")
    roles = assign_roles(frame.columns, request)
    return build_table(frame, roles, request, rules=None)


def _refuse_large(raw: bytes, source: str) -> None:
    """Packed columns take a few bytes for any number of equal cells."""
    import polars as pl

    n_columns = len(pl.read_parquet_schema(io.BytesIO(raw)))
    n_rows = int(pl.scan_parquet(io.BytesIO(raw)).select(pl.len()).collect().item())
    if not fits_in_memory(n_rows * n_columns * _BYTES_OF_CELL):
        raise DataError(
            f"{source} has {n_rows:,} rows of {n_columns:,} columns, which take more than {memory_words()}."
        )
