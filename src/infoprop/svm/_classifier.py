"""OneVsRestSVC: the machines as a scikit-learn classifier."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import DataError, Parameter
from infoprop._core._matrices import canonical, check_magnitude
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import FloatArray, LabelArray, Matrix
from infoprop._core._weights import check_two_classes, check_weights
from infoprop.kernels._spec import Moments
from infoprop.svm._columns import extreme_columns
from infoprop.svm._decision import decision_values, pooled_support, with_exact_ties
from infoprop.svm._machine import BinaryMachine, DualSolution
from infoprop.svm._probabilities import CALIBRATIONS, class_probabilities, fitted_sigmoids, log_odds
from infoprop.svm._sensitivity import machine_sensitivity, sensitivity_shares
from infoprop.svm._trainer import NO_START, Start, Trainer, TrainingRows


def _is_calibrated(machines: Any) -> bool:
    return machines.calibration is not None


class OneVsRestSVC(ClassifierMixin, BaseEstimator):
    r"""C-support vector machines, one class against the rest, trained together.

    Machine r separates class r (+1) from the other classes (-1) by

    .. math:: \min_{w, b} \tfrac12 \|w\|^2 + C \sum_i s_i \max(0, 1 - y_i (w \cdot \phi(x_i) + b))

    with a free (unpenalised) bias; :math:`s_i` is the weight of the row. A row is given the class whose
    machine has the largest output. Two classes need one machine, for ``classes_[1]``.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violation, positive.
    kernel : {"linear", "poly", "rbf", "sigmoid", "anova"} or dict, default="rbf"
        One kernel for all machines, or a dict with one for each class: its name, or a dict with "kernel" and
        any of "gamma", "degree", "coef0" that differ from the parameters below.
        The formulas are those of :class:`infoprop.kernels.KernelSpec`.
    gamma : "scale", "auto" or float, default="scale"
        As in :class:`sklearn.svm.SVC`.
    degree : float, default=3
        Of "poly" and "anova".
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest violation of the optimality conditions, measured as libsvm does.
    class_weight : dict, "balanced" or None, default=None
        Multiplies C for the rows of each class.
    solver : {"auto", "smo", "cd", "primal"}, default="auto"
        "smo" works on Gram rows, with any kernel. "cd" is coordinate descent on the weights of linear
        machines: it needs memory for one vector a machine and is the faster one on large sparse data.
        "primal" descends on the weights of linear machines to the exact optimum, whatever `tol`: the faster
        one on dense rows that are many more than the columns. For linear kernels "auto" takes "primal" if
        there are no fewer dense rows than columns and either as many as columns squared, or up to 200,000
        cells, or too many rows for the Gram matrix to fit `cache_size`; else "cd" if it does not fit or there
        are more than 2000 sparse rows; else "smo". All have the same optimum.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "squared_hinge" puts the square of the maximum into the sum, as :class:`sklearn.svm.LinearSVC` does by
        default. It needs kernel="linear" and solver="auto" or "primal", which then is Newton's method, on
        large sparse rows coordinate descent.
        Backward elimination on many dense rows is several times faster with it.
    normalize_margin : bool or "auto", default="auto"
        Divide each machine's output by :math:`\|w\|`, so that it is a distance in feature space. "auto" does
        so when the machines' kernels differ, since their outputs then live in different spaces.
    max_iter : int, default=-1
        Limit on pair steps ("smo"), sweeps ("cd") or steps ("primal") of each machine; -1 for a limit on the
        work that rows of ordinary scale do not reach. It depends on the sizes alone, never on time.
    cache_size : float, default=500.0
        Megabytes for Gram rows, shared by all machines.
    warm_start : bool, default=False
        Start from the last solution if the number of rows and the classes are the same.
    calibration : {"validation", "train"} or None, default=None
        How :meth:`predict_proba` gets its sigmoids, one for each machine: fitted to outputs for rows the
        machine has not seen, in five folds, for which it is trained five times more; or to its outputs for
        the rows it was trained on, which flatters it. None: no probabilities. With `class_weight`, they
        are those of classes that occur as often as they weigh.
    n_jobs : int or None, default=None
        Machines trained at once, in threads, which also share the computation of Gram rows. Results do not
        depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    machines_ : tuple of BinaryMachine
        One for each class, in the order of `classes_`; a single one for two classes.
    support_ : array of shape (n_SV,)
        Numbers of the rows that are a support vector of at least one machine, class by class as in
        :class:`sklearn.svm.SVC`.
    n_support_ : array of shape (n_classes,)
        How many of them are of each class.
    support_vectors_ : array or CSR matrix of shape (n_SV, n_features)
    dual_coef_ : array of shape (n_machines, n_SV)
        :math:`y_i \alpha_i` in each machine; zero where the row is none of its support vectors.
    sigmoids_ : tuple of Sigmoid
        Slope and offset of each machine's log odds. Only with calibration.
    intercept_ : array of shape (n_machines,)
    coef_ : array of shape (n_machines, n_features)
        Only if all kernels are linear.
    n_iter_ : array of shape (n_machines,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)

    See Also
    --------
    infoprop.credit.credit_features : what each feature contributes, in bits.

    References
    ----------
    V. Sindhwani, P. Bhattacharya, S. Rakshit, "Information theoretic feature crediting in multiclass support
    vector machines", SIAM International Conference on Data Mining, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.svm import OneVsRestSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = OneVsRestSVC(kernel="linear", C=10.0).fit(X, y)
    >>> len(machine.machines_), machine.predict(X[:3]).tolist()
    (3, [0, 0, 0])
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Mapping[Any, Any] = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        class_weight: Mapping[Any, float] | str | None = None,
        solver: str = "auto",
        loss: str = "hinge",
        normalize_margin: bool | str = "auto",
        max_iter: int = -1,
        cache_size: float = 500.0,
        warm_start: bool = False,
        calibration: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.loss = loss
        self.normalize_margin = normalize_margin
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.warm_start = warm_start
        self.calibration = calibration
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # Row groups go to splitters first: with metadata routing, machines have to ask for them.
    __metadata_request__fit = {"groups": False}  # noqa: RUF012

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "OneVsRestSVC":
        """Train the machines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Multiplies C row by row; a row of weight zero is as good as absent.
        groups : array-like of shape (n_samples,), default=None
            Row groups, such as subjects: rows with the same label are in the same fold of the calibration.

        Returns
        -------
        OneVsRestSVC
        """
        return self._fit(X, y, sample_weight, groups=groups)

    def _deals_rows(self) -> bool:
        """Whether row groups matter to fit."""
        return self.calibration == "validation"

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, start: Start = NO_START, groups: Any = None
    ) -> "OneVsRestSVC":
        """Train the machines, from the dual variables of `start` if they fit."""
        given = self._checked(X, y, sample_weight)
        starts, trainer = self._starts(given), Trainer.of(self)
        if trainer.solver == "auto":
            trainer = replace(trainer, solver=start.solver)
        if start.beta is not None and start.beta.shape == (len(starts), len(given.used)):
            starts = list(start.beta)
        solutions = trainer.solve(given.rows, given.specs, given.problems, starts)
        if not all(np.isfinite(solution.f).all() for solution in solutions):
            raise DataError(
                "The kernel overflows on these rows; scale the features or lower ",
                Parameter("gamma", "gamma"),
                " or ",
                Parameter("degree", "degree"),
                ".",
            )
        self.classes_ = given.classes
        self._n_rows = given.n_rows
        self._keep(given, solutions)
        self._note_support(given)
        self.__dict__.pop("sigmoids_", None)
        if self.calibration is not None:
            own = None if groups is None else np.asarray(groups)[given.used]
            self.sigmoids_ = fitted_sigmoids(self, given.rows, given.y, given.weights, given.costs, own)
        return self

    def _note_support(self, given: TrainingRows) -> None:
        """Number the support vectors of all machines, class by class."""
        rows = np.unique(np.concatenate([machine.support for machine in self.machines_]))
        codes = np.searchsorted(self.classes_, given.y[np.searchsorted(given.used, rows)])
        self.support_ = rows[np.argsort(codes, kind="stable")]
        self.n_support_ = np.bincount(codes, minlength=len(self.classes_))

    @property
    def dual_coef_(self) -> FloatArray:
        """Signed multipliers of the rows of `support_`: (n_machines, n_SV)."""
        pooled = pooled_support(self.machines_)[1]
        return np.ascontiguousarray(pooled[np.argsort(np.argsort(self.support_))].T)

    @property
    def support_vectors_(self) -> Matrix:
        """Rows that are support vectors, in the order of `support_`: (n_SV, n_features)."""
        return pooled_support(self.machines_)[0][np.argsort(np.argsort(self.support_))]

    def _check_trainable(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Raise what fit would raise before any work; sets nothing but what scikit-learn notes of X."""
        self._checked(X, y, sample_weight)

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """Everything that solvers are given; refuses what they can not work with."""
        trainer = Trainer.of(self)
        trainer.check()
        check_choice("calibration", self.calibration, CALIBRATIONS, "OneVsRestSVC")
        X, y = checked_training_rows(self, X, y, accept_sparse="csr", dtype=np.float64, order="C")
        check_magnitude(X, "OneVsRestSVC")
        X = canonical(X)
        check_classification_targets(y)
        weights = np.ones(X.shape[0]) if sample_weight is None else check_weights(sample_weight, X.shape[0])
        used = np.flatnonzero(weights)
        classes = np.unique(y[used])
        check_two_classes(classes, "OneVsRestSVC")
        rows = X if used.size == X.shape[0] else X[used]
        costs = weights[used] * trainer.class_weights(classes, y[used])
        specs = trainer.kernels(classes, Moments.of(rows, costs))
        problems = trainer.problems(classes, y[used], costs)
        for spec in specs:
            trainer.solver_for(spec, rows)
        return TrainingRows(rows, used, X.shape[0], classes, specs, problems, y[used], weights[used], costs)

    def _starts(self, given: TrainingRows) -> list[FloatArray | None]:
        """Old solutions to start from, one for each machine; None where there is none."""
        fits = (
            self.warm_start
            and hasattr(self, "machines_")
            and self._n_rows == given.n_rows
            and np.array_equal(self.classes_, given.classes)
        )
        if not fits:
            return [None] * len(given.problems)
        previous: list[FloatArray | None] = []
        for machine in self.machines_:
            beta = np.zeros(given.n_rows)
            beta[machine.support] = machine.dual_coef
            previous.append(beta[given.used])
        return previous

    def _keep(self, given: TrainingRows, solutions: list[DualSolution]) -> None:
        machines = tuple(
            BinaryMachine.from_solution(given.rows, given.used, problem, solution, spec)
            for problem, solution, spec in zip(given.problems, solutions, given.specs, strict=True)
        )
        self.machines_ = machines
        self.intercept_ = np.array([machine.bias for machine in machines])
        self.n_iter_ = np.array([max(1, machine.n_iter) for machine in machines])
        if all(spec.kind == "linear" for spec in given.specs):
            self.coef_ = np.stack([machine.weights for machine in machines])
        elif hasattr(self, "coef_"):
            del self.coef_
        if not all(machine.converged for machine in machines):
            warnings.warn(
                f"A machine stopped before reaching tol={self.tol}, at max_iter={self.max_iter}, at a limit "
                "on its work, or because rounding leaves nothing to gain. "
                f"{self._advice(given.rows)}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _advice(self, X: Matrix) -> str:
        """What to do about machines that do not converge."""
        columns = extreme_columns(X)
        if not len(columns):
            return "Scale the features, lower C, or raise max_iter."
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))[columns].tolist()
        return (
            f"Scale the features: column{'s' * (len(names) > 1)} {', '.join(map(repr, names))} "
            f"{'are' if len(names) > 1 else 'is'} much larger than the others."
        )

    def decision_function(self, X: Any) -> FloatArray:
        """Outputs of the machines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes), or (n_samples,) for two classes
            Divided by the norm of each machine's weights if `normalize_margin` says so. Outputs that equal
            the largest of their row to nine digits are set equal to it. With calibration they are log odds,
            :math:`a_r g_r(x) + b_r`.
        """
        outputs = self._outputs(X)
        return outputs if self.calibration is None else log_odds(outputs, self.sigmoids_)

    def _outputs(self, X: Any) -> FloatArray:
        """Outputs of the machines, as they are without calibration."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        values = decision_values(canonical(X), self.machines_, getattr(self, "coef_", None))
        if self._normalizes_margin():
            margins = np.array([machine.margin for machine in self.machines_])
            values *= np.where(np.isfinite(margins), margins, 1.0)
        return values[:, 0] if values.shape[1] == 1 else with_exact_ties(values)

    def _normalizes_margin(self) -> bool:
        if self.normalize_margin == "auto":
            return len({machine.kernel for machine in self.machines_}) > 1
        return bool(self.normalize_margin)

    def predict(self, X: Any) -> LabelArray:
        """Class of each row; of machines that tie, the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        values = self.decision_function(X)
        winners = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.classes_[winners])

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
        return class_probabilities(self.decision_function(X))

    def credit_shares(self, X: Any = None) -> FloatArray:
        r"""Shares of the features in each class indicator, :math:`D_k^r / \sum_p D_p^r`.

        Parameters
        ----------
        X : ignored
            The shares of a machine follow from its support vectors alone.

        Returns
        -------
        array of shape (n_classes, n_features)
            Non-negative; each row sums to one. Two classes share one machine, so their rows are equal.
        """
        check_is_fitted(self)
        shares = sensitivity_shares(np.stack([machine_sensitivity(machine) for machine in self.machines_]))
        return np.repeat(shares, 2, axis=0) if len(self.machines_) == 1 else shares
