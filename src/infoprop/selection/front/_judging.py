"""One candidate in one fold, by machines that are moved from size to size and not trained anew.

The answers are those of :func:`~infoprop.selection.comparison._nested_record.nested_record`, which fits the
selector and then a classifier at every size. Here an elimination counts the rows left out at every size that
it passes, and the machines on the best columns of a screen are updated when columns go.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter

import numpy as np

from infoprop._core._deadline import check_time
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection._columns import ColumnChoice, choose_columns
from infoprop.selection._containers import take_rows
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._refit import subset_model
from infoprop.selection._validation import ValidationPlan
from infoprop.selection.comparison._nested_plan import Nested
from infoprop.selection.comparison._nested_record import Record, nested_record
from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.elimination._stepwise import MARGIN
from infoprop.selection.front._screened import ScreenSelector, eliminated, restricted, screened

Screens = dict[int, IntArray]
"""Groups of columns as the screen of each fold ranks them, best first."""


def judged_record(screens: Screens, nested: Nested, fold: int, name: str) -> Record:
    """Let a candidate choose in one fold, train on its choices and count; `screens` fills up on the way."""
    selector, sizes = nested.methods[name], nested.sizes
    assert sizes is not None
    begun = perf_counter()
    if isinstance(selector, ScreenSelector):
        choice = choose_columns(nested.groups, selector.keep, sizes[0], None, nested.columns.columns)
        order, known = _screened(screens, nested, fold, selector, choice)
    elif _is_plain(selector):
        choice = choose_columns(nested.groups, selector.keep, sizes[0], None, nested.columns.columns)
        everything = np.arange(nested.columns.n_groups)
        order, known = eliminated(_evaluator(nested, fold), everything, choice, selector.step)
    else:
        return nested_record(nested, fold, name)
    searched = perf_counter() - begun
    begun = perf_counter()
    tables = _tables(nested, fold, sizes, order, known)
    n_sizes, n_groups = len(sizes), nested.columns.n_groups
    trained = (perf_counter() - begun) / n_sizes
    return {
        "fold": fold,
        "method": name,
        "sizes": list(sizes),
        "supports": np.array([np.isin(np.arange(n_groups), order[:size]) for size in sizes]),
        "search_seconds": np.full(n_sizes, searched),
        "tables": tables,
        "inner_tables": np.zeros_like(tables),
        "fit_seconds": np.full(n_sizes, trained),
    }


def _is_plain(selector: object) -> bool:
    """Whether it is an elimination that needs no rows of its own to count."""
    return (
        type(selector) is BackwardEliminationSelector
        and selector.criterion == MARGIN
        and selector.validation is None
    )


def _screened(
    screens: Screens, nested: Nested, fold: int, selector: ScreenSelector, choice: ColumnChoice
) -> tuple[IntArray, Mapping[int, FloatArray]]:
    if fold not in screens:
        train = nested.splits[fold].train
        screens[fold] = screened(take_rows(nested.checked, train), nested.y[train], choice)
    order = screens[fold]
    if selector.n_eliminated is None:
        return order, {}
    head = order[: max(selector.n_eliminated, choice.fewest)]
    first, known = eliminated(_evaluator(nested, fold), head, choice)
    return np.concatenate([first, order[len(head) :]]), known


def _evaluator(nested: Nested, fold: int) -> SubsetEvaluator:
    """What trains on the rows of a fold and counts those left out."""
    return SubsetEvaluator(
        nested.estimator,
        LabelledRows(nested.X, nested.y),
        {},
        ValidationPlan((nested.splits[fold],), shares_from_all=False),
        None,
        nested.columns.columns,
        1,
    )


def _tables(
    nested: Nested, fold: int, sizes: Sequence[int], order: IntArray, known: Mapping[int, FloatArray]
) -> FloatArray:
    """Confusion tables of the rows left out, for every size: those not known yet by moving machines."""
    missing = [size for size in sizes if size not in known]
    found = dict(known)
    if missing:
        columns = nested.columns.members(order[: missing[-1]])
        evaluator = restricted(_evaluator(nested, fold), columns)
        model = subset_model(evaluator, has_shares=False)
        for size in reversed(missing):
            check_time()
            stays = np.isin(columns, nested.columns.members(order[:size]))
            model.drop(np.setdiff1d(model.columns, np.flatnonzero(stays)))
            model.fit()
            found[size] = evaluator.pooled.counts(model.predict())
    return np.array([found[size] for size in sizes])
