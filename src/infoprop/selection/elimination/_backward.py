"""BackwardEliminationSelector: drop what earns the least, train again, and so on."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from infoprop._core._checks import check_choice, check_number
from infoprop._core._exceptions import ParameterError
from infoprop.credit import FeatureCredits
from infoprop.credit._shares import SHARING
from infoprop.selection._base import Selection
from infoprop.selection._columns import AUTO, ColumnChoice
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection._sharing import COVARIANCE
from infoprop.selection.elimination._moved import elimination_for
from infoprop.selection.elimination._path import SelectionPath
from infoprop.selection.elimination._rules import RULES, best_size
from infoprop.selection.elimination._schedule import Schedule, check_step
from infoprop.selection.elimination._stepwise import CRITERIA, MARGIN, Elimination, StepBatch
from infoprop.selection.running._interruption import level_of_the_caller
from infoprop.selection.running._journal import Journal
from infoprop.selection.running._progress import Progress
from infoprop.selection.running._work import Work

_N_TOLD = 20
"""Steps of a batch that a program that watches is told of, at most."""


class BackwardEliminationSelector(ResizableSelector):
    """Eliminate the features that earn the fewest bits, one after another (MOI-BE).

    The classifier is trained with all features and its output information I(Y;Yf), on rows it has not seen,
    is credited to them: ``Credit(k) = sum_r I_r D_k^r / sum_p D_p^r``. The feature with the least credit is
    dropped, the classifier is trained without it, the others are credited anew, and so on. Then the
    classifier is trained on the chosen features of all rows.

    Parameters
    ----------
    estimator : classifier, default=None
        Anything that :func:`infoprop.credit.credit_features` supports. None means
        linear machines on scaled columns: ``make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))``.
        Columns of sparse rows are divided by their maximum.
    n_features_to_select : int, float or "auto", default=None
        How many features to keep, or which fraction of them. With `groups`, how many groups. None means half
        of them. "auto" eliminates down to one feature and lets `rule` choose among the sizes on the way.
    rule : {"best", "one-se", "tolerance"}, default="best"
        For "auto": the smallest size that delivers the most information; the smallest within one standard
        error of that; or the smallest with at least ``1 - tolerance`` of it.
    tolerance : float, default=0.01
        Part of the best information that may be given up for fewer features, with ``rule="tolerance"``.
    step : int, float or "halving", default=1
        How many features (groups) go at a time: a number; a fraction of those left, at least one; or
        "halving", which drops half of them while there are more than 500 and more than twice the number
        wanted, and then one at a time.
    criterion : {"information", "margin"}, default="information"
        What features are compared by: credits in bits, or plain shares of the margin with equal weight for
        every class, ``mean_r D_k^r / sum_p D_p^r``, which for linear machines is SVM-RFE with \\|w\\|.
    sharing : {"margin", "covariance"}, default="margin"
        How the bits are shared: by the size of weights, as in the paper, or by what a feature adds to the
        outputs for validation rows as far as it goes with the class (see
        :func:`infoprop.credit.credit_shares`). By covariance a group is one contribution, of which its
        columns have equal parts; of features that earn nothing, the one that adds the least goes first.
    validation : float, int, splitter, iterable or "given", default=0.25
        Where the confusion table comes from. A float between 0 and 1 holds that fraction of each class out. A
        whole number of folds, a cross-validation splitter or an iterable of splits trains one classifier per
        fold, and all of them drop the same feature: I_r comes from the table of all their test rows
        together, the shares are averaged over the folds. "given" insists on `X_val` and `y_val` in
        :meth:`fit`, which are used whenever they are passed. None counts nothing and trains on all rows; it
        needs ``criterion="margin"`` and a number of features.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column. A group's credit is the sum over its columns.
    keep : column or list of columns, default=None
        Columns never dropped, by number or name; each keeps its whole group. They count towards
        `n_features_to_select`.
    time_limit : float, default=None
        Seconds after which the search ends with the best subset so far. With a number of features to select
        that it has not reached, there is a warning. A training that has begun is finished; if not even the
        first step is done within five more seconds, fit fails.
    checkpoint : str or path, default=None
        File to which the steps are written. If the process dies, the same call goes on from there and ends
        with the same bits.
    random_state : int, RandomState instance or None, default=None
        Draws the rows held out, and the folds if `validation` is a number.
    n_jobs : int, default=None
        Trainings at a time when there are folds, through joblib. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    path_ : SelectionPath
        What was dropped in every step, its credit, and what the features left deliver.
    credits_ : FeatureCredits
        Bits earned by each column when all are there. Not there with ``validation=None``.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, 2 for the feature (group) dropped last, and so on.
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
    Credits are compared to twelve decimals; of features that earn the same, the one with the higher number
    goes first. Where nothing is delivered, the shares of the margin decide.

    The information on the path guided the search. Of the chosen features it says more than untouched rows
    would; keep some for the final word.

    The fitted selector refers to the rows of :meth:`fit`, so that :meth:`at` can train on them; they are not
    pickled or copied with it. What it gives for a number of features is what a fresh search for that number
    would choose, except that with ``step="halving"`` a search for more than 250 would stop halving sooner.

    References
    ----------
    V. Sindhwani et al., "Feature selection in MLPs and SVMs based on maximum output information", IEEE
    Transactions on Neural Networks 15 (4), 2004, Algorithm 2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import LinearSVC
    >>> from infoprop.selection import BackwardEliminationSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> classifier = make_pipeline(StandardScaler(), LinearSVC(random_state=0))
    >>> selector = BackwardEliminationSelector(classifier, n_features_to_select=4, random_state=0).fit(X, y)
    >>> selector.path_[0].dropped
    ('total_phenols',)
    >>> selector.at(7).transform(X).shape
    (178, 7)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: Any = None,
        rule: str = "best",
        tolerance: float = 0.01,
        step: Any = 1,
        criterion: str = "information",
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
        self.rule = rule
        self.tolerance = tolerance
        self.step = step
        self.criterion = criterion
        self.sharing = sharing
        self.validation = validation
        self.groups = groups
        self.keep = keep
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _sizes(self) -> range:
        most = len(self.path_.names)
        return range(most - len(self.path_.order), most + 1)

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        assert choice.n_select is not None
        return _selection(self.path_, choice.n_select, getattr(self, "credits_", None))

    def _may_be_auto(self) -> bool:
        return True

    def _may_skip_validation(self) -> bool:
        return self.criterion == MARGIN and self.n_features_to_select != AUTO

    def _check_parameters(self, has_given: bool) -> None:
        if self.validation is None and not has_given and not self._may_skip_validation():
            raise ParameterError(
                f"{type(self).__name__}(validation=None) counts no rows, so it can compare margins only, and "
                "not choose a size: give it criterion='margin' and a number of features. Got "
                f"criterion={self.criterion!r} and n_features_to_select={self.n_features_to_select!r}."
            )
        super()._check_parameters(has_given)

    def _check_own_parameters(self) -> None:
        owner = type(self).__name__
        check_choice("rule", self.rule, RULES, owner)
        check_number("tolerance", self.tolerance, owner, low=0.0, high=1.0)
        check_step(self.step, owner)
        check_choice("criterion", self.criterion, CRITERIA, owner)
        check_choice("sharing", self.sharing, SHARING, owner)
        if self.sharing == COVARIANCE and self.criterion == MARGIN:
            raise ParameterError(
                f"{owner}(criterion='margin') compares shares of the margin, so 'sharing' must be 'margin'. "
                "Got 'covariance': leave the criterion at 'information'."
            )

    def _schedule(self, choice: ColumnChoice) -> Schedule:
        target = choice.fewest if choice.n_select is None else choice.n_select
        return Schedule.from_step(self.step, choice.groups.n_groups, target)

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return self._schedule(choice).n_steps(choice.groups.n_groups)

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        elimination = elimination_for(evaluator, choice, self._schedule(choice), self.criterion, self.sharing)
        steps: list[StepBatch] = []
        n_standing = choice.groups.n_groups
        with work.until_stopped(lambda: bool(steps)):
            for part in _walk(elimination, work):
                work.begin_step()
                steps.append(part)
                n_standing = _tell(work.progress, part, n_standing, evaluator)
                work.progress.advance(len(part))
                work.end_step(
                    lambda: self._learned(
                        self._selected(steps, evaluator, choice, elimination), evaluator, choice
                    )
                )
        selection = self._selected(steps, evaluator, choice, elimination)
        if work.is_out_of_time and len(selection.chosen) > (choice.n_select or len(selection.chosen)):
            warnings.warn(
                f"{type(self).__name__} reached its time_limit of {self.time_limit:g} seconds with "
                f"{len(selection.chosen)} features; n_features_to_select={choice.n_select} were asked for.",
                stacklevel=level_of_the_caller(),
            )
        return selection

    def _selected(
        self,
        steps: list[StepBatch],
        evaluator: SubsetEvaluator,
        choice: ColumnChoice,
        elimination: Elimination,
    ) -> Selection:
        path = SelectionPath.from_steps(StepBatch.joined(steps), evaluator.pooled, choice.groups)
        size = int(path.n_features[-1])
        if choice.n_select is None:
            size = best_size(path, self.rule, self.tolerance)
        selection = _selection(path, size, _first_credits(steps[0], evaluator))
        return replace(selection, train=elimination.trainer(choice.groups.members(selection.chosen)))


def _selection(path: SelectionPath, size: int, credits: FeatureCredits | None) -> Selection:
    message = ""
    if credits is not None:
        counted = np.flatnonzero(path.n_features == size)
        kept = f", {path[int(counted[0])].information:.4f} with those kept" if len(counted) else ""
        message = f"{credits.information:.4f} bits delivered with all features{kept}. "
    return Selection(path.chosen_at(size), path.best_first, credits, {"path_": path}, message)


def _tell(progress: Progress, part: StepBatch, n_standing: int, evaluator: SubsetEvaluator) -> int:
    """Tell a program that watches what some of these steps deliver; return how many features are left."""
    if progress.is_told and part.counts.any():
        for step in np.unique(np.linspace(0, len(part) - 1, _N_TOLD).astype(int)).tolist():
            flow = evaluator.pooled.flow(part.counts[step])
            size = n_standing - int(part.starts[step] - part.starts[0])
            progress.reached(size, float(flow.accuracy), float(flow.information))
    return n_standing - int(part.starts[-1] - part.starts[0])


def _walk(elimination: Elimination, work: Work) -> Iterator[StepBatch]:
    """Yield the steps in the journal, then new ones, several at a time; one by one if somebody watches."""
    for piece in pieces(elimination, work.journal):
        if work.is_watched:
            yield from piece.one_by_one()
        else:
            yield piece


def pieces(elimination: Elimination, journal: Journal | None = None) -> Iterator[StepBatch]:
    """Yield the steps in the journal, if there is one, then new ones.

    Whatever the pieces, snapshots are taken and steps written after the same numbers of steps. A search that
    is stopped between two snapshots ends with all pieces it has seen, and goes on from the first snapshot.
    """
    records = [] if journal is None else journal.records()
    if records and journal is not None:
        done = StepBatch.joined([StepBatch.from_record(record) for record in records])
        elimination.restore(done, journal.state() or {})
        yield done
    found: list[StepBatch] = []
    n_left = elimination.steps_between_snapshots
    while piece := elimination.advance(min(n_left, elimination.steps_at_a_time)):
        found.append(piece)
        n_left -= len(piece)
        if n_left == 0 or piece.is_last:
            state = elimination.snapshot()
            if journal is not None:
                journal.append([StepBatch.joined(found).to_record()], state)
            found, n_left = [], elimination.steps_between_snapshots
        yield piece


def _first_credits(steps: StepBatch, evaluator: SubsetEvaluator) -> FeatureCredits | None:
    table = evaluator.pooled
    if table.is_empty:
        return None
    assert steps.shares is not None
    shares = steps.shares * table.share_scale[:, None]
    return FeatureCredits.from_shares(table.flow(steps.counts[0]), shares, evaluator.feature_names)
