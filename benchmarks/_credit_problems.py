"""Rows of which it is known which columns are noise: real data with shuffled copies, and generated data."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from _problems import DATA
from sklearn.datasets import load_digits

from infoprop.datasets import load_table, make_corral, make_led24, make_waveform40

SETS = (
    "wine",
    "wdbc",
    "digits",
    "sonar",
    "dna",
    "colon",
    "srbct",
    "leukemia",
    "vehicle",
    "vowel",
    "glass",
    "diabetes",
)
KERNEL_SETS = ("wine", "wdbc", "sonar", "vehicle", "vowel", "glass", "diabetes")


@dataclass(frozen=True)
class Credited:
    """Rows, which of their features are real, and which columns make up a feature (None: one each)."""

    X: Any
    y: Any
    is_real: Any
    owners: tuple[str, ...] | None = None


def with_copies(name: str, draw: int) -> Credited:
    """Return a data set with a shuffled copy of every column that varies."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        data = load_table(DATA / f"{name}.csv.gz", target="class")
        names = [c for c in data.numeric if c not in ("split", "Train or Test", "Speaker Number", "Sex")]
        X, y = np.ascontiguousarray(data.frame[names].to_numpy()), data.y
    X = X[:, X.std(axis=0) > 0].astype(np.float64)
    rng = np.random.default_rng(draw)
    both = np.hstack([X, rng.permuted(X, axis=0)])
    # Mixed, so that no rule gains by what it does with columns that it finds equal.
    order = rng.permutation(both.shape[1])
    return Credited(np.ascontiguousarray(both[:, order]), np.asarray(y), order < X.shape[1])


def _linear(rng: np.random.Generator) -> Credited:
    """Ten of 100 columns, neighbours correlated by 0.5, of random sign."""
    X = rng.normal(size=(500, 100))
    for k in range(1, 100):
        X[:, k] = 0.5 * X[:, k - 1] + np.sqrt(0.75) * X[:, k]
    is_real = np.zeros(100, dtype=bool)
    is_real[rng.choice(100, 10, replace=False)] = True
    logits = X[:, is_real] @ rng.choice([-1.0, 1.0], 10)
    return Credited(X, (rng.uniform(size=500) < 1 / (1 + np.exp(-logits))).astype(int), is_real)


def _xor(rng: np.random.Generator) -> Credited:
    X = rng.uniform(size=(500, 10))
    return Credited(X, ((X[:, 0] - 0.5) * (0.5 - X[:, 1]) >= 0).astype(int), np.arange(10) < 2)


def _ring(n_columns: int) -> Callable[[np.random.Generator], Credited]:
    def made(rng: np.random.Generator) -> Credited:
        X = rng.uniform(size=(500, n_columns))
        distance = np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5)
        return Credited(X, (np.abs(distance - 0.35) <= 0.1151).astype(int), np.arange(n_columns) < 2)

    return made


def _generated(make: Callable[..., Any], n_rows: int) -> Callable[[np.random.Generator], Credited]:
    def made(rng: np.random.Generator) -> Credited:
        data = make(n_rows, random_state=int(rng.integers(2**31)))
        # The bit of corral that matches the class in three of four rows is not noise.
        real = (*data.relevant, 5) if make is make_corral else data.relevant
        return Credited(data.X, data.y, np.isin(np.arange(data.X.shape[1]), real))

    return made


def _nominal(rng: np.random.Generator) -> Credited:
    """Random columns of 2 to 50 categories, three numbers that help a little, and a leak of 40 categories."""
    n_rows = 400
    y = rng.integers(0, 2, n_rows)
    numbers = rng.normal(size=(n_rows, 3)) + 0.7 * y[:, None]
    leak = 20 * np.where(rng.uniform(size=n_rows) < 0.97, y, 1 - y) + rng.integers(0, 20, n_rows)
    sizes = (2, 5, 10, 20, 30, 50)
    texts = [leak, *(rng.integers(0, size, n_rows) for size in sizes)]
    names = ["leak", *(f"random {size}" for size in sizes)]
    blocks, owners = [numbers], ["a", "b", "c"]
    for name, codes in zip(names, texts, strict=True):
        known = np.unique(codes)
        blocks.append((codes[:, None] == known).astype(np.float64))
        owners += [name] * len(known)
    features = list(dict.fromkeys(owners))
    is_real = np.array([not name.startswith("random") for name in features])
    return Credited(np.hstack(blocks), y, is_real, tuple(owners))


GENERATORS: dict[str, tuple[str, Callable[[np.random.Generator], Credited]]] = {
    "linear AR(1), 10 of 100": ("linear", _linear),
    "LED-24": ("linear", _generated(make_led24, 500)),
    "waveform-40": ("linear", _generated(make_waveform40, 500)),
    "nominal and a leak": ("linear", _nominal),
    "XOR, 2 of 10": ("rbf", _xor),
    "ring, 2 of 10": ("rbf", _ring(10)),
    "ring, 2 of 4": ("rbf", _ring(4)),
    "corral": ("rbf", _generated(make_corral, 200)),
}


def problem(data: str, draw: int) -> Credited:
    """Return a set with copies or generated rows, by name."""
    if data in GENERATORS:
        return GENERATORS[data][1](np.random.default_rng(draw))
    return with_copies(data, draw)
