"""One candidate in one fold, by machines that are moved from size to size and not trained anew.

The answers are those of :func:`~infoprop.selection.comparison._nested_record.nested_record`, which fits the
selector and then a classifier at every size. Here an elimination counts the rows left out at every size that
it passes, the machines on the best columns of a screen are updated when columns go, and what the candidates
of a fold have in common is found once.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from infoprop._core._blas import one_blas_thread
from infoprop._core._deadline import check_time
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection._columns import ColumnChoice, choose_columns
from infoprop.selection._containers import take_rows
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._moving import parts_of, split_rows
from infoprop.selection._refit import subset_model
from infoprop.selection._validation import ValidationPlan
from infoprop.selection.comparison._nested_plan import Nested
from infoprop.selection.comparison._nested_record import Record, nested_record
from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.elimination._stepwise import MARGIN
from infoprop.selection.front._screened import (
    SCREEN,
    Orders,
    RankedGroups,
    ScreenSelector,
    ToldRows,
    eliminated,
    restricted,
)

# Scaled rows of all folds are kept for the next candidate if they take no more bytes than this.
MEMORY = 200_000_000


class CandidateJudge:
    """Judges candidates one after another on the same folds, and keeps what the next can use.

    That is how the screen of a fold ranks its columns, in which order an elimination puts them, and its rows
    as scalers give them. A judge that is sent to another process begins with what is known by then; the
    records are the same.
    """

    def __init__(self) -> None:
        self._screens: dict[int, RankedGroups] = {}
        self._orders: dict[int, Orders] = {}
        self._evaluators: dict[Any, SubsetEvaluator] = {}

    def __call__(self, nested: Nested, fold: int, name: str) -> Record:
        """Let a candidate choose in one fold, train on its choices and count."""
        selector, sizes = nested.methods[name], nested.sizes
        assert sizes is not None
        is_plain = _is_plain(selector)
        if not is_plain and not isinstance(selector, ScreenSelector):
            return nested_record(nested, fold, name)
        begun = perf_counter()
        choice = choose_columns(nested.groups, selector.keep, sizes[0], None, nested.columns.columns)
        with one_blas_thread():
            evaluator = self._evaluator(nested, fold)
            known: Mapping[int, FloatArray]
            if is_plain:
                everything = np.arange(nested.columns.n_groups)
                order, known = eliminated(evaluator, everything, choice, selector.step)
            else:
                order, known = self._screened(nested, fold, selector, choice, evaluator)
            searched = perf_counter() - begun
            begun = perf_counter()
            tables = _tables(nested, evaluator, sizes, order, known)
        trained = (perf_counter() - begun) / len(sizes)
        place = np.argsort(order)
        return {
            "fold": fold,
            "method": name,
            "sizes": list(sizes),
            "supports": place < np.array(sizes)[:, None],
            "search_seconds": np.full(len(sizes), searched),
            "tables": tables,
            "inner_tables": np.zeros_like(tables),
            "fit_seconds": np.full(len(sizes), trained),
        }

    def _screened(
        self,
        nested: Nested,
        fold: int,
        selector: ScreenSelector,
        choice: ColumnChoice,
        evaluator: SubsetEvaluator,
    ) -> tuple[IntArray, dict[int, FloatArray]]:
        """Order of the groups, and tables of those sizes that were passed on the way."""
        assert nested.sizes is not None
        train = nested.splits[fold].train
        known = None if nested.row_groups is None else nested.row_groups[train]
        rows = ToldRows(take_rows(nested.checked, train), nested.y[train], known)
        if selector.ranked_by != SCREEN:
            ranked = selector.ranked(rows, nested.estimator, choice)
        else:
            if fold not in self._screens:
                self._screens[fold] = selector.ranked(rows, nested.estimator, choice)
            ranked = self._screens[fold]
        orders = self._orders.setdefault(fold, {})
        return selector.in_order(ranked, rows, evaluator, choice, nested.sizes, orders)

    def _evaluator(self, nested: Nested, fold: int) -> SubsetEvaluator:
        """What trains on the rows of a fold and counts those left out."""
        scalers, classifier = parts_of(nested.estimator)
        key = fold, *((type(scaler), *sorted(vars(scaler).items())) for scaler in scalers)
        if classifier is not None and key in self._evaluators:
            return self._evaluators[key].on_the_same_rows(estimator=nested.estimator)
        found = SubsetEvaluator(
            nested.estimator,
            LabelledRows(nested.X, nested.y),
            {},
            ValidationPlan((nested.splits[fold],), shares_from_all=False),
            None,
            nested.columns.columns,
            1,
        )
        if classifier is None:
            return found
        found = found.on_the_same_rows(known_rows=split_rows(found, scalers))
        if len(nested.splits) * 8 * nested.checked.shape[0] * nested.checked.shape[1] <= MEMORY:
            self._evaluators[key] = found
        return found


def _is_plain(selector: object) -> bool:
    """Whether it is an elimination that needs no rows of its own to count."""
    return (
        type(selector) is BackwardEliminationSelector
        and selector.criterion == MARGIN
        and selector.validation is None
    )


def _tables(
    nested: Nested,
    evaluator: SubsetEvaluator,
    sizes: Sequence[int],
    order: IntArray,
    known: Mapping[int, FloatArray],
) -> FloatArray:
    """Confusion tables of the rows left out, for every size: those not known yet by moving machines."""
    missing = [size for size in sizes if size not in known]
    found = dict(known)
    if missing:
        columns = nested.columns.members(order[: missing[-1]])
        evaluator = restricted(evaluator, columns)
        model = subset_model(evaluator, has_shares=False)
        for size in reversed(missing):
            check_time()
            stays = np.isin(columns, nested.columns.members(order[:size]))
            model.drop(np.setdiff1d(model.columns, np.flatnonzero(stays)))
            model.fit()
            found[size] = evaluator.pooled.counts(model.predict())
    return np.array([found[size] for size in sizes])
