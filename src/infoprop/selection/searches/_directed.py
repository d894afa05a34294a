"""DirectedSearchSelector: swap features by their credits until no swap promises more."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._tasks import has_workers
from infoprop._core._typing import IntArray
from infoprop.credit import FeatureCredits
from infoprop.credit._shares import SHARING
from infoprop.selection._base import BaseFeatureSelector, Selection
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection.running._work import Work
from infoprop.selection.searches._directed_search import SubsetScore, most_steps
from infoprop.selection.searches._scoring import SubsetScorer
from infoprop.selection.searches._starts import Starts
from infoprop.selection.searches._trace import TIE_DECIMALS, SearchStep, SearchTrace


class DirectedSearchSelector(BaseFeatureSelector):
    """Search the subsets of K features, directed by credits, with backtracking (MOI).

    The classifier is trained on K features and asked about rows it has not seen; its output information
    I(Y;Yf) is credited to them, ``Credit(k) = sum_r I_r P[r,k]``. Then the feature with the least credit is
    replaced: by the next untested one as long as there is any, afterwards by the unused one that had the
    highest credit when it was last used, if that is higher. Where it is not, the search goes back to the best
    subset so far; it ends when that is where it stands, or when it has gone back twice without finding a
    better one. The subset that delivered the most is kept, and the classifier trained on it with all rows.

    Parameters
    ----------
    estimator : classifier, default=None
        Anything that :func:`infoprop.credit.credit_features` supports. None means
        linear machines on scaled columns: ``make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))``.
        Columns of sparse rows are divided by their maximum.
    n_features_to_select : int or float, default=None
        K: how many features to keep, or which fraction of them. With `groups`, how many groups. None means
        half of them.
    init : {"credits", "random"} or list of columns, default="credits"
        Order in which features are tested; the first K are the start. "credits": by falling credit in one
        training with all features, as the paper does for SVMs. "random": at random, as it does for networks.
        A list of at least K columns, by number or name: as listed, those not listed last.
    satisfied : float, default=None
        Relative information I(Y;Yf) / H(Y) that ends the search at once, above 0, up to 1.
    max_trainings : int, default=None
        Largest number of subsets of K features to train on, in all runs together. The training with all
        features for ``init="credits"`` does not count.
    n_starts : int, default=1
        Runs: the first starts as `init` says, each further one from a random subset. What one run has found
        out the others know.
    sharing : {"margin", "covariance"}, default="margin"
        How the bits are shared: by the size of weights, as in the paper, or by what a feature adds to the
        outputs for validation rows as far as it goes with the class (see
        :func:`infoprop.credit.credit_shares`). By covariance a group is one contribution.
    validation : float, int, splitter, iterable or "given", default=0.25
        Where the confusion table comes from. A float between 0 and 1 holds that fraction of each class out. A
        whole number of folds, a cross-validation splitter or an iterable of splits pools out-of-fold
        predictions; the shares are the mean over the splits. "given" insists on `X_val` and `y_val` in
        :meth:`fit`, which are used whenever they are passed. Training rows are never counted.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column. A group's credit is the sum over its columns.
    keep : column or list of columns, default=None
        Columns in every subset, by number or name; each keeps its whole group. They count towards
        `n_features_to_select`.
    time_limit : float, default=None
        Seconds after which the search ends with the best subset so far. A training that has begun is
        finished; if no subset is judged within five more seconds, fit fails.
    checkpoint : str or path, default=None
        File that every training is written to. The same call goes on from it, after whatever ended the
        first, and ends with the same result.
    random_state : int, RandomState instance or None, default=None
        Draws the rows held out, the folds if `validation` is a number, and random orders.
    n_jobs : int, default=None
        Trainings at a time when there are folds, through joblib; of a classifier that is trained anew for
        every subset, runs at a time when there are several starts. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    trace_ : SearchTrace
        All subsets asked about, with credits and information, and why the search ended.
    n_trainings_ : int
        Number of subsets of K features that were trained on.
    credits_ : FeatureCredits
        Bits earned by each column in the chosen subset; zero for the others.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, then 2, 3, ... by falling credit (of the group) when last used; those never
        used come last.
    feature_ranking_ : ndarray of shape (n_features_in_,)
        Numbers of all columns, best first: the chosen ones, then the others as `ranking_` has them.
    n_features_ : int
        Number of chosen columns.
    estimator_ : classifier
        Trained on the chosen columns of all rows.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If the data have names.

    Notes
    -----
    A run asks about ``4 (N - K + 1)`` subsets at most, N the number of features, usually less than half of
    that, and no subset is trained on twice. The information of the subset found is the largest of many on the
    same validation rows, and so flatters it: measure the selector on rows that `fit` has not seen.

    Ctrl-C ends the search with the best subset so far and a :class:`SearchInterruptedWarning`.

    References
    ----------
    V. Sindhwani et al., "Feature selection in MLPs and SVMs based on maximum output information", IEEE
    Transactions on Neural Networks 15 (4), 2004, Algorithm 3.

    Examples
    --------
    >>> from infoprop.datasets import make_corral
    >>> from infoprop.selection import DirectedSearchSelector
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = make_corral(400, random_state=0, return_X_y=True)
    >>> machine = OneVsRestSVC(kernel="rbf", gamma=1)
    >>> selector = DirectedSearchSelector(machine, n_features_to_select=4, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1, 2, 3])
    """

    trace_: SearchTrace

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: Any = None,
        init: Any = "credits",
        satisfied: float | None = None,
        max_trainings: int | None = None,
        n_starts: int = 1,
        sharing: str = "margin",
        validation: Any = 0.25,
        groups: Any = None,
        keep: Any = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.init = init
        self.satisfied = satisfied
        self.max_trainings = max_trainings
        self.n_starts = n_starts
        self.sharing = sharing
        self.validation = validation
        self.groups = groups
        self.keep = keep
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_own_parameters(self) -> None:
        owner = type(self).__name__
        if isinstance(self.init, str):
            check_choice("init", self.init, ("credits", "random"), owner)
        elif not isinstance(self.init, Iterable):
            raise ParameterError(
                f"The 'init' parameter of {owner} must be 'credits', 'random' or a list of columns. "
                f"Got {self.init!r}."
            )
        if self.satisfied is not None:
            check_number("satisfied", self.satisfied, owner, low=0.0, high=1.0, low_open=True)
        if self.max_trainings is not None:
            check_integer("max_trainings", self.max_trainings, owner, low=1)
        check_integer("n_starts", self.n_starts, owner, low=1)
        check_choice("sharing", self.sharing, SHARING, owner)

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        assert choice.n_select is not None
        # A list that does not fit the data is refused here, before a checkpoint is begun for it.
        listed = self._listed(choice)
        n_groups, n_select, n_kept = choice.groups.n_groups, choice.n_select, len(choice.keep)
        bound = self.n_starts * most_steps(n_groups, n_select)
        if self.max_trainings is not None:
            bound = min(bound, self.max_trainings)
        return min(bound, math.comb(n_groups - n_kept, n_select - n_kept)) + (listed is None)

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        limits = {"satisfied": self.satisfied, "max_trainings": self.max_trainings}
        starts = Starts(evaluator, choice, self.sharing, limits)
        scorer = starts.scorer(work)
        orders = self._orders(scorer, choice, work.seed)
        steps: list[SearchStep] = []
        is_over = False

        def score(groups: IntArray) -> SubsetScore:
            work.begin_step()
            return starts.score(groups, scorer)

        def learned() -> dict[str, Any]:
            selection = _selection(steps, work.early_end, orders[0], scorer, choice)
            return self._learned(selection, evaluator, choice)

        with work.until_stopped(lambda: bool(steps)):
            if not scorer.is_moved and self._may_run_ahead(work):
                starts.run_ahead(orders, scorer)
            for step in starts.steps(score, orders):
                steps.append(step)
                if step.is_new:
                    work.end_step(learned)
            scorer.finish()
            is_over = True
        end = steps[-1].end if is_over else None
        return _selection(steps, end or work.early_end, orders[0], scorer, choice)

    def _may_run_ahead(self, work: Work) -> bool:
        """Whether there are several runs, workers to make them, and nobody who may end the search early."""
        is_free = not work.is_watched and math.isinf(work.deadline.seconds_left)
        return is_free and self.n_starts > 1 and has_workers(self.n_jobs)

    def _orders(self, scorer: SubsetScorer, choice: ColumnChoice, seed: int) -> list[IntArray]:
        """Order of the groups in every run."""
        random = np.random.default_rng(seed)
        n_groups = choice.groups.n_groups
        first = self._listed(choice)
        if first is None and self.init == "random":
            first = random.permutation(n_groups)
        if first is None:
            first = scorer.credits(np.arange(len(choice.groups.columns))).grouped(choice.groups).ranking
        return [first, *(random.permutation(n_groups) for _ in range(self.n_starts - 1))]

    def _listed(self, choice: ColumnChoice) -> IntArray | None:
        """Order of the groups given by the user, None if there is none."""
        if isinstance(self.init, str):
            return None
        numbers = [int(choice.groups.numbers_of([column], "init")[0]) for column in self.init]
        listed = list(dict.fromkeys(numbers))
        n_listed = len(set(listed) | set(choice.keep.tolist()))
        if choice.n_select is not None and n_listed < choice.n_select:
            raise ParameterError(
                f"A list in 'init' must name the start: at least n_features_to_select={choice.n_select} "
                f"features or groups, together with 'keep'. Got {n_listed}."
            )
        others = [group for group in range(choice.groups.n_groups) if group not in set(listed)]
        return np.array(listed + others, dtype=np.intp)


def _selection(
    steps: list[SearchStep], end: str, order: IntArray, scorer: SubsetScorer, choice: ColumnChoice
) -> Selection:
    """Choose the best subset tried."""
    trace = SearchTrace(tuple(steps), choice.groups.names, end)
    best = trace.best
    columns = choice.groups.members(best.groups)
    last = np.nan_to_num(trace.last_credits, nan=-np.inf).round(TIE_DECIMALS)
    return Selection(
        best.groups,
        np.lexsort((np.argsort(order), -last)),
        _spread(scorer.credits(columns), columns, choice.groups.columns),
        learned={"trace_": trace, "n_trainings_": trace.n_trainings},
        message=(
            f"{best.information:.4f} bits delivered by the best of {trace.n_trainings} subsets "
            f"({trace.end}). "
        ),
    )


def _spread(credits: FeatureCredits, columns: IntArray, names: tuple[str, ...]) -> FeatureCredits:
    """Credits of all columns: those given, zero for the others."""
    by_class = np.zeros((len(credits.classes), len(names)))
    by_class[:, columns] = credits.by_class
    return FeatureCredits(by_class.sum(axis=0), by_class, credits.flow, credits.classes, names)
