"""Sparse tables: svmlight files, archives of word counts, and the result both share with sparse ARFF."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from infoprop._core._exceptions import DataError
from infoprop._core._memory import fits_in_memory, memory_words
from infoprop.datasets._request import OWN_SPLIT, Request, Roles, own_label_roles
from infoprop.datasets._source import decode
from infoprop.datasets._table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infoprop._core._typing import CSRMatrix, IntArray, LabelArray

_LARGEST_INDEX = 2**31 - 1
"""Of an svmlight file: scikit-learn's reader counts in 32 bits."""
_LONGEST_INDEX = len(str(_LARGEST_INDEX))
_WORD_COUNT_KEYS = ("data", "indices", "indptr", "shape", "y", "classes", "vocabulary")


def sparse_table(
    X: CSRMatrix, y: LabelArray, roles: Roles, request: Request, split: LabelArray | None = None
) -> Table:
    """Make the result out of a CSR matrix whose columns are the features, in order."""
    X.sum_duplicates()
    X.sort_indices()
    bad = np.flatnonzero(np.isinf(X.data))
    if len(bad):
        row = int(np.searchsorted(X.indptr, bad[0], side="right"))
        raise DataError(
            f"Column {roles.features[X.indices[bad[0]]]!r} of {request.source} holds infinite values, "
            f"first in row {row}; replace them by numbers."
        )
    missing = np.bincount(X.indices[np.isnan(X.data)], minlength=len(roles.features))
    return Table(
        source=request.source,
        format=request.format,
        target=roles.target or str(request.target),
        y=y,
        columns=dict.fromkeys(roles.features, "numeric"),
        frame=None,
        X=X,
        missing={roles.features[k]: int(missing[k]) for k in np.flatnonzero(missing)},
        cardinality={},
        split=split,
    )


def _own_label_table(
    X: CSRMatrix, y: LabelArray, names: tuple[str, ...], request: Request, split: LabelArray | None = None
) -> Table:
    roles = own_label_roles(names, request, has_split=split is not None)
    if len(roles.features) < len(names):
        dropped = set(request.drop)
        X = X[:, [k for k, name in enumerate(names) if name not in dropped]]
    return sparse_table(X, y, roles, request, None if request.split is None else split)


def read_svmlight(raw: bytes, request: Request) -> Table:
    """Read ``label index:value ...`` lines; indices may count from 0 or 1.

    Indices that never occur are no columns: a file may go up to 2,000,000,000 and have ten.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(io.BytesIO(raw), zero_based=True)
    except (ValueError, OverflowError) as error:
        fault = _first_fault(decode(raw, request.source)) or str(error)
        raise DataError(f"{request.source} is not a readable svmlight file: {fault}.") from error
    if not len(y):
        raise DataError(f"{request.source} has no rows.")
    if not np.isfinite(y).all():
        row = int(np.argmin(np.isfinite(y))) + 1
        raise DataError(f"The label in row {row} of {request.source} is not a finite number.")
    X, occurring = _occurring_columns(X)
    names = tuple(f"x{index}" for index in occurring)
    labels = y.astype(np.int64) if np.array_equal(y, np.round(y)) else y
    table = _own_label_table(X, labels, names, request)
    # Files count from 0 or from 1, so 0 is not missed.
    n_absent = int(occurring[-1]) - int(np.count_nonzero(occurring))
    if not n_absent:
        return table
    told = (
        f"features are named x and their index; {n_absent:,} of the indices up to {occurring[-1]:,} never "
        "occur and are left out"
    )
    return replace(table, notes=(*table.notes, told))


def _occurring_columns(X: CSRMatrix) -> tuple[CSRMatrix, IntArray]:
    """Return the columns of `X` that have cells, and their numbers."""
    from scipy import sparse

    occurring, places = np.unique(X.indices, return_inverse=True)
    shape = (X.shape[0], len(occurring))
    return sparse.csr_matrix((X.data, places, X.indptr), shape=shape), occurring


def _first_fault(text: str) -> str | None:
    """Say what is wrong with the first line that scikit-learn's reader cannot take."""
    for number, line in enumerate(text.splitlines(), start=1):
        label, *pairs = line.split("#", 1)[0].split() or [""]
        if label and not _is_number(label):
            return f"line {number} begins with {label!r}, which is not one number"
        last = -1
        for pair in pairs:
            index, _, value = pair.partition(":")
            if index == "qid":
                continue
            if not (index.isdecimal() and _is_number(value)):
                return f"line {number} has {pair!r} where index:value is expected"
            if len(index) > _LONGEST_INDEX or int(index) > _LARGEST_INDEX:
                shown = index if len(index) <= 2 * _LONGEST_INDEX else f"{index[:_LONGEST_INDEX]}..."
                return f"line {number} has index {shown}; indices up to {_LARGEST_INDEX:,} can be read"
            if int(index) <= last:
                return f"line {number} has index {index} after {last}; indices must increase"
            last = int(index)
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_word_counts(raw: bytes, request: Request) -> Table:
    """Read a CSR matrix of counts with its classes, words and perhaps parts; never unpickles."""
    from scipy import sparse

    arrays = _arrays(raw, request.source)
    n_rows, n_columns = _check_shapes(arrays, request.source)
    try:
        X = sparse.csr_matrix(
            (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"]),
            shape=(n_rows, n_columns),
        )
        X.check_format(full_check=True)
    except ValueError as error:
        raise DataError(f"{request.source} does not hold a valid CSR matrix: {error}.") from error
    y = arrays["classes"][arrays["y"]]
    words = tuple(str(word) for word in arrays["vocabulary"])
    split = arrays[OWN_SPLIT].astype(str) if OWN_SPLIT in arrays else None
    return _own_label_table(X, y, words, request, split)


def _arrays(raw: bytes, source: str) -> dict[str, NDArray[Any]]:
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
            absent = [key for key in _WORD_COUNT_KEYS if key not in archive]
            if absent:
                raise DataError(
                    f"{source} lacks {', '.join(absent)}; word counts in an .npz need "
                    f"{', '.join(_WORD_COUNT_KEYS)}."
                )
            _refuse_large(archive, source)
            return {key: archive[key] for key in (*_WORD_COUNT_KEYS, OWN_SPLIT) if key in archive}
    except DataError:
        raise
    except (
        OSError,
        ValueError,
        EOFError,
        AttributeError,
        TypeError,
        MemoryError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        if "allow_pickle" in str(error) and zipfile.is_zipfile(io.BytesIO(raw)):
            raise DataError(
                f"{source} holds pickled objects, which are not opened because they can run code."
            ) from error
        raise DataError(f"{source} is not a readable .npz archive.") from error


def _refuse_large(archive: Any, source: str) -> None:
    """A packed array can be a thousand times as large as its file."""
    size = sum(member.file_size for member in archive.zip.infolist())
    if not fits_in_memory(size):
        raise DataError(
            f"{source} unpacks to {size / 1e9:,.3g} GB, more than the {memory_words()} that may be used."
        )


def _check_shapes(arrays: dict[str, NDArray[Any]], source: str) -> tuple[int, int]:
    """Return the shape of the matrix, once all arrays are known to fit it."""
    shape, y = arrays["shape"], arrays["y"]
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 1).any():
        raise DataError(
            f"The array 'shape' of {source} must be two whole numbers >= 1. Got {shape.tolist()}."
        )
    n_rows, n_columns = (int(size) for size in shape)
    if arrays["data"].dtype.kind not in "iufb":
        raise DataError(f"The array 'data' of {source} must hold numbers. Got {arrays['data'].dtype}.")
    for key, length in (("y", n_rows), ("vocabulary", n_columns), (OWN_SPLIT, n_rows)):
        if key in arrays and arrays[key].shape != (length,):
            raise DataError(
                f"The array {key!r} of {source} must have length {length}, as 'shape' says. "
                f"Got shape {arrays[key].shape}."
            )
    if arrays["classes"].ndim != 1:
        raise DataError(f"The array 'classes' of {source} must be a list of names.")
    n_classes = len(arrays["classes"])
    if y.dtype.kind not in "iu" or (y < 0).any() or (y >= n_classes).any():
        raise DataError(
            f"The array 'y' of {source} must hold numbers from 0 to {n_classes - 1}, one per class."
        )
    return n_rows, n_columns
