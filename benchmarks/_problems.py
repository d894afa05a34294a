"""The data that benchmarks run on: rows, labels, and a name for the table."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from infoprop.datasets import load_table

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / os.environ.get("INFOPROP_DATA", "../shared/data")


@dataclass(frozen=True)
class Problem:
    """A training set with its name; `note` says how the columns were prepared."""

    name: str
    X: Any
    y: Any
    note: str

    @property
    def shape(self) -> str:
        return f"{self.X.shape[0]} x {self.X.shape[1]}"


def digits() -> Problem:
    X, y = load_digits(return_X_y=True)
    return Problem("digits", X / 16.0, y, "divided by 16")


def table(name: str, *, standardise: bool) -> Problem:
    """Training rows of a table of the shared data."""
    data = load_table(DATA / f"{name}.csv.gz", target="class", split="split")
    train = data.split == "train"
    X = np.ascontiguousarray(data.frame.to_numpy()[train])
    if standardise:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    return Problem(name, X, data.y[train], "standardised" if standardise else "as given")


def words(name: str, *, weighting: str) -> Problem:
    """Word features of the training documents of a text collection, words in at least three documents."""
    data = load_table(DATA / f"{name}.csv.gz", target="class", split="split")
    train = data.split == "train"
    kind = TfidfVectorizer(min_df=3) if weighting == "tf-idf" else CountVectorizer(binary=True, min_df=3)
    X = kind.fit_transform(data.frame["text"].to_numpy()[train]).astype(np.float64)
    return Problem(name, X, data.y[train], f"{weighting} words in 3 documents or more")


def dense_problems() -> Iterator[Problem]:
    yield digits()
    if DATA.is_dir():
        yield table("satimage", standardise=True)
        yield table("dna", standardise=False)
        yield table("usps", standardise=False)
    else:
        print(f"satimage, dna, usps skipped: no data at INFOPROP_DATA={DATA}")


def text_problems() -> Iterator[Problem]:
    if not DATA.is_dir():
        print(f"reuters-3, 20newsgroups skipped: no data at INFOPROP_DATA={DATA}")
        return
    for weighting in ("binary", "tf-idf"):
        for name in ("reuters-3", "20newsgroups"):
            yield words(name, weighting=weighting)
