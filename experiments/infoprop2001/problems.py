"""The nine data sets of the paper as training and test rows, drawn anew or read from disk."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from infoprop import datasets
from infoprop.datasets import load_table

PROJECT = Path(__file__).resolve().parents[2]
_RUN = re.compile(r"[A-Za-z]+|[0-9]+")


class DataNotHereError(Exception):
    """The file of a data set is not in the data folder."""


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on and rows to test on."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any

    def restricted(self, columns: Any) -> "Split":
        """The same rows with these columns only."""
        return Split(self.X_train[:, columns], self.y_train, self.X_test[:, columns], self.y_test)


@dataclass(frozen=True, eq=False)
class Problem:
    """A data set and the ways to split it.

    Attributes
    ----------
    feature_names : tuple of str
    drawn : callable
        Split of a seed.
    official : Split or None
        The published split, if there is one.
    in_time : dict of str to Split
        Splits by date, where the rows have one, by what they are trained on.
    facts : dict of str to int
        Sizes that the paper printed as well.
    """

    feature_names: tuple[str, ...]
    drawn: Callable[[int], Split]
    official: Split | None
    in_time: Mapping[str, Split]
    facts: Mapping[str, int]

    def splits(self, n_draws: int, seed: int) -> Iterator[Split]:
        """The published split, or else `n_draws` random ones."""
        if self.official is not None:
            yield self.official
        else:
            yield from self.resplits(n_draws, seed)

    def resplits(self, n_draws: int, seed: int) -> Iterator[Split]:
        """Random splits, one per seed from `seed` on."""
        for number in range(n_draws):
            yield self.drawn(seed + number)


def data_folder() -> Path:
    """Folder of the real data: INFOPROP_DATA, seen from the project's root."""
    return (PROJECT / os.environ.get("INFOPROP_DATA", "../shared/data")).resolve()


def load_problem(source: Mapping[str, Any], most_rows: int | None = None) -> Problem:
    """Build the problem that the ``source`` table of a part describes.

    Parameters
    ----------
    source : mapping
        With "generator", or with "file" of the data folder and its "kind", "table" or "text".
    most_rows : int, optional
        Keep only so many random rows of a file.

    Raises
    ------
    DataNotHereError
        If the file is not there.
    """
    if "generator" in source:
        return _generated(source)
    path = data_folder() / source["file"]
    if not path.exists():
        raise DataNotHereError(f"{source['file']} is not in the data folder (INFOPROP_DATA)")
    return (_text if source["kind"] == "text" else _table)(path, source, most_rows)


def _generated(source: Mapping[str, Any]) -> Problem:
    make = getattr(datasets, source["generator"])
    n_train, n_test = source["n_train"], source["n_test"]

    def drawn(seed: int) -> Split:
        data = make(n_train + n_test, random_state=seed, **source.get("options", {}))
        return Split(data.X[:n_train], data.y[:n_train], data.X[n_train:], data.y[n_train:])

    names = make(1, random_state=0).feature_names
    return Problem(names, drawn, None, {}, {})


def _table(path: Path, source: Mapping[str, Any], most_rows: int | None) -> Problem:
    table = load_table(path, target="class", split="split" if source.get("official") else None)
    assert table.frame is not None, "a CSV file is dense"
    X, y, names = table.frame.to_numpy(), table.y, table.feature_names
    kept = _some_rows(len(y), most_rows)
    X, y = X[kept], y[kept]
    official = None
    if table.split is not None:
        train = table.split[kept] == "train"
        official = Split(X[train], y[train], X[~train], y[~train])
    return Problem(names, _permuted(X, y, source), official, {}, {})


def _text(path: Path, source: Mapping[str, Any], most_rows: int | None) -> Problem:
    """Articles as binary words, after the paper's two filters."""
    table = load_table(path, target="class", drop=("split",))
    assert table.frame is not None, "a CSV file is dense"
    texts = table.frame["text"].fill_null("").to_numpy()
    wordy = np.array([numeric_share(text) <= source["most_numeric"] for text in texts])
    kept = np.flatnonzero(wordy)[_some_rows(int(wordy.sum()), most_rows)]
    X, words = binary_words(texts[kept], least_occurrences=source["least_occurrences"])
    facts = {"documents": len(kept), "words": len(words)}
    y = table.y[kept]
    return Problem(words, _permuted(X, y, source), None, _in_time(X, y, source), facts)


def _some_rows(n_rows: int, most_rows: int | None) -> Any:
    if most_rows is None or n_rows <= most_rows:
        return np.arange(n_rows)
    return np.sort(np.random.RandomState(0).permutation(n_rows)[:most_rows])


def _permuted(X: Any, y: Any, source: Mapping[str, Any]) -> Callable[[int], Split]:
    """Random splits in the paper's proportion; its very sizes if the number of rows is the paper's."""
    return lambda seed: _cut(X, y, np.random.RandomState(seed).permutation(len(y)), source)


def _in_time(X: Any, y: Any, source: Mapping[str, Any]) -> dict[str, Split]:
    """Splits of rows that stand in order of time, in the paper's proportion."""
    order = np.arange(len(y))
    return {"oldest": _cut(X, y, order, source), "newest": _cut(X, y, order[::-1], source)}


def _cut(X: Any, y: Any, order: Any, source: Mapping[str, Any]) -> Split:
    n_train = round(len(y) * source["n_train"] / (source["n_train"] + source["n_test"]))
    train, test = order[:n_train], order[n_train:]
    return Split(X[train], y[train], X[test], y[test])


def numeric_share(text: str) -> float:
    """Share of the numbers among the runs of letters and runs of digits in `text`; 1 if there is neither."""
    runs = _RUN.findall(text)
    return sum(run[0].isdigit() for run in runs) / len(runs) if runs else 1.0


def binary_words(texts: Any, *, least_occurrences: int) -> tuple[Any, tuple[str, ...]]:
    """Which words occur in which text: lower-case runs of letters, without stop words and rare words.

    Returns
    -------
    X : csr_matrix of shape (n_texts, n_words)
        Ones and zeros.
    words : tuple of str
        In alphabetical order.
    """
    counter = CountVectorizer(token_pattern=r"[A-Za-z]{2,}", stop_words="english")
    counts = counter.fit_transform(texts)
    frequent = np.asarray(counts.sum(axis=0)).ravel() >= least_occurrences
    X = sparse.csr_matrix((counts[:, frequent] > 0).astype(np.float64))
    return X, tuple(str(word) for word in counter.get_feature_names_out()[frequent])
