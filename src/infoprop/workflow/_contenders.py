"""From names of methods to what `compare_selectors` takes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

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
from infoprop.workflow import _contest_names
from infoprop.workflow._choice import (
    ANGLE,
    BACKWARD,
    CREDIT,
    DIRECTED,
    FORWARD,
    GENETIC,
    KNOCKOFFS,
    STABILITY,
)
from infoprop.workflow._classifiers import classifier_for
from infoprop.workflow._options import AUTO, HALVING, DataOptions, ModelOptions
from infoprop.workflow._peers import (
    BorutaColumns,
    RankedColumns,
    elimination_scores,
    information_scores,
    penalty_scores,
    redundancy_scores,
    relief_scores,
    variance_scores,
)

_SCORES = {
    _contest_names.RFE: elimination_scores,
    _contest_names.INFORMATION: information_scores,
    _contest_names.VARIANCE: variance_scores,
    _contest_names.PENALTY: penalty_scores,
    _contest_names.RELIEF: relief_scores,
    _contest_names.REDUNDANCY: redundancy_scores,
}


@dataclass(frozen=True)
class Contest:
    """What is compared, and how.

    Attributes
    ----------
    methods : dict from str to selector or None
    estimator : classifier
        Trained on what each method chose.
    sizes : tuple of int
        Numbers of features to choose.
    n_folds, n_inner_folds : int
        Outer folds, and those for the optimistic (inner) estimate; None if nobody asks for it.
    seed : int
    """

    methods: dict[str, Any]
    estimator: BaseEstimator
    sizes: tuple[int, ...]
    n_folds: int
    n_inner_folds: int | None
    seed: int


def contenders(
    names: Sequence[str],
    estimator: BaseEstimator,
    model: ModelOptions,
    data: DataOptions,
    *,
    largest: int,
    is_sparse: bool,
) -> dict[str, Any]:
    """Return the methods called `names`, as `compare_selectors` takes them.

    Parameters
    ----------
    names : sequence of str
        Those that can be compared.
    estimator : classifier
        That our own methods choose for.
    model, data : ModelOptions, DataOptions
        How rows are judged, and how they are prepared for methods of others.
    largest : int
        Largest number of features that will be asked for.
    is_sparse : bool
        Whether the rows are sparse.
    """
    how = model.validation
    prepared = classifier_for(replace(model, classifier="svm"), data, is_sparse)
    preparation = prepared[:-1] if isinstance(prepared, Pipeline) else None
    made: dict[str, Any] = {
        CREDIT: partial(CreditSelector, estimator, validation=how),
        BACKWARD: partial(
            BackwardEliminationSelector, estimator, n_features_to_select=AUTO, step=HALVING, validation=how
        ),
        DIRECTED: partial(DirectedSearchSelector, estimator, validation=how),
        ANGLE: partial(GradientAngleSelector, estimator),
        FORWARD: partial(ForwardBeamSelector, estimator, n_features_to_select=largest),
        GENETIC: partial(GeneticSelector, estimator),
        STABILITY: partial(StabilitySelector, estimator),
        KNOCKOFFS: partial(KnockoffSelector, estimator),
        _contest_names.BORUTA: partial(BorutaColumns, preparation),
        _contest_names.ALL: lambda: None,
    }
    for name, score in _SCORES.items():
        made[name] = partial(RankedColumns, score, preparation, largest)
    return {name: made[name]() for name in names}
