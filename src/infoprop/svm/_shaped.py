"""ShapedLinearClassifier: one linear machine per class, each on features shaped for that class."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from infoprop._core._blas import one_blas_thread
from infoprop._core._checks import check_choice, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._matrices import canonical, check_magnitude
from infoprop._core._row_folds import inner_folds, row_splits
from infoprop._core._threads import native_threads
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import FloatArray, IntArray, LabelArray, Matrix
from infoprop._core._weights import check_two_classes, check_weights
from infoprop.shaping import FeatureShaper
from infoprop.svm._calibration import Sigmoid
from infoprop.svm._cost_path import LinearMachine, machines_along
from infoprop.svm._probabilities import CALIBRATIONS, class_probabilities, log_odds
from infoprop.svm._sensitivity import sensitivity_shares
from infoprop.svm._workers import Workers

_OWNER = "ShapedLinearClassifier"


def _is_calibrated(classifier: Any) -> bool:
    return classifier.calibration is not None


class ShapedLinearClassifier(ClassifierMixin, BaseEstimator):
    r"""Linear machines on shaped features, C chosen by folds, outputs calibrated.

    For each class against the rest (one machine for two classes), the features are shaped for that class
    (:class:`~infoprop.shaping.FeatureShaper`), a linear support vector machine is trained for every C in
    `Cs`, each from the one before, and the C with the highest accuracy in the inner folds is kept. The
    features are shaped anew in every fold, from the rows that train there. Values are counted once for all
    classes. Platt's sigmoid turns outputs into probabilities.

    Parameters
    ----------
    shaper : FeatureShaper or None, default=None
        How features are shaped; None takes ``FeatureShaper()``, the paper's way.
    Cs : sequence of float, default=(0.01, 0.1, 1.0, 10.0, 100.0)
        Costs to choose from; a single one is taken as it is.
    validation : int, splitter or iterable, default=5
        Inner folds: a number of them, dealt as by :class:`~infoprop.selection.RowFolds`, a splitter, or an
        iterable of splits.
    calibration : {"validation", "train"} or None, default="validation"
        Fit the sigmoids to outputs for rows that the machine has not seen, which the folds give, or to its
        outputs for the rows it was trained on; None: no probabilities.
    tol : float, default=1e-2
        Largest violation of the optimality conditions in sparse or wide problems; others are solved exactly.
    random_state : int, RandomState or None, default=None
        Deals the rows out to the folds.
    n_jobs : int or None, default=None
        Folds worked on at once, in threads. Results do not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    C_ : array of shape (n_machines,)
        Cost chosen for each machine; two classes have one.
    validated_accuracy_ : array of shape (n_machines, n_costs)
        Accuracy of each machine, class against the rest, in the inner folds; NaN if there were none.
    coef_ : array of shape (n_machines, n_shaped)
        Weights of the shaped columns.
    intercept_ : array of shape (n_machines,)
    shaper_ : FeatureShaper
        Fitted on all rows, with one shape per class.
    sigmoids_ : tuple of Sigmoid or None
        Slope and offset of each machine's log odds.
    n_iter_ : array of shape (n_machines,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)

    See Also
    --------
    infoprop.shaping.FeatureShaper : the shaping alone, for classifiers of your own.

    References
    ----------
    G. Forman, M. Scholz, S. Rajaram, "Feature Shaping for Linear SVM Classifiers", KDD 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.svm import ShapedLinearClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ShapedLinearClassifier().fit(X, y)
    >>> model.score(X, y) > 0.95, int(model.predict_proba(X[:1]).argmax())
    (True, 0)
    """

    def __init__(
        self,
        shaper: FeatureShaper | None = None,
        *,
        Cs: Sequence[float] = (0.01, 0.1, 1.0, 10.0, 100.0),
        validation: Any = 5,
        calibration: str | None = "validation",
        tol: float = 1e-2,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.shaper = shaper
        self.Cs = Cs
        self.validation = validation
        self.calibration = calibration
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = get_tags(self._shaper()).input_tags.allow_nan
        return tags

    def _shaper(self) -> FeatureShaper:
        return FeatureShaper() if self.shaper is None else self.shaper

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "ShapedLinearClassifier":
        """Shape the features and train the machines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Counts in the shapes, multiplies C row by row, and weighs accuracies and sigmoids.
        groups : array-like of shape (n_samples,), default=None
            Row groups, such as subjects: rows with the same label are in the same inner fold.

        Returns
        -------
        ShapedLinearClassifier
        """
        X, y, weights, used = self._checked(X, y, sample_weight)
        costs = self._checked_costs()
        self.classes_ = np.unique(y[used])
        folds = self._folds(X, y, used, groups) if costs.size > 1 or self.calibration == "validation" else []
        if used.size < X.shape[0]:
            X, y, weights = X[used], y[used], weights[used]
        with one_blas_thread():
            self._train(X, y, weights, costs, folds)
        return self

    def _deals_rows(self) -> bool:
        """Whether row groups matter to fit."""
        return True

    def _check_trainable(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Raise what fit would raise before any work; sets nothing but what scikit-learn notes of X."""
        self._checked(X, y, sample_weight)

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> tuple[Matrix, LabelArray, FloatArray, IntArray]:
        """Rows, labels, weights, and which rows have one; refuses what can not be trained."""
        self._checked_costs()
        X, y = checked_training_rows(self, X, y, **self._options(), accept_sparse="csr")
        check_magnitude(X, _OWNER)
        X = canonical(X)
        check_classification_targets(y)
        weights = np.ones(X.shape[0]) if sample_weight is None else check_weights(sample_weight, X.shape[0])
        used = np.flatnonzero(weights)
        check_two_classes(np.unique(y[used]), _OWNER)
        return X, y, weights, used

    def _folds(
        self, X: Matrix, y: LabelArray, used: IntArray, groups: Any
    ) -> list[tuple[IntArray, IntArray]]:
        """Inner folds, as positions in `used`; none if a class could not both train and be asked."""
        if isinstance(self.validation, Integral):
            _, codes = np.unique(y[used], return_inverse=True)
            seed = int(check_random_state(self.random_state).randint(2**31))
            own = None if groups is None else np.asarray(groups)[used]
            return inner_folds(X[used], codes, int(self.validation), seed, own)
        splits = row_splits(self.validation, X, y, row_groups=groups)
        return [
            (np.flatnonzero(np.isin(used, train)), np.flatnonzero(np.isin(used, test)))
            for train, test in splits
        ]

    def _options(self) -> dict[str, Any]:
        allows_missing = get_tags(self).input_tags.allow_nan
        return {
            "dtype": np.float64,
            "order": "C",
            "ensure_all_finite": "allow-nan" if allows_missing else True,
        }

    def _checked_costs(self) -> FloatArray:
        if not isinstance(self._shaper(), FeatureShaper):
            raise ParameterError(
                f"The 'shaper' parameter of {_OWNER} must be a FeatureShaper. Got {self.shaper!r}."
            )
        for cost in np.ravel(self.Cs):
            check_number("Cs", cost, _OWNER, low=0, low_open=True)
        if isinstance(self.validation, Integral):
            check_integer("validation", self.validation, _OWNER, low=2)
        check_choice("calibration", self.calibration, CALIBRATIONS, _OWNER)
        check_number("tol", self.tol, _OWNER, low=0, low_open=True)
        costs = np.unique(np.ravel(self.Cs).astype(np.float64))
        if costs.size == 0:
            raise ParameterError(f"The 'Cs' parameter of {_OWNER} must name at least one cost.")
        return costs

    def _train(
        self,
        X: Matrix,
        y: LabelArray,
        weights: FloatArray,
        costs: FloatArray,
        folds: list[tuple[IntArray, IntArray]],
    ) -> None:
        positives = self.classes_ if self.classes_.size > 2 else self.classes_[1:]
        signs = np.where(y == positives[:, None], 1.0, -1.0)
        outputs = self._fold_outputs(X, y, weights, costs, folds)
        if not folds:
            self.validated_accuracy_ = np.full((len(positives), costs.size), np.nan)
            # Without folds nothing speaks for one of them: the middle one.
            chosen = np.full(len(positives), (costs.size - 1) // 2)
        else:
            asked = np.concatenate([test for _, test in folds])
            is_right = np.where(outputs > 0.0, 1.0, -1.0) == signs[:, None, :]
            self.validated_accuracy_ = is_right[:, :, asked] @ (weights[asked] / weights[asked].sum())
            # Of equals the lowest C; sums that differ by rounding are equal.
            chosen = np.argmax(self.validated_accuracy_.round(12), axis=1)
        self.C_ = costs[chosen]
        self.shaper_ = self._fitted_shaper(X, y, weights)
        machines, seen = [], []
        for r, label in enumerate(positives):
            shaped = self.shaper_.transform_for(X, label)
            *_, machine = machines_along(shaped, signs[r], weights, costs[: chosen[r] + 1], self.tol)
            machines.append(machine)
            seen.append(machine.outputs(shaped))
        self._keep(machines)
        rows = np.arange(len(y))
        if folds and self.calibration == "validation":
            rows = asked
            seen = [outputs[r, chosen[r]] for r in range(len(positives))]
        self.sigmoids_ = None
        if self.calibration is not None:
            self.sigmoids_ = tuple(
                Sigmoid.fit(own[rows], signs[r, rows] > 0.0, weights[rows]) for r, own in enumerate(seen)
            )

    def _fitted_shaper(self, X: Matrix, y: LabelArray, weights: FloatArray) -> FeatureShaper:
        shaper: FeatureShaper = clone(self._shaper()).set_params(multiclass="ovr", positive_label=None)
        return shaper.fit(X, y, sample_weight=weights)

    def _fold_outputs(
        self,
        X: Matrix,
        y: LabelArray,
        weights: FloatArray,
        costs: FloatArray,
        folds: list[tuple[IntArray, IntArray]],
    ) -> FloatArray:
        """Outputs of rows by machines that have not seen them: (n_machines, n_costs, n_samples)."""
        positives = self.classes_ if self.classes_.size > 2 else self.classes_[1:]
        outputs = np.zeros((len(positives), costs.size, X.shape[0]))

        def work(fold: tuple[IntArray, IntArray]) -> None:
            train, test = fold
            shaper = self._fitted_shaper(X[train], y[train], weights[train])
            for r, label in enumerate(positives):
                signs = np.where(y[train] == label, 1.0, -1.0)
                rows = shaper.transform_for(X[train], label)
                asked = shaper.transform_for(X[test], label)
                path = machines_along(rows, signs, weights[train], costs, self.tol)
                for c, machine in enumerate(path):
                    outputs[r, c, test] = machine.outputs(asked)

        with Workers(min(native_threads(self.n_jobs), max(1, len(folds)))) as workers:
            workers.map(work, folds)
        return outputs

    def _keep(self, machines: Sequence[LinearMachine]) -> None:
        self.coef_ = np.stack([machine.w for machine in machines])
        self.intercept_ = np.array([machine.b for machine in machines])
        self.n_iter_ = np.array([max(1, machine.n_iter) for machine in machines])

    def decision_function(self, X: Any) -> FloatArray:
        r"""Log odds of the classes, :math:`a_r g_r(x) + b_r`; without calibration the outputs :math:`g_r(x)`.

        Outputs of machines on differently shaped features have different scales; log odds can be compared.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        check_is_fitted(self)
        X = canonical(validate_data(self, X, **self._options(), accept_sparse="csr", reset=False))
        positives = self.classes_ if self.classes_.size > 2 else self.classes_[1:]
        values = np.column_stack(
            [
                np.asarray(self.shaper_.transform_for(X, label) @ w).ravel() + b
                for label, w, b in zip(positives, self.coef_, self.intercept_, strict=True)
            ]
        )
        if self.sigmoids_ is not None:
            values = log_odds(values, self.sigmoids_)
        return values[:, 0] if values.shape[1] == 1 else values

    @available_if(_is_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes, by the sigmoids; of more than two classes divided by their sum.

        Not there without calibration.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return class_probabilities(self.decision_function(X))

    def predict(self, X: Any) -> LabelArray:
        """Class of each row: that of the largest log odds; of two classes the second if they are positive.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        values = self.decision_function(X)
        winners = (values > 0.0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.classes_[winners])

    def credit_shares(self, X: Any = None) -> FloatArray:
        r"""Shares of the features in each class indicator, :math:`|w_k| / \sum_p |w_p|`.

        The weights are those of the shaped columns. A raw column kept beside its shaped one counts for the
        same feature. A machine without weights shares evenly.

        Parameters
        ----------
        X : ignored

        Returns
        -------
        array of shape (n_classes, n_features)
        """
        check_is_fitted(self)
        sizes = np.abs(self.coef_).reshape(len(self.coef_), -1, self.n_features_in_).sum(axis=1)
        shares = sensitivity_shares(sizes)
        return np.repeat(shares, 2, axis=0) if len(shares) == 1 else shares
