"""KnockoffSelector: features that beat columns made to look like them that know nothing of the class."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection._base import Selection
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._validation import Split, ValidationPlan
from infoprop.selection.control._controlled import ControlledSelector, train_constant
from infoprop.selection.control._knockoff_draw import (
    COPULA,
    GAUSSIAN,
    LAWS,
    DrawRule,
    dense,
    draw_statistics,
    prepared,
)
from infoprop.selection.control._knockoff_filter import KnockoffStatistics
from infoprop.selection.control._tasks import Record, run_tasks
from infoprop.selection.elimination._schedule import check_step
from infoprop.selection.running._progress import Progress
from infoprop.selection.running._work import Work

# C of the default machines, times the number of rows. Chosen on other draws than those reported, see
# `experiments/error_control/page.md`: 3 and 1 find more weak features than 10, 0.3 fewer strong ones.
_COST = 3.0


class KnockoffSelector(ControlledSelector):
    """Select features that do better than their knockoffs in an elimination, at a false discovery rate.

    A knockoff of a column is made without looking at the class, such that the two could be swapped and nobody
    who does not know the class would notice. Columns and knockoffs are eliminated together, in whatever
    classifier: the score of a column is how many steps it stands, times its shares of the margins in these.
    A column without information of its own scores lower than its knockoff as often as higher, so the
    knockoffs that do well tell how many columns do well by luck.

    Parameters
    ----------
    estimator : classifier, default=None
        What columns and knockoffs are eliminated from: anything that
        :func:`infoprop.credit.credit_features` supports and that takes rows of numbers. None means linear
        machines with squared hinge loss on columns divided by their standard deviations, with C = 3 /
        n_samples in the elimination and C = 0.01 in the end. A pipeline may begin with a
        :class:`~sklearn.preprocessing.SplineTransformer`: linear machines then see curves, too.
    fdr : float, default=0.1
        Level of the false discovery rate: the mean share of features chosen that tell nothing about the class
        beyond the others.
    n_features_to_select : int or float, default=None
        How many of the best features (groups) to choose, or which fraction, instead of `fdr`.
    knockoffs : {"gaussian", "copula"}, callable or array, default="gaussian"
        How they are made. "gaussian": for rows from a Gaussian; "copula": the same for the columns' normal
        scores, taken back to values that the column has. A callable takes rows, shape (n_rows, n_features),
        and a :class:`numpy.random.Generator` and returns knockoffs of the same shape. An array of shape
        (n_samples, n_features), or (n_draws, n_samples, n_features), holds them. If there are several
        knockoffs of a column, the callable returns (n_knockoffs, n_rows, n_features), and the array has the
        shape (n_draws, n_knockoffs, n_samples, n_features).
    n_knockoffs : int, default=1
        Number of knockoffs of each column, all of which it has to beat. At least ``1 / (n_knockoffs * fdr)``
        features must be found, or nothing is; so several help where few features are real. They are more
        like their columns than a single one, which costs power where many are real.
    covariance : array-like of shape (n_features, n_features), default=None
        Covariance of the columns, if it is known, for "gaussian". None estimates it with the shrinkage of
        Ledoit and Wolf.
    n_draws : int, default=1
        Number of draws of knockoffs. One is tested by knockoff+. Several are put together by e-values: the
        choice depends less on chance, and weak features may be lost.
    n_tested : int, default=None
        Half of the rows, drawn anew for each draw, chooses this many features (groups) by an elimination;
        only these are tested, with knockoffs on the other half. None tests all features, or, if there are
        more than rows, half as many as rows.
    step : int, float or "halving", default=0.2
        How many columns (groups) an elimination drops at a time; see :class:`BackwardEliminationSelector`.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column. A group is one feature, with a group of knockoffs.
    keep : column or list of columns, default=None
        Columns that are always chosen, by number or name; each keeps its whole group. They are there in every
        elimination, and have no q-value.
    checkpoint : str or path, default=None
        File to which each draw is written. If the process dies, the same call goes on from there and ends
        with the same bits.
    time_limit : float, default=None
        Seconds after which the search ends with the draws it has. If none is done five seconds later, fit
        fails.
    random_state : int, RandomState instance or None, default=None
        Draws the knockoffs.
    n_jobs : int, default=None
        Draws at a time, through joblib. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    knockoffs_ : KnockoffStatistics
        By how much each feature (group) beats its knockoffs in each draw, and what follows.
    q_values_ : ndarray of shape (n_features_in_,)
        Level at which each column is just chosen; NaN for columns to keep.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns. There may be none.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, then 2, 3, ...
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
    The mean false discovery rate is at most `fdr` if the knockoffs are right, whatever the classifier, the
    number of rows and the way in which the class depends on the columns. They are right if the rows are
    independent draws from the law that they were made for: a Gaussian with the `covariance` given. With an
    estimated covariance, or columns whose normal scores are Gaussian together only about, the level is met
    only about.

    Columns of few values (counts, zeros and ones, one-hot coded nominal columns, which should be `groups`)
    have no Gaussian law. "gaussian" then gives knockoffs with the right means and covariances and other
    values; "copula" gives values that the column has, one column at a time, so that a group of one-hot
    columns may have none or two ones. Neither guarantees the level there.

    With one draw at least ``1 / (n_knockoffs * fdr)`` features must be found, or nothing is: ten for a level
    of 0.1 and one knockoff, two for five.

    With `n_tested` a feature counts as false if it tells nothing beyond the other features *tested*. The half
    of the rows that chose them takes part in the elimination, where each column is its own knockoff.

    Where values are missing and the classifier fills them in, the test takes the mean of the column.

    Sparse rows stay sparse until their columns are tested: then these are made dense.

    References
    ----------
    E. Candès, Y. Fan, L. Janson, J. Lv, "Panning for gold: model-X knockoffs for high dimensional controlled
    variable selection", Journal of the Royal Statistical Society B 80 (3), 2018; R. F. Barber, E. J. Candès,
    "A knockoff filter for high-dimensional selective inference", The Annals of Statistics 47 (5), 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.selection import KnockoffSelector
    >>> X = np.random.default_rng(0).normal(size=(400, 40))
    >>> y = X[:, :12].sum(axis=1) > 0
    >>> selector = KnockoffSelector(random_state=0).fit(X, y)
    >>> np.flatnonzero(selector.support_)
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11])
    >>> selector.knockoffs_
    KnockoffStatistics(n_features=40, n_draws=1, fdr=0.1, n_chosen=12)
    """

    _attributes = ("knockoffs_", "q_values_")

    def __init__(
        self,
        estimator: Any = None,
        *,
        fdr: float = 0.1,
        n_features_to_select: Any = None,
        knockoffs: Any = GAUSSIAN,
        covariance: Any = None,
        n_knockoffs: int = 1,
        n_draws: int = 1,
        n_tested: int | None = None,
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
        self.n_features_to_select = n_features_to_select
        self.knockoffs = knockoffs
        self.covariance = covariance
        self.n_knockoffs = n_knockoffs
        self.n_draws = n_draws
        self.n_tested = n_tested
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
        check_integer("n_knockoffs", self.n_knockoffs, owner, low=1)
        check_integer("n_draws", self.n_draws, owner, low=1)
        if self.n_tested is not None:
            check_integer("n_tested", self.n_tested, owner, low=1)
        check_step(self.step, owner)
        if isinstance(self.knockoffs, str):
            check_choice("knockoffs", self.knockoffs, LAWS, owner)
        if self.covariance is not None and (not isinstance(self.knockoffs, str) or self.knockoffs == COPULA):
            raise ParameterError(
                f"The 'covariance' of {owner} is that of Gaussian columns. Leave it out, or let "
                f"knockoffs='gaussian'. Got knockoffs={self.knockoffs!r}."
            )

    def _plan(
        self, X: Any, rows: LabelledRows, has_given: bool, split_parameters: dict[str, Any], seed: int
    ) -> ValidationPlan:
        """One split, which trains on all rows; the row groups, for draws that halve them, stay with it."""
        self._row_groups = split_parameters.get("groups")
        weights = np.ones(len(rows.y)) if rows.sample_weight is None else rows.sample_weight
        used = np.flatnonzero(weights > 0.0)
        return ValidationPlan((Split(used, used[:0]),), shares_from_all=False)

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return self.n_draws

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        data, rows = evaluator.training, evaluator.all_rows()
        X = data.X if sparse.issparse(data.X) else _filled(dense(data.X), rows)
        rule = self._rule(X.shape, len(rows), choice)
        rule = prepared(rule, X[rows], choice.groups.labels, work.seed)
        numbers = replace(evaluator, training=replace(data, X=X), n_jobs=None, progress=Progress())
        if self.estimator is None:
            machines = clone(evaluator.estimator).set_params(onevsrestsvc__C=_COST / len(rows))
            numbers = replace(numbers, estimator=machines)
        seeds = np.random.SeedSequence(work.seed).generate_state(self.n_draws) >> 1
        test = partial(_tested, numbers, choice, self.__dict__.pop("_row_groups", None), rule)

        def learned(done: dict[int, Record]) -> dict[str, Any]:
            return self._learned(self._selected(done, choice), evaluator, choice)

        tasks = list(enumerate(seeds.tolist()))
        return self._selected(run_tasks(test, tasks, work, self.n_jobs, learned), choice)

    def _rule(self, shape: tuple[int, ...], n_rows: int, choice: ColumnChoice) -> DrawRule:
        n_groups = choice.groups.n_groups - len(choice.keep)
        n_tested = self.n_tested
        if n_tested is None and n_groups > n_rows:
            n_tested = max(1, n_rows // 2)
        knockoffs = self.knockoffs
        if not isinstance(knockoffs, str) and not callable(knockoffs):
            knockoffs = _given_knockoffs(knockoffs, self.n_draws, self.n_knockoffs, shape)
        covariance = None if self.covariance is None else _checked_covariance(self.covariance, shape[1])
        is_screened = n_tested is not None and n_tested < n_groups
        most = n_tested if is_screened else None
        return DrawRule(knockoffs, self.n_knockoffs, covariance, most, self.step)

    def _selected(self, done: dict[int, Record], choice: ColumnChoice) -> Selection:
        W = np.array([done[number]["W"] for number in sorted(done)])
        is_tested = np.ones(choice.groups.n_groups, dtype=bool)
        is_tested[choice.keep] = False
        found = KnockoffStatistics(choice.groups.names, W, is_tested, float(self.fdr), self.n_knockoffs)
        order = found.best_first
        if self.n_features_to_select is not None:
            chosen, why = order[: choice.n_select], "as asked for"
        else:
            chosen, why = found.chosen, f"at a false discovery rate of {100 * self.fdr:g} %"
        chosen = np.union1d(chosen, choice.keep).astype(np.intp)
        attributes = {"knockoffs_": found, "q_values_": found.q_values[choice.groups.labels]}
        message = f"{len(chosen):,} of {choice.groups.n_groups:,} features {why}. "
        train = None if len(chosen) else train_constant
        return Selection(chosen, order, learned=attributes, message=message, train=train)


def _tested(
    evaluator: SubsetEvaluator, choice: ColumnChoice, row_groups: Any, rule: DrawRule, task: tuple[int, int]
) -> Record:
    return {"W": draw_statistics(evaluator, choice, row_groups, rule, task)}


def _filled(X: FloatArray, rows: IntArray) -> FloatArray:
    """Rows with the mean of its column in the place of what is missing."""
    is_missing = np.isnan(X)
    if not is_missing.any():
        return X
    n_known = np.maximum(1, (~is_missing[rows]).sum(axis=0))
    means = np.where(is_missing, 0.0, X)[rows].sum(axis=0) / n_known
    return np.where(is_missing, means, X)


def _given_knockoffs(given: Any, n_draws: int, n_knockoffs: int, shape: tuple[int, ...]) -> FloatArray:
    own = np.asarray(given, dtype=np.float64)
    wanted = (n_draws, *shape) if n_knockoffs == 1 else (n_draws, n_knockoffs, *shape)
    own = own[None] if own.ndim == len(wanted) - 1 else own
    if own.shape != wanted or not np.isfinite(own).all():
        raise DataError(
            "The 'knockoffs' of KnockoffSelector must be finite numbers, an array of the shape of X for each "
            f"draw{'' if n_knockoffs == 1 else ' and knockoff'}: {wanted}. Got shape {own.shape}."
        )
    return own.reshape(n_draws, n_knockoffs, *shape)


def _checked_covariance(given: Any, n_columns: int) -> FloatArray:
    covariance = np.asarray(given, dtype=np.float64)
    if covariance.shape != (n_columns, n_columns) or not np.allclose(covariance, covariance.T):
        raise DataError(
            "The 'covariance' of KnockoffSelector must be a symmetric matrix with a row and a column for "
            f"each of the {n_columns} columns. Got shape {covariance.shape}."
        )
    return covariance
