"""ControlledSelector: what selectors with error control have in common."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import _num_samples, check_is_fitted

from infoprop._core._checks import check_number
from infoprop._core._deadline import check_time
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.selection._base import Selection
from infoprop.selection._columns import ColumnChoice, choose_columns
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._refit import subset_model
from infoprop.selection._resizing import ResizableSelector
from infoprop.selection._validation import Split, ValidationPlan
from infoprop.selection.control._splines import with_splines
from infoprop.selection.elimination._backward import pieces
from infoprop.selection.elimination._moved import elimination_for
from infoprop.selection.elimination._path import SelectionPath
from infoprop.selection.elimination._schedule import Schedule
from infoprop.selection.elimination._stepwise import MARGIN, StepBatch, StepwiseElimination
from infoprop.selection.running._progress import Progress
from infoprop.svm import OneVsRestSVC

_HALVING_ENDS = 1000


class ControlledSelector(ResizableSelector):
    """A selector that may choose nothing, and ranks all features after one fit.

    If nothing is chosen, the classifier is a :class:`~sklearn.dummy.DummyClassifier` that knows the classes'
    rates, and :meth:`transform` gives no columns.
    """

    q_values_: FloatArray
    fdr: float
    # Names of what is learned besides the choice, and is the same for any size.
    _attributes: tuple[str, ...]

    def support_at(self, n_features: int) -> BoolArray:
        """Mask of the columns of the `n_features` best features (groups), whatever their q-values."""
        check_is_fitted(self)
        choice = choose_columns(self.groups, self.keep, n_features, None, self._input_names())
        return choice.support(self._ranked_at(choice)[0])

    def _sizes(self) -> range:
        return self._ranked_sizes()

    def _selection_at(self, choice: ColumnChoice) -> Selection:
        chosen, order = self._ranked_at(choice)
        return Selection(chosen, order, learned=self._found())

    def _found(self) -> dict[str, Any]:
        """What the fitted selector learned besides the choice."""
        return {name: getattr(self, name) for name in self._attributes}

    def get_metadata_routing(self) -> MetadataRouter:
        """Say who takes which arguments of fit: row groups go to the halves."""
        to_split = MethodMapping().add(caller="fit", callee="split")
        return super().get_metadata_routing().add(splitter=GroupKFold(), method_mapping=to_split)

    def _may_skip_validation(self) -> bool:
        return True

    def _check_own_parameters(self) -> None:
        owner = type(self).__name__
        check_number("fdr", self.fdr, owner, low=0.0, high=1.0, low_open=True, high_open=True)

    def _default(self, is_sparse: bool) -> Any:
        # Machines with a bias do not notice where the columns' zeros are, and sparse rows stay sparse.
        scaler = StandardScaler(with_mean=False)
        machines = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=0.01)
        if get_config()["enable_metadata_routing"]:
            scaler.set_fit_request(sample_weight=True)
            machines.set_fit_request(sample_weight=True)
        return make_pipeline(scaler, machines)

    def _reduced(self, X: Any) -> Any:
        reduced = super()._reduced(X)
        # A polars frame without columns has no rows either.
        return reduced if self.n_features_ else np.empty((_num_samples(X), 0))

    def credit_shares(self, X: Any = None, sample_weight: Any = None) -> FloatArray:
        """Shares of the retrained classifier: (n_classes, n_features); zero for columns not chosen."""
        check_is_fitted(self)
        if not self.n_features_:
            return np.zeros((len(self.classes_), len(self.support_)))
        return super().credit_shares(X, sample_weight)


class HalvingFirst(Schedule):
    """A schedule that drops half of the groups at a time, down to 1,000; of so many the most are luck.

    Examples
    --------
    >>> HalvingFirst(0.2, 1).counts(5000, n_steps=5)
    array([2500, 1250,  250,  200,  160])
    """

    def _wanted(self, n_left: int) -> int:
        return max(super()._wanted(n_left), min(n_left // 2, n_left - _HALVING_ENDS))


class ConstantClassifier(DummyClassifier):
    """Knows the rates of the classes and nothing else; unlike its parent it has outputs, their logarithms."""

    def decision_function(self, X: Any) -> FloatArray:
        """Return the logarithms of the rates for each row; of two classes the difference."""
        rates = np.log(self.class_prior_)
        own = rates[1] - rates[0] if len(rates) == 2 else rates
        return np.broadcast_to(own, (_num_samples(X), *np.shape(own))).copy()


def train_constant(estimator: Any, X: Any, y: Any, **parameters: Any) -> ConstantClassifier:
    """Train what predicts without any column: the rates of the classes.

    Examples
    --------
    >>> train_constant(None, None, np.array(["a", "b", "b"])).predict(np.empty((2, 0)))
    array(['b', 'b'], dtype='<U1')
    """
    weights = next((value for name, value in parameters.items() if name.endswith("sample_weight")), None)
    return ConstantClassifier(strategy="prior").fit(np.empty((len(y), 0)), y, weights)


def eliminated(evaluator: SubsetEvaluator, choice: ColumnChoice, rows: IntArray, step: Any) -> IntArray:
    """Eliminate groups by their share of the margin, on some rows: all groups, the last to fall first.

    More than 1,000 groups are halved first, see :class:`HalvingFirst`.
    """
    evaluator, choice = with_splines(evaluator, choice, rows)
    own, schedule = _alone(evaluator, rows), HalvingFirst(step, choice.fewest)
    elimination = elimination_for(own, choice, schedule, MARGIN)
    steps: list[StepBatch] = []
    for piece in pieces(elimination):
        check_time()
        steps.append(piece)
    return SelectionPath.from_steps(StepBatch.joined(steps), own.pooled, choice.groups).best_first


def survival_scores(
    evaluator: SubsetEvaluator, choice: ColumnChoice, rows: IntArray, step: Any
) -> FloatArray:
    r"""Eliminate as :func:`eliminated` does: how long each group stands, and what it is worth: (n_groups,).

    .. math:: Z_j = n_j \sum_{t=1}^{n_j} P_{tj}

    for a group that stands in :math:`n_j` steps and has the share :math:`P_{tj}` of the margins in step t.
    Strong features differ most in how late they fall, weak ones in their shares.
    """
    evaluator, choice = with_splines(evaluator, choice, rows)
    own, schedule = _alone(evaluator, rows), HalvingFirst(step, choice.fewest)
    elimination = StepwiseElimination(subset_model(own), own, choice, schedule, MARGIN)
    is_standing = np.ones(choice.groups.n_groups, dtype=bool)
    n_stood = np.zeros(choice.groups.n_groups)
    while batch := elimination.advance(1):
        check_time()
        n_stood += is_standing
        is_standing[batch.dropped] = False
    return n_stood * elimination.earned


def _alone(evaluator: SubsetEvaluator, rows: IntArray) -> SubsetEvaluator:
    """Train on `rows` and judge none; a progress bar cannot travel to another process."""
    alone = ValidationPlan((Split(rows, rows[:0]),), shares_from_all=False)
    return replace(evaluator, plan=alone, n_jobs=None, progress=Progress())
