"""A choice becomes a selector."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from sklearn.base import BaseEstimator, clone

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import Parameter, ParameterError
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
    METHODS,
    STABILITY,
    Choice,
)
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


def selector_for(choice: Choice, sharing: str | None = None) -> Selector:
    """Return the selector that `choice` describes, not yet told of any data."""
    size: dict[str, Any] = {} if choice.count is None else {"n_features_to_select": choice.count}
    if choice.keep:
        size["keep"] = list(choice.keep)
    if choice.method == ANGLE:
        return GradientAngleSelector(**size, **choice.given("criterion"))
    if choice.method == CREDIT:
        given = choice.given("threshold", "per_class")
        return CreditSelector(sharing=sharing or "covariance", **given, **size)
    more: dict[str, Any] = {"time_limit": choice.time_limit, "checkpoint": choice.checkpoint}
    if sharing is not None and choice.method in (BACKWARD, DIRECTED):
        more["sharing"] = sharing
    if choice.method in (STABILITY, KNOCKOFFS):
        kind = StabilitySelector if choice.method == STABILITY else KnockoffSelector
        return kind(**size, **more, **choice.given("fdr", "step"))
    if choice.method == BACKWARD:
        return BackwardEliminationSelector(
            **size, **more, **choice.given("rule", "tolerance", "step", "criterion")
        )
    if choice.method == FORWARD:
        return ForwardBeamSelector(**size, **more, **choice.given(beam_width="beam"))
    if choice.method == DIRECTED:
        if choice.init is not None:
            more["init"] = choice.init if isinstance(choice.init, str) else list(choice.init)
        return DirectedSearchSelector(**size, **more, **choice.given("max_trainings"))
    return GeneticSelector(
        **more, **choice.given("init", population_size="population", n_generations="generations")
    )


def name_of_selector(selector: Any) -> str:
    """The name of the method that `selector` is; of any other, its class."""
    kinds = {
        CREDIT: CreditSelector,
        BACKWARD: BackwardEliminationSelector,
        DIRECTED: DirectedSearchSelector,
        ANGLE: GradientAngleSelector,
        FORWARD: ForwardBeamSelector,
        GENETIC: GeneticSelector,
        STABILITY: StabilitySelector,
        KNOCKOFFS: KnockoffSelector,
    }
    named = (name for name, kind in kinds.items() if isinstance(selector, kind))
    return next(named, type(selector).__name__)


def named_selector(method: Any, n_features_to_select: Any, per_class: int | None = None) -> Any:
    """Return the selector `method`, or the one that it is the name of; None stays None."""
    if per_class is not None and method not in (None, CREDIT):
        raise ParameterError(
            Parameter("per_class", "per_class"), " goes with credits, or with the method 'credit'."
        )
    if isinstance(method, str):
        check_choice("method", method, METHODS, "analyse")
        return selector_for(Choice(count=n_features_to_select, method=method, per_class=per_class), None)
    if n_features_to_select is not None:
        raise ParameterError(
            Parameter("n_features_to_select"),
            " goes with the name of a method; give it to the selector itself.",
        )
    return method


def told_of(
    selector: Selector,
    problem: Problem,
    estimator: BaseEstimator,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Selector:
    """Return a clone of `selector` that knows the data: what it was given itself stays as it is."""
    told = clone(selector)
    own = told.get_params(deep=False)
    given = {
        "estimator": estimator,
        "groups": list(problem.owners),
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    told.set_params(**{name: given[name] for name in given if name in own and own[name] is None})
    if verbose:
        told.set_params(verbose=verbose)
    for option in ("init", "keep"):
        names = own.get(option)
        if isinstance(names, list | tuple) and all(isinstance(name, str) for name in names):
            told.set_params(**{option: _columns(option, names, problem)})
    return told


def _columns(option: str, names: Sequence[str], problem: Problem) -> list[int]:
    """The first column of each feature that a parameter names."""
    unknown = [name for name in names if name not in problem.owners]
    if unknown or not names:
        what = f"names {unknown[0]!r}, and there is no such feature" if unknown else "names no feature"
        raise ParameterError(
            Parameter(option, option),
            f" {what}; it must be {'credits, random, or ' if option == 'init' else ''}names of features.",
        )
    return [problem.owners.index(name) for name in names]
