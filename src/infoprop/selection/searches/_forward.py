"""ForwardBeamSelector: add what makes the classifier right more often, from several subsets at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._deadline import in_parts
from infoprop._core._subset import SubsetJudge
from infoprop._core._typing import FloatArray, IntArray
from infoprop.selection._base import Selection
from infoprop.selection._columns import AUTO, ColumnChoice
from infoprop.selection._defaults import scaled_neighbors
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection._validation import LEAVE_ONE_OUT
from infoprop.selection.running._work import Work
from infoprop.selection.searches._beam import Grow, beam_levels, most_growths
from infoprop.selection.searches._beam_trace import BeamLevel, BeamTrace
from infoprop.selection.searches._judging import subset_judge
from infoprop.selection.searches._neighbors import has_fast_neighbors
from infoprop.selection.searches._scores import AREA, SCORINGS, score_words
from infoprop.selection.searches._trace import TIE_DECIMALS

FOLDS = 5


class ForwardBeamSelector(ResizableSelector):
    """Add features one by one to the subsets on which the classifier does best (FBFS).

    Every feature is tried alone; the `beam_width` best are each tried with every other feature; the
    `beam_width` best of these pairs are grown in the same way, and so on, until no larger subset has a
    strictly higher validated accuracy. The best subset is kept, and the classifier trained on it with all
    rows. No subset is tried twice.

    Parameters
    ----------
    estimator : classifier, default=None
        Any classifier. None means the nearest neighbour, on columns scaled to [0, 1]:
        ``make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))``. Columns of sparse rows are divided by
        their maximum.
    beam_width : int, default=5
        How many subsets of a size are grown further. 1 is the usual forward selection.
    scoring : {"accuracy", "balanced_accuracy", "information", "roc_auc"}, default="accuracy"
        What subsets are judged by: the part of the rows named right, its mean over the classes, the part of
        the class entropy that the predictions resolve, I(Y;Yf) / H(Y), or the area under the ROC curve. What
        is called accuracy in the results is this score. The area is that of `decision_function`, else of
        `predict_proba`, in each split, averaged over the splits; of more than two classes it is the mean of
        one against all others. For it any classifier is trained on each subset, and the validation rows of
        every split need two classes.
    n_features_to_select : "auto", int, float or None, default="auto"
        Largest number of features; with `groups`, of groups: a number, a fraction of all, or None for half.
        "auto" sets no bound. The search ends earlier where no larger subset does better.
    validation : {"auto", "loo", "given"}, float, int, splitter or iterable, default="auto"
        Rows that subsets are judged on. "loo" leaves out one row at a time, with its copies. A whole number
        of folds, a fraction of each class to hold out, a cross-validation splitter or an iterable of splits;
        "given" insists on `X_val` and `y_val` in :meth:`fit`, which are used whenever they are passed. "auto"
        means "loo" for nearest neighbours, to whom it costs no more than folds, and 5 folds for others and
        for the area under the ROC curve.
        Training rows are never counted.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come together: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column.
    keep : column or list of columns, default=None
        Columns in every subset, by number or name; each keeps its whole group. The search starts from them.
    time_limit : float, default=None
        Seconds after which the search ends with the best subset so far. A training that has begun is
        finished; if no subset is judged within five more seconds, fit fails.
    checkpoint : str or path, default=None
        File that the accuracies are written to. The same call goes on from it, after whatever ended the
        first, and ends with the same result.
    random_state : int, RandomState instance or None, default=None
        Draws the rows held out, and the folds if `validation` is a number.
    n_jobs : int, default=None
        Trainings at a time when there are folds, through joblib. The result is the same for any number.
        Nearest neighbours need no training and ignore it.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    trace_ : BeamTrace
        All subsets tried, with their accuracies, and why the search ended.
    validated_accuracy_ : float
        Accuracy on the chosen subset in validation.
    n_trainings_ : int
        Number of different subsets that were tried.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, then 2, 3, ... by the falling accuracy of the best subset tried with the feature
        (group).
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
    A :class:`~sklearn.neighbors.KNeighborsClassifier` with Euclidean distances, alone or behind scalers in a
    pipeline, is not trained during the search: squared distances are sums over columns, so that a subset
    grows by one sum, and leaving a row out means not to look at it. Neighbours are ordered by distance, then
    by row number, where scikit-learn leaves the order of equally distant rows open. Weights of the rows count
    in the accuracy; nearest neighbours know no others. Machines and networks of this library are moved from
    subset to subset, any other classifier is trained on each.

    The accuracy of the subset found is the highest of many on the same rows, and so flatters it: measure the
    selector on rows that `fit` has not seen.

    Ctrl-C ends the search with the best subset so far and a :class:`SearchInterruptedWarning`.

    References
    ----------
    J. Jelonek and J. Stefanowski, "Feature selection in the n²-classifier applied for multiclass problems",
    2002, section 2.2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from infoprop.selection import ForwardBeamSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ForwardBeamSelector(beam_width=1).fit(X, y)
    >>> selector.get_feature_names_out()
    array(['flavanoids', 'color_intensity', 'hue', 'proline'], dtype=object)
    >>> selector.trace_
    BeamTrace(n_levels=5, n_trainings=55, end='converged', accuracy=0.9719)
    """

    trace_: BeamTrace
    validated_accuracy_: float
    n_trainings_: int

    def __init__(
        self,
        estimator: Any = None,
        *,
        beam_width: int = 5,
        scoring: str = "accuracy",
        n_features_to_select: Any = AUTO,
        validation: Any = "auto",
        groups: Any = None,
        keep: Any = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.beam_width = beam_width
        self.scoring = scoring
        self.n_features_to_select = n_features_to_select
        self.validation = validation
        self.groups = groups
        self.keep = keep
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _may_be_auto(self) -> bool:
        return True

    def _validation_words(self) -> tuple[str, ...]:
        return AUTO, LEAVE_ONE_OUT

    def _default(self, is_sparse: bool) -> Any:
        return scaled_neighbors(is_sparse)

    def _check_own_parameters(self) -> None:
        check_choice("scoring", self.scoring, SCORINGS, type(self).__name__)
        check_integer("beam_width", self.beam_width, type(self).__name__, low=1)

    def _validation_for(self, X: Any, n_rows: int) -> Any:
        if not isinstance(self.validation, str) or self.validation != AUTO:
            return self.validation
        is_fast = has_fast_neighbors(self._prototype()) and not sparse.issparse(X) and self.scoring != AREA
        return LEAVE_ONE_OUT if is_fast else FOLDS

    def _sizes(self) -> range:
        return range(self.trace_[0].size, self.trace_[-1].size + 1)

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        level = next(level for level in self.trace_ if level.size == choice.n_select)
        return _selection_of(self.trace_, level)

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        n_groups = choice.groups.n_groups
        largest = n_groups if choice.n_select is None else choice.n_select
        return most_growths(
            n_groups, beam_width=self.beam_width, n_features_to_select=largest, n_kept=len(choice.keep)
        )

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        levels: list[BeamLevel] = []
        grow = remembered_growth(subset_judge(evaluator, self.scoring), choice, work, levels)
        end = ""

        def learned() -> dict[str, Any]:
            return self._learned(
                _selection(levels, end or work.early_end, choice, self.scoring), evaluator, choice
            )

        search: Iterator[tuple[BeamLevel, str]] = beam_levels(
            grow,
            choice.groups.n_groups,
            beam_width=self.beam_width,
            n_features_to_select=choice.n_select,
            keep=choice.keep,
        )
        with work.until_stopped(lambda: bool(levels)):
            while not end:
                work.begin_step()
                level, end = next(search)
                levels.append(level)
                work.progress.reached(level.size, float(level.accuracy.max()))
                work.end_step(learned)
        return _selection(levels, end or work.early_end, choice, self.scoring)


def group_growth(judge: SubsetJudge, choice: ColumnChoice) -> Grow:
    """Return a function that grows subsets of groups and asks the judge about their columns."""
    # Groups are numbered by their first columns: single columns are their own groups.
    is_single = len(choice.groups.columns) == choice.groups.n_groups

    def grow(groups: IntArray, candidates: IntArray) -> FloatArray:
        if is_single:
            return in_parts(len(candidates), lambda part: judge.judge_grown(groups, candidates[part]))
        masks = np.array([choice.support(np.append(groups, candidate)) for candidate in candidates])
        return in_parts(len(masks), lambda part: judge.judge(masks[part]))

    return grow


def remembered_growth(
    judge: SubsetJudge, choice: ColumnChoice, work: Work, levels: Sequence[BeamLevel]
) -> Grow:
    """Return a function that grows subsets as the journal says, and asks the judge where that ends.

    When time is up it judges no more, if there is a level in `levels`. A growth judged in part is not
    journaled.
    """
    grow = group_growth(judge, choice)
    known = iter(work.journal.records())
    state = work.journal.state()
    if state is not None:
        judge.restore(state)

    def remembered(groups: IntArray, candidates: IntArray) -> FloatArray:
        record = next(known, None)
        if record is None and levels and work.is_out_of_time:
            return np.full(len(candidates), np.nan)
        if record is None:
            accuracy = grow(groups, candidates)
            if not np.isnan(accuracy).any():
                work.journal.append([{"accuracy": accuracy}], judge.snapshot())
        else:
            accuracy = record["accuracy"]
        work.progress.step()
        return accuracy

    return remembered


def _selection(levels: list[BeamLevel], end: str, choice: ColumnChoice, scoring: str) -> Selection:
    """Choose the best subset tried."""
    trace = BeamTrace(tuple(levels), choice.groups.names, end, scoring)
    return _selection_of(trace, trace.best)


def _selection_of(trace: BeamTrace, level: BeamLevel) -> Selection:
    """Choose the best subset of one size."""
    best = np.nan_to_num(trace.best_with, nan=-1.0).round(TIE_DECIMALS)
    return Selection(
        level.beam[0],
        np.argsort(-best, kind="stable"),
        learned={
            "trace_": trace,
            "validated_accuracy_": level.best_accuracy,
            "n_trainings_": trace.n_trainings,
        },
        message=(
            f"{score_words(trace.scoring, level.best_accuracy)} with the best of {trace.n_trainings} subsets "
            f"({trace.end}). "
        ),
    )
