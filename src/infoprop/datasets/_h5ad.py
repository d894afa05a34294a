"""Cells and genes: AnnData, in memory or in .h5ad files. The matrix stays sparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infoprop._core._exceptions import DataError, Parameter, ParameterError
from infoprop._core._memory import fits_in_memory, memory_words
from infoprop.datasets._columns import TextRules, labels_of, row_groups_of, split_of
from infoprop.datasets._request import DEFAULT_TARGET, Request, Roles, find_column, usable_names
from infoprop.datasets._sparse import sparse_table

if TYPE_CHECKING:
    from infoprop.datasets._table import Table

CELL_NAMES = "obs_names"
"""What the names of the cells are called as a column that identifies rows."""

_BYTES_OF_ENTRY = 12


def is_anndata(data: Any) -> bool:
    """Whether `data` is an AnnData object; anndata is not imported for it."""
    return type(data).__module__.split(".")[0] == "anndata" and hasattr(data, "obs_names")


def read_h5ad(path: Path, layer: str | None, request: Request) -> Table:
    """Read the matrix, or one of the layers, of a file, with a column of `obs` as labels.

    Only what is needed is read: not the other layers, nor embeddings and graphs.
    """
    import h5py
    from anndata.io import read_elem

    try:
        with h5py.File(path, "r") as file:
            place = "X" if layer is None else f"layers/{layer}"
            if "obs" not in file or "var" not in file:
                raise DataError(f"{request.source} is not an .h5ad file: it has no obs and var.")
            if place not in file:
                raise _no_layer(layer, list(file.get("layers", ())), request.source)
            _refuse_large(file[place], request.source)
            obs, var, X = (read_elem(file[name]) for name in ("obs", "var", place))
    except OSError as error:
        raise DataError(f"{request.source} is not a readable .h5ad file: {error}.") from error
    return _table(X, obs, [str(name) for name in var.index], request)


def table_of_anndata(data: Any, layer: str | None, request: Request) -> Table:
    """Return the table that an AnnData object is."""
    if layer is not None and layer not in data.layers:
        raise _no_layer(layer, list(data.layers), request.source)
    X = data.X if layer is None else data.layers[layer]
    if X is None:
        raise _no_layer(None, list(data.layers), request.source)
    return _table(X, data.obs, [str(name) for name in data.var_names], request)


def _no_layer(layer: str | None, there: Sequence[str], source: str) -> DataError:
    what = "no X" if layer is None else f"no layer {layer!r}"
    layers = f"its layers are {', '.join(map(repr, there))}" if there else "it has no layers"
    return DataError(f"{source} has {what}; {layers}. See ", Parameter("layer"), ".")


def _refuse_large(place: Any, source: str) -> None:
    n_entries = place["data"].shape[0] if hasattr(place, "keys") else int(np.prod(place.shape))
    if not fits_in_memory(_BYTES_OF_ENTRY * n_entries):
        raise DataError(
            f"{source} has {n_entries:,} entries, which take more than {memory_words()}, which is all that "
            "may be used."
        )


def _table(X: Any, obs: Any, names: list[str], request: Request) -> Table:
    """Make the result out of a matrix (cells × genes), a pandas frame of the cells, and the genes' names."""
    import polars as pl
    from scipy import sparse

    for parameter in ("nominal", "text", "numeric", "dates"):
        if getattr(request, parameter):
            raise ParameterError(
                f"{request.source} holds numbers only; leave out ", Parameter(parameter), "."
            )
    columns = [str(name) for name in obs.columns]
    target = _target(columns, request)
    features, notes = usable_names(names, replace(request, target=""))
    dropped = set(request.drop)
    for name in request.drop:
        find_column(name, features, "drop", request.source)
    matrix = sparse.csr_matrix(X, dtype=np.float64)
    if dropped:
        matrix = matrix[:, [k for k, name in enumerate(features) if name not in dropped]]
        features = tuple(name for name in features if name not in dropped)
    n_cells = matrix.shape[0]

    def texts(name: str) -> pl.Series:
        return pl.Series(name, [None if cell != cell else str(cell) for cell in obs[name]], dtype=pl.String)

    y = labels_of(None if target is None else texts(target), n_cells, request, TextRules())
    split = None
    if request.split is not None:
        split = split_of(texts(find_column(request.split, columns, "split", request.source)), request.source)
    groups = None
    if request.row_groups is not None:
        name = find_column(request.row_groups, columns, "row_groups", request.source)
        groups = row_groups_of(texts(name), request.source)
    roles = Roles(target or str(request.target), None, features, frozenset())
    named = CELL_NAMES if request.identifier is None else request.identifier
    cells = (
        obs.index
        if request.identifier is None
        else obs[find_column(named, columns, "identifier", request.source)]
    )
    return replace(
        sparse_table(matrix, y, roles, request, split),
        identifier=named,
        identifiers=np.array([str(cell) for cell in cells], dtype=object),
        row_groups=groups,
        notes=notes,
    )


def _target(columns: Sequence[str], request: Request) -> str | None:
    """The column of `obs` that holds the labels."""
    if request.target is None and DEFAULT_TARGET not in columns:
        shown = ", ".join(repr(name) for name in columns[:6])
        raise ParameterError(
            f"Which column of obs of {request.source} holds the classes? Name it by ",
            Parameter("target"),
            f"; its columns are {shown}{', ...' if len(columns) > 6 else ''}.",
        )
    name = DEFAULT_TARGET if request.target is None else str(request.target)
    if request.like is not None and name not in columns:
        return None
    return find_column(name, columns, "target", request.source)
