"""A table read from disk, with the kind of every column known."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from infoprop._core._exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from infoprop._core._typing import CSRMatrix, LabelArray
    from infoprop.datasets._encoder import TableEncoder

Kind: TypeAlias = Literal["numeric", "nominal", "text"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Features, labels and what is known of the columns of a file.

    Either `frame` or `X` holds the features, the other is None.

    Attributes
    ----------
    source : str
        The path as it was given.
    format : str
        "csv", "tsv", "parquet", "arff", "svmlight", "npz" or "excel".
    target : str
        Name of the label column; "class" where the format has no names.
    y : ndarray of shape (n_rows,)
        Labels: int64 where all are whole numbers, float64, bool, or text. Never missing; all of them None in
        a table read without labels (see `like` of :func:`load_table`).
    columns : dict of str to {"numeric", "nominal", "text"}
        Kind of every feature, in the order of the file.
    frame : polars.DataFrame or None
        The features of a dense file: Float64 (numeric) and String (nominal, text) columns, null where
        missing. Running text is never missing; where there is none it is empty.
    X : csr_matrix or None
        The features of a sparse file (svmlight, npz, sparse ARFF without nominal features), float64,
        NaN where missing.
    missing : dict of str to int
        Number of missing cells of every feature that has some.
    cardinality : dict of str to int
        Number of distinct values, missing ones not counted, of every nominal feature. Running text
        shows by a cardinality near `n_rows`.
    split : ndarray of str or None
        The column named by the `split` parameter of :func:`load_table`, e.g. of "train" and "test".
    identifier : str or None
        Name of the column that identifies the rows; None if there is none.
    identifiers : ndarray of str of shape (n_rows,), or None
        Its cells: carried along, never learned from.
    row_groups : ndarray of str of shape (n_rows,), or None
        Rows that belong together (subjects, donors) and are never on both sides of a split, by the column
        named `row_groups` in :func:`load_table`.
    left_out : tuple of str
        Features that were taken out again after the file was read.
    notes : tuple of str
        What the reader had to decide, in words: that commas are decimal points, say, or which columns of a
        sparse file are left out because they never occur.
    arguments : dict
        What :func:`load_table` was told, by name, as far as it differs from the defaults.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from infoprop.datasets import load_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.csv"
    >>> _ = path.write_text("age,colour,class\\n3,black,cat\\n,brown,dog\\n")
    >>> table = load_table(path)
    >>> table.columns, table.missing, table.y.tolist()
    ({'age': 'numeric', 'colour': 'nominal'}, {'age': 1}, ['cat', 'dog'])
    """

    source: str
    format: str
    target: str
    y: LabelArray
    columns: dict[str, Kind]
    frame: pl.DataFrame | None
    X: CSRMatrix | None
    missing: dict[str, int]
    cardinality: dict[str, int]
    split: LabelArray | None
    identifier: str | None = None
    identifiers: LabelArray | None = None
    row_groups: LabelArray | None = None
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of all features, in the order of the file."""
        return tuple(self.columns)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of the numeric features."""
        return tuple(name for name, kind in self.columns.items() if kind == "numeric")

    @property
    def nominal(self) -> tuple[str, ...]:
        """Names of the nominal features."""
        return tuple(name for name, kind in self.columns.items() if kind == "nominal")

    @property
    def text(self) -> tuple[str, ...]:
        """Names of the columns of running text."""
        return tuple(name for name, kind in self.columns.items() if kind == "text")

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.columns)

    @property
    def is_labelled(self) -> bool:
        """Whether the labels are known."""
        return self.y.dtype != object or self.y[0] is not None

    @property
    def is_sparse(self) -> bool:
        """Whether the features are in `X`, not in `frame`."""
        return self.X is not None

    @property
    def lists_no_zeros(self) -> bool:
        """Whether a column that is zero in all rows is no column of the file, as in svmlight."""
        return self.format == "svmlight"

    def without(self, names: Collection[str]) -> Table:
        """Return the table without some of its features; `left_out` has their names.

        Raises
        ------
        DataError
            If no feature would be left.
        """
        out = set(names) & set(self.columns)
        kept = [name for name in self.columns if name not in out]
        if not kept:
            raise DataError(
                f"{self.source} has no feature columns beside {self.target!r} and those left out."
            )
        places = [number for number, name in enumerate(self.columns) if name not in out]
        return replace(
            self,
            columns={name: self.columns[name] for name in kept},
            frame=None if self.frame is None else self.frame.select(kept),
            X=None if self.X is None else self.X[:, places],
            missing={name: count for name, count in self.missing.items() if name not in out},
            cardinality={name: count for name, count in self.cardinality.items() if name not in out},
            left_out=(*self.left_out, *(name for name in self.columns if name in out)),
        )

    def encoder(self, *, min_df: int = 2, ngrams: int = 1) -> TableEncoder:
        """Return what codes the features as numbers: an unfitted ColumnTransformer that knows its groups.

        Nominal columns become one indicator for each of their texts, columns of running text the counts of
        their words; numeric columns stay as they are. Imputation and scaling are left to the steps behind it.

        Parameters
        ----------
        min_df : int, default=2
            Words of running text that occur in fewer rows are left out.
        ngrams : int, default=1
            Runs of up to that many words are features, too.

        Returns
        -------
        TableEncoder
            A :class:`~sklearn.compose.ColumnTransformer` for `frame`, or for `X` of a sparse table, or for
            rows of other tables with these columns. ``encoder.groups`` has the feature that each output
            column belongs to, and is what `groups` of a selector takes.

        Raises
        ------
        DataError
            If a nominal column has more than 200 texts, or a column of running text no word.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from infoprop.datasets import load_table
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.csv"
        >>> _ = path.write_text("age,colour,class\\n3,black,cat\\n4,brown,dog\\n")
        >>> table = load_table(path)
        >>> encoder = table.encoder()
        >>> encoder.groups
        ['age', 'colour', 'colour']
        >>> encoder.fit_transform(table.frame)
        array([[3., 1., 0.],
               [4., 0., 1.]])
        """
        from infoprop.datasets._encoder import encoder_of

        # A sparse matrix has no names: its columns are taken by number.
        columns = range(self.n_features) if self.is_sparse else self.feature_names
        return encoder_of(self, columns, min_df, ngrams)

    def __repr__(self) -> str:
        n_labels = len(np.unique(self.y)) if self.is_labelled else 0
        texts = f", {len(self.text)} of running text" if self.text else ""
        return (
            f"Table({self.source!r}: {self.n_rows} rows, {len(self.numeric)} numeric and "
            f"{len(self.nominal)} nominal features{texts}, target {self.target!r} with {n_labels} labels)"
        )
