"""GeneticTrace: every generation of a genetic search, and why it ended."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray
from infoprop.selection.searches._genetics import best_first, meant


@dataclass(frozen=True, eq=False)
class Generation(FrozenArrays):
    """One population of a genetic search, and how fit its genomes are.

    Attributes
    ----------
    population : ndarray of shape (n_genomes, n_strings, n_bits)
        One string for each classifier, one bit for each feature (group). A string of zeros means all.
    fitness : ndarray of shape (n_genomes,)
        Validated accuracy of each genome, from 0 to 1.
    n_new : int
        Number of genomes that no generation before it had.

    Examples
    --------
    >>> population = np.array([[[True, True]], [[False, True]]])
    >>> Generation(population, np.array([0.5, 0.75]), n_new=2).best
    array([[False,  True]])
    """

    population: BoolArray
    fitness: FloatArray
    n_new: int

    @property
    def best(self) -> BoolArray:
        """Masks of the fittest genome, of equal ones that with the fewest features: (n_strings, n_bits)."""
        return meant(self.population[best_first(self.fitness, self.population)[0]])

    @property
    def best_fitness(self) -> float:
        """The highest fitness."""
        return float(self.fitness.max())


@dataclass(frozen=True, repr=False)
class GeneticTrace(Sequence[Generation]):
    """All generations of a genetic search: a sequence.

    Attributes
    ----------
    generations : tuple of Generation
        First to last.
    names : tuple of str
        Names of the features (groups) that the bits stand for.
    end : str
        Why the search ended: "generations", "patience" (no better genome for so long), "time", "perfect"
        (nothing can be better) or "interrupted".
    scoring : {"accuracy", "balanced_accuracy", "information", "roc_auc"}
        What subsets were judged by.

    Examples
    --------
    >>> population = np.array([[[True, True]], [[False, True]]])
    >>> GeneticTrace((Generation(population, np.array([0.5, 0.75]), 2),), ("a", "b"), "generations")
    GeneticTrace(n_generations=1, n_trainings=2, end='generations', fitness=0.7500)
    """

    generations: tuple[Generation, ...]
    names: tuple[str, ...]
    end: str
    scoring: str = "accuracy"

    @property
    def best(self) -> BoolArray:
        """Masks of the fittest genome of all, of equal ones that with the fewest features."""
        together = np.concatenate([generation.population for generation in self.generations])
        fitness = np.concatenate([generation.fitness for generation in self.generations])
        return meant(together[best_first(fitness, together)[0]])

    @property
    def best_fitness(self) -> FloatArray:
        """Highest fitness in every generation: shape (n_generations,)."""
        return np.array([generation.best_fitness for generation in self.generations])

    @property
    def mean_fitness(self) -> FloatArray:
        """Mean fitness in every generation: shape (n_generations,)."""
        return np.array([generation.fitness.mean() for generation in self.generations])

    @property
    def n_trainings(self) -> int:
        """Number of different genomes, each judged once."""
        return sum(generation.n_new for generation in self.generations)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame, one row per generation.

        Columns: ``generation`` (from 0), ``best_fitness``, ``mean_fitness``, ``n_new`` (genomes judged for
        the first time) and ``n_features`` (of the fittest genome, over all its strings).

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        data: dict[str, Any] = {
            "generation": list(range(len(self))),
            "best_fitness": self.best_fitness,
            "mean_fitness": self.mean_fitness,
            "n_new": [generation.n_new for generation in self.generations],
            "n_features": [int(generation.best.sum()) for generation in self.generations],
        }
        return to_native_frame(data, backend, "GeneticTrace.to_frame")

    def __len__(self) -> int:
        return len(self.generations)

    @overload
    def __getitem__(self, number: int) -> Generation: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Generation, ...]: ...
    def __getitem__(self, number: int | slice) -> Generation | tuple[Generation, ...]:
        return self.generations[number]

    def __iter__(self) -> Iterator[Generation]:
        return iter(self.generations)

    def __repr__(self) -> str:
        return (
            f"GeneticTrace(n_generations={len(self)}, n_trainings={self.n_trainings}, "
            f"end={self.end!r}, fitness={self.best_fitness.max():.4f})"
        )
