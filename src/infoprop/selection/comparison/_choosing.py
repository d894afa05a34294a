"""What a method chooses from some rows, for every size asked for; in one run where one run tells all."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.feature_selection import RFE, RFECV, SelectKBest

from infoprop._core._deadline import check_time
from infoprop._core._exceptions import ParameterError, UnsupportedEstimatorError
from infoprop._core._typing import BoolArray, IntArray, LabelArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._base import BaseFeatureSelector
from infoprop.selection._columns import AUTO
from infoprop.selection.control._controlled import ControlledSelector
from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.searches._credit import CreditSelector
from infoprop.selection.searches._forward import ForwardBeamSelector
from infoprop.selection.searches._gradient_angle import GradientAngleSelector

SIZE_PARAMETERS = ("n_features_to_select", "k", "max_features")
"""Names that the number of features to choose goes by."""


@dataclass(frozen=True)
class Chosen:
    """Features (groups) chosen for one size (None: the method's own), and the seconds it took."""

    size: int | None
    mask: BoolArray
    seconds: float


@dataclass(frozen=True)
class Rows:
    """Rows to choose from, what columns and rows belong to, and the seed for what is left to chance."""

    X: Any
    y: LabelArray
    groups: ColumnGroups
    seed: int
    row_groups: LabelArray | None = None

    def fit(self, selector: Any) -> Any:
        """Fit a selector to the rows; one of our own is told which of them belong together."""
        if self.row_groups is None or not isinstance(selector, BaseFeatureSelector):
            return selector.fit(self.X, self.y)
        return selector.fit(self.X, self.y, groups=self.row_groups)


def check_method(name: str, method: Any, groups: Any) -> None:
    """Refuse what cannot choose features, before any work."""
    if method is None:
        return
    if isinstance(method, type) or not (hasattr(method, "fit") or callable(method)):
        raise UnsupportedEstimatorError(
            f"The method {name!r} of compare_selectors must be a selector, a function that takes a number of "
            f"features and returns one, or None for all features. Got {method!r}."
        )
    if hasattr(method, "fit") and not hasattr(method, "get_params"):
        raise UnsupportedEstimatorError(
            f"The method {name!r} of compare_selectors must be an estimator that scikit-learn can clone. "
            f"Got {method!r}."
        )
    if groups is not None and hasattr(method, "get_params") and method.get_params().get("groups") is not None:
        raise ParameterError(
            f"The method {name!r} of compare_selectors has 'groups' of its own. Give them to "
            "compare_selectors alone: all methods choose among the same features."
        )


def choose(method: Any, rows: Rows, sizes: Sequence[int] | None, groups: Any) -> list[Chosen]:
    """Fit `method` to `rows` and return what it chooses for each of the `sizes`, and by itself.

    Parameters
    ----------
    method : selector, callable or None
        See :func:`~infoprop.selection.compare_selectors`.
    rows : Rows
        Training rows.
    sizes : sequence of int or None
        Ascending; None takes the method as it is.
    groups : object
        Handed on to selectors that know groups of columns.
    """
    if method is None:
        return [Chosen(None, np.ones(rows.groups.n_groups, dtype=np.bool_), 0.0)]
    if not hasattr(method, "fit"):
        if sizes is None:
            raise ParameterError("A method that is a function of the size needs 'sizes'. Got None.")
        return [_fitted(_seeded(method(size), rows.seed), rows, size) for size in sizes]
    selector = _prepared(method, rows.seed, groups)
    if sizes is None:
        return [_fitted(selector, rows, None)]
    for knows_all, run in _ONE_RUN:
        if knows_all(selector):
            return _from_one_run(run, selector, rows, sizes)
    parameter = _size_parameter(selector)
    if parameter is None:
        return [_fitted(selector, rows, None)]
    return [_fitted(clone(selector).set_params(**{parameter: size}), rows, size) for size in sizes]


def _prepared(method: Any, seed: int, groups: Any) -> Any:
    selector = _seeded(clone(method), seed)
    if groups is not None and "groups" in selector.get_params(deep=False):
        selector.set_params(groups=groups)
    return selector


def _seeded(selector: Any, seed: int) -> Any:
    """Give `seed` to everything in the selector that would otherwise draw its own."""
    return selector.set_params(**seeds(selector, seed))


def seeds(estimator: Any, seed: int) -> dict[str, int]:
    """Parameters, at any depth, that are a random_state without a value, each with `seed`."""
    own = estimator.get_params(deep=True)
    return {name: seed for name, value in own.items() if _is_state(name) and value is None}


def _is_state(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def _size_parameter(selector: Any) -> str | None:
    if isinstance(selector, CreditSelector) and selector.threshold is not None:
        return None
    own = selector.get_params(deep=False)
    return next((name for name in SIZE_PARAMETERS if name in own), None)


def _fitted(selector: Any, rows: Rows, size: int | None) -> Chosen:
    check_time()
    begun = perf_counter()
    rows.fit(selector)
    seconds = perf_counter() - begun
    return Chosen(size, _features(_columns(selector), rows.groups), seconds)


def _columns(selector: Any) -> BoolArray:
    if hasattr(selector, "get_support"):
        return np.asarray(selector.get_support(), dtype=np.bool_)
    if hasattr(selector, "support_"):
        return np.asarray(selector.support_, dtype=np.bool_)
    raise UnsupportedEstimatorError(
        f"A method of compare_selectors must say which columns it chose, by get_support() or support_. "
        f"Got {selector!r}."
    )


def _features(columns: BoolArray, groups: ColumnGroups) -> BoolArray:
    """Features (groups) that at least one chosen column belongs to."""
    return np.isin(np.arange(groups.n_groups), groups.labels[columns])


def _from_one_run(run: "Run", selector: Any, rows: Rows, sizes: Sequence[int]) -> list[Chosen]:
    begun = perf_counter()
    choices = list(run(selector, rows, sizes))
    seconds = perf_counter() - begun
    return [Chosen(size, mask, seconds) for size, mask in choices]


Run = Callable[[Any, Rows, Sequence[int]], Iterable[tuple[int | None, BoolArray]]]
"""Fits a selector once and yields what it chooses for each size."""


def _run_ranked(selector: Any, rows: Rows, sizes: Sequence[int]) -> Iterable[tuple[int | None, BoolArray]]:
    # Columns that go as groups are known to selectors of our own only; the order of all columns is needed
    # to lift that of others.
    is_grouped = rows.groups.n_groups < len(rows.groups.columns)
    smallest = 1 if is_grouped and isinstance(selector, RFE) else sizes[0]
    rows.fit(selector.set_params(n_features_to_select=smallest))
    yield from _best(np.argsort(selector.ranking_, kind="stable"), rows.groups, sizes)


def _run_scored(selector: Any, rows: Rows, sizes: Sequence[int]) -> Iterable[tuple[int | None, BoolArray]]:
    rows.fit(selector.set_params(k=sizes[0]))
    scores = np.asarray(selector.scores_, dtype=np.float64)
    # As SelectKBest does it: a score that is no number is worse than all, of equals the last column wins.
    known = np.where(np.isnan(scores), np.finfo(np.float64).min, scores)
    yield from _best(np.argsort(known, kind="stable")[::-1], rows.groups, sizes)


def _run_backward(selector: Any, rows: Rows, sizes: Sequence[int]) -> Iterable[tuple[int | None, BoolArray]]:
    is_auto = selector.n_features_to_select == AUTO
    if not is_auto:
        selector.set_params(n_features_to_select=sizes[0])
    rows.fit(selector)
    for size in sizes:
        yield size, _features(selector.path_.support_at(size), rows.groups)
    if is_auto:
        yield None, _features(selector.support_, rows.groups)


def _run_forward(selector: Any, rows: Rows, sizes: Sequence[int]) -> Iterable[tuple[int | None, BoolArray]]:
    """Best subset of at most so many features, as a search bounded by that number finds it."""
    rows.fit(selector)
    better = [level for level in selector.trace_.levels if level.is_better]
    for size in sizes:
        level = next((level for level in better[::-1] if level.size <= size), better[0])
        yield size, np.isin(np.arange(rows.groups.n_groups), level.beam[0])
    yield None, _features(selector.support_, rows.groups)


def _run_asked(selector: Any, rows: Rows, sizes: Sequence[int]) -> Iterable[tuple[int | None, BoolArray]]:
    rows.fit(selector)
    for size in sizes:
        yield size, _features(np.asarray(selector.support_at(size), dtype=np.bool_), rows.groups)
    if isinstance(selector, ControlledSelector) and selector.n_features_to_select is None:
        yield None, _features(selector.support_, rows.groups)


def _best(
    columns: IntArray, groups: ColumnGroups, sizes: Sequence[int]
) -> Iterable[tuple[int | None, BoolArray]]:
    """For each size the features that come first; a feature stands where the best of its columns stands."""
    _, first = np.unique(groups.labels[columns], return_index=True)
    order = np.argsort(first, kind="stable")
    for size in sizes:
        yield size, np.isin(np.arange(groups.n_groups), order[:size])


def _ranks_all(selector: Any) -> bool:
    if isinstance(selector, CreditSelector):
        return selector.threshold is None
    if isinstance(selector, RFE) and not isinstance(selector, RFECV):
        # Columns that went in one step have one rank.
        return bool(selector.step == 1)
    return isinstance(selector, GradientAngleSelector)


_ONE_RUN: tuple[tuple[Callable[[Any], bool], Run], ...] = (
    (lambda selector: hasattr(selector, "support_at"), _run_asked),
    (lambda selector: isinstance(selector, BackwardEliminationSelector), _run_backward),
    (lambda selector: isinstance(selector, ForwardBeamSelector), _run_forward),
    (lambda selector: isinstance(selector, SelectKBest), _run_scored),
    (_ranks_all, _run_ranked),
)
"""Selectors that know all sizes after one run: how they are told, and how they are run."""
