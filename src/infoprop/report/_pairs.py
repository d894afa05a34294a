"""What a report keeps of a classifier of pairs: which two classes are told apart by which features."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from infoprop._core._exceptions import ParameterError
from infoprop.pairwise import ClassPairs, PairwiseClassifier
from infoprop.report._parts import columns_called, printable
from infoprop.report._words import listed, percent

N_PAIRS, N_COLUMNS = 60, 40
"""Pairs and features shown on a page; the JSON form has them all."""


@dataclass(frozen=True)
class PairSummary:
    """Two classes: the numbers of the features that tell them apart, and how often they do so rightly."""

    first: str
    second: str
    credibility: float | None
    n_rows: int
    features: tuple[int, ...]


@dataclass(frozen=True)
class PairsSummary:
    """All pairs of classes, the names that the numbers of their features stand for, the vote's accuracy."""

    names: tuple[str, ...]
    validated_accuracy: float | None
    pairs: tuple[PairSummary, ...]

    @property
    def by_use(self) -> tuple[int, ...]:
        """Numbers of the features that any pair uses, those of most pairs first."""
        uses = np.bincount(
            [feature for pair in self.pairs for feature in pair.features], minlength=len(self.names)
        )
        order = np.argsort(-uses, kind="stable")
        return tuple(order[uses[order] > 0].tolist())

    @property
    def shown_columns(self) -> tuple[int, ...]:
        """Numbers of the features that have a column in the page's table; none if every pair uses all."""
        if all(len(pair.features) == len(self.names) for pair in self.pairs):
            return ()
        return self.by_use[:N_COLUMNS]

    @property
    def shown_pairs(self) -> tuple[PairSummary, ...]:
        """The pairs that have a row in the page's table: those hardest to tell apart, in their order."""
        if len(self.pairs) <= N_PAIRS:
            return self.pairs
        hardest = sorted(self.pairs, key=lambda pair: 1.0 if pair.credibility is None else pair.credibility)
        kept = {id(pair) for pair in hardest[:N_PAIRS]}
        return tuple(pair for pair in self.pairs if id(pair) in kept)

    def names_of(self, pair: PairSummary) -> str:
        """Names of the features of a pair; of many, the first few."""
        return listed([self.names[feature] for feature in pair.features])

    @property
    def sentence(self) -> str:
        """The pairs in a few words."""
        sizes = [len(pair.features) for pair in self.pairs]
        noun = "pair" if len(self.pairs) == 1 else "pairs"
        words = [f"{len(self.pairs):,} {noun} of classes, each with a classifier of its own."]
        if min(sizes) == len(self.names):
            words.append(f"Each uses all {len(self.names):,} features.")
        else:
            words.append(
                f"They use {min(sizes):,} to {max(sizes):,} of {len(self.names):,} features each, "
                f"{len(self.by_use):,} together."
            )
        judged = [pair for pair in self.pairs if pair.credibility is not None]
        if judged:
            hardest = min(judged, key=lambda pair: pair.credibility or 0.0)
            words.append(
                f"Hardest to tell apart: {hardest.first} and {hardest.second}, "
                f"{percent(hardest.credibility or 0.0)} right in validation."
            )
        return " ".join(words)


def pairs_of(
    model: PairwiseClassifier | None, names: Sequence[str], owners: Sequence[str] | None = None
) -> PairsSummary | None:
    """The numbers of a classifier of pairs.

    Its columns are called by `owners`, of which equal ones count as one feature; if there are none by
    `names`, those of the report, if there are as many; else by its own names.
    """
    if model is None:
        return None
    pairs = getattr(model, "pairs_", None)
    if not isinstance(pairs, ClassPairs):
        raise ParameterError(
            "The 'pairs' parameter of Report must be a fitted PairwiseClassifier. "
            f"Got {type(model).__name__}."
        )
    called = columns_called(names, owners, pairs.feature_names)
    distinct = tuple(dict.fromkeys(called))
    number = {name: place for place, name in enumerate(distinct)}
    of_column = [number[name] for name in called]
    return PairsSummary(
        names=tuple(map(printable, distinct)),
        validated_accuracy=_judged(model.validated_accuracy_),
        pairs=tuple(
            PairSummary(
                first=printable(pair.classes[0]),
                second=printable(pair.classes[1]),
                credibility=_judged(pair.credibility),
                n_rows=int(pair.n_rows),
                features=tuple(sorted({of_column[column] for column in pair.columns.tolist()})),
            )
            for pair in pairs
        ),
    )


def _judged(share: float) -> float | None:
    return None if isnan(share) else float(share)
