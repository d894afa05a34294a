"""Backward elimination by machines that are moved, many steps at a time."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from infoprop._core._blas import one_blas_thread
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import SubsetEvaluator, Train
from infoprop.selection._refit import subset_model
from infoprop.selection._sharing import COVARIANCE, CovarianceSharing
from infoprop.selection.elimination._by_covariance import Prices, drop_by_covariance
from infoprop.selection.elimination._schedule import Schedule
from infoprop.selection.elimination._search import Dropped, drop_worst
from infoprop.selection.elimination._stepwise import INFORMATION, Elimination, StepBatch, StepwiseElimination
from infoprop.svm import OneVsRestSVC
from infoprop.svm._trainer import Start
from infoprop.svm.subset._model import MovingSVC
from infoprop.svm.subset._protocol import EliminatingMachines


def elimination_for(
    evaluator: SubsetEvaluator,
    choice: ColumnChoice,
    schedule: Schedule,
    criterion: str,
    sharing: str = "margin",
) -> Elimination:
    """Return the fastest elimination there is for the evaluator's classifier."""
    shared = None
    model = subset_model(evaluator, groups=choice.groups if sharing == COVARIANCE else None)
    if sharing == COVARIANCE:
        shared = CovarianceSharing(model, evaluator, choice.groups)
    machines = model.eliminating_machines if isinstance(model, MovingSVC) else None
    if machines is None:
        return StepwiseElimination(model, evaluator, choice, schedule, criterion, shared)
    assert isinstance(model, MovingSVC)
    return MovingElimination(model, machines, evaluator, choice, schedule, criterion, shared)


class MovingElimination:
    """What does the same as :class:`StepwiseElimination` for machines that eliminate; same steps, same order.

    Parameters
    ----------
    model : MovingSVC
    machines : EliminatingMachines
        Those of the model.
    evaluator : SubsetEvaluator
    choice : ColumnChoice
    schedule : Schedule
    criterion : {"information", "margin"}
    sharing : CovarianceSharing, default=None
        Where shares come from, if not from the sensitivities of margins.
    """

    def __init__(
        self,
        model: MovingSVC,
        machines: EliminatingMachines,
        evaluator: SubsetEvaluator,
        choice: ColumnChoice,
        schedule: Schedule,
        criterion: str,
        sharing: CovarianceSharing | None = None,
    ) -> None:
        self._model = model
        self._sharing = sharing
        self._machines = machines
        self._table = evaluator.pooled
        self._choice = choice
        self._schedule = schedule
        self._by_credit = criterion == INFORMATION
        self._is_kept = np.zeros(choice.groups.n_groups, dtype=bool)
        self._is_kept[choice.keep] = True
        self._prices = Prices(choice.groups.n_groups)
        self._n_left = choice.groups.n_groups
        self._is_over = False
        self._is_begun = False
        self._last: tuple[IntArray, FloatArray] | None = None
        splits = evaluator.plan.splits
        sees_all = len(splits) == 1 and np.array_equal(splits[0].train, evaluator.all_rows())
        self._sees_all = sees_all
        self._is_classifier = type(evaluator.estimator) is OneVsRestSVC

    @property
    def steps_between_snapshots(self) -> int:
        """Number of steps to advance between two snapshots."""
        return self._machines.steps_between_rebuilds

    @property
    def steps_at_a_time(self) -> int:
        """Number of steps to advance without a pause."""
        return self._machines.steps_at_a_time

    def advance(self, n_steps: int) -> StepBatch:
        """Make `n_steps` further steps; fewer at the end, then none. The last of all drops nothing."""
        if self._is_over:
            return StepBatch.from_steps([], len(self._table.labels))
        shares = None
        if not self._is_begun:
            self._is_begun = True
            self._model.fit()
            shares = self._first_shares()
        counts = self._next_counts(n_steps)
        n_columns = len(self._machines.columns)
        with one_blas_thread():
            done = self._drop(counts[counts > 0])
        tables = done.tables
        if counts[-1] == 0:
            tables = np.concatenate([tables, self._table.counts(self._model.predict())[None]])
        starts = np.concatenate([[0], np.cumsum(counts)])
        sizes = np.bincount(self._choice.groups.labels, minlength=len(self._is_kept))
        gone = np.concatenate([[0], np.cumsum(sizes[done.groups])])[starts[:-1]]
        return StepBatch(tables, n_columns - gone, done.groups, done.credits, starts, shares)

    def _first_shares(self) -> FloatArray:
        if self._sharing is None:
            return self._model.credit_shares()
        return self._sharing.found(self._machines.columns).shares / self._table.share_scale[:, None]

    def _drop(self, counts: IntArray) -> Dropped:
        group_of = self._choice.groups.labels
        if self._sharing is None:
            return drop_worst(self._machines, counts, group_of, self._is_kept, self._by_credit)
        return drop_by_covariance(
            self._machines, self._sharing, self._prices, counts, group_of, self._is_kept
        )

    def _next_counts(self, n_steps: int) -> IntArray:
        """How many groups go in each of the next steps; zero in the last of all."""
        counts = self._schedule.counts(self._n_left, n_steps)
        self._n_left -= int(counts.sum())
        self._is_over = bool(counts[-1] == 0)
        return counts

    def snapshot(self) -> Mapping[str, Any]:
        """Return the dual variables to go on from, and go on from them."""
        if self._is_over:
            self._last = self._machines.columns, self._machines.beta
            return {"beta": self._last[1]}
        prices = {} if self._sharing is None else self._prices.snapshot()
        with one_blas_thread():
            return {"beta": self._machines.rebuild(), **prices}

    def restore(self, steps: StepBatch, snapshot: Mapping[str, Any]) -> None:
        """Stand where `steps` lead to."""
        groups = self._choice.groups
        left = np.setdiff1d(np.arange(groups.n_groups), steps.dropped)
        self._n_left = len(left)
        self._is_begun = True
        self._is_over = steps.is_last
        self._prices = Prices.from_snapshot(snapshot, groups.n_groups)
        columns, beta = groups.members(left), np.array(snapshot["beta"])
        if self._is_over:
            self._last = columns, beta
            return
        with one_blas_thread():
            self._machines.set_columns(columns, beta)

    def trainer(self, columns: IntArray) -> Train | None:
        """What trains the classifier by the solver of the machines, whose code is compiled already.

        It starts from the machines where these are its own and stand on its columns.
        """
        if not self._is_classifier:
            return None
        beta = None
        if self._sees_all and self._last is not None and np.array_equal(columns, self._last[0]):
            beta = self._last[1]
        start = Start(beta, self._machines.cold_solver)
        return partial(_fit_from, start)


def _fit_from(
    start: Start, classifier: OneVsRestSVC, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
) -> OneVsRestSVC:
    return classifier._fit(X, y, sample_weight, start, groups)
