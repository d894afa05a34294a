"""From a table to the numbers a classifier learns from, with every column's origin kept."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from infoprop._core._exceptions import DataError, Parameter
from infoprop._core._typing import BoolArray, LabelArray, Matrix
from infoprop.datasets import Table
from infoprop.datasets._encoder import TableEncoder, encoder_of

_NAMES_SHOWN = 5


@dataclass(frozen=True)
class Problem:
    """What is learned from.

    Attributes
    ----------
    X : ndarray or CSR of shape (n_rows, n_columns)
        The features as numbers, not yet scaled; NaN where a number is to be imputed.
    y : ndarray of shape (n_rows,)
        The classes.
    owners : tuple of str, length n_columns
        The feature that each column of `X` comes from: a nominal feature owns several.
    target : str
        Name of the column that holds the classes.
    is_test : ndarray of bool of shape (n_rows,), or None
        The rows that a split column sets apart to judge.
    encoder : TableEncoder or None
        How `X` was made out of a table; None if it never was one.
    impute : str or None
        What fills missing numbers.
    is_unused : ndarray of bool of shape (n_rows,), or None
        The rows that a split column has neither learned from nor judged.
    row_groups : ndarray of shape (n_rows,), or None
        Rows with the same label are never on both sides of a split.
    n_unscreened : int or None
        Number of features before a screen cut them; None if there was none.
    passed_over : tuple of str
        Columns of the table that are not features: identifiers, and what was left out.
    """

    X: Matrix
    y: LabelArray
    owners: tuple[str, ...]
    target: str
    is_test: BoolArray | None = None
    encoder: TableEncoder | None = None
    impute: str | None = None
    is_unused: BoolArray | None = None
    passed_over: tuple[str, ...] = ()
    row_groups: LabelArray | None = None
    n_unscreened: int | None = None

    @property
    def is_train(self) -> BoolArray | None:
        """The rows that a split column has learned from."""
        if self.is_test is None:
            return None
        return ~self.is_test if self.is_unused is None else ~self.is_test & ~self.is_unused

    @property
    def n_features(self) -> int:
        """Number of features before coding."""
        return len(set(self.owners))

    @property
    def column_names(self) -> tuple[str, ...]:
        """A name for each column of `X`."""
        return self.owners if self.encoder is None else tuple(self.encoder.get_feature_names_out())

    @property
    def is_sparse(self) -> bool:
        """Whether `X` is CSR."""
        return bool(sparse.issparse(self.X))


def prepare(
    table: Table,
    impute: str | None = None,
    min_df: int = 2,
    ngrams: int = 1,
    *,
    split: str | None = None,
) -> Problem:
    """Code `table` as numbers, or say what prevents it.

    Parameters
    ----------
    table : Table
    impute : str or None
        What will fill missing numbers; None refuses them.
    min_df : int
        Words that occur in fewer rows are left out.
    ngrams : int
        Runs of up to that many words are features, too.
    split : str or None
        Name of the column that says which rows judge, if one does.
    """
    if split is not None and table.split is None:
        raise DataError(
            f"{table.source} was read without a split column; read it with ",
            Parameter("split"),
            f" {split!r}.",
        )
    is_test, is_unused = (None, None) if split is None else _parts(table.split, table.source)
    _refuse_missing(table, impute, table.feature_names)
    _refuse_empty(table)
    encoder = encoder_of(table, table.feature_names, min_df, ngrams)
    X = encoded(encoder, table, impute)
    passed_over = (*table.left_out, *([] if table.identifier is None else [table.identifier]))
    return Problem(
        X,
        table.y,
        tuple(encoder.groups),
        table.target,
        is_test,
        encoder,
        impute,
        is_unused,
        passed_over,
        table.row_groups,
    )


def encoded(encoder: TableEncoder, table: Table, impute: str | None, *, ignore_extra: bool = False) -> Matrix:
    """Return the numbers of `table`, whose columns may be in any order.

    Parameters
    ----------
    encoder : TableEncoder
        Its input has the columns by name. All that it knows are parameters, so that it needs no fit before.
    table : Table
        Has the columns of the encoder, of the same kinds. Those that are not in an svmlight file are
        zero, for such a file lists nothing else; its other columns were zero when the encoder was made.
    impute : str or None
        What will fill missing numbers; None refuses them.
    ignore_extra : bool
        Pass over columns that the encoder does not have instead of refusing them.

    Returns
    -------
    ndarray or CSR of shape (n_rows, n_columns)
        NaN where a number is to be imputed.
    """
    kinds: dict[str, str] = encoder.parts["kinds"]
    _refuse_other_columns(kinds, table, ignore_extra)
    _refuse_missing(table, impute, tuple(kinds))
    if table.X is not None:
        X = _picked(table.X, table.feature_names, tuple(kinds))
        return X if encoder.is_sparse else X.toarray()
    assert table.frame is not None  # a table is sparse or has a frame
    X = encoder.fit_transform(table.frame.select(list(kinds)))
    return sparse.csr_matrix(X) if encoder.is_sparse else np.ascontiguousarray(X)


def restricted(encoder: TableEncoder, features: Collection[str]) -> TableEncoder:
    """Return what `encoder` knows of some features: columns, or words of running text."""
    parts, wanted = encoder.parts, set(features)
    owners = iter(encoder.groups)
    kinds: dict[str, str] = {}
    categories: dict[str, list[str]] = {}
    words: dict[str, list[str]] = {}
    for name, kind in parts["kinds"].items():
        known = {"nominal": parts["categories"], "text": parts["words"]}.get(kind, {}).get(name, [name])
        kept = [entry for entry, owner in zip(known, owners, strict=False) if owner in wanted]
        if kept:
            kinds[name] = kind
            if kind != "numeric":
                (words if kind == "text" else categories)[name] = kept
    return TableEncoder.from_parts(kinds, categories, words, encoder.is_sparse, parts["ngrams"])


def _picked(X: Matrix, names: Sequence[str], wanted: Sequence[str]) -> Matrix:
    """The wanted columns of a sparse matrix; one that is not there is zero throughout."""
    if wanted == names:
        return X
    there = {name: number for number, name in enumerate(names)}
    pairs = [(there[name], number) for number, name in enumerate(wanted) if name in there]
    rows, columns = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    pick = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(names), len(wanted)))
    X = (X @ pick).tocsr()
    X.sort_indices()
    return X


def _refuse_other_columns(kinds: Mapping[str, str], table: Table, ignore_extra: bool) -> None:
    absent = [name for name in kinds if name not in table.columns]
    if len(absent) == len(kinds):
        raise DataError(
            f"{table.source} has none of the columns that the model was trained on: {listed(absent)}."
        )
    if absent and not table.lists_no_zeros:
        raise DataError(
            f"{table.source} lacks {listed(absent)}, which the model was trained on; add what is missing."
        )
    extra = [name for name in table.columns if name not in kinds]
    if extra and not (ignore_extra or table.lists_no_zeros):
        raise DataError(
            f"{table.source} has {listed(extra)}, which the model was not trained on; leave out what is "
            "not needed with ",
            *(Parameter("drop"), ", or all of it with ", Parameter("ignore_extra"), "."),
        )
    for name, kind in kinds.items():
        found = table.columns.get(name, kind)
        if found != kind:
            raise DataError(
                f"Column {name!r} of {table.source} is {found}, but the model was trained on a {kind} "
                "column of that name."
            )


def _refuse_missing(table: Table, impute: str | None, names: Sequence[str]) -> None:
    wanted = set(names)
    missing = [name for name in table.missing if name in wanted]
    if missing and impute is None:
        impute_by = Parameter("impute", "impute")
        raise DataError(
            f"{table.source} has missing values in {listed(missing)}; fill them with ",
            *(impute_by, " mean, ", impute_by, " median or ", impute_by, " most_frequent"),
            *(", or leave the columns out with ", Parameter("drop"), "."),
        )


def _refuse_empty(table: Table) -> None:
    empty = [name for name, count in table.missing.items() if count == table.n_rows]
    if empty:
        raise DataError(
            f"{table.source} has no values at all in {listed(empty)}; leave them out with ",
            Parameter("drop"),
            ".",
        )


def _parts(split: LabelArray | None, source: str) -> tuple[BoolArray, BoolArray | None]:
    """The rows that a split column has judge, and those that it has no use for, if there are any."""
    assert split is not None
    parts = np.char.lower(split.astype(str))
    if not {"train", "test"} <= set(parts.tolist()):
        found = ", ".join(repr(part) for part in sorted(set(parts.tolist()))[:_NAMES_SHOWN])
        raise DataError(
            f"The split column of {source} must say 'train' of some rows and 'test' of others; it holds "
            f"{found}."
        )
    is_test: BoolArray = parts == "test"
    is_unused: BoolArray = ~is_test & (parts != "train")
    return is_test, is_unused if is_unused.any() else None


def listed(names: Sequence[str]) -> str:
    """Names of columns as part of a sentence; of many only the first."""
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"
