"""The rows that features are eliminated on. Every process that measures loads them for itself."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from _problems import DATA, digits
from sklearn.feature_extraction.text import CountVectorizer

from infoprop.datasets import load_table

TINY_ROWS = 200
TRAINING_ROWS = "training rows"
TEST_PART = "official test part"


@dataclass(frozen=True)
class Rows:
    """Rows to train on, rows to count on, and how many features shall be left."""

    name: str
    X: Any
    y: Any
    X_count: Any
    y_count: Any
    counted_on: str
    n_features: int = 1

    @property
    def n_columns(self) -> int:
        return int(self.X.shape[1])

    @property
    def shape(self) -> str:
        return f"{self.X.shape[0]} x {self.X.shape[1]}"

    def tiny(self) -> "Rows":
        """Every so many-th row and column: of the same kind, for compiling and loading before the clock."""
        n_columns = min(self.n_columns, self.n_features + 11)
        columns = np.linspace(0, self.n_columns - 1, n_columns).astype(int)
        train = slice(None, None, max(1, self.X.shape[0] // TINY_ROWS))
        count = slice(None, None, max(1, self.X_count.shape[0] // TINY_ROWS))
        return replace(
            self,
            X=self.X[train][:, columns],
            y=self.y[train],
            X_count=self.X_count[count][:, columns],
            y_count=self.y_count[count],
        )


def is_there() -> bool:
    """Whether the shared data are; says so if they are not."""
    if not DATA.is_dir():
        print(f"skipped: no data at INFOPROP_DATA={DATA}")
    return DATA.is_dir()


def _counted_on_training_rows(name: str, X: Any, y: Any) -> Rows:
    return Rows(name, X, y, X, y, TRAINING_ROWS)


def digits_rows() -> Rows:
    """Digits, divided by 16."""
    problem = digits()
    return _counted_on_training_rows(problem.name, problem.X, problem.y)


def all_rows(name: str) -> Rows:
    """All rows of a table, whatever part they belong to, standardised."""
    data = load_table(DATA / f"{name}.csv.gz", target="class")
    names = [column for column in data.frame.columns if column != "split"]
    X = np.ascontiguousarray(data.frame[names].to_numpy())
    return _counted_on_training_rows(name, (X - X.mean(axis=0)) / X.std(axis=0), data.y)


def split_rows(name: str, *, standardise: bool) -> Rows:
    """Training rows of a table, and its test part to count on."""
    data = load_table(DATA / f"{name}.csv.gz", target="class", split="split")
    X = np.ascontiguousarray(data.frame.to_numpy())
    train, test = data.split == "train", data.split == "test"
    if standardise:
        X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    return Rows(name, X[train], data.y[train], X[test], data.y[test], TEST_PART)


def word_rows(name: str, n_features: int) -> Rows:
    """Presence of the words that occur in at least three training documents."""
    data = load_table(DATA / f"{name}.csv.gz", target="class", split="split")
    train, test = data.split == "train", data.split == "test"
    texts = data.frame["text"].to_numpy()
    words = CountVectorizer(binary=True, min_df=3)
    X = words.fit_transform(texts[train]).astype(np.float64)
    X_test = words.transform(texts[test]).astype(np.float64)
    return Rows(name, X, data.y[train], X_test, data.y[test], TEST_PART, n_features)
