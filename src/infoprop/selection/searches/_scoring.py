"""SubsetScorer: credits of one subset of the columns after another, none computed twice."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from infoprop._core._subset import SubsetModel
from infoprop._core._typing import FloatArray, IntArray
from infoprop.credit import FeatureCredits
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._refit import RefitSubsetModel
from infoprop.selection._sharing import CovarianceSharing
from infoprop.selection.running._journal import Journal
from infoprop.selection.running._progress import Progress


class SubsetScorer:
    """Credits subsets with a model that is moved from each to the next.

    ``credit_k = sum_r I_r mean_s P_s[r, k]``, in bits: I_r from the confusion table of all splits' validation
    rows together, the shares averaged over the splits that learn class r. The credits sum to the information
    of that table.

    Parameters
    ----------
    model : SubsetModel
    evaluator : SubsetEvaluator
        Must have rows to count.
    journal : Journal
        What it holds is taken over as if computed now; what is new is written to it.
    progress : Progress
        Told of every subset that is asked for the first time.
    sharing : CovarianceSharing, default=None
        Where shares come from, if not from the model: by covariance.
    """

    def __init__(
        self,
        model: SubsetModel,
        evaluator: SubsetEvaluator,
        journal: Journal,
        progress: Progress,
        sharing: CovarianceSharing | None = None,
    ) -> None:
        self._model = model
        self._sharing = sharing
        self._evaluator = evaluator
        self._journal = journal
        self._progress = progress
        self._known: dict[tuple[int, ...], FeatureCredits] = {}
        self._asked: set[tuple[int, ...]] = set()
        self._pending: list[Mapping[str, Any]] = []
        self.n_asked = 0
        self._replay()

    @property
    def n_trainings(self) -> int:
        """Number of different subsets asked for; an interrupted search that goes on counts the same."""
        return len(self._asked)

    def credits(self, columns: IntArray) -> FeatureCredits:
        """Credits of exactly these columns, in ascending order, as if there were no others."""
        columns = np.sort(columns)
        key = tuple(columns.tolist())
        self.n_asked += 1
        if key not in self._known:
            self._train(columns)
        if key not in self._asked:
            self._asked.add(key)
            flow = self._known[key].flow
            self._progress.reached(len(key), float(flow.accuracy), float(flow.information))
            self._progress.step()
        return self._known[key]

    @property
    def is_moved(self) -> bool:
        """Whether what a training gives depends, by rounding, on those before it."""
        return not isinstance(self._model, RefitSubsetModel)

    def knows(self, columns: IntArray) -> bool:
        """Whether these columns have been trained on."""
        return tuple(np.sort(columns).tolist()) in self._known

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Take over what somebody else has trained, as if it had been done here; not if it is moved."""
        new = [record for record in records if not self.knows(record["columns"])]
        for record in new:
            self._remember(record["columns"], record["counts"], record["shares"])
        self._journal.append(new, {})

    def finish(self) -> None:
        """Write down what is not yet written. For the end of a search only, never for an interruption.

        A snapshot out of turn would make a search that goes on differ from one that was never stopped.
        """
        if self._pending:
            self._journal.append(self._pending, self._model.snapshot())
            self._pending = []

    def _train(self, columns: IntArray) -> None:
        standing = self._model.columns
        # Columns come before others go: a model never stands on nothing.
        arriving, leaving = np.setdiff1d(columns, standing), np.setdiff1d(standing, columns)
        if len(arriving):
            self._model.add(arriving)
        if len(leaving):
            self._model.drop(leaving)
        self._model.fit()
        counts = self._evaluator.pooled.counts(self._model.predict())
        if self._sharing is None:
            shares = self._model.credit_shares()
        else:
            shares = self._sharing.found(columns).shares / self._evaluator.pooled.share_scale[:, None]
        self._remember(columns, counts, shares)
        self._pending.append({"columns": columns, "counts": counts, "shares": shares})
        if len(self._pending) >= self._model.moves_between_snapshots:
            self.finish()

    def _remember(self, columns: IntArray, counts: FloatArray, shares: FloatArray) -> None:
        names = self._evaluator.feature_names
        pooled = self._evaluator.pooled
        self._known[tuple(columns.tolist())] = FeatureCredits.from_shares(
            pooled.flow(counts), shares * pooled.share_scale[:, None], [names[k] for k in columns]
        )

    def _replay(self) -> None:
        records = self._journal.records()
        for record in records:
            self._remember(record["columns"], record["counts"], record["shares"])
        if records:
            self._model.restore(records[-1]["columns"], self._journal.state() or {})
