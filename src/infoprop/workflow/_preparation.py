"""From a table to the numbers a classifier learns from, with every column's origin kept."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from infoprop._core._exceptions import DataError, Parameter
from infoprop._core._typing import BoolArray, FloatArray, LabelArray, Matrix
from infoprop.datasets import Table

MOST_CATEGORIES = 200
"""Distinct texts up to which a column is one-hot coded; beyond, it is hardly a category."""

_MISSING = "(missing)"
_NAMES_SHOWN = 5


@dataclass(frozen=True)
class Coding:
    """How the columns of a table become numbers: learned from one table, applied to others.

    A numeric column stays one column. A nominal one becomes an indicator (0 or 1) for each of its texts; a
    missing text is a text like any other, and one that was not learned is 0 in all of them. A column of
    running text becomes the number of times each learned word stands in it; other words are passed over. A
    word is a run of two or more letters, digits or underscores, in lower case.

    All that is learned is strings, lists and dictionaries, so that it can be stored beside a classifier:
    ``Coding(**state)`` is the way back from :meth:`state`.

    Attributes
    ----------
    kinds : dict of str to {"numeric", "nominal", "text"}
        Kind of every column of the table, in the order in which they are coded.
    categories : dict of str to list of str
        Texts of every nominal column, ascending.
    words : dict of str to list of str
        Words of every column of running text, ascending.
    impute : str or None
        What will fill missing numbers; None refuses them.
    is_sparse : bool
        Whether the numbers come as CSR.
    ngrams : int
        Words of running text that the longest of `words` has.
    """

    kinds: dict[str, str]
    categories: dict[str, list[str]]
    words: dict[str, list[str]]
    impute: str | None
    is_sparse: bool
    ngrams: int = 1

    @classmethod
    def fit(cls, table: Table, impute: str | None = None, min_df: int = 2, ngrams: int = 1) -> Self:
        """Learn the coding of `table`, or say what stands against it."""
        _refuse_missing(table, impute, table.feature_names)
        _refuse_empty(table)
        _refuse_many_categories(table)
        categories, words = {}, {}
        if table.frame is not None:
            categories = {name: _categories(table.frame[name]) for name in table.nominal}
            words = {name: _words(table, name, min_df, ngrams) for name in table.text}
        is_sparse = table.is_sparse or bool(table.text)
        coding = cls(dict(table.columns), categories, words, impute, is_sparse, ngrams)
        coding._refuse_equal_names(table.source)
        return coding

    def state(self) -> dict[str, Any]:
        """What has been learned, as strings, lists and dictionaries."""
        return asdict(self)

    def check(self) -> None:
        """Refuse a coding that was never learned, such as one from a file that somebody changed."""
        is_texts = all(
            isinstance(texts, list) and all(isinstance(text, str) for text in texts)
            for known in (self.categories, self.words)
            for texts in known.values()
        )
        is_coding = (
            bool(self.kinds)
            and all(isinstance(name, str) for name in self.kinds)
            and set(self.kinds.values()) <= {"numeric", "nominal", "text"}
            and set(self.categories) == {name for name, kind in self.kinds.items() if kind == "nominal"}
            and set(self.words) == {name for name, kind in self.kinds.items() if kind == "text"}
            and (self.impute is None or isinstance(self.impute, str))
            and isinstance(self.is_sparse, bool)
            and isinstance(self.ngrams, int)
            and self.ngrams >= 1
        )
        if not (is_texts and is_coding):
            raise DataError("its columns are not coded as a table's are")

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """The feature that each column of numbers belongs to: a nominal feature owns several, a word one."""
        return tuple(owner for name in self.kinds for owner in self._owners_of(name))

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """A name for each column of numbers; that of an indicator tells its text."""
        names: list[str] = []
        for name, kind in self.kinds.items():
            told = [f"{name}={text}" for text in self.categories.get(name, ())]
            names.extend(told if kind == "nominal" else self._owners_of(name))
        return tuple(names)

    def _owners_of(self, name: str) -> list[str]:
        kind = self.kinds[name]
        if kind == "nominal":
            return [name] * len(self.categories[name])
        if kind == "numeric":
            return [name]
        return [f"{name}:{word}" for word in self.words[name]] if self._tells_column else self.words[name]

    @cached_property
    def _tells_column(self) -> bool:
        """Whether a word alone would not say where it stands."""
        if len(self.words) > 1:
            return True
        return any(word in self._other_names for words in self.words.values() for word in words)

    @property
    def _other_names(self) -> set[str]:
        return {name for name, kind in self.kinds.items() if kind != "text"}

    def _refuse_equal_names(self, source: str) -> None:
        for name in self.words:
            taken = set(self._owners_of(name)) & self._other_names
            if taken:
                raise DataError(
                    f"{source} has a column {min(taken)!r}, which is also how a word of {name!r} is called; "
                    "rename the column."
                )

    def transform(self, table: Table, *, ignore_extra: bool = False) -> Matrix:
        """Return the numbers of `table`, whose columns may stand in any order.

        Parameters
        ----------
        table : Table
            Has the columns that were learned, of the same kinds. Those that are not in an svmlight file are
            zero, for such a file lists nothing else; its other columns were zero when this was learned.
        ignore_extra : bool
            Pass over columns that were not learned instead of refusing them.

        Returns
        -------
        ndarray or CSR of shape (n_rows, len(owners))
            NaN where a number is to be imputed.
        """
        self._refuse_other_columns(table, ignore_extra)
        _refuse_missing(table, self.impute, tuple(self.kinds))
        if table.X is not None:
            return self._picked(table.X, table.feature_names)
        assert table.frame is not None  # a table is sparse or has a frame
        blocks = [self._block(table.frame[name], name) for name in self.kinds]
        if self.is_sparse:
            return sparse.hstack([sparse.csr_matrix(block) for block in blocks], format="csr")
        return np.hstack(blocks)

    def _block(self, column: pl.Series, name: str) -> Matrix:
        kind = self.kinds[name]
        if kind == "numeric":
            return column.fill_null(float("nan")).to_numpy()[:, np.newaxis]
        if kind == "nominal":
            return _indicators(column, self.categories[name])
        counter = CountVectorizer(vocabulary=self.words[name], ngram_range=(1, self.ngrams), dtype=np.float64)
        return counter.transform(column.to_list())

    def _picked(self, X: Matrix, names: Sequence[str]) -> Matrix:
        """The learned columns of a sparse matrix; one that is not there is zero throughout."""
        if tuple(self.kinds) != tuple(names):
            there = {name: number for number, name in enumerate(names)}
            pairs = [(there[name], number) for number, name in enumerate(self.kinds) if name in there]
            rows, columns = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
            pick = sparse.csr_matrix(
                (np.ones(len(rows)), (rows, columns)), shape=(len(names), len(self.kinds))
            )
            X = (X @ pick).tocsr()
            X.sort_indices()
        return X if self.is_sparse else X.toarray()

    def _refuse_other_columns(self, table: Table, ignore_extra: bool) -> None:
        absent = [name for name in self.kinds if name not in table.columns]
        if len(absent) == len(self.kinds):
            raise DataError(
                f"{table.source} has none of the columns that the model was trained on: {listed(absent)}."
            )
        if absent and not table.lists_no_zeros:
            raise DataError(
                f"{table.source} lacks {listed(absent)}, which the model was trained on; add what is missing."
            )
        extra = [name for name in table.columns if name not in self.kinds]
        if extra and not (ignore_extra or table.lists_no_zeros):
            raise DataError(
                f"{table.source} has {listed(extra)}, which the model was not trained on; leave out what is "
                "not needed with ",
                *(Parameter("drop"), ", or all of it with ", Parameter("ignore_extra"), "."),
            )
        for name, kind in self.kinds.items():
            found = table.columns.get(name, kind)
            if found != kind:
                raise DataError(
                    f"Column {name!r} of {table.source} is {found}, but the model was trained on a {kind} "
                    "column of that name."
                )


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
    coding : Coding or None
        How `X` was made out of a table; None if it never was one.
    is_unused : ndarray of bool of shape (n_rows,), or None
        The rows that a split column has neither learned from nor judged.
    passed_over : tuple of str
        Columns of the table that are no features: identifiers, and what was left out.
    """

    X: Matrix
    y: LabelArray
    owners: tuple[str, ...]
    target: str
    is_test: BoolArray | None = None
    coding: Coding | None = None
    is_unused: BoolArray | None = None
    passed_over: tuple[str, ...] = ()

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
    """Code `table` as numbers, or say what stands against it.

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
    coding = Coding.fit(table, impute, min_df, ngrams)
    X = coding.transform(table)
    passed_over = (*table.left_out, *([] if table.identifier is None else [table.identifier]))
    return Problem(X, table.y, coding.owners, table.target, is_test, coding, is_unused, passed_over)


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


def _refuse_many_categories(table: Table) -> None:
    for name, count in table.cardinality.items():
        if count > MOST_CATEGORIES:
            raise DataError(
                f"Column {name!r} of {table.source} holds text with {count:,} distinct values, more than the "
                f"{MOST_CATEGORIES} that are still coded as categories; count its words with ",
                *(Parameter("text", "text"), f" {name!r}, or leave it out with "),
                *(Parameter("drop", "drop"), f" {name!r}."),
            )


def _categories(column: pl.Series) -> list[str]:
    return sorted(column.fill_null(_MISSING).unique().to_list())


def _indicators(column: pl.Series, categories: Sequence[str]) -> FloatArray:
    """One column of 0 and 1 per category; none is 1 for a text that is not among them."""
    place = {text: number for number, text in enumerate(categories)}
    codes = np.array([place.get(text, -1) for text in column.fill_null(_MISSING).to_list()])
    coded: FloatArray = (codes[:, np.newaxis] == np.arange(len(categories))).astype(np.float64)
    return coded


def _words(table: Table, name: str, min_df: int, ngrams: int) -> list[str]:
    """Words, or runs of up to `ngrams` words, that occur in at least `min_df` rows, ascending."""
    assert table.frame is not None  # only a frame holds text
    try:
        counter = CountVectorizer(min_df=min_df, ngram_range=(1, ngrams)).fit(table.frame[name].to_list())
    except ValueError:  # scikit-learn's word for an empty vocabulary
        raise DataError(
            f"No word stands in {min_df} or more rows of column {name!r} of {table.source}; lower ",
            *(Parameter("min_df"), ", or leave the column out with ", Parameter("drop"), "."),
        ) from None
    return [str(word) for word in counter.get_feature_names_out()]


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
