"""What a report keeps of a search: the path of an elimination, or the trace of a directed search."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import ParameterError
from infoprop.report._columns import columns_of, distinct_columns
from infoprop.report._parts import printable
from infoprop.report._words import hundredths, listed, percent
from infoprop.selection import BeamTrace, SearchTrace, SelectionPath
from infoprop.selection.elimination._step_tables import MEASURES, StepTables

N_STEPS = 20
"""Steps listed on a page; the JSON form has them all."""

_RULES = ("best", "one-se", "tolerance")


@dataclass(frozen=True)
class PathStepSummary:
    """One size of an elimination: what it delivers on the judged rows, and what was dropped then."""

    n_features: int
    n_columns: int
    information: float
    relative_information: float
    standard_error: float
    accuracy: float
    error_lower: float
    error_upper: float
    dropped: tuple[str, ...]
    credits: tuple[float, ...]


@dataclass(frozen=True)
class PathSummary:
    """An elimination, from all features to the fewest, the size that was chosen, and by which rule.

    `best_first` are numbers of all features, those never dropped before the others, last dropped first;
    `tables` the confusion tables of the steps. Both are for the page; the JSON form does without.
    """

    n_chosen: int | None
    rule: str | None
    tolerance: float | None
    steps: tuple[PathStepSummary, ...]
    best_first: tuple[int, ...] = ()
    tables: StepTables | None = field(default=None, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain dictionaries and lists: few rows make few different results."""
        numbers, results = distinct_columns(self.steps, MEASURES)
        steps = columns_of(self.steps, ("n_features", "n_columns", "dropped", "credits"))
        return {
            "n_chosen": self.n_chosen,
            "rule": self.rule,
            "tolerance": self.tolerance,
            "steps": {**steps, "result": numbers},
            "results": results,
        }

    @property
    def last_steps(self) -> tuple[PathStepSummary, ...]:
        """The steps to be listed: the last ones, and before them that of the chosen size if it is earlier."""
        last = self.steps[-N_STEPS:]
        earlier = (step for step in self.steps[: -len(last)] if step.n_features == self.n_chosen)
        return (*earlier, *last)

    @property
    def best(self) -> PathStepSummary:
        """The smallest size that delivers the most."""
        return max(self.steps, key=lambda step: (round(step.information, 12), -step.n_features))

    @property
    def why(self) -> str:
        """Why it was that size; empty if none was chosen."""
        if self.n_chosen is None:
            return ""
        most, size = self.best.information, f"{self.n_chosen:,}"
        if self.rule == "best":
            return f"Why {size}: it is the smallest size that delivers the most (rule: best)."
        if self.rule == "one-se":
            error = self.best.standard_error
            return (
                f"Why {size}: it is the smallest size within one standard error of the most, that is with "
                f"at least {most:.3f} − {error:.3f} = {most - error:.3f} bits (rule: one-se). Smaller "
                "differences are noise."
            )
        if self.rule == "tolerance":
            part = 1.0 - (self.tolerance or 0.0)
            return (
                f"Why {size}: it is the smallest size with at least {percent(part)} of the most, that is "
                f"{part * most:.3f} bits (rule: tolerance)."
            )
        noun = "feature" if self.n_chosen == 1 else "features"
        return f"You asked for {size} {noun}; the curve was not used."

    @property
    def sentence(self) -> str:
        """The path in a few words."""
        best = self.best
        verb = "feature delivers" if best.n_features == 1 else "features deliver"
        words = [
            f"From {self.steps[0].n_features:,} features to {self.steps[-1].n_features:,}, "
            f"{len(self.steps):,} sizes were counted.",
            f"{best.n_features:,} {verb} the most: {_delivered(best)}.",
        ]
        for step in self.steps:
            if step.n_features == self.n_chosen and step is not best:
                verb = "delivers" if step.n_features == 1 else "deliver"
                words.append(f"The {step.n_features:,} chosen {verb} {_delivered(step)}.")
        return " ".join(words)


def _delivered(step: PathStepSummary) -> str:
    return f"{hundredths(step.information)} bits (standard error {hundredths(step.standard_error)})"


@dataclass(frozen=True)
class TraceStepSummary:
    """One subset of a directed search: numbers of its features, their credits, and what they deliver."""

    run: int
    move: str
    features: tuple[int, ...]
    credits: tuple[float, ...]
    information: float
    relative_information: float
    is_new: bool
    is_best: bool
    end: str | None


@dataclass(frozen=True)
class TraceSummary:
    """A directed search: the names that its numbers stand for, all subsets asked about, why it ended."""

    end: str
    n_trainings: int
    names: tuple[str, ...]
    steps: tuple[TraceStepSummary, ...]

    @property
    def last_steps(self) -> tuple[tuple[int, TraceStepSummary], ...]:
        """The steps to be listed, each with its number from one: the last that were better, then the last."""
        numbered = list(enumerate(self.steps, start=1))
        last = numbered[-N_STEPS:]
        better = [entry for entry in numbered[: -len(last)] if entry[1].is_best]
        return (*better[-N_STEPS // 2 :], *last)

    @property
    def sentence(self) -> str:
        """The search in a few words."""
        best = max(step.information for step in self.steps)
        size = len(self.steps[0].features)
        return (
            f"{len(self.steps):,} subsets of {size:,} features asked about, {self.n_trainings:,} of them "
            f"trained on; the best delivers {hundredths(best)} bits. "
            f"Why it ended: {_ENDS.get(self.end, self.end)}."
        )

    def names_of(self, step: TraceStepSummary) -> str:
        """The names of a step's features; of many, the first few."""
        return listed([self.names[feature] for feature in step.features])


_ENDS = {
    "converged": "no unused feature has a higher credit than the worst one used",
    "returned": "it went back twice to the best subset without finding a better one",
    "bound": "it had asked about as many subsets as it may",
    "satisfied": "it found as much information as was asked for",
    "max_trainings": "it had trained as often as it may",
    "time": "its time was up",
    "interrupted": "it was interrupted",
}


def check_features(
    search: SelectionPath | SearchTrace | BeamTrace | None, name: str, n_features: int
) -> None:
    """Refuse a search over other features (columns instead of their groups, say) than those reported."""
    if search is not None and len(search.names) != n_features:
        raise ParameterError(
            f"The {name!r} parameter of Report must be about the features of the report: it has "
            f"{len(search.names)} features or groups, and the report has {n_features}. Credits of columns "
            "are brought together by FeatureCredits.grouped."
        )


def path_of(
    path: SelectionPath | None, n_chosen: int | None, rule: str | None = None, tolerance: float | None = None
) -> PathSummary | None:
    """The numbers of a path."""
    if path is None:
        return None
    check_choice("rule", rule, (*_RULES, None), "Report")
    if np.isnan(path.information).any():
        raise ParameterError(
            "The 'path' parameter of Report must be one on which rows were counted: fit the selector with a "
            "'validation' other than None."
        )
    steps = tuple(
        PathStepSummary(
            n_features=step.n_features,
            n_columns=step.n_columns,
            information=float(step.information),
            relative_information=float(step.relative_information),
            standard_error=float(step.standard_error),
            accuracy=float(step.accuracy),
            error_lower=float(step.error_lower),
            error_upper=float(step.error_upper),
            dropped=tuple(printable(name) for name in step.dropped),
            credits=step.credits,
        )
        for step in path
    )
    given = tolerance if rule == "tolerance" else None
    return PathSummary(n_chosen, rule, given, steps, tuple(path.best_first.tolist()), path.tables)


def trace_of(trace: SearchTrace | None) -> TraceSummary | None:
    """The numbers of a trace."""
    if trace is None:
        return None
    steps = tuple(
        TraceStepSummary(
            run=step.run,
            move=step.move,
            features=tuple(step.groups.tolist()),
            credits=tuple(step.credits.tolist()),
            information=float(step.information),
            relative_information=float(step.relative_information),
            is_new=bool(step.is_new),
            is_best=bool(step.is_best),
            end=step.end,
        )
        for step in trace
    )
    return TraceSummary(trace.end, trace.n_trainings, tuple(printable(name) for name in trace.names), steps)
