import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

from infoprop.selection.searches._genetics import (
    best_first,
    crossed,
    meant,
    mutated,
    population_around,
    proportional_parents,
    random_population,
    tournament_parents,
)

POPULATIONS = st.tuples(st.integers(1, 7), st.integers(1, 3), st.integers(1, 6)).flatmap(
    lambda shape: arrays(bool, shape)
)
SEEDS = st.integers(0, 1000)


@given(POPULATIONS, SEEDS, st.floats(0.0, 1.0))
def test_couples_keep_the_bits_they_had_together(population, seed, probability):
    children = crossed(np.random.default_rng(seed), population, probability)
    assert children.shape == population.shape
    for start in range(0, len(population) - 1, 2):
        pair = slice(start, start + 2)
        np.testing.assert_array_equal(children[pair].sum(axis=0), population[pair].sum(axis=0))
    if len(population) % 2:
        np.testing.assert_array_equal(children[-1], population[-1])


@given(SEEDS, st.integers(2, 9), st.integers(1, 4))
def test_every_string_is_cut_once(seed, n_bits, n_strings):
    parents = np.zeros((2, n_strings, n_bits), dtype=bool)
    parents[0] = True
    child = crossed(np.random.default_rng(seed), parents, 1.0)[0]
    assert child[:, 0].all()
    assert not child[:, -1].any()
    assert (np.abs(np.diff(child.astype(int), axis=1)).sum(axis=1) == 1).all()


def test_strings_are_cut_in_places_of_their_own():
    parents = np.zeros((2, 30, 20), dtype=bool)
    parents[0] = True
    assert len(set(crossed(np.random.default_rng(0), parents, 1.0)[0].sum(axis=1).tolist())) > 5


@given(POPULATIONS, SEEDS)
def test_without_crossover_and_mutation_children_are_their_parents(population, seed):
    random = np.random.default_rng(seed)
    np.testing.assert_array_equal(mutated(random, crossed(random, population, 0.0), 0.0), population)


@given(POPULATIONS, SEEDS)
def test_a_mutation_flips_one_bit_of_each_string(population, seed):
    flipped = mutated(np.random.default_rng(seed), population, 1.0) ^ population
    assert (flipped.sum(axis=2) == 1).all()


@given(POPULATIONS, SEEDS, st.floats(0.0, 1.0))
def test_operators_leave_their_arguments_alone_and_repeat_themselves(population, seed, probability):
    before = population.copy()
    for operator in (crossed, mutated):
        first, second = (operator(np.random.default_rng(seed), population, probability) for _ in range(2))
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(population, before)


@pytest.mark.parametrize("draw", [proportional_parents, tournament_parents])
def test_the_fitter_are_drawn_more_often(draw):
    fitness = np.array([0.1, 0.3, 0.6])
    times = np.bincount(draw(np.random.default_rng(0), fitness, 3000), minlength=3)
    assert times[0] < times[1] < times[2]


def test_proportional_chances_are_proportional():
    fitness = np.array([1.0, 0.0, 3.0])
    times = np.bincount(proportional_parents(np.random.default_rng(0), fitness, 4000), minlength=3)
    assert times[1] == 0
    assert times[2] / times[0] == pytest.approx(3.0, rel=0.1)


def test_if_nobody_is_fit_everybody_has_the_same_chance():
    times = np.bincount(proportional_parents(np.random.default_rng(0), np.zeros(4), 4000), minlength=4)
    assert times.min() > 900


@given(POPULATIONS, SEEDS)
def test_best_first_is_by_fitness_then_size_then_number(population, seed):
    fitness = np.random.default_rng(seed).integers(0, 3, len(population)) / 3
    sizes = meant(population).sum(axis=(1, 2))
    expected = sorted(range(len(population)), key=lambda number: (-fitness[number], sizes[number], number))
    assert best_first(fitness, population).tolist() == expected


def test_fitnesses_that_differ_in_their_last_bits_are_equal():
    population = np.array([[[1, 1]], [[0, 1]]], dtype=bool)
    assert best_first(np.array([0.1 + 0.2, 0.3]), population)[0] == 1


@given(POPULATIONS)
def test_a_string_of_zeros_means_all_features(population):
    masks = meant(population)
    assert masks.any(axis=2).all()
    empty = ~population.any(axis=2)
    assert masks[empty].all()
    np.testing.assert_array_equal(masks[~empty], population[~empty])


def test_first_populations_hold_all_features_and_what_was_found():
    random = np.random.default_rng(0)
    drawn = random_population(random, 50, 3, 8)
    assert drawn[0].all()
    assert 0.4 < drawn[1:].mean() < 0.6
    genome = drawn[7]
    around = population_around(random, genome, 50)
    np.testing.assert_array_equal(around[0], genome)
    assert around[1].all()
    assert 0.0 < (around[2:] ^ genome).mean() < 0.25
