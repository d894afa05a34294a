"""A table cut to its best columns by what the training rows tell, before anything is searched."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._typing import BoolArray
from infoprop.selection import ScoreScreen
from infoprop.workflow._judging import Holdout, check_classes, judging_rows
from infoprop.workflow._preparation import Problem, restricted
from infoprop.workflow._request import Request, Task


def check_screen(request: Request) -> None:
    """Refuse to screen where rows that judge would take part in it, before any work."""
    if request.screen is None:
        return
    check_integer("screen", request.screen, "analyse", low=1)
    screen = Parameter("screen", "screen")
    if isinstance(request.validation, int):
        raise ParameterError(
            screen,
            " needs rows that only judge: give ",
            Parameter("validation", "validation"),
            " as a fraction or as split. In folds every row judges, and each fold would keep other features; "
            "for cross-validation, put ScoreScreen and a selector into a pipeline, which screens inside of "
            "each training part.",
        )
    for name in ("nested", "repeat_choice"):
        if getattr(request, name):
            raise ParameterError(
                screen, " is learned once, from the training rows; it does not go with ", Parameter(name), "."
            )


def screened(problem: Problem, task: Task) -> Problem:
    """Return `problem` with its best features by information gain on the training rows, and those rows noted.

    Features that the selector was told to keep or to begin with are kept as well.
    """
    request = task.request
    if request.screen is None:
        return problem
    check_classes(problem, request.validation, task.estimator)
    judging = judging_rows(problem, request.validation, request.random_state)
    if not isinstance(judging, Holdout):
        raise ParameterError(
            Parameter("screen", "screen"), " needs rows that only judge; a splitter has every row judge."
        )
    X, train = problem.X[judging.train], judging.train
    if request.impute is not None:
        X = SimpleImputer(strategy=request.impute, keep_empty_features=True).fit_transform(X)
    screen = ScoreScreen(request.screen, groups=list(problem.owners), n_jobs=request.n_jobs)
    named = _named(task.selector)
    is_kept = screen.fit(X, problem.y[train]).support_ | [owner in named for owner in problem.owners]
    is_test = np.zeros(len(problem.y), dtype=np.bool_)
    is_test[judging.judge] = True
    return replace(_cut(problem, is_kept), is_test=is_test)


def _named(selector: Any) -> set[str]:
    """Features that a selector calls by name."""
    own = {} if selector is None else selector.get_params(deep=False)
    lists = [own[name] for name in ("keep", "init") if isinstance(own.get(name), list | tuple)]
    return {name for names in lists for name in names if isinstance(name, str)}


def _cut(problem: Problem, is_kept: BoolArray) -> Problem:
    encoder, passed_over = problem.encoder, problem.passed_over
    if encoder is not None:
        whole = encoder
        encoder = restricted(whole, {name for name, kept in zip(whole.groups, is_kept, strict=True) if kept})
        left = encoder.parts["kinds"]
        passed_over = (*passed_over, *(name for name in whole.parts["kinds"] if name not in left))
    return replace(
        problem,
        X=problem.X[:, np.flatnonzero(is_kept)],
        owners=tuple(name for name, kept in zip(problem.owners, is_kept, strict=True) if kept),
        encoder=encoder,
        passed_over=passed_over,
        n_unscreened=problem.n_features,
    )
