"""A choice becomes a selector."""

from collections.abc import Sequence
from math import ceil
from typing import Any, TypeAlias

from sklearn.base import BaseEstimator

from infoprop._core._exceptions import ParameterError
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    ForwardBeamSelector,
    GeneticSelector,
    GradientAngleSelector,
    KnockoffSelector,
    StabilitySelector,
)
from infoprop.workflow._choice import (
    ANGLE,
    BACKWARD,
    CREDIT,
    DIRECTED,
    FORWARD,
    GENETIC,
    KNOCKOFFS,
    STABILITY,
    Choice,
)
from infoprop.workflow._options import AUTO, ModelOptions
from infoprop.workflow._preparation import Problem

Selector: TypeAlias = (
    CreditSelector
    | BackwardEliminationSelector
    | DirectedSearchSelector
    | GradientAngleSelector
    | ForwardBeamSelector
    | GeneticSelector
    | StabilitySelector
    | KnockoffSelector
)


def selector_for(
    choice: Choice, problem: Problem, estimator: BaseEstimator, options: ModelOptions, *, verbose: int = 0
) -> Selector:
    """Return the selector that `choice` describes, not yet fitted.

    Parameters
    ----------
    choice : Choice
        Checked.
    problem : Problem
        What is learned from.
    estimator : classifier
        Not yet trained.
    options : ModelOptions
        Seed and threads.
    verbose : int
        1 lets a search show its own progress.
    """
    more: dict[str, Any] = {"groups": list(problem.owners)}
    if choice.keep:
        more["keep"] = _columns("--keep", choice.keep, problem)
    if choice.method not in (FORWARD, GENETIC):
        more["n_features_to_select"] = choice.count
    if choice.method == ANGLE:
        return GradientAngleSelector(estimator, **more, **choice.given("criterion"))
    more |= {"random_state": options.seed, "n_jobs": options.jobs}
    if choice.method == CREDIT:
        return CreditSelector(estimator, threshold=choice.threshold, sharing=options.credit_sharing, **more)
    more |= {"time_limit": choice.time_limit, "checkpoint": choice.checkpoint, "verbose": verbose}
    if options.sharing is not None and choice.method in (BACKWARD, DIRECTED):
        more["sharing"] = options.sharing
    if choice.method == BACKWARD:
        return BackwardEliminationSelector(
            estimator, **more, **choice.given("rule", "tolerance", "step", "criterion")
        )
    if choice.method in (STABILITY, KNOCKOFFS):
        kind = StabilitySelector if choice.method == STABILITY else KnockoffSelector
        return kind(estimator, **more, **choice.given("fdr", "step"))
    if choice.method == FORWARD:
        return ForwardBeamSelector(
            estimator,
            n_features_to_select=most_features(choice, problem.n_features),
            **more,
            **choice.given(beam_width="beam"),
        )
    if choice.method == DIRECTED:
        if isinstance(choice.init, tuple):
            more["init"] = _columns("--init", choice.init, problem)
        elif choice.init is not None:
            more["init"] = choice.init
        return DirectedSearchSelector(estimator, **more, **choice.given("max_trainings"))
    return GeneticSelector(estimator, **more, **breeding(choice))


def breeding(choice: Choice) -> dict[str, Any]:
    """Parameters of a genetic search, by the names that selectors have for them."""
    return choice.given("init", population_size="population", n_generations="generations")


def most_features(choice: Choice, n_features: int) -> int | str:
    """Largest number of features that a forward search may take; "auto" for no bound."""
    if choice.count in (None, AUTO):
        return AUTO
    return ceil(choice.count * n_features) if isinstance(choice.count, float) else int(choice.count or 0)


def _columns(option: str, names: Sequence[str], problem: Problem) -> list[int]:
    """The first column of each feature that an option names."""
    unknown = [name for name in names if name not in problem.owners]
    if unknown or not names:
        what = f"names {unknown[0]!r}, and there is no such feature" if unknown else "names no feature"
        words = "credits, random, or " if option == "--init" else ""
        raise ParameterError(f"{option} {what}; it must be {words}names separated by commas.")
    return [problem.owners.index(name) for name in names]
