"""How many groups of columns to take, and which."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit._groups import ColumnGroups

AUTO = "auto"


class Ranked(Protocol):
    """Values of all groups, and the groups as they rank by them, best first."""

    @property
    def values(self) -> FloatArray:
        """Value of every group: (n_groups,)."""

    @property
    def ranking(self) -> IntArray:
        """Numbers of the groups, best first."""


@dataclass(frozen=True)
class ColumnChoice:
    """What may be chosen: groups of columns, those always kept, how many, or above which credit.

    `n_select` is None when `threshold` (bits) decides, or when the search is to find the number ("auto").
    """

    groups: ColumnGroups
    keep: IntArray
    n_select: int | None
    threshold: float | None

    def best(self, ranked: Ranked) -> IntArray:
        """Numbers of the chosen groups, ascending."""
        order = self.order(ranked)
        if self.threshold is None:
            return np.sort(order[: self.n_select])
        chosen = np.zeros(self.groups.n_groups, dtype=bool)
        chosen[self.keep] = True
        chosen |= ranked.values >= self.threshold
        # Nothing may reach the threshold; a classifier needs something to stand on.
        chosen[order[0]] = True
        return np.flatnonzero(chosen)

    def order(self, ranked: Ranked) -> IntArray:
        """All groups, those always kept first, then as they rank."""
        ranking = ranked.ranking
        is_kept = np.isin(ranking, self.keep)
        return np.concatenate([ranking[is_kept], ranking[~is_kept]])

    def support(self, chosen: IntArray) -> BoolArray:
        """Mask of the columns of the `chosen` groups."""
        return np.isin(self.groups.labels, chosen)

    @property
    def fewest(self) -> int:
        """Smallest number of groups that can be chosen: those always kept, and at least one."""
        return max(1, len(self.keep))

    def group_sums(self, values: FloatArray, columns: IntArray) -> FloatArray:
        """Sum `values` of some columns, shape (n_columns,), over their groups: (n_groups,)."""
        labels = self.groups.labels[columns]
        return np.bincount(labels, weights=values, minlength=self.groups.n_groups).astype(np.float64)

    def ranking(self, chosen: IntArray, order: IntArray) -> IntArray:
        """Rank of every column: 1 if its group is chosen, then 2, 3, ... by the `order` of all groups."""
        others = order[~np.isin(order, chosen)]
        rank = np.ones(self.groups.n_groups, dtype=np.intp)
        rank[others] = np.arange(2, len(others) + 2)
        return rank[self.groups.labels]

    def best_columns(self, chosen: IntArray, order: IntArray) -> IntArray:
        """All columns, best first: those of the `chosen` groups, then the others, each by `order`."""
        is_chosen = np.isin(order, chosen)
        place = np.empty(self.groups.n_groups, dtype=np.intp)
        place[np.concatenate([order[is_chosen], order[~is_chosen]])] = np.arange(self.groups.n_groups)
        return np.argsort(place[self.groups.labels], kind="stable")


def check_size(n_features_to_select: Any, threshold: Any, owner: str, *, may_be_auto: bool = False) -> None:
    """Refuse sizes and thresholds that are wrong whatever the data."""
    if threshold is not None:
        check_number("threshold", threshold, owner, low=0.0)
        if n_features_to_select is not None:
            raise ParameterError(
                f"Give {owner} either 'n_features_to_select' or 'threshold', not both. "
                f"Got {n_features_to_select!r} and {threshold!r}."
            )
    if n_features_to_select is None:
        return
    if may_be_auto and isinstance(n_features_to_select, str):
        check_choice("n_features_to_select", n_features_to_select, (AUTO,), owner)
    elif isinstance(n_features_to_select, Integral):
        check_integer("n_features_to_select", n_features_to_select, owner, low=1)
    else:
        check_number("n_features_to_select", n_features_to_select, owner, low=0.0, high=1.0, low_open=True)


def choose_columns(
    groups: Any, keep: Any, n_features_to_select: Any, threshold: Any, feature_names: tuple[str, ...]
) -> ColumnChoice:
    """Resolve the parameters of a selector for the columns it was given."""
    columns = ColumnGroups.from_specification(groups, feature_names)
    kept = columns.numbers_of([] if keep is None else keep, "keep")
    what = "features" if groups is None else "groups"
    n_select: int | None = None
    if threshold is None and not isinstance(n_features_to_select, str):
        n_select = _number(n_features_to_select, columns.n_groups)
        if n_select > columns.n_groups:
            raise ParameterError(
                f"n_features_to_select={n_select} is more than the {what} there are "
                f"(n_{what}={columns.n_groups})."
            )
        if len(kept) > n_select:
            raise ParameterError(
                f"'keep' holds {len(kept)} {what}, more than n_features_to_select={n_select} allows."
            )
    return ColumnChoice(columns, kept, n_select, threshold)


def _number(n_features_to_select: Any, n_groups: int) -> int:
    if n_features_to_select is None:
        return max(1, n_groups // 2)
    if isinstance(n_features_to_select, Integral):
        return int(n_features_to_select)
    assert isinstance(n_features_to_select, Real)
    return max(1, int(n_groups * float(n_features_to_select)))
