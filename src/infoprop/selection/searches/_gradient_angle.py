"""GradientAngleSelector: one training, then the features along whose axes the decision turns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from infoprop._core._checks import check_choice, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop.credit import average_separation, gradient_angles
from infoprop.selection._base import Selection
from infoprop.selection._columns import ColumnChoice, Ranked
from infoprop.selection._containers import take_rows
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection.running._work import Work

CRITERIA = ("angle", "separation")

# Separations that differ by less than this part of the largest one are ties: they differ by rounding alone.
_TIE = 1e-12


@dataclass(frozen=True)
class Separations:
    """Average separations of the groups, in units of their columns."""

    values: FloatArray

    @property
    def ranking(self) -> IntArray:
        """Numbers of the groups, best first; of equal ones the lower number comes first."""
        unit = _TIE * float(np.abs(self.values).max(initial=0.0))
        order: IntArray = np.argsort(
            -np.round(self.values / unit) if unit > 0.0 else self.values, kind="stable"
        )
        return order


class GradientAngleSelector(ResizableSelector):
    r"""Select the features along whose axes a machine's decision turns, near its margin.

    The classifier is trained once on all features of all rows. At the rows within `epsilon` of its margin the
    angle between the gradient of the decision function and every feature's axis is measured, and the features
    with the smallest mean angle, the largest :math:`\tilde\alpha_j` of
    :func:`infoprop.credit.gradient_angles`, are kept. Then it is trained again on them. Errors are never
    counted, so no rows are held out: two trainings are all it costs.

    Parameters
    ----------
    estimator : classifier, default=None
        Anything that :func:`infoprop.credit.gradient_angles` supports; with criterion "separation", any
        classifier. None means
        linear machines on scaled columns: ``make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))``.
        Columns of sparse rows are divided by their maximum.
    n_features_to_select : int or float, default=None
        How many features to keep, or which fraction of them. With `groups`, how many groups. None means half
        of them.
    criterion : {"angle", "separation"}, default="angle"
        "angle" ranks by gradient angles. "separation" ranks by
        :func:`infoprop.credit.average_separation`, the rival that the paper compares them with.
    epsilon : float, default=0.1
        Half the width of the band around the margin. Only for "angle".
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together: lists of columns, by number or name; a mapping from group name to
        columns; or a label for each column. A group is scored by the angle to the plane of its axes; with
        "separation", by the sum over its columns.
    keep : column or list of columns, default=None
        Columns never dropped, by number or name; each keeps its whole group. They count towards
        `n_features_to_select`.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features_in_,)
        What columns are ranked by when all are there: :math:`\tilde\alpha_j` between 0 and 1, or the average
        separation, in units of the column. Columns of a group have the score of their group.
    angles_ : GradientAngles
        Of the features (groups), machine by machine. Only with criterion "angle".
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, then 2, 3, ... by falling score (of the group).
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
    Both criteria are in units of the columns. Behind the scalers of a pipeline, they are those of the scaled
    columns; without one, columns should be on one scale to begin with.

    References
    ----------
    L. Hermes, J. M. Buhmann, "Feature selection for support vector machines", International Conference on
    Pattern Recognition, 2000.

    Examples
    --------
    >>> from infoprop.datasets import make_graded_noise
    >>> from infoprop.selection import GradientAngleSelector
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = make_graded_noise(random_state=0, return_X_y=True)
    >>> machine = OneVsRestSVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=10.0)
    >>> selector = GradientAngleSelector(machine, n_features_to_select=10).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """

    # The search draws nothing at random, trains one classifier, and holds no rows out.
    random_state: Any = None
    n_jobs: int | None = None

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: Any = None,
        criterion: str = "angle",
        epsilon: float = 0.1,
        groups: Any = None,
        keep: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.epsilon = epsilon
        self.groups = groups
        self.keep = keep
        self.verbose = verbose

    def _may_skip_validation(self) -> bool:
        return True

    def _seed(self) -> int:
        return 0

    def _check_parameters(self, has_given: bool) -> None:
        if has_given:
            raise ParameterError(
                "GradientAngleSelector counts no errors, so it has no use for X_val and y_val. Leave them "
                "out, or add them to the rows to train on."
            )
        super()._check_parameters(has_given)

    def _check_own_parameters(self) -> None:
        owner = type(self).__name__
        check_choice("criterion", self.criterion, CRITERIA, owner)
        check_number("epsilon", self.epsilon, owner, low=0.0)

    def _sizes(self) -> range:
        return self._ranked_sizes()

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        learned = {name: getattr(self, name) for name in ("scores_", "angles_") if hasattr(self, name)}
        return Selection(*self._ranked_at(choice), learned=learned)

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return 1

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        # What an earlier fit with another criterion has left behind would be taken for this one's.
        self.__dict__.pop("angles_", None)
        model = evaluator.fitted()
        work.progress.step()
        X, y, weights = _weighted_rows(evaluator)
        learned: dict[str, Any] = {}
        if self.criterion == "angle":
            ranked: Ranked = gradient_angles(
                model, X, y, epsilon=self.epsilon, groups=choice.groups, sample_weight=weights
            )
            learned["angles_"] = ranked
        else:
            separation = average_separation(X, y, estimator=model, sample_weight=weights)
            ranked = Separations(choice.groups.sums(separation))
        learned["scores_"] = ranked.values[choice.groups.labels]
        return Selection(choice.best(ranked), choice.order(ranked), learned=learned)


def _weighted_rows(evaluator: SubsetEvaluator) -> tuple[Any, LabelArray, FloatArray | None]:
    rows, weights = evaluator.all_rows(), evaluator.training.sample_weight
    X = take_rows(evaluator.training.X, rows)
    return X, evaluator.training.y[rows], None if weights is None else weights[rows]
