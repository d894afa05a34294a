"""CreditSelector: one training, then the features that earn the most."""

from typing import Any

import numpy as np

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._typing import IntArray
from infoprop.credit import FeatureCredits
from infoprop.credit._shares import SHARING
from infoprop.selection._base import Selection
from infoprop.selection._columns import AUTO, ColumnChoice
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection.running._work import Work

MOST_ROWS_IN_FOLDS = 1000
"""Up to so many rows "auto" means folds; of more, one part held out tells enough, in one training."""

FOLDS = 10
HELD_OUT = 0.25


class CreditSelector(ResizableSelector):
    """Select the features that earn the most bits (SVM-Infoprop; the pseudo-wrapper of MOI).

    The classifier is trained with all features and asked about rows it has not seen. Its output information
    I(Y;Yf) is credited to the features, ``Credit(k) = sum_r I_r P[r, k]`` with their shares P in every class
    indicator, and those with the highest credit are kept. Then it is trained again on the chosen features of
    all rows. ``sharing="margin", validation=0.25`` is the selector of the paper, with one training.

    Parameters
    ----------
    estimator : classifier, default=None
        Anything that :func:`infoprop.credit.credit_features` supports. None means
        linear machines on scaled columns: ``make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))``.
        Columns of sparse rows are divided by their maximum.
    n_features_to_select : int or float, default=None
        How many features to keep, or which fraction of them. With `groups`, how many groups. None means half
        of them, if there is no `threshold` either.
    threshold : float, default=None
        Keep features (groups) with at least this credit, in bits, and at least one.
    per_class : int, default=None
        Also keep, for every class, so many of the features (groups) that are worth the most bits about it,
        see :meth:`~infoprop.credit.FeatureCredits.markers`. Without `n_features_to_select` and `threshold`,
        these are all that is kept.
    sharing : {"margin", "covariance"}, default="covariance"
        How the bits are shared: by the size of weights, as in the paper, or by what a feature adds to the
        outputs for validation rows as far as it goes with the class, by which noise earns next to nothing. By
        covariance a group is one contribution, and folds are credited by classifiers that have not seen them.
    validation : {"auto", "given"}, float, int, splitter or iterable, default="auto"
        Where the confusion table comes from. A float between 0 and 1 holds that fraction of each class out;
        the shares are those of the classifier trained on the others. A whole number of folds, a
        cross-validation splitter or an iterable of splits pools out-of-fold predictions; the shares are by
        covariance those of the folds' classifiers, by margin those of the classifier trained on all rows.
        "auto" means 10 folds for up to 1000 rows that have a weight, and 0.25 for more. "given" insists on
        `X_val` and `y_val` in :meth:`fit`, which are used whenever they are passed. Training rows are never
        counted.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column. A group's credit is the sum over its columns.
    keep : column or list of columns, default=None
        Columns never dropped, by number or name; each keeps its whole group. They count towards
        `n_features_to_select`.
    random_state : int, RandomState instance or None, default=None
        Draws the rows held out, and the folds if `validation` is a number.
    n_jobs : int, default=None
        Trainings at a time when there are folds, through joblib. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    credits_ : FeatureCredits
        Bits earned by each column when all are there.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, then 2, 3, ... by falling credit (of the group).
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
    Rows held out (or dealt to a number of folds) are drawn by what they hold, not by where they stand: the
    split does not depend on the order of the rows, a row of weight k is treated as k equal rows, and equal
    rows are on one side. Only where rows repeat more than ten times on average, as in a table of counts, are
    copies split up; a class with a single row is always trained on.

    With ``sharing="margin"`` a row of weight k counts as k rows ("auto" counts rows, whatever they weigh). By
    covariance it does so in training and in the table, but is less evidence than k rows: a contribution is
    shrunk by how unsure it is, which follows from Kish's effective number of rows,
    ``(sum w)^2 / sum w^2``. Weights of validation rows times a constant change nothing, and equal ones credit
    as none do.

    References
    ----------
    V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass support
    vector machines", SIAM International Conference on Data Mining, 2001, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import LinearSVC
    >>> from infoprop.selection import CreditSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> classifier = make_pipeline(StandardScaler(), LinearSVC(random_state=0))
    >>> selector = CreditSelector(classifier, n_features_to_select=4, random_state=0).fit(X, y)
    >>> selector.transform(X).shape
    (178, 4)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: Any = None,
        threshold: float | None = None,
        per_class: int | None = None,
        sharing: str = "covariance",
        validation: Any = AUTO,
        groups: Any = None,
        keep: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.per_class = per_class
        self.sharing = sharing
        self.validation = validation
        self.groups = groups
        self.keep = keep
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _threshold(self) -> Any:
        return self.threshold

    def _validation_words(self) -> tuple[str, ...]:
        return (AUTO,)

    def _validation_for(self, X: Any, n_rows: int) -> Any:
        if not isinstance(self.validation, str) or self.validation != AUTO:
            return self.validation
        return FOLDS if n_rows <= MOST_ROWS_IN_FOLDS else HELD_OUT

    def _sizes(self) -> range:
        return self._ranked_sizes()

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        return Selection(*self._ranked_at(choice), self.credits_)

    def _resized(self, size: int) -> dict[str, Any]:
        return {"n_features_to_select": size, "threshold": None, "per_class": None}

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return evaluator.n_trainings if self.sharing == "margin" else len(evaluator.plan.splits)

    def _check_own_parameters(self) -> None:
        check_choice("sharing", self.sharing, SHARING, type(self).__name__)
        if self.per_class is not None:
            check_integer("per_class", self.per_class, type(self).__name__, low=1)

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        if self.sharing == "margin":
            credits = evaluator.credits()
            group_credits = credits.grouped(choice.groups)
        else:
            group_credits = evaluator.out_of_fold_credits(choice.groups)
            is_plain = choice.groups.n_groups == len(evaluator.feature_names)
            credits = group_credits if is_plain else evaluator.out_of_fold_credits()
        message = f"{credits.information:.4f} bits delivered with all features. "
        chosen = choice.best(group_credits)
        if self.per_class is not None:
            chosen = self._with_markers(chosen, choice, group_credits, self.per_class)
        return Selection(chosen, choice.order(group_credits), credits, message=message)

    def _with_markers(
        self, chosen: IntArray, choice: ColumnChoice, credits: FeatureCredits, per_class: int
    ) -> IntArray:
        """Groups `chosen`, or those always kept if no number was asked for, with the best of every class."""
        found = {name for markers in credits.markers(per_class).values() for name, _ in markers}
        numbers = [number for number, name in enumerate(credits.feature_names) if name in found]
        is_sized = self.n_features_to_select is not None or self.threshold is not None
        others = chosen if is_sized or not numbers else choice.keep
        return np.union1d(others, np.array(numbers, dtype=np.intp))
