"""A pseudo-random number for every row, made from what the row holds.

A split drawn by row *number* changes when rows are shuffled, and treats one row of weight three unlike three
equal rows. Drawn by row *content*, it does neither, and equal rows stay on one side. Keys depend neither on
the order of the rows, nor on the storage (dense, CSR), nor on how often a row occurs; and not on the order of
the columns either, unless the data are so symmetric that only their position tells columns apart.
"""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from infoprop._core._typing import BoolArray, IntArray

KeyArray = NDArray[np.uint64]

# A block and what is made of it on the way stay in the fast memory of one core.
BLOCK_ENTRIES = 1 << 15


def row_keys(X: Any, y: IntArray, seed: int) -> KeyArray:
    """Return one key per row of (X, y); equal rows have equal keys, different rows different ones.

    Parameters
    ----------
    X : {ndarray, CSR} of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Numbers of the classes.
    seed : int
    """
    entries = _as_bits(X)
    n_features = X.shape[1]
    label = _mix(y.astype(np.uint64) + np.uint64(1))

    def salted_sums(column_salt: KeyArray) -> KeyArray:
        return _mix(_row_sums(entries, column_salt) + label)

    def by_position() -> KeyArray:
        return salted_sums(_mix(np.arange(1, n_features + 1, dtype=np.uint64)))

    # A column is known by the rows it has entries in, a row by its entries whatever their columns.
    anonymous = salted_sums(np.zeros(n_features, dtype=np.uint64))
    distinct = _first_of_each(anonymous)
    if not distinct.all():
        distinct = _first_of_each(by_position())
    by_content = salted_sums(_mix(_column_sums(entries, anonymous, distinct, n_features)))
    told_apart = len(np.unique(by_content[distinct])) == int(distinct.sum())
    return _mix((by_content if told_apart else by_position()) ^ _mix(np.array([seed], dtype=np.uint64)))


def _first_of_each(keys: KeyArray) -> BoolArray:
    _, first = np.unique(keys, return_index=True)
    is_first = np.zeros(len(keys), dtype=bool)
    is_first[first] = True
    return is_first


def copy_numbers(keys: KeyArray) -> IntArray:
    """Return 0 for the first row with its key, 1 for the second, and so on."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(keys)])
    numbers = np.empty(len(keys), dtype=np.intp)
    numbers[order] = np.arange(len(keys)) - np.repeat(starts, sizes)
    return numbers


def salted(keys: KeyArray, numbers: IntArray) -> KeyArray:
    """Give copies with different numbers keys of their own."""
    return _mix(keys + _mix(numbers.astype(np.uint64)))


def _mix(z: KeyArray) -> KeyArray:
    """Scatter the bits (the finaliser of the splitmix64 generator); zero stays zero, arithmetic wraps."""
    z = z ^ (z >> np.uint64(30))
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z


def _as_bits(X: Any) -> Any:
    """Entries as 64-bit patterns; absent and zero entries are zero."""
    if sparse.issparse(X):
        csr = sparse.csr_array(X, dtype=np.float64, copy=True)
        csr.sum_duplicates()
        csr.eliminate_zeros()
        return csr
    if X.dtype.kind in "OUS":
        return np.column_stack([_object_bits(column) for column in X.T])
    # Adding zero turns -0.0 into 0.0, whose bits are all zero.
    return (np.ascontiguousarray(X, dtype=np.float64) + 0.0).view(np.uint64)


def _object_bits(column: Any) -> KeyArray:
    words = [str(value) for value in column]
    bits = {word: int.from_bytes(blake2b(word.encode(), digest_size=8).digest()) for word in set(words)}
    return np.array([bits[word] for word in words], dtype=np.uint64)


def _blocks(entries: NDArray[np.uint64]) -> Iterator[slice]:
    size = max(1, BLOCK_ENTRIES // max(1, entries.shape[1]))
    for start in range(0, len(entries), size):
        yield slice(start, start + size)


def _row_sums(entries: Any, column_salt: KeyArray) -> KeyArray:
    """Sum over the non-zero entries of each row of mix(entry + salt of its column)."""
    if sparse.issparse(entries):
        terms = _mix(entries.data.view(np.uint64) + column_salt[entries.indices])
        # Differences of a running sum are right although it wraps, also for empty rows.
        running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
        return np.asarray(running[entries.indptr[1:]] - running[entries.indptr[:-1]])
    sums = np.empty(len(entries), dtype=np.uint64)
    for block in _blocks(entries):
        terms = np.where(entries[block] != 0, _mix(entries[block] + column_salt), np.uint64(0))
        sums[block] = terms.sum(axis=1, dtype=np.uint64)
    return sums


def _column_sums(entries: Any, row_salt: KeyArray, used: BoolArray, n_features: int) -> KeyArray:
    """Sum over the non-zero entries of each column, in the rows `used`, of mix(entry + salt of its row)."""
    sums = np.zeros(n_features, dtype=np.uint64)
    if sparse.issparse(entries):
        rows = np.repeat(np.arange(len(used)), np.diff(entries.indptr))
        kept = used[rows]
        terms = _mix(entries.data.view(np.uint64)[kept] + row_salt[rows[kept]])
        np.add.at(sums, entries.indices[kept], terms)
        return sums
    for block in _blocks(entries):
        counted = (entries[block] != 0) & used[block, None]
        terms = np.where(counted, _mix(entries[block] + row_salt[block, None]), np.uint64(0))
        sums += terms.sum(axis=0, dtype=np.uint64)
    return sums
