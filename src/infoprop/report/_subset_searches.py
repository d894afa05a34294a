"""What a report keeps of searches that count errors: a forward search's levels, a genetic search's ages."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoprop.report._parts import columns_called, printable
from infoprop.report._words import listed, percent
from infoprop.selection import BeamLevel, BeamTrace, GeneticTrace

N_LISTED = 25
"""Levels or generations listed on a page; the JSON form has them all."""


@dataclass(frozen=True)
class SubsetSummary:
    """A subset that a forward search went on with: numbers of its features, validated accuracy."""

    features: tuple[int, ...]
    accuracy: float


@dataclass(frozen=True)
class BeamLevelSummary:
    """All subsets of one size: how many were tried, and those the search went on with, best first."""

    n_features: int
    n_tried: int
    is_better: bool
    kept: tuple[SubsetSummary, ...]

    @property
    def accuracy(self) -> float:
        """Of the best subset."""
        return self.kept[0].accuracy


@dataclass(frozen=True)
class BeamSummary:
    """A forward search: the names that its numbers stand for, its levels, why it ended."""

    end: str
    n_trainings: int
    names: tuple[str, ...]
    levels: tuple[BeamLevelSummary, ...]
    scoring: str = "accuracy"

    @property
    def best(self) -> BeamLevelSummary:
        """Level of the subset that was chosen."""
        return [level for level in self.levels if level.is_better][-1]

    @property
    def score_word(self) -> str:
        """What subsets were judged by, in a word."""
        return SCORE_LABELS[self.scoring][1]

    @property
    def last_levels(self) -> tuple[BeamLevelSummary, ...]:
        """The levels to be listed."""
        return self.levels[-N_LISTED:]

    @property
    def sentence(self) -> str:
        """The search in a few words."""
        best = self.best
        noun = "feature" if best.n_features == 1 else "features"
        return (
            f"{self.n_trainings:,} subsets of up to {self.levels[-1].n_features:,} features tried; the "
            f"best has {best.n_features:,} {noun} and {_score_words(self.scoring, best.accuracy)}. "
            f"Why it ended: {_BEAM_ENDS.get(self.end, self.end)}."
        )

    def names_of(self, level: BeamLevelSummary) -> str:
        """Names of the features of a level's best subset; of many, the first few."""
        return listed([self.names[feature] for feature in level.kept[0].features])


@dataclass(frozen=True)
class GenerationSummary:
    """One generation: its fitness (validated accuracy), new genomes, and features of the fittest genome."""

    best_fitness: float
    mean_fitness: float
    n_new: int
    n_features: int


@dataclass(frozen=True)
class EvolutionSummary:
    """A genetic search: its generations, the fittest genome of all, why it ended.

    `best` has for each string of that genome (one, or one for each pair of classes) numbers of features.
    """

    end: str
    n_trainings: int
    names: tuple[str, ...]
    generations: tuple[GenerationSummary, ...]
    best: tuple[tuple[int, ...], ...]
    scoring: str = "accuracy"

    @property
    def last_generations(self) -> tuple[tuple[int, GenerationSummary], ...]:
        """The generations to be listed, with their numbers."""
        return tuple(enumerate(self.generations))[-N_LISTED:]

    @property
    def sentence(self) -> str:
        """The search in a few words."""
        fittest = max(generation.best_fitness for generation in self.generations)
        n_strings, used = len(self.best), sum(map(len, self.best))
        whose = f"{used:,} features" if n_strings == 1 else f"{used / n_strings:.1f} features per pair"
        noun = "generation" if len(self.generations) == 1 else "generations"
        return (
            f"{len(self.generations):,} {noun}, {self.n_trainings:,} different genomes; the fittest "
            f"uses {whose} and {_score_words(self.scoring, fittest)}. Why it ended: "
            f"{_EVOLUTION_ENDS.get(self.end, self.end)}."
        )


SCORE_LABELS = {
    "accuracy": ("Share of the validation rows named right", "right"),
    "balanced_accuracy": ("Share of each class of the validation rows named right", "right"),
    "information": ("Share of the class entropy resolved on the validation rows", "resolved"),
    "roc_auc": ("Area under the ROC curve on the validation rows", "AUC"),
}
"""What is drawn of a search: the title of its figure, and a word for the axis."""


def _score_words(scoring: str, value: float) -> str:
    """What a subset does, by the score that it was judged by."""
    if scoring == "information":
        return f"resolves {percent(value)} of the class entropy on the validation rows"
    if scoring == "roc_auc":
        return f"reaches an area under the ROC curve of {value:.3f} on the validation rows"
    whose = " of each class right, on average" if scoring == "balanced_accuracy" else " right"
    return f"names {percent(value)} of the validation rows{whose}"


_BEAM_ENDS = {
    "converged": "no larger subset is better",
    "perfect": "every row is right",
    "n_features_to_select": "it had reached as many features as it may",
    "exhausted": "there is no feature left to add",
    "time": "its time was up",
    "interrupted": "it was interrupted",
}

_EVOLUTION_ENDS = {
    "generations": "it had bred as many generations as it may",
    "patience": "no generation was better for too long",
    "time": "its time was up",
    "perfect": "nothing can be better",
    "interrupted": "it was interrupted",
}


def beam_of(trace: BeamTrace | None, names: Sequence[str]) -> BeamSummary | None:
    """The numbers of a forward search over the features `names`."""
    if trace is None:
        return None
    levels = tuple(map(_level_of, trace.levels))
    return BeamSummary(trace.end, trace.n_trainings, tuple(map(printable, names)), levels, trace.scoring)


def _level_of(level: BeamLevel) -> BeamLevelSummary:
    kept = [
        SubsetSummary(tuple(groups.tolist()), float(level.accuracy[tried]))
        for groups, tried in zip(level.beam, level.kept, strict=True)
    ]
    return BeamLevelSummary(level.size, len(level.added), bool(level.is_better), tuple(kept))


def evolution_of(trace: GeneticTrace | None, names: Sequence[str]) -> EvolutionSummary | None:
    """The numbers of a genetic search over the features `names`, or over columns with names of their own."""
    if trace is None:
        return None
    generations = tuple(
        GenerationSummary(
            best_fitness=generation.best_fitness,
            mean_fitness=float(generation.fitness.mean()),
            n_new=int(generation.n_new),
            n_features=int(generation.best.sum()),
        )
        for generation in trace
    )
    best = tuple(tuple(np.flatnonzero(string).tolist()) for string in trace.best)
    called = tuple(map(printable, columns_called(names, None, trace.names)))
    return EvolutionSummary(trace.end, trace.n_trainings, called, generations, best, trace.scoring)
