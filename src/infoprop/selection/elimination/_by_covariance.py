"""The drop loop by covariance: count votes, share by what columns add to the outputs, drop the worst."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.metrics._indicators_fast import DECIMALS, share_information
from infoprop.selection._sharing import CovarianceSharing
from infoprop.selection.elimination._covariance_fast import (
    PRICED_ANEW,
    ColumnMoments,
    ColumnPrices,
    eliminate_by_covariance,
)
from infoprop.selection.elimination._ranking_fast import Record
from infoprop.selection.elimination._search import Dropped, new_dropped
from infoprop.svm.subset._gram_hinge import GramMachines
from infoprop.svm.subset._protocol import EliminatingMachines

TIE_DECIMALS = 12


class Prices:
    """What groups were worth when all of them were priced last.

    By covariance all columns have to be looked at to know the least. Where there are hundreds, one that goes
    changes next to nothing for the others, so these are priced anew once one in a hundred is gone, and in
    between go in the order of their last prices. With fewer than 200 groups that is after every step.

    Attributes
    ----------
    worth, signed : ndarray of shape (n_groups,)
        What groups are compared by, and what decides between equals; see `least_first`.
    credits : ndarray of shape (n_groups,)
        The same in bits: zeros where no information was delivered.
    n_priced : int
        Groups that stood then; 0 if none were ever priced.
    """

    def __init__(self, n_groups: int) -> None:
        self.worth, self.signed, self.credits = np.zeros((3, n_groups))
        self.n_priced = 0

    def are_due(self, n_left: int) -> bool:
        """Whether to price the groups that are left."""
        return self.n_priced == 0 or self.n_priced - n_left >= max(1, self.n_priced // PRICED_ANEW)

    def set(self, worth: FloatArray, signed: FloatArray, credits: FloatArray, n_left: int) -> None:
        """Keep new prices."""
        self.worth, self.signed, self.credits, self.n_priced = worth, signed, credits, n_left

    def snapshot(self) -> dict[str, Any]:
        """Arrays that a search needs to go on."""
        return {
            "prices": np.stack([self.worth, self.signed, self.credits]),
            "n_priced": np.array(self.n_priced),
        }

    @classmethod
    def from_snapshot(cls, snapshot: Mapping[str, Any], n_groups: int) -> Self:
        """The prices of a snapshot, none if it has none."""
        prices = cls(n_groups)
        if "prices" in snapshot:
            worth, signed, credits = np.array(snapshot["prices"])
            prices.set(worth, signed, credits, int(snapshot["n_priced"]))
        return prices


def drop_by_covariance(
    machines: EliminatingMachines,
    sharing: CovarianceSharing,
    prices: Prices,
    counts: IntArray,
    group_of: IntArray,
    is_kept: BoolArray,
) -> Dropped:
    """Drop the worst groups, `counts` of them in each step, by credits that are shared by covariance."""
    dropped = new_dropped(counts, len(machines.splits.label_scale))
    if isinstance(machines, GramMachines) and len(group_of) == len(is_kept):
        _drop_in_one_piece(machines, sharing, prices, dropped, counts, is_kept)
    else:
        drop_step_by_step(machines, sharing, prices, dropped, group_of, is_kept)
    return dropped


def drop_step_by_step(
    machines: EliminatingMachines,
    sharing: CovarianceSharing,
    prices: Prices,
    dropped: Dropped,
    group_of: IntArray,
    is_kept: BoolArray,
) -> None:
    """Make the steps that `dropped` has arrays for, one after another."""
    bits = np.empty(len(machines.splits.label_scale))
    for step, (first, last) in enumerate(zip(dropped.starts[:-1], dropped.starts[1:], strict=True)):
        table = dropped.tables[step]
        machines.count_votes(table)
        has_information = share_information(table, bits) * DECIMALS >= 1.0
        own = group_of[machines.columns]
        standing = np.zeros(len(is_kept), dtype=bool)
        standing[own] = True
        n_left = int(standing.sum())
        if prices.are_due(n_left):
            found = sharing.found(machines.columns)
            n_classes = len(found.shares)
            weights = bits[:n_classes] if has_information else np.full(n_classes, 1.0 / n_classes)
            worth, signed = (
                np.bincount(own, weights=weights @ part, minlength=len(is_kept)).astype(np.float64)
                for part in (found.shares, found.signed)
            )
            prices.set(worth, signed, worth if has_information else np.zeros_like(worth), n_left)
        goes = least_first(prices.worth, prices.signed, np.flatnonzero(standing & ~is_kept))[: last - first]
        dropped.groups[first:last] = goes
        dropped.credits[first:last] = prices.credits[goes]
        is_worst = np.zeros(len(is_kept), dtype=bool)
        is_worst[goes] = True
        machines.drop(machines.columns[is_worst[own]])


def least_first(worth: FloatArray, signed: FloatArray, groups: IntArray) -> IntArray:
    """Order groups by what they are worth, the least first.

    Values are compared to twelve decimals. Many are within their error of nothing, and worth the same: of
    these the one that has the least to do with the class, signed, goes first, then the one with the higher
    number.
    """
    keys = (part.round(TIE_DECIMALS)[groups] for part in (signed, worth))
    return groups[np.lexsort((-groups, *keys))]


def _drop_in_one_piece(
    machines: GramMachines,
    sharing: CovarianceSharing,
    prices: Prices,
    dropped: Dropped,
    counts: IntArray,
    is_kept: BoolArray,
) -> None:
    """Let compiled code make all steps; where its machines get lost, a solver finds them and it goes on."""
    done = 0
    has_bits = bool(prices.credits.any())
    while done < len(counts):
        made, left, columns = int(dropped.starts[done]), counts[done:], machines.columns
        gone, credits = dropped.groups[made:], dropped.credits[made:]
        moments = ColumnMoments(*sharing.stacked_moments(columns, len(machines.splits.truth)))
        record = Record(gone, credits, dropped.tables[done:])
        kept = np.ascontiguousarray(is_kept[columns])
        own = ColumnPrices(
            prices.worth[columns], prices.signed[columns], np.array([prices.n_priced, has_bits])
        )
        settled = int(eliminate_by_covariance(machines.state(), moments, left, kept, own, record))
        has_bits = bool(own.numbers[1])
        worth, signed = np.zeros((2, len(is_kept)))
        worth[columns], signed[columns] = own.worth, own.signed
        prices.set(worth, signed, worth if has_bits else np.zeros_like(worth), int(own.numbers[0]))
        done += min(settled + 1, len(left))
        went = gone[: dropped.starts[done] - made]
        # Compiled code numbers the columns that were there when it began.
        went[:] = columns[went]
        machines.leave(np.setdiff1d(columns, went), is_settled=settled == len(left))
