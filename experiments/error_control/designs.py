"""Data with known answers: each design draws rows, labels and the features that are real, from one seed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import toeplitz

from infoprop.selection import GaussianKnockoffs


@dataclass(frozen=True)
class Problem:
    """Rows, labels, numbers of the real features, and groups of columns if features are not columns."""

    X: Any
    y: Any
    real: Any
    groups: Any = None


@cache
def _correlated(n_columns: int) -> tuple[Any, Any]:
    covariance = toeplitz(0.5 ** np.arange(n_columns))
    return covariance, np.linalg.cholesky(covariance)


@cache
def known_law(n_columns: int, n_knockoffs: int = 1) -> GaussianKnockoffs:
    """Return the sampler of knockoffs for rows of `_correlated` columns."""
    covariance, _ = _correlated(n_columns)
    labels = np.arange(n_columns)
    return GaussianKnockoffs.from_covariance(np.zeros(n_columns), covariance, labels, n_knockoffs)


def _labels(generator: np.random.Generator, scores: Any) -> Any:
    return (generator.random(len(scores)) < 1.0 / (1.0 + np.exp(-scores))).astype(int)


def logistic(seed: int, amplitude: float, n_rows: int = 1000, n_columns: int = 600) -> Problem:
    """Ren and Barber's design: 50 of 600 correlated Gaussian columns, random signs."""
    generator = np.random.default_rng([seed, 1])
    X = generator.standard_normal((n_rows, n_columns)) @ _correlated(n_columns)[1].T
    real = np.sort(generator.choice(n_columns, 50, replace=False))
    beta = generator.choice([-1.0, 1.0], 50) * amplitude / np.sqrt(n_rows)
    return Problem(X, _labels(generator, X[:, real] @ beta), real)


def bumps(seed: int) -> Problem:
    """Melikechi and Miller's design: 500 x 500, 5 to 15 real columns, each an even bump."""
    generator = np.random.default_rng([seed, 2])
    X = generator.standard_normal((500, 500)) @ _correlated(500)[1].T
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    real = np.sort(generator.choice(500, generator.integers(5, 16), replace=False))
    scores = np.exp(-(X[:, real] ** 2)).sum(axis=1)
    return Problem(X, _labels(generator, generator.uniform(1.0, 3.0) * (scores - scores.mean())), real)


def squares(problem: Problem) -> Problem:
    """Each column with its square, as one group: a linear machine sees even functions then."""
    X = problem.X
    both = np.hstack([X, X**2])
    return Problem(both, problem.y, problem.real, np.tile(np.arange(X.shape[1]), 2))


def three_classes(seed: int) -> Problem:
    """Three classes by a softmax of 15 among 100 correlated columns.

    Not by shifted means: then neighbours of a shifted column tell how much of it is noise, and are real, too.
    """
    generator = np.random.default_rng([seed, 3])
    X = generator.standard_normal((600, 100)) @ _correlated(100)[1].T
    real = np.sort(generator.choice(100, 15, replace=False))
    scores = X[:, real] @ generator.standard_normal((15, 3)) + generator.gumbel(size=(600, 3))
    return Problem(X, scores.argmax(axis=1), real)


def parity(seed: int) -> Problem:
    """The class is the sign of a product of two among 50 columns."""
    generator = np.random.default_rng([seed, 4])
    X = generator.standard_normal((600, 50))
    real = np.sort(generator.choice(50, 2, replace=False))
    return Problem(X, (X[:, real].prod(axis=1) > 0.0).astype(int), real)


def nominal(seed: int) -> Problem:
    """Sixty nominal columns of 2 to 8 categories, one-hot coded as groups; 12 are real."""
    generator = np.random.default_rng([seed, 5])
    sizes = generator.integers(2, 9, size=60)
    codes = np.column_stack([generator.integers(size, size=800) for size in sizes])
    real = np.sort(generator.choice(60, 12, replace=False))
    scores = sum(generator.normal(scale=1.0, size=sizes[j])[codes[:, j]] for j in real)
    X = np.hstack([np.eye(size)[codes[:, j]] for j, size in enumerate(sizes)])
    return Problem(X, _labels(generator, scores - scores.mean()), real, np.repeat(np.arange(60), sizes))


def words(seed: int) -> Problem:
    """Counts of 300 words in 800 texts, CSR; 20 words are commoner in one class."""
    generator = np.random.default_rng([seed, 6])
    y = np.arange(800) % 2
    rates = np.exp(generator.normal(-2.0, 0.8, size=300))
    real = np.sort(generator.choice(300, 20, replace=False))
    means = np.tile(rates, (800, 1))
    means[np.ix_(y == 1, real)] *= 2.5
    return Problem(sparse.csr_array(generator.poisson(means).astype(float)), y, real)


def blocks(seed: int) -> Problem:
    """For calibration: 100 columns in correlated blocks of five, 10 real."""
    generator = np.random.default_rng([seed, 7])
    X = np.sqrt(0.6) * np.repeat(generator.standard_normal((300, 20)), 5, axis=1)
    X += np.sqrt(0.4) * generator.standard_normal((300, 100))
    real = generator.choice(100, 10, replace=False)
    return Problem(X, _labels(generator, X[:, real] @ generator.choice([-1.0, 1.0], 10)), real)


def wide(seed: int) -> Problem:
    """For calibration: 100 rows, 1,000 independent columns, 10 shift their means."""
    generator = np.random.default_rng([seed, 8])
    y = np.arange(100) % 2
    X = generator.standard_normal((100, 1000))
    real = generator.choice(1000, 10, replace=False)
    X[:, real] += np.outer(y, generator.choice([-0.9, 0.9], 10))
    return Problem(X, y, real)


def heavy_tails(seed: int) -> Problem:
    """For calibration: three classes, 60 columns with heavy tails, 8 real."""
    generator = np.random.default_rng([seed, 9])
    y = np.arange(240) % 3
    X = generator.standard_t(4, size=(240, 60))
    real = generator.choice(60, 8, replace=False)
    X[:, real] += 0.8 * generator.standard_normal((3, 8))[y]
    return Problem(X, y, real)


def genes(seed: int) -> Problem:
    """For calibration: 70 rows, 1,500 columns of 30 hidden factors, 15 shift their means."""
    generator = np.random.default_rng([seed, 21])
    loadings = generator.standard_normal((30, 1500)) * (generator.random((30, 1500)) < 0.1)
    X = generator.standard_normal((70, 30)) @ loadings + generator.standard_normal((70, 1500))
    X /= X.std(axis=0)
    y = (np.arange(70) < 25).astype(int)
    real = np.sort(generator.choice(1500, 15, replace=False))
    X[:, real] += np.outer(y, generator.choice([-1.0, 1.0], 15))
    return Problem(X, y, real)


def vees(seed: int) -> Problem:
    """For calibration: 400 rows, 300 correlated columns, log-odds a sum of the sizes of 8; with squares."""
    generator = np.random.default_rng([seed, 22])
    X = _neighbours(generator, 400, 300, 0.5)
    real = np.sort(generator.choice(300, 8, replace=False))
    scores = np.abs(X[:, real]).sum(axis=1)
    return squares(Problem(X, _labels(generator, 1.2 * (scores - scores.mean())), real))


def neighbours(seed: int) -> Problem:
    """For calibration: 300 rows, 400 columns, neighbours correlated, 12 real."""
    generator = np.random.default_rng([seed, 23])
    X = _neighbours(generator, 300, 400, 0.6)
    real = np.sort(generator.choice(400, 12, replace=False))
    beta = generator.choice([-1.0, 1.0], 12) * generator.uniform(0.4, 1.0, 12)
    return Problem(X, _labels(generator, X[:, real] @ beta), real)


def _neighbours(generator: np.random.Generator, n_rows: int, n_columns: int, weight: float) -> Any:
    X = generator.standard_normal((n_rows, n_columns))
    X[:, 1:] += weight * X[:, :-1]
    return X / X.std(axis=0)


def permuted(design: Callable[[int], Problem], seed: int) -> Problem:
    """The same columns, and labels that have nothing to do with them: no feature is real."""
    problem = design(seed)
    labels = np.random.default_rng([seed, 24]).permutation(problem.y)
    return Problem(problem.X, labels, problem.real[:0], problem.groups)


CALIBRATION: Mapping[str, Callable[[int], Problem]] = {
    "blocks": blocks,
    "tails": heavy_tails,
    "wide": wide,
    "genes": genes,
    "vees": vees,
    "neighbours": neighbours,
    "wide, permuted": partial(permuted, wide),
    "genes, permuted": partial(permuted, genes),
}
