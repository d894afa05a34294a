"""A choice becomes a selector."""

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator, clone

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import Parameter, ParameterError
from infoprop.selection import (
    BackwardEliminationSelector,
    BaseFeatureSelector,
    CreditSelector,
    DirectedSearchSelector,
    FeatureSelector,
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
    FRONT,
    GENETIC,
    KNOCKOFFS,
    METHODS,
    STABILITY,
    Choice,
)
from infoprop.workflow._preparation import Problem

SELECTORS: dict[str, Any] = {
    CREDIT: CreditSelector,
    BACKWARD: BackwardEliminationSelector,
    DIRECTED: DirectedSearchSelector,
    ANGLE: GradientAngleSelector,
    FORWARD: ForwardBeamSelector,
    GENETIC: GeneticSelector,
    STABILITY: StabilitySelector,
    KNOCKOFFS: KnockoffSelector,
    FRONT: FeatureSelector,
}
"""The selector of every method."""


def selector_for(choice: Choice, sharing: str | None = None) -> Any:
    """Return the selector that `choice` describes, not yet told of any data."""
    size: dict[str, Any] = {} if choice.count is None else {"n_features_to_select": choice.count}
    if choice.keep:
        size["keep"] = list(choice.keep)
    if choice.method not in (CREDIT, ANGLE):
        size |= {"time_limit": choice.time_limit, "checkpoint": choice.checkpoint}
    own = {
        CREDIT: {"sharing": sharing or "covariance"} | choice.given("threshold", "per_class"),
        BACKWARD: choice.given("rule", "tolerance", "step", "criterion"),
        DIRECTED: choice.given("init", "max_trainings"),
        ANGLE: choice.given("criterion"),
        FORWARD: choice.given("scoring", beam_width="beam"),
        GENETIC: choice.given("init", "scoring", population_size="population", n_generations="generations"),
        STABILITY: choice.given("fdr", "step"),
        KNOCKOFFS: choice.given("fdr", "step"),
        FRONT: {},
    }[choice.method]
    if sharing is not None and choice.method in (BACKWARD, DIRECTED):
        own["sharing"] = sharing
    if isinstance(own.get("init"), tuple):
        own["init"] = list(own["init"])
    if choice.method == GENETIC:
        # The search finds the number of features.
        size.pop("n_features_to_select", None)
    return SELECTORS[choice.method](**size, **own)


def name_of_selector(selector: Any) -> str:
    """The name of the method that `selector` is; of any other, its class."""
    named = (name for name, kind in SELECTORS.items() if isinstance(selector, kind))
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
    selector: BaseFeatureSelector,
    problem: Problem,
    estimator: BaseEstimator,
    *,
    impute: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> BaseFeatureSelector:
    """Return a clone of `selector` that knows the data: what it was given itself stays as it is."""
    told = clone(selector)
    own = told.get_params(deep=False)
    given = {
        "estimator": estimator,
        "groups": list(problem.owners),
        "impute": impute,
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
