"""From the columns of a table to numbers: a ColumnTransformer that knows whose each output column is."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import narwhals as nw
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from infoprop._core._exceptions import DataError, Parameter
from infoprop.datasets._numerals import without_units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from infoprop._core._typing import LabelArray

MOST_CATEGORIES = 200
"""Distinct texts up to which a column is one-hot coded; beyond, it is hardly a category."""

MISSING = "(missing)"


class TableEncoder(ColumnTransformer):
    """Code the columns of a table as numbers, and tell which feature every output column belongs to.

    A :class:`~sklearn.compose.ColumnTransformer` as :meth:`Table.encoder` makes it. A numeric column stays
    one column, unscaled, NaN where it is missing. A nominal one becomes an indicator (0 or 1) for each of its
    texts; a missing text is a text like any other, and one that is not known is 0 in all of them. A column of
    running text becomes the number of times each known word, or run of words, occurs in it; others are
    ignored. A word is a run of two or more letters, digits or underscores, in lower case.

    Texts and words are parameters of its parts, read from the whole table without a look at the classes: the
    output has the same columns in every fold of a cross-validation, and `groups` is known before `fit`.

    Attributes
    ----------
    groups : list of str
        The feature that each output column belongs to.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from infoprop.datasets import load_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.csv"
    >>> _ = path.write_text("age,colour,class\\n3,black,cat\\n4,brown,dog\\n")
    >>> encoder = load_table(path).encoder()
    >>> encoder.get_feature_names_out().tolist(), encoder.groups
    (['age', 'colour=black', 'colour=brown'], ['age', 'colour', 'colour'])
    """

    @classmethod
    def from_parts(
        cls,
        kinds: Mapping[Any, str],
        categories: Mapping[Any, list[str]],
        words: Mapping[Any, list[str]],
        is_sparse: bool,
        ngrams: int = 1,
    ) -> Self:
        """Make one out of what :attr:`parts` gives.

        Parameters
        ----------
        kinds : mapping of str (or int) to {"numeric", "nominal", "text"}
            Columns of the input, by name or number, in the order in which they are coded.
        categories, words : mapping of str to list of str
            Texts of every nominal column, and words of every column of running text, in order.
        is_sparse : bool
            Whether the output is CSR.
        ngrams : int, default=1
            Words that the longest of `words` has.
        """
        parts: list[tuple[str, Any, Any]] = []
        # Neighbours of one kind are one part; a vectorizer takes a single column, and that by its bare name.
        runs = groupby(kinds, lambda name: (kinds[name], name if kinds[name] == "text" else None))
        for (kind, text), run in runs:
            names, label = list(run), f"{kind}_{len(parts)}"
            if kind == "text":
                counter = CountVectorizer(vocabulary=words[text], ngram_range=(1, ngrams), dtype=np.float64)
                parts.append((label, counter, text))
            elif kind == "nominal":
                parts.append((label, _one_hot([categories[name] for name in names], is_sparse), names))
            else:
                parts.append((label, "passthrough", names))
        return cls(parts, sparse_threshold=float(is_sparse), verbose_feature_names_out=False)

    @property
    def parts(self) -> dict[str, Any]:
        """The arguments of :meth:`from_parts`, as plain dictionaries, lists and numbers."""
        kinds: dict[Any, str] = {}
        categories: dict[Any, list[str]] = {}
        words: dict[Any, list[str]] = {}
        ngrams = 1
        for _, step, names in self.transformers:
            if isinstance(step, CountVectorizer):
                kinds[names], words[names] = "text", list(step.vocabulary)
                ngrams = step.ngram_range[1]
            elif isinstance(step, str):
                kinds.update(dict.fromkeys(names, "numeric"))
            else:
                kinds.update(dict.fromkeys(names, "nominal"))
                categories.update(zip(names, step[-1].categories, strict=True))
        return {
            "kinds": kinds,
            "categories": categories,
            "words": words,
            "is_sparse": self.is_sparse,
            "ngrams": ngrams,
        }

    @property
    def is_sparse(self) -> bool:
        """Whether the output is CSR."""
        return bool(self.sparse_threshold)

    @property
    def groups(self) -> list[str]:
        """The feature that each output column belongs to: a nominal feature owns several, a word one.

        This is what `groups` of a selector and of :func:`~infoprop.credit.credit_features` takes.
        """
        parts = self.parts
        return [owner for name in parts["kinds"] for owner in _owners(name, parts)]

    def get_feature_names_out(self, input_features: Any = None) -> LabelArray:
        """A name for each output column; that of an indicator tells its text.

        Parameters
        ----------
        input_features : ignored
            As everywhere in scikit-learn.

        Returns
        -------
        ndarray of str of shape (n_columns,)
        """
        parts = self.parts
        names: list[Any] = []
        for name, kind in parts["kinds"].items():
            told = [indicator_name(name, text) for text in parts["categories"].get(name, ())]
            names += told if kind == "nominal" else _owners(name, parts)
        return np.array([str(name) for name in names], dtype=object)


def encoder_of(table: Any, columns: Sequence[Any], min_df: int = 2, ngrams: int = 1) -> TableEncoder:
    """Return the encoder of `table`, whose input has the `columns`: names of its features, or numbers."""
    _refuse_many_categories(table)
    kinds = dict(zip(columns, table.columns.values(), strict=True))
    categories, words = {}, {}
    if table.frame is not None:
        categories = {name: _categories(table.frame[name]) for name in table.nominal}
        words = {name: _words(table, name, min_df, ngrams) for name in table.text}
    is_sparse = table.is_sparse or bool(table.text)
    encoder = TableEncoder.from_parts(kinds, categories, words, is_sparse, ngrams)
    _refuse_equal_names(encoder.parts, table.source)
    return encoder


def filled(texts: Any) -> LabelArray:
    """Columns of a data frame as texts, with a text for missing ones."""
    frame = nw.from_native(texts, eager_only=True)
    # Asked before the cast: that of an older pandas makes the text "None" of None.
    filled = [
        nw.when(~nw.col(name).is_null())
        .then(nw.col(name).cast(nw.String))
        .otherwise(nw.lit(MISSING))
        .alias(name)
        for name in frame.columns
    ]
    return frame.select(filled).to_numpy().astype(object)


def indicator_name(name: Any, text: Any) -> str:
    """Return the name of the column that is 1 where a nominal feature has this text."""
    return f"{name}={text}"


def _one_hot(categories: list[list[str]], is_sparse: bool) -> Any:
    return make_pipeline(
        FunctionTransformer(filled, feature_names_out="one-to-one"),
        OneHotEncoder(
            categories=categories,
            handle_unknown="ignore",
            sparse_output=is_sparse,
            feature_name_combiner=indicator_name,
        ),
    )


def _owners(name: Any, parts: dict[str, Any]) -> list[Any]:
    kind = parts["kinds"][name]
    if kind == "nominal":
        return [name] * len(parts["categories"][name])
    if kind == "numeric":
        return [name]
    words: list[str] = parts["words"][name]
    return [f"{name}:{word}" for word in words] if _tells_column(parts) else words


def _tells_column(parts: dict[str, Any]) -> bool:
    """Whether a word alone would not say where it stands."""
    known = parts["words"].values()
    return len(known) > 1 or any(word in _other_names(parts) for words in known for word in words)


def _other_names(parts: dict[str, Any]) -> set[str]:
    return {name for name, kind in parts["kinds"].items() if kind != "text"}


def _refuse_equal_names(parts: dict[str, Any], source: str) -> None:
    for name in parts["words"]:
        taken = set(_owners(name, parts)) & _other_names(parts)
        if taken:
            raise DataError(
                f"{source} has a column {min(taken)!r}, which is also how a word of {name!r} is called; "
                "rename the column."
            )


def _refuse_many_categories(table: Any) -> None:
    for name, count in table.cardinality.items():
        if count > MOST_CATEGORIES:
            advice: tuple[Any, ...] = ("; count its words with ",)
            if table.frame is not None and _holds_units(table.frame[name]):
                advice = (
                    "; read it as numbers with ",
                    Parameter("numeric", "numeric"),
                    f" {name!r}, count its words with ",
                )
            raise DataError(
                f"Column {name!r} of {table.source} holds text with {count:,} distinct values, more than the "
                f"{MOST_CATEGORIES} that are still coded as categories",
                *advice,
                *(Parameter("text", "text"), f" {name!r}, or leave it out with "),
                *(Parameter("drop", "drop"), f" {name!r}."),
            )


def _holds_units(column: pl.Series) -> bool:
    """Whether most texts are numbers once currencies, percent signs and units are off."""
    texts = column.drop_nulls()
    bare = without_units(texts).str.replace_all(r"[,'\s]", "")
    return len(texts) > 0 and bool(2 * bare.str.contains(r"^[+-]?[0-9.]+$").sum() > len(texts))


def _categories(column: pl.Series) -> list[str]:
    return sorted(column.fill_null(MISSING).unique().to_list())


def _words(table: Any, name: str, min_df: int, ngrams: int) -> list[str]:
    """Words, or runs of up to `ngrams` words, that occur in at least `min_df` rows, ascending."""
    assert table.frame is not None  # only a frame holds text
    try:
        counter = CountVectorizer(min_df=min_df, ngram_range=(1, ngrams)).fit(table.frame[name].to_list())
    except ValueError:  # scikit-learn's word for an empty vocabulary
        raise DataError(
            f"No word occurs in {min_df} or more rows of column {name!r} of {table.source}; lower ",
            *(Parameter("min_df"), ", or leave the column out with ", Parameter("drop"), "."),
        ) from None
    return [str(word) for word in counter.get_feature_names_out()]
