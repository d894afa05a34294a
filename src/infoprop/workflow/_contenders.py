"""From names of methods to what `compare_selectors` takes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from infoprop.svm import OneVsRestSVC
from infoprop.workflow import _contest_names
from infoprop.workflow._choice import BACKWARD, CREDIT, DIRECTED, FORWARD, FRONT
from infoprop.workflow._classifiers import prepared
from infoprop.workflow._options import AUTO, HALVING
from infoprop.workflow._peers import (
    AutomaticColumns,
    BorutaColumns,
    RankedColumns,
    elimination_scores,
    forest_scores,
    information_scores,
    penalty_scores,
    redundancy_scores,
    relief_scores,
    screen_scores,
    variance_scores,
)
from infoprop.workflow._selectors import SELECTORS

_SCORES = {
    _contest_names.SCREEN: screen_scores,
    _contest_names.FOREST: forest_scores,
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
        How rows are prepared for methods that bring no classifier: the keywords of `prepared`.
    largest : int
        Largest number of features that will be asked for.
    """
    others = prepared(OneVsRestSVC(kernel="linear"), **how)
    preparation = others[:-1] if isinstance(others, Pipeline) else None
    own: dict[str, dict[str, Any]] = {
        CREDIT: {"validation": validation},
        BACKWARD: {"n_features_to_select": AUTO, "step": HALVING, "validation": validation},
        DIRECTED: {"validation": validation},
        FORWARD: {"n_features_to_select": largest},
    }
    made: dict[str, Any] = {
        name: partial(kind, estimator, **own.get(name, {})) for name, kind in SELECTORS.items()
    }
    made[FRONT] = partial(AutomaticColumns, preparation)
    made[_contest_names.BORUTA] = partial(BorutaColumns, preparation)
    made[_contest_names.ALL] = lambda: None
    for name, score in _SCORES.items():
        made[name] = partial(RankedColumns, score, preparation, largest)
    return {name: made[name]() for name in names}
