"""What was found of every gene, written beside it: columns of `var` of AnnData."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infoprop._core._exceptions import DataError
from infoprop._core._writing import not_written, whole_file
from infoprop.credit._tables import class_columns
from infoprop.datasets._request import Request, usable_names

if TYPE_CHECKING:
    from infoprop.workflow._finding import Finding

_PREFIX = "infoprop_"


def annotated(finding: Finding, data: Any) -> Any:
    """Return a copy of AnnData whose `var` tells what was found."""
    copy = data.copy()
    for name in [name for name in copy.var.columns if str(name).startswith(_PREFIX)]:
        del copy.var[name]
    for name, values in var_columns(finding, [str(name) for name in data.var_names]).items():
        copy.var[name] = values
    return copy


def write_annotated(finding: Finding, source: Path, target: Path) -> None:
    """Write a copy of a .h5ad file whose `var` tells what was found; the matrix is copied, not read."""
    import h5py

    try:
        with source.open("rb") as whole, whole_file(target) as file:
            shutil.copyfileobj(whole, file)
            file.flush()
            with h5py.File(file.name, "r+") as copy:
                _write_columns(finding, copy["var"])
    except OSError as error:
        raise not_written(target, error) from error


def _write_columns(finding: Finding, var: Any) -> None:
    """Add columns to a data frame in a file, beside those that are there."""
    from anndata.io import read_elem, write_elem

    names = [str(name) for name in read_elem(var[var.attrs["_index"]])]
    columns = var_columns(finding, names)
    kept = [str(name) for name in var.attrs["column-order"] if not str(name).startswith(_PREFIX)]
    for name in [name for name in var if name.startswith(_PREFIX)]:
        del var[name]
    for name, values in columns.items():
        write_elem(var, name, values)
    var.attrs["column-order"] = [*kept, *columns]


def var_columns(finding: Finding, genes: list[str]) -> dict[str, Any]:
    """Return what was found, as columns of `var` for all `genes`.

    ``infoprop_bits``, ``infoprop_bits_<class>`` for every class, ``infoprop_rank`` (1 is best), and after a
    choice ``infoprop_selected``, ``infoprop_folds`` if folds decided, and ``infoprop_q_value`` if the method
    gives it. A gene that was left out has no numbers, and is not selected.
    """
    names, _ = usable_names(genes, Request("", "h5ad", "", None, (), ()))
    place = {name: number for number, name in enumerate(names)}
    unknown = [name for name in finding.names if name not in place]
    if unknown:
        raise DataError(f"These are not the genes of the analysis: there is no {unknown[0]!r}.")
    places = [place[name] for name in finding.names]
    told: dict[str, Any] = {}
    for column, values in _columns(finding).items():
        whole = np.zeros(len(genes), bool) if values.dtype == bool else np.full(len(genes), np.nan)
        whole[places] = values
        told[_PREFIX + column] = whole
    return told


def _columns(finding: Finding) -> dict[str, Any]:
    """What was found, by name, for every feature."""
    columns: dict[str, Any] = {}
    credits = finding.credits
    if credits is not None:
        columns["bits"] = credits.values
        for name, bits in zip(class_columns(credits.classes), credits.by_class, strict=True):
            # A slash would be a folder of the file.
            columns[name.replace("class_", "bits_", 1).replace("/", "|")] = bits
    order = finding.order if credits is None else credits.ranking
    rank = np.empty(len(finding.names))
    rank[order] = np.arange(1, len(order) + 1)
    columns["rank"] = rank
    if finding.selected is not None:
        columns["selected"] = np.asarray(finding.selected, dtype=bool)
    if finding.n_folds_chosen is not None:
        columns["folds"] = finding.n_folds_chosen
    if finding.q_values is not None:
        columns["q_value"] = finding.q_values
    return columns
