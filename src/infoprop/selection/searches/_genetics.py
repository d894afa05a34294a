"""Operators of a genetic search: small functions of arrays and a random generator, without any state.

A population is a boolean array of shape (n_genomes, n_strings, n_bits). A feature selector has one string per
genome, a classifier made of many has one for each of them; bits are features or groups of columns. A string
of zeros alone stands for all features: a classifier needs something to stand on.
"""

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray

# Fitnesses of the same predictions may differ in their last bits, by the order of the terms in a sum.
TIE_DECIMALS = 12

TOURNAMENT_SIZE = 2


def random_population(random: np.random.Generator, n_genomes: int, n_strings: int, n_bits: int) -> BoolArray:
    """Return a genome with all features, and others whose bits are drawn with probability 1/2.

    Examples
    --------
    >>> random_population(np.random.default_rng(0), 2, 1, 6).astype(int)[:, 0]
    array([[1, 1, 1, 1, 1, 1],
           [0, 0, 0, 0, 0, 1]])
    """
    population = random.random((n_genomes, n_strings, n_bits)) < 0.5
    population[:1] = True
    return population


def population_around(random: np.random.Generator, genome: BoolArray, n_genomes: int) -> BoolArray:
    """Return a genome, one with all features, and copies with one bit in n_bits flipped on average.

    Parameters
    ----------
    random : Generator
    genome : ndarray of shape (n_strings, n_bits)
    n_genomes : int
        At least one.

    Returns
    -------
    ndarray of shape (n_genomes, n_strings, n_bits)

    Examples
    --------
    >>> genome = np.array([[False, True, False, False]])
    >>> population_around(np.random.default_rng(0), genome, 3).astype(int)[:, 0]
    array([[0, 1, 0, 0],
           [1, 1, 1, 1],
           [0, 1, 0, 1]])
    """
    flips = random.random((n_genomes, *genome.shape)) < 1.0 / genome.shape[1]
    flips[0] = False
    population = np.asarray(genome ^ flips)
    population[1:2] = True
    return population


def proportional_parents(random: np.random.Generator, fitness: FloatArray, n_parents: int) -> IntArray:
    """Draw genomes with probabilities ``f_i / sum_j f_j``, equal ones if all fitnesses are zero.

    Examples
    --------
    >>> proportional_parents(np.random.default_rng(0), np.array([0.0, 1.0]), 4)
    array([1, 1, 1, 1])
    """
    total = fitness.sum()
    chances = fitness / total if total > 0.0 else np.full(len(fitness), 1.0 / len(fitness))
    return np.asarray(random.choice(len(fitness), size=n_parents, p=chances), dtype=np.intp)


def tournament_parents(random: np.random.Generator, fitness: FloatArray, n_parents: int) -> IntArray:
    """Draw two genomes for every place; the fitter one takes it, of equal ones the one drawn first.

    Examples
    --------
    >>> tournament_parents(np.random.default_rng(0), np.array([0.1, 0.2, 0.3]), 4)
    array([2, 1, 0, 0])
    """
    drawn = random.integers(len(fitness), size=(n_parents, TOURNAMENT_SIZE))
    winner = np.argmax(fitness[drawn].round(TIE_DECIMALS), axis=1)
    return np.asarray(drawn[np.arange(n_parents), winner], dtype=np.intp)


def crossed(random: np.random.Generator, parents: BoolArray, probability: float) -> BoolArray:
    """Let each genome and the next one exchange what lies behind a cut, one cut in every string.

    Genomes 0 and 1 are a couple, 2 and 3, and so on; a last one without a partner stays as it is. A couple
    exchanges anything at all with the `probability` given.

    Parameters
    ----------
    random : Generator
    parents : ndarray of shape (n_genomes, n_strings, n_bits)
    probability : float

    Returns
    -------
    ndarray of shape (n_genomes, n_strings, n_bits)

    Examples
    --------
    >>> parents = np.array([[[True] * 6], [[False] * 6]])
    >>> crossed(np.random.default_rng(0), parents, 1.0).astype(int)[:, 0]
    array([[1, 1, 1, 0, 0, 0],
           [0, 0, 0, 1, 1, 1]])
    """
    children = parents.copy()
    n_couples, (_, n_strings, n_bits) = len(parents) // 2, parents.shape
    do_cross = random.random(n_couples) < probability
    if n_bits < 2 or not n_couples:
        return children
    cuts = random.integers(1, n_bits, size=(n_couples, n_strings))
    behind = (np.arange(n_bits) >= cuts[:, :, None]) & do_cross[:, None, None]
    first, second = parents[0 : 2 * n_couples : 2], parents[1 : 2 * n_couples : 2]
    children[0 : 2 * n_couples : 2] = np.where(behind, second, first)
    children[1 : 2 * n_couples : 2] = np.where(behind, first, second)
    return children


def mutated(random: np.random.Generator, population: BoolArray, probability: float) -> BoolArray:
    """Flip one bit, drawn at random, in each string with the `probability` given.

    Examples
    --------
    >>> mutated(np.random.default_rng(1), np.zeros((1, 3, 4), dtype=bool), 1.0).astype(int)[0]
    array([[0, 0, 0, 1],
           [0, 0, 0, 1],
           [1, 0, 0, 0]])
    """
    n_genomes, n_strings, n_bits = population.shape
    does_flip = random.random((n_genomes, n_strings)) < probability
    place = random.integers(n_bits, size=(n_genomes, n_strings))
    return np.asarray(population ^ (does_flip[:, :, None] & (np.arange(n_bits) == place[:, :, None])))


def best_first(fitness: FloatArray, population: BoolArray) -> IntArray:
    """Order genomes by falling fitness; of equal ones the one with fewer features, then the first.

    Examples
    --------
    >>> population = np.array([[[1, 1, 1]], [[0, 0, 0]], [[0, 1, 0]]], dtype=bool)
    >>> best_first(np.array([0.5, 0.5, 0.5]), population)
    array([2, 0, 1])
    """
    n_features = meant(population).sum(axis=(1, 2))
    return np.lexsort((n_features, -fitness.round(TIE_DECIMALS)))


def meant(population: BoolArray) -> BoolArray:
    """Return the masks that strings stand for: a string of zeros means all features.

    Examples
    --------
    >>> meant(np.array([[False, False], [False, True]])).astype(int)
    array([[1, 1],
           [0, 1]])
    """
    return np.asarray(population | ~population.any(axis=-1, keepdims=True))
