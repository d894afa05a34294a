"""Runs of a directed search from several starts: each can be made by a worker of its own."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import run_tasks
from infoprop._core._typing import IntArray
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._refit import subset_model
from infoprop.selection._sharing import COVARIANCE, CovarianceSharing
from infoprop.selection.running._journal import Journal
from infoprop.selection.running._progress import Progress
from infoprop.selection.running._work import Work
from infoprop.selection.searches._directed_search import Score, SubsetScore, directed_steps
from infoprop.selection.searches._scoring import SubsetScorer
from infoprop.selection.searches._trace import SearchStep


@dataclass(frozen=True)
class Starts:
    """What the runs of a directed search have in common.

    Attributes
    ----------
    evaluator : SubsetEvaluator
    choice : ColumnChoice
    sharing : {"margin", "covariance"}
    limits : mapping
        `satisfied` and `max_trainings` of :func:`directed_steps`.
    """

    evaluator: SubsetEvaluator
    choice: ColumnChoice
    sharing: str
    limits: Mapping[str, Any]

    def scorer(self, work: Work) -> SubsetScorer:
        """Return what credits one subset after another."""
        evaluator, groups, shared = self.evaluator, self.choice.groups, None
        model = subset_model(evaluator)
        if self.sharing == COVARIANCE:
            model = subset_model(evaluator, groups=groups)
            shared = CovarianceSharing(model, evaluator, groups)
        return SubsetScorer(model, evaluator, work.journal, work.progress, shared)

    def score(self, groups: IntArray, scorer: SubsetScorer) -> SubsetScore:
        """Return what a subset earns."""
        columns = self.choice.groups.members(groups)
        credits = scorer.credits(columns)
        return SubsetScore(
            self.choice.group_sums(credits.values, columns)[groups],
            credits.information,
            credits.flow.relative_information,
        )

    def steps(self, score: Score, orders: Sequence[IntArray]) -> Iterator[SearchStep]:
        """Steps of the runs, one run for each order of the groups."""
        assert self.choice.n_select is not None
        return directed_steps(score, orders, self.choice.n_select, keep=self.choice.keep, **self.limits)

    def run_ahead(self, orders: Sequence[IntArray], scorer: SubsetScorer) -> None:
        """Make the runs at the same time, by the workers there are; `scorer` then knows all their subsets.

        What a run asks for follows from its order alone, so that the search that comes after finds
        everything known.
        """
        plain = replace(self, evaluator=replace(self.evaluator, n_jobs=1, progress=Progress()))
        missing = [order for order in orders if not self._is_known(order, scorer)]
        for _, records in run_tasks(_trained, SharedData(plain), missing, self.evaluator.n_jobs):
            scorer.take(records)

    def _is_known(self, order: IntArray, scorer: SubsetScorer) -> bool:
        """Whether a checkpoint holds all of a run."""

        def known(groups: IntArray) -> SubsetScore:
            if not scorer.knows(self.choice.groups.members(groups)):
                raise LookupError
            return self.score(groups, scorer)

        try:
            deque(self.steps(known, [order]), maxlen=0)
        except LookupError:
            return False
        return True


class _Kept(Journal):
    """Keeps records for the one who asked."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Mapping[str, Any]] = []

    def append(self, records: Iterable[Mapping[str, Any]], state: Mapping[str, Any]) -> None:
        """Keep `records`."""
        self.kept.extend(records)


def _trained(starts: Starts, order: IntArray) -> list[Mapping[str, Any]]:
    """Make one run: records of all subsets that it trained on."""
    journal = _Kept()
    scorer = starts.scorer(Work(journal=journal))
    deque(starts.steps(lambda groups: starts.score(groups, scorer), [order]), maxlen=0)
    return journal.kept
