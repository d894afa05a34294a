import numpy as np
import pytest

from infoprop._core._deadline import OutOfTime
from infoprop.exceptions import ParameterError
from infoprop.selection import GeneticTrace
from infoprop.selection.searches._evolution import Evolution, EvolutionSettings, next_population
from infoprop.selection.searches._genetics import random_population
from reference.running import Journal

GOAL = np.random.default_rng(5).random((2, 12)) < 0.5


class Judge:
    """Part of the bits that are as they should be; remembers what it was asked."""

    def __init__(self, interrupt_after=None):
        self.asked = []
        self.n_left = interrupt_after

    def __call__(self, masks):
        if self.n_left is not None:
            self.n_left -= 1
            if self.n_left < 0:
                raise KeyboardInterrupt
        self.asked += [mask.tobytes() for mask in masks]
        return (masks == GOAL).mean(axis=(1, 2))


def settings(**changes):
    own = {
        "population_size": 10,
        "n_generations": 12,
        "parents": "tournament",
        "crossover": 0.9,
        "mutation": 0.3,
        "elitism": 1,
    }
    return EvolutionSettings(**own | changes)


def first(random):
    return random_population(random, 10, 2, 12)


def run(judge=None, journal=None, seed=0, fixed=None, **changes):
    search = Evolution(judge or Judge(), settings(**changes), seed, journal or Journal(), fixed)
    return list(search.generations(first)), search.end


def test_generations_get_fitter_and_the_fittest_lives_on():
    generations, end = run(n_generations=40)
    best = [generation.best_fitness for generation in generations]
    assert best == sorted(best)
    assert best[-1] > best[0] + 0.1
    assert end in ("generations", "perfect")


def test_no_genome_is_judged_twice():
    judge = Judge()
    generations, _ = run(judge, n_generations=30, mutation=0.05)
    assert len(judge.asked) == len(set(judge.asked))
    assert sum(generation.n_new for generation in generations) == len(judge.asked)
    assert len(judge.asked) < 30 * 10


def test_the_same_seed_gives_the_same_generations():
    assert run()[0] == run()[0]
    assert run()[0] != run(seed=1)[0]


@pytest.mark.parametrize("parents", ["proportional", "tournament"])
def test_the_next_population_begins_with_the_elite(parents):
    random = np.random.default_rng(0)
    population = first(random)
    fitness = Judge()(population)
    following = next_population(random, population, fitness, settings(elitism=3, parents=parents))
    assert following.shape == population.shape
    best = population[np.argsort(-fitness, kind="stable")[:3]]
    np.testing.assert_array_equal(np.sort(Judge()(following[:3])), np.sort(Judge()(best)))


def test_fixed_bits_are_always_set():
    fixed = np.zeros(12, dtype=bool)
    fixed[[2, 5]] = True
    generations, _ = run(fixed=fixed, mutation=1.0)
    assert all(generation.population[:, :, fixed].all() for generation in generations)


def test_a_search_may_end_before_its_generations_are_over():
    generations, end = run(n_generations=500, patience=2, mutation=0.0)
    assert end == "patience"
    assert len(generations) < 100


@pytest.mark.parametrize("n_judged", [3, 15])
def test_a_generation_judged_in_part_is_the_last_and_counts_if_it_is_the_first(n_judged):
    left = [n_judged]

    def judge(masks):
        found = np.where(np.arange(len(masks)) < left[0], masks.mean(axis=(1, 2)) / 2.0, np.nan)
        left[0] -= len(masks)
        return found

    search = Evolution(judge, settings(), 0, Journal())
    coming = search.generations(first)
    generations = [next(coming)]
    if n_judged < 10:
        assert search.end == "time"
    with pytest.raises(OutOfTime if n_judged > 10 else StopIteration):
        next(coming)
    assert len(generations[0].fitness) == generations[0].n_new == min(n_judged, 10)


def test_nothing_is_better_than_perfect():
    search = Evolution(lambda masks: masks[:, 0, 0].astype(float), settings(), 0, Journal())
    assert len(list(search.generations(first))) == 1
    assert search.end == "perfect"


@pytest.mark.parametrize("n_done", [1, 4, 11])
def test_a_search_goes_on_from_its_journal_bit_for_bit(n_done, tmp_path):
    whole, end = run()
    with Journal.open(tmp_path / "journal", "", "Search") as journal, pytest.raises(KeyboardInterrupt):
        run(Judge(interrupt_after=n_done), journal)
    judge = Judge()
    with Journal.open(tmp_path / "journal", "", "Search") as journal:
        assert run(judge, journal) == (whole, end)
    assert len(judge.asked) == sum(generation.n_new for generation in whole[n_done:])
    with Journal.open(tmp_path / "journal", "", "Search") as journal:
        assert run(Judge(interrupt_after=0), journal) == (whole, end)


class Drifting(Judge):
    """A judge whose answers depend on the way it came, as those of a moved model do in their last bits."""

    def __init__(self, interrupt_after=None):
        super().__init__(interrupt_after)
        self.drift = np.zeros(1)

    def __call__(self, masks):
        fitness = super().__call__(masks)
        self.drift = self.drift + fitness.sum()
        return fitness * (1.0 - 0.1 * np.sin(self.drift) ** 2)

    def snapshot(self):
        self.drift = self.drift.round(2)
        return {"drift": self.drift}

    def restore(self, snapshot):
        self.drift = snapshot["drift"]


def drifting(journal, interrupt_after=None):
    judge = Drifting(interrupt_after)
    return list(Evolution(judge, settings(), 0, journal, keeper=judge).generations(first))


def test_a_judge_goes_on_from_the_state_that_it_had(tmp_path):
    whole = drifting(Journal())
    with Journal.open(tmp_path / "journal", "", "Search") as journal, pytest.raises(KeyboardInterrupt):
        drifting(journal, interrupt_after=5)
    with Journal.open(tmp_path / "journal", "", "Search") as journal:
        assert drifting(journal) == whole


def test_a_judge_that_is_not_asked_is_not_asked_for_its_state_either(tmp_path):
    class Strict(Drifting):
        was_asked = False

        def __call__(self, masks):
            self.was_asked = True
            return super().__call__(masks)

        def snapshot(self):
            assert self.was_asked
            self.was_asked = False
            return super().snapshot()

    # Without crossover and mutation no later generation has anything new.
    still = settings(crossover=0.0, mutation=0.0)
    for n_generations in (2, 6):
        judge = Strict()
        with Journal.open(tmp_path / "journal", "", "Search") as journal:
            search = Evolution(judge, still, 0, journal, keeper=judge).generations(first)
            generations = [next(search) for _ in range(n_generations)]
            assert journal.state()["drift"].tolist() != [0.0]
    assert [generation.n_new for generation in generations][1:] == [0] * 5


@pytest.mark.parametrize(
    "wrong",
    [
        {"population_size": 1},
        {"n_generations": 0},
        {"parents": "best"},
        {"crossover": 1.1},
        {"mutation": -0.1},
        {"elitism": 10},
        {"patience": 0},
    ],
    ids=str,
)
def test_wrong_settings_are_refused_by_name(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        settings(**wrong).check("GeneticSelector")


def test_a_trace_knows_the_best_of_all_generations():
    generations, end = run(elitism=0, mutation=1.0)
    trace = GeneticTrace(tuple(generations), tuple("abcdefghijkl"), end)
    assert (trace.best == GOAL).mean() == trace.best_fitness.max()
    assert len(trace) == len(generations)
    assert trace[0] == generations[0]
    assert list(trace) == generations
    frame = trace.to_frame("polars")
    assert frame.shape == (len(generations), 5)
    assert frame["n_new"].sum() == trace.n_trainings
    assert "n_generations=" in repr(trace)
