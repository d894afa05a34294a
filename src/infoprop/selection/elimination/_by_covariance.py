"""The drop loop by covariance: count votes, share by what columns add to the outputs, drop the worst."""

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.metrics._indicators_fast import DECIMALS, share_information
from infoprop.selection._sharing import CovarianceSharing
from infoprop.selection.elimination._covariance_fast import ColumnMoments, eliminate_by_covariance
from infoprop.selection.elimination._ranking_fast import Record
from infoprop.selection.elimination._search import Dropped, new_dropped
from infoprop.svm.subset._gram_hinge import GramMachines
from infoprop.svm.subset._protocol import EliminatingMachines

TIE_DECIMALS = 12


def drop_by_covariance(
    machines: EliminatingMachines,
    sharing: CovarianceSharing,
    counts: IntArray,
    group_of: IntArray,
    is_kept: BoolArray,
) -> Dropped:
    """Drop the worst groups, `counts` of them in each step, by credits that are shared by covariance."""
    dropped = new_dropped(counts, machines.n_labels)
    if isinstance(machines, GramMachines) and len(group_of) == len(is_kept):
        _drop_in_one_piece(machines, sharing, dropped, counts, is_kept)
    else:
        drop_step_by_step(machines, sharing, dropped, group_of, is_kept)
    return dropped


def drop_step_by_step(
    machines: EliminatingMachines,
    sharing: CovarianceSharing,
    dropped: Dropped,
    group_of: IntArray,
    is_kept: BoolArray,
) -> None:
    """Make the steps that `dropped` has arrays for, one after another."""
    bits = np.empty(machines.n_labels)
    for step, (first, last) in enumerate(zip(dropped.starts[:-1], dropped.starts[1:], strict=True)):
        table = dropped.tables[step]
        machines.count_votes(table)
        has_information = share_information(table, bits) * DECIMALS >= 1.0
        found = sharing.found(machines.columns)
        n_classes = len(found.shares)
        weights = bits[:n_classes] if has_information else np.full(n_classes, 1.0 / n_classes)
        own = group_of[machines.columns]
        worth, signed = (
            np.bincount(own, weights=weights @ part, minlength=len(is_kept)).astype(np.float64)
            for part in (found.shares, found.signed)
        )
        standing = np.zeros(len(is_kept), dtype=bool)
        standing[own] = True
        goes = least_first(worth, signed, np.flatnonzero(standing & ~is_kept))[: last - first]
        dropped.groups[first:last] = goes
        dropped.credits[first:last] = worth[goes] if has_information else 0.0
        machines.drop(machines.columns[np.isin(own, goes)])


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
    dropped: Dropped,
    counts: IntArray,
    is_kept: BoolArray,
) -> None:
    """Let compiled code make all steps; where its machines get lost, a solver finds them and it goes on."""
    done = 0
    while done < len(counts):
        made, left, columns = int(dropped.starts[done]), counts[done:], machines.columns
        gone, credits = dropped.groups[made:], dropped.credits[made:]
        moments = ColumnMoments(*sharing.stacked_moments(columns, len(machines.splits.truth)))
        record = Record(gone, credits, dropped.tables[done:])
        kept = np.ascontiguousarray(is_kept[columns])
        settled = int(eliminate_by_covariance(machines.state(), moments, left, kept, record))
        done += min(settled + 1, len(left))
        went = gone[: dropped.starts[done] - made]
        # Compiled code numbers the columns that were there when it began.
        went[:] = columns[went]
        machines.leave(np.setdiff1d(columns, went), is_settled=settled == len(left))
