"""From names of methods to what `compare_selectors` takes."""

from collections.abc import Mapping, Sequence
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
from infoprop.svm import OneVsRestSVC
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
from infoprop.workflow._classifiers import prepared
from infoprop.workflow._options import AUTO, HALVING
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


def contenders(
    names: Sequence[str], estimator: BaseEstimator, validation: Any, how: Mapping[str, Any], *, largest: int
) -> dict[str, Any]:
    """Return the methods called `names`, as `compare_selectors` takes them.

    Parameters
    ----------
    names : sequence of str
        Those that can be compared.
    estimator : classifier
        That our own methods choose for.
    validation : int or float
        How rows are judged.
    how : mapping
        How rows are prepared for methods of others: the keywords of `prepared`.
    largest : int
        Largest number of features that will be asked for.
    """
    others = prepared(OneVsRestSVC(kernel="linear"), **how)
    preparation = others[:-1] if isinstance(others, Pipeline) else None
    made: dict[str, Any] = {
        CREDIT: partial(CreditSelector, estimator, validation=validation),
        BACKWARD: partial(
            BackwardEliminationSelector,
            estimator,
            n_features_to_select=AUTO,
            step=HALVING,
            validation=validation,
        ),
        DIRECTED: partial(DirectedSearchSelector, estimator, validation=validation),
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
