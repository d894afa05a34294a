"""StabilitySelector: features that are among the best in one half of the rows and in the other."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop.selection._base import Selection
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._validation import Split, ValidationPlan
from infoprop.selection.control._controlled import ControlledSelector, train_constant
from infoprop.selection.control._copies import CopiedColumns, copied_columns, copy_orders
from infoprop.selection.control._halves import half_masks
from infoprop.selection.control._rank_path import EXPONENT, RankStability
from infoprop.selection.control._ranking import ELIMINATION, SEARCHES, ranked_groups
from infoprop.selection.control._tasks import Record, run_tasks
from infoprop.selection.elimination._schedule import check_step
from infoprop.selection.running._progress import Progress
from infoprop.selection.running._work import Work

# With nine sets a single feature that beats all copies is not yet chosen at a rate of 0.1; two are.
_N_COPIES = 9


class StabilitySelector(ControlledSelector):
    """Select features that halves of the rows agree about, at an estimated false discovery rate.

    The rows are split into halves `n_pairs` times, and each half ranks all features by itself; by default by
    eliminating them. A feature that says something about the class is among the best k of most halves; one
    that does not is there by luck, and in the other half luck is another one. From the share of the halves
    that have a feature among their k best, for all k, :class:`RankStability` estimates how many of the
    features that are at least as stable are there by luck alone.

    Parameters
    ----------
    estimator : classifier, default=None
        What the halves train: anything that :func:`infoprop.credit.credit_features` supports. None means
        linear machines with squared hinge loss and C = 0.01 on columns divided by their standard deviations.
        A pipeline may begin with a :class:`~sklearn.preprocessing.SplineTransformer`: linear machines then
        see curves, too.
    fdr : float, default=0.1
        Largest estimated false discovery rate: features whose q-value is at most that are chosen.
    max_false_positives : float, default=None
        Largest estimated number of false positives, instead of `fdr`.
    n_features_to_select : int or float, default=None
        How many of the most stable features (groups) to choose, or which fraction, instead of `fdr`.
    search : {"elimination", "credit", "l1"} or selector, default="elimination"
        How a half ranks the features. "elimination": by the share of the margin, see `step`; "credit": by
        bits on a quarter of the half's rows, shared by covariance; "l1": by the order in which they enter
        linear machines with an L1 penalty, whatever the `estimator`; or any selector of this package.
    n_pairs : int, default=50
        Number of pairs of halves.
    n_copies : int, default=None
        Number of sets of shuffled copies: all columns with their rows in another order. Halves then rank
        columns and copies together, and the copies tell how far luck gets; 0 for none. None means 9 if there
        are more features than rows, where no formula tells that, and else none.
    exponent : int, default=5
        How strict the estimate is. Frequencies count by this power, see :class:`RankStability`; 3 is that of
        the paper. It finds more, and its estimate is too low where features that say nothing are not alike
        (groups of different sizes, rare and common words, correlated columns).
    step : int, float or "halving", default=0.2
        How many features (groups) an elimination drops at a time; see :class:`BackwardEliminationSelector`.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column. A group is one feature.
    keep : column or list of columns, default=None
        Columns that are always chosen, by number or name; each keeps its whole group. They are there in every
        search, and have no q-value.
    checkpoint : str or path, default=None
        File to which each pair of halves is written. If the process dies, the same call goes on from there
        and ends with the same bits.
    time_limit : float, default=None
        Seconds after which the search ends with the pairs of halves it has. If none is done five seconds
        later, fit fails.
    random_state : int, RandomState instance or None, default=None
        Draws the halves.
    n_jobs : int, default=None
        Pairs at a time, through joblib. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    stability_ : RankStability
        Ranks in all halves, and everything estimated from them, for each feature (group).
    q_values_ : ndarray of shape (n_features_in_,)
        Estimated false discovery rate at which each column is just chosen; NaN for columns to keep.
    false_positives_ : ndarray of shape (n_features_in_,)
        Estimated number of false positives among the features at least as stable as each column's.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns. There may be none.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, then 2, 3, ... by falling stability.
    feature_ranking_ : ndarray of shape (n_features_in_,)
        Numbers of all columns, best first.
    n_features_ : int
        Number of chosen columns.
    estimator_ : classifier
        Trained on the chosen columns of all rows; a :class:`~sklearn.dummy.DummyClassifier` if there are
        none.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If the data have names.

    Notes
    -----
    The rate is an estimate, not a guarantee. Without copies it takes features that say nothing to be alike in
    how often they are among the best. With copies it says how many features are chosen by luck; one that says
    nothing beyond a real feature that it goes with is no luck, and may be chosen, too. No law of the columns
    is needed. :class:`KnockoffSelector` guarantees a rate where the law of the columns is known.

    Halves are drawn by class, by what the rows hold: copies of a row go together, and the order of the rows
    does not matter. Rows of one group (``fit(X, y, groups=...)``) go together, too.

    References
    ----------
    O. Melikechi, J. W. Miller, "Integrated path stability selection", Journal of the American Statistical
    Association, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection import StabilitySelector
    >>> X = np.random.default_rng(0).normal(size=(200, 30))
    >>> y = X[:, 3] + X[:, 5] - X[:, 7] > 0
    >>> selector = StabilitySelector(n_pairs=20, random_state=0).fit(X, y)
    >>> np.flatnonzero(selector.support_), selector.q_values_[selector.support_].round(3)
    (array([3, 5, 7]), array([0.023, 0.023, 0.023]))
    """

    _attributes = ("stability_", "q_values_", "false_positives_")

    def __init__(
        self,
        estimator: Any = None,
        *,
        fdr: float = 0.1,
        max_false_positives: float | None = None,
        n_features_to_select: Any = None,
        search: Any = ELIMINATION,
        n_pairs: int = 50,
        n_copies: int | None = None,
        exponent: int = EXPONENT,
        step: Any = 0.2,
        groups: Any = None,
        keep: Any = None,
        checkpoint: Any = None,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.fdr = fdr
        self.max_false_positives = max_false_positives
        self.n_features_to_select = n_features_to_select
        self.search = search
        self.n_pairs = n_pairs
        self.n_copies = n_copies
        self.exponent = exponent
        self.step = step
        self.groups = groups
        self.keep = keep
        self.checkpoint = checkpoint
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_own_parameters(self) -> None:
        super()._check_own_parameters()
        owner = type(self).__name__
        check_integer("n_pairs", self.n_pairs, owner, low=1)
        if self.n_copies is not None:
            check_integer("n_copies", self.n_copies, owner, low=0)
        check_integer("exponent", self.exponent, owner, low=1)
        check_step(self.step, owner)
        if not hasattr(self.search, "fit"):
            check_choice("search", self.search, SEARCHES, owner)
        if self.max_false_positives is None:
            return
        check_number("max_false_positives", self.max_false_positives, owner, low=0.0, low_open=True)
        if self.n_features_to_select is not None:
            raise ParameterError(
                f"Give {owner} either 'n_features_to_select' or 'max_false_positives', not both. "
                f"Got {self.n_features_to_select!r} and {self.max_false_positives!r}."
            )

    def _plan(
        self, X: Any, rows: LabelledRows, has_given: bool, split_parameters: dict[str, Any], seed: int
    ) -> ValidationPlan:
        """Draw the halves: a split for each pair, which is trained on both ways; and the rows of copies."""
        weights = np.ones(len(rows.y)) if rows.sample_weight is None else rows.sample_weight
        used = np.flatnonzero(weights > 0.0)
        row_groups = split_parameters.get("groups")
        own = None if row_groups is None else np.asarray(row_groups)[used]
        masks = half_masks(X[used], rows.y[used], weights[used], own, self.n_pairs, seed)
        self._draw_orders = partial(copy_orders, X, rows.y, used, row_groups, seed=seed)
        return ValidationPlan(tuple(Split(used[~mask], used[mask]) for mask in masks), shares_from_all=False)

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return self.n_pairs

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        pairs = evaluator.plan.splits
        seeds = np.random.SeedSequence(work.seed).generate_state(len(pairs)) >> 1
        # What travels to other processes: no bar, and only the halves that are trained on there.
        plain = replace(evaluator, plan=ValidationPlan((), False), n_jobs=None, progress=Progress())
        draw_orders, n_copies = self.__dict__.pop("_draw_orders"), self.n_copies
        if n_copies is None:
            n_copies = _N_COPIES if choice.groups.n_groups > len(evaluator.all_rows()) else 0
        copied = copied_columns(plain, choice, draw_orders(n_copies), work.seed)
        rank = partial(_ranked_pair, copied, self.search, self.step)

        def learned(done: dict[int, Record]) -> dict[str, Any]:
            return self._learned(self._selected(done, choice), evaluator, choice)

        tasks = list(zip(pairs, seeds.tolist(), strict=True))
        return self._selected(run_tasks(rank, tasks, work, self.n_jobs, learned), choice)

    def _selected(self, done: dict[int, Record], choice: ColumnChoice) -> Selection:
        ranks = np.concatenate([done[number]["ranks"] for number in sorted(done)])
        stability = RankStability.from_searches(choice.groups.names, ranks, self.exponent)
        order = stability.best_first
        if self.n_features_to_select is not None:
            chosen = order[: choice.n_select]
            why = "as asked for"
        elif self.max_false_positives is not None:
            chosen = np.flatnonzero(stability.false_positives <= self.max_false_positives)
            why = f"with an estimated {self.max_false_positives:g} false positives at most"
        else:
            chosen = np.flatnonzero(stability.q_values <= self.fdr)
            why = f"at an estimated false discovery rate of {100 * self.fdr:g} %"
        chosen = np.union1d(chosen, choice.keep).astype(np.intp)
        of_column = choice.groups.labels
        attributes = {
            "stability_": stability,
            "q_values_": stability.q_values[of_column],
            "false_positives_": stability.false_positives[of_column],
        }
        message = f"{len(chosen):,} of {choice.groups.n_groups:,} features {why}. "
        train = None if len(chosen) else train_constant
        return Selection(chosen, order, learned=attributes, message=message, train=train)


def _ranked_pair(copied: CopiedColumns, search: Any, step: Any, task: tuple[Split, int]) -> Record:
    """Ranks of all groups and of their copies in both halves: (2, 1 + n_copies, n_groups), 0 if kept."""
    pair, seed = task
    assert pair.test is not None
    choice, ranks = copied.choice, []
    for rows in (pair.train, pair.test):
        order = ranked_groups(search, copied.evaluator, choice, rows, step, seed)
        ranked = order[~np.isin(order, choice.keep)]
        own = np.zeros(choice.groups.n_groups, dtype=np.int32)
        own[ranked] = np.arange(1, len(ranked) + 1)
        ranks.append(own[copied.places])
    return {"ranks": np.array(ranks)}
