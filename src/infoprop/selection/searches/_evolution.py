"""The genetic algorithm: one population after another, no genome judged twice, all of it written down."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._deadline import OutOfTime
from infoprop._core._typing import BoolArray, FloatArray
from infoprop.selection.running._journal import Journal
from infoprop.selection.running._work import OUT_OF_TIME
from infoprop.selection.searches._generations import Generation
from infoprop.selection.searches._genetics import (
    TIE_DECIMALS,
    best_first,
    crossed,
    meant,
    mutated,
    proportional_parents,
    tournament_parents,
)

PARENTS = {"proportional": proportional_parents, "tournament": tournament_parents}


@dataclass(frozen=True)
class EvolutionSettings:
    """How populations follow one another, and when that ends.

    Attributes
    ----------
    population_size : int
        Genomes in each generation.
    n_generations : int
        Generations at most, the first among them.
    parents : {"proportional", "tournament"}
        How parents are drawn.
    crossover : float
        Probability that a couple of parents exchange parts of their strings.
    mutation : float
        Probability that one bit of a string is flipped.
    elitism : int
        Fittest genomes that live on as they are.
    patience : int or None
        Generations without a fitter genome after which the search ends.

    Examples
    --------
    >>> from infoprop.selection.searches._evolution import EvolutionSettings
    >>> settings = EvolutionSettings(
    ...     population_size=30, n_generations=30, parents="tournament", crossover=0.9, mutation=0.1, elitism=1
    ... )
    >>> settings.check("my search")
    >>> settings.patience is None
    True
    """

    population_size: int
    n_generations: int
    parents: str
    crossover: float
    mutation: float
    elitism: int
    patience: int | None = None

    def check(self, owner: str) -> None:
        """Refuse what the parameters of `owner` cannot be."""
        size = check_integer("population_size", self.population_size, owner, low=2)
        check_integer("n_generations", self.n_generations, owner, low=1)
        check_choice("parents", self.parents, tuple(PARENTS), owner)
        check_number("crossover", self.crossover, owner, low=0.0, high=1.0)
        check_number("mutation", self.mutation, owner, low=0.0, high=1.0)
        check_integer("elitism", self.elitism, owner, low=0, high=size - 1)
        if self.patience is not None:
            check_integer("patience", self.patience, owner, low=1)

    def end(self, best_fitness: FloatArray) -> str | None:
        """Say why the search ends after generations with these best fitnesses; None if it goes on."""
        best = best_fitness.round(TIE_DECIMALS)
        if best.max() >= 1.0:
            return "perfect"
        if len(best) >= self.n_generations:
            return "generations"
        if self.patience is not None and len(best) - 1 - int(np.argmax(best)) >= self.patience:
            return "patience"
        return None


def next_population(
    random: np.random.Generator, population: BoolArray, fitness: FloatArray, settings: EvolutionSettings
) -> BoolArray:
    """Return the elite, and children of parents drawn by fitness: shape (n_genomes, n_strings, n_bits)."""
    n_genomes = len(population)
    elite = population[best_first(fitness, population)[: settings.elitism]]
    parents = population[PARENTS[settings.parents](random, fitness, n_genomes)]
    children = mutated(random, crossed(random, parents, settings.crossover), settings.mutation)
    return np.concatenate([elite, children[: n_genomes - len(elite)]])


class Keeper(Protocol):
    """Has a state that its later answers depend on, such as a model that is moved from subset to subset."""

    def snapshot(self) -> Mapping[str, Any]:
        """Return arrays to go on from, and go on from them."""

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Go on as after that `snapshot`."""


class Evolution:
    """A genetic search that can be stopped after any generation, and goes on from its journal.

    Parameters
    ----------
    judge : callable
        Takes masks of genomes, shape (n_genomes, n_strings, n_bits), and returns their fitness from 0 to 1;
        NaN for those that there was no time for. It is asked about many at a time, and about none twice.
    settings : EvolutionSettings
    seed : int
    journal : Journal
        Holds every generation and the state of the random numbers.
    fixed : ndarray of shape (n_bits,), default=None
        Bits that are always set.
    keeper : object with `snapshot` and `restore`, default=None
        Whatever the answers of `judge` depend on besides the masks; its state is written down, too.

    Attributes
    ----------
    end : str or None
        Why the search ended, see :class:`GeneticTrace`; None as long as it has not.

    Examples
    --------
    >>> settings = EvolutionSettings(8, 20, "tournament", 0.9, 0.5, 1)
    >>> search = Evolution(lambda masks: masks.mean(axis=(1, 2)), settings, 0, Journal())
    >>> *_, last = search.generations(lambda random: random.random((8, 1, 5)) < 0.5)
    >>> last.best, search.end
    (array([[ True,  True,  True,  True,  True]]), 'perfect')
    """

    def __init__(
        self,
        judge: Callable[[BoolArray], FloatArray],
        settings: EvolutionSettings,
        seed: int,
        journal: Journal,
        fixed: BoolArray | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self._judge = judge
        self._settings = settings
        self._journal = journal
        self._fixed = fixed
        self._keeper = keeper
        self._kept: dict[str, Any] = {}
        self._random = np.random.default_rng(seed)
        self._known: dict[bytes, float] = {}
        self.end: str | None = None

    def generations(self, first: Callable[[np.random.Generator], BoolArray]) -> Iterator[Generation]:
        """Yield the generations in the journal, then new ones; `first` draws the first population.

        As soon as the last one is yielded, `end` says why it is the last. If time is up within the first,
        that is the part of it that was judged.
        """
        best: list[float] = []
        last: Generation | None = None
        replayed = self._replayed()
        while self.end is None:
            if replayed:
                last = replayed.pop(0)
            else:
                population = first(self._random) if last is None else self._following(last)
                made = self._generation(population)
                is_whole = len(made.population) == len(population)
                if last is not None and not is_whole:
                    # A part of a generation says little of what most subsets have.
                    raise OutOfTime
                last = made
                if not is_whole:
                    self.end = OUT_OF_TIME
                    yield last
                    return
                self._journal.append([self._record(last)], self._state(last.n_new > 0))
            best.append(last.best_fitness)
            if not replayed:
                self.end = self._settings.end(np.array(best))
            yield last

    def _following(self, generation: Generation) -> BoolArray:
        return next_population(self._random, generation.population, generation.fitness, self._settings)

    def _generation(self, population: BoolArray) -> Generation:
        if self._fixed is not None:
            population = population | self._fixed
        masks = meant(population)
        keys = _keys(masks)
        unknown = {key: number for number, key in enumerate(keys) if key not in self._known}
        if unknown:
            fitness = self._judge(masks[list(unknown.values())])
            self._known.update(zip(unknown, fitness.tolist(), strict=True))
        found = np.array([self._known[key] for key in keys])
        is_judged = ~np.isnan(found)
        return Generation(population[is_judged], found[is_judged], len(unknown) - int((~is_judged).sum()))

    def _replayed(self) -> list[Generation]:
        # Whoever made the first population may have written down its way there.
        records = [record for record in self._journal.records() if "population" in record]
        generations = [_from_record(record) for record in records]
        for generation in generations:
            keys = _keys(meant(generation.population))
            self._known.update(zip(keys, generation.fitness.tolist(), strict=True))
        if records:
            state = self._journal.state()
            assert state is not None
            self._random.bit_generator.state = json.loads(state.pop("random").tobytes())
            if self._keeper is not None:
                self._keeper.restore(state)
                self._kept = state
        return generations

    def _record(self, generation: Generation) -> Mapping[str, Any]:
        return {
            "population": np.packbits(generation.population),
            "shape": list(generation.population.shape),
            "fitness": generation.fitness,
            "n_new": generation.n_new,
        }

    def _state(self, was_asked: bool) -> dict[str, Any]:
        # A keeper that was not asked since its last snapshot stands where it stood, and may not be ready
        # for another.
        if self._keeper is not None and was_asked:
            self._kept = dict(self._keeper.snapshot())
        drawn = json.dumps(self._random.bit_generator.state).encode()
        return self._kept | {"random": np.frombuffer(drawn, dtype=np.uint8)}


def _from_record(record: Mapping[str, Any]) -> Generation:
    bits = np.unpackbits(record["population"], count=int(np.prod(record["shape"])))
    return Generation(bits.reshape(record["shape"]).astype(bool), record["fitness"], record["n_new"])


def _keys(masks: BoolArray) -> list[bytes]:
    return [packed.tobytes() for packed in np.packbits(masks.reshape(len(masks), -1), axis=1)]
