"""The tables of problems: what is drawn or read, and which columns are chosen from."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from recovery2024.problems import PROBLEMS
from recovery2024.problems import draw as draw_recovery
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, train_test_split

from infoprop.datasets import load_table, make_corral, make_led24, make_waveform40

ROOT = Path(__file__).resolve().parents[2]
FEWEST_ROWS = 10
"""Rows that a class needs to be kept."""
WIDE_SIZES = (5, 10, 20, 50)
N_FOLDS = 5


@dataclass(frozen=True)
class Rows:
    """Rows to choose from and rows to judge on, columns in an order that tells nothing.

    Attributes
    ----------
    X, y, X_test, y_test : ndarray
        Standardised by the training rows.
    sizes : tuple of int
        Numbers of features to choose.
    real : ndarray of bool, shape (n_features,)
        Features that made the class, or that the table had before others were added.
    groups : ndarray of shape (n_columns,)
        Feature that each column belongs to.
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    X_test: NDArray[np.float64]
    y_test: NDArray[Any]
    sizes: tuple[int, ...]
    real: NDArray[np.bool_]
    groups: NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """One problem of a board; problems of one data set are averaged before methods are ranked."""

    name: str
    half: str
    draw: Callable[[int], Rows]

    @property
    def data_set(self) -> str:
        return self.name.partition("/")[0]


def problems_of(board: str, settings: Mapping[str, Any]) -> Iterator[tuple[Problem, range]]:
    """All problems of a board, with the seeds they are to be drawn with."""
    for half in ("report", "choose"):
        seeds = range(*settings["seeds"][half])
        for name, draw in _draws(board, half, settings):
            yield Problem(name, half, draw), seeds


def _draws(board: str, half: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[int], Rows]]]:
    if board in ("recovery", "published"):
        for name in settings.get("other", ()):
            yield name, partial(_drawn, OTHER[name])
        for width in settings["widths"]:
            for name in settings["wide"]:
                # The fewest columns are those that decide the class; above, the number is a power of two.
                n_relevant = PROBLEMS[name][0]
                if width == n_relevant or (width > n_relevant and width & (width - 1) == 0):
                    yield f"{name}/{width}", partial(_drawn, partial(_passemiers, name, width))
    elif board == "noise":
        # Each set has every kind, with one share and then with the other, so that either half is a board.
        kinds, shares = settings["kinds"], settings["shares"]
        for turn in range(settings["turns"]):
            for k, kind in enumerate(kinds):
                for n, name in enumerate(settings["sets"][half]):
                    share = shares[(turn + k + n) % len(shares)]
                    draw = partial(_with_noise, name, kind, share, settings["most_rows"])
                    yield f"{name}/{kind}/{share}", draw
    else:
        for name in settings["sets"][half]:
            yield name, partial(_fold, name)


# Recovery: X, y, the features that made y, and the feature that each column belongs to.
Drawn = tuple[NDArray[Any], NDArray[Any], Any, Any]


def _drawn(draw: Callable[[int], Drawn], seed: int) -> Rows:
    X, y, relevant, groups = draw(seed)
    groups = np.arange(X.shape[1]) if groups is None else groups
    real = np.isin(np.arange(groups.max() + 1), relevant)
    return _rows((X, y), (X[:0], y[:0]), (int(real.sum()),), real, groups, seed)


def _passemiers(name: str, width: int, seed: int) -> Drawn:
    X, y, n_relevant = draw_recovery(name, 833, width, seed)
    return X, y.astype(int), np.arange(n_relevant), None


def _corral(seed: int) -> Drawn:
    data = make_corral(200, random_state=seed)
    coins = np.random.default_rng([seed, 1]).integers(0, 2, (200, 94))
    return np.hstack([data.X, coins]), data.y, data.relevant, None


def _led(seed: int) -> Drawn:
    data = make_led24(300, random_state=seed)
    return data.X, data.y, data.relevant, None


def _waveform(seed: int) -> Drawn:
    data = make_waveform40(300, random_state=seed)
    return data.X, data.y, data.relevant, None


def _ar1(seed: int, n_rows: int = 400, n_columns: int = 300, n_relevant: int = 15) -> Drawn:
    rng = np.random.default_rng([seed, 2])
    X = rng.normal(size=(n_rows, n_columns))
    for column in range(1, n_columns):
        X[:, column] = 0.5 * X[:, column - 1] + np.sqrt(0.75) * X[:, column]
    relevant = rng.choice(n_columns, n_relevant, replace=False)
    outputs = X[:, relevant] @ rng.choice([-1.0, 1.0], n_relevant)
    return X, (rng.random(n_rows) < 1.0 / (1.0 + np.exp(-outputs))).astype(int), relevant, None


def _madelon(seed: int) -> Drawn:
    X, y = make_classification(
        600,
        200,
        n_informative=5,
        n_redundant=15,
        n_clusters_per_class=16,
        class_sep=2.0,
        shuffle=False,
        random_state=seed,
    )
    return X, y, np.arange(20), None


def _xor_in_noise(seed: int) -> Drawn:
    rng = np.random.default_rng([seed, 3])
    X = rng.normal(size=(400, 50))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(400) < 0.1)).astype(int), [0, 1], None


def _nominal(seed: int) -> Drawn:
    """Twenty nominal features of 2 to 30 categories, one column for each category; three of them count."""
    rng = np.random.default_rng([seed, 4])
    counts = np.r_[3, 5, 8, rng.integers(2, 31, 17)]
    values = [rng.integers(0, count, 400) for count in counts]
    outputs = sum(rng.normal(0.0, 1.5, counts[k])[values[k]] for k in range(3))
    y = (rng.random(400) < 1.0 / (1.0 + np.exp(-outputs))).astype(int)
    X = np.hstack([np.eye(count)[value] for count, value in zip(counts, values, strict=True)])
    return X, y, np.arange(3), np.repeat(np.arange(20), counts)


OTHER: dict[str, Callable[[int], Drawn]] = {
    "corral": _corral,
    "led": _led,
    "waveform": _waveform,
    "ar1": _ar1,
    "madelon-like": _madelon,
    "xor-in-noise": _xor_in_noise,
    "nominal": _nominal,
}


@lru_cache(maxsize=16)
def read(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Columns of numbers that vary, and rows of classes that are large enough; logarithms of word counts."""
    folder = Path(os.environ.get("INFOPROP_DATA", ROOT.parent / "shared" / "data"))
    path = folder / f"{name}.npz"
    if path.exists():
        file = np.load(path)
        counts = sparse.csr_array((file["data"], file["indices"], file["indptr"]), shape=file["shape"])
        X, y = np.log1p(counts.toarray().astype(np.float64)), file["y"]
    else:
        table = load_table(folder / f"{name}.csv.gz", target="class")
        names = [column for column in table.numeric if column not in ("split", "Train or Test")]
        X, y = np.asarray(table.frame[names].to_numpy(), dtype=np.float64), np.asarray(table.y)
    labels, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[counts >= FEWEST_ROWS]) & np.isfinite(X).all(axis=1)
    X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
    return X[:, X.std(axis=0) > 0.0], y


def _with_noise(name: str, kind: str, share: int, most_rows: int, seed: int) -> Rows:
    """Half of the rows, at most `most_rows`, to choose from, and as many to judge on."""
    X, y = read(name)
    n_columns = X.shape[1]
    n_rows = min(most_rows, len(y) // 2)
    rng = np.random.default_rng([seed, share])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    added = NOISE[kind](X, round(n_columns * share / (100 - share)), rng)
    X, X_test, y, y_test = train_test_split(
        np.hstack([X, added]), y, train_size=n_rows, test_size=n_rows, stratify=y, random_state=seed
    )
    real = np.arange(X.shape[1]) < n_columns
    return _rows((X, y), (X_test, y_test), (n_columns,), real, np.arange(X.shape[1]), seed)


def _random(X: NDArray[Any], n_added: int, rng: np.random.Generator) -> NDArray[Any]:
    return rng.normal(size=(len(X), n_added))


def _corrupted(X: NDArray[Any], n_added: int, rng: np.random.Generator) -> NDArray[Any]:
    """Copies of columns, with as much noise as signal."""
    return X[:, rng.integers(0, X.shape[1], n_added)] + rng.normal(size=(len(X), n_added))


def _second_order(X: NDArray[Any], n_added: int, rng: np.random.Generator) -> NDArray[Any]:
    first, second = rng.integers(0, X.shape[1], (2, n_added))
    return X[:, first] * X[:, second]


NOISE: dict[str, Callable[[NDArray[Any], int, np.random.Generator], NDArray[Any]]] = {
    "random": _random,
    "corrupted": _corrupted,
    "second-order": _second_order,
}


def _fold(name: str, fold: int) -> Rows:
    """One of five folds to judge on, the others to choose from."""
    X, y = read(name)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    train, test = list(folds.split(X, y))[fold]
    real, groups = np.ones(X.shape[1], dtype=bool), np.arange(X.shape[1])
    return _rows((X[train], y[train]), (X[test], y[test]), WIDE_SIZES, real, groups, None)


def _rows(train: Any, test: Any, sizes: tuple[int, ...], real: Any, groups: Any, seed: int | None) -> Rows:
    """Standardise, and shuffle columns (unless they must be known again): ties go by their order."""
    (X, y), (X_test, y_test) = train, test
    spread = X.std(axis=0)
    mean, spread = X.mean(axis=0), np.where(spread > 0.0, spread, 1.0)
    order = np.arange(X.shape[1])
    if seed is not None:
        order = np.random.default_rng([seed, 9]).permutation(order)
    X, X_test = ((part - mean) / spread for part in (X, X_test))
    # Features are numbered as their columns come first, the way methods see them.
    labels, numbers = np.unique(groups[order], return_index=True)
    by_place = labels[np.argsort(numbers)]
    place = np.empty_like(by_place)
    place[by_place] = np.arange(len(by_place))
    return Rows(
        np.ascontiguousarray(X[:, order]),
        y,
        X_test[:, order],
        y_test,
        sizes,
        real[by_place],
        place[groups[order]],
    )
