"""MovingSVC: OneVsRestSVC as a subset model; `infoprop.selection` imports it from here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._blas import one_blas_thread
from infoprop._core._matrices import centred, is_far_from_zero
from infoprop._core._threads import native_threads
from infoprop._core._typing import FloatArray, IntArray, LabelArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.kernels._spec import Moments
from infoprop.svm._columns import extreme_columns
from infoprop.svm._decision import with_exact_ties
from infoprop.svm._trainer import Trainer
from infoprop.svm.active_set._state import has_few_rows
from infoprop.svm.solvers._smo import SMOSolver
from infoprop.svm.subset._feature_hinge import RowMachines
from infoprop.svm.subset._gram_hinge import VERY_FEW_ROWS, GramMachines
from infoprop.svm.subset._kernel_hinge import KernelMachines
from infoprop.svm.subset._protocol import EliminatingMachines, Machines
from infoprop.svm.subset._refit import WarmMachines
from infoprop.svm.subset._splits import SplitProblem, mean_shares, split_beta, split_index
from infoprop.svm.subset._squared_hinge import NewtonMachines


@dataclass(frozen=True)
class SplitRows:
    """Rows of one split.

    Attributes
    ----------
    X : array or canonical CSR matrix of shape (n_train, n_columns)
    y : array of shape (n_train,)
        At least two labels.
    weights : array of shape (n_train,)
        Positive.
    X_test : array or canonical CSR matrix of shape (n_test, n_columns)
    truth : array of shape (n_test,)
        Numbers of the true labels, in a table whose first labels are the classes.
    test_weights : array of shape (n_test,)

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.svm.subset._model import SplitRows
    >>> X, y = np.array([[2.0, 1.0], [-2.0, -1.0], [1.0, 1.0]]), np.array(["yes", "no", "yes"])
    >>> rows = SplitRows(X[:2], y[:2], np.ones(2), X[2:], truth=np.array([1]), test_weights=np.ones(1))
    >>> rows.X.shape, rows.X_test.shape
    ((2, 2), (1, 2))
    """

    X: Matrix
    y: LabelArray
    weights: FloatArray
    X_test: Matrix
    truth: IntArray
    test_weights: FloatArray


class Expansion(NamedTuple):
    r"""Machines of one split as functions: :math:`f_q(x) = \sum_j \beta_{qj} K_q(x_j, x)`, but for the bias.

    Attributes
    ----------
    X, X_test : array or CSR matrix
        Rows that it trains on and those that it predicts, with all columns.
    classes : array of shape (n_classes,)
    beta : array of shape (n_machines, n_train)
    kernels : list of KernelSpec
        On the present columns.
    """

    X: Matrix
    X_test: Matrix
    classes: LabelArray
    beta: FloatArray
    kernels: list[KernelSpec]


class MovingSVC:
    """A subset model; its answers are those of an :class:`OneVsRestSVC` trained from nothing.

    Linear machines keep Gram matrices (few rows) or weights (many) and go from optimum to optimum by pivots.
    Kernel machines keep inner products, distances or sums, and start from the dual variables they have. What
    does not fit the classifier's ``cache_size`` is trained anew from the dual variables.

    Parameters
    ----------
    estimator : OneVsRestSVC
    splits : sequence of SplitRows
        All dense or all CSR.
    classes : array of shape (n_classes,)
        Labels of all splits' training rows, ascending.
    n_labels : int
        Labels in the table: the classes, and those that only rows to predict have.
    n_jobs : int or None
        Threads; None means the estimator's.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.svm import OneVsRestSVC
    >>> from infoprop.svm.subset._model import MovingSVC, SplitRows
    >>> X, y = np.array([[2.0, 1.0], [-2.0, -1.0], [1.0, 1.0]]), np.array(["yes", "no", "yes"])
    >>> rows = SplitRows(X[:2], y[:2], np.ones(2), X[2:], truth=np.array([1]), test_weights=np.ones(1))
    >>> model = MovingSVC(OneVsRestSVC(kernel="linear"), [rows], np.array(["no", "yes"]), n_labels=2)
    >>> model.fit()
    >>> model.credit_shares().round(3)
    array([[0.667, 0.333],
           [0.667, 0.333]])
    >>> model.drop(np.array([0]))
    >>> model.fit()
    >>> model.columns, model.predict()
    (array([1]), (array(['yes'], dtype='<U3'),))
    """

    # A snapshot makes the next training compute everything anew, which costs as much as some moves.
    moves_between_snapshots = 16

    def __init__(
        self,
        estimator: Any,
        splits: Sequence[SplitRows],
        classes: LabelArray,
        n_labels: int,
        n_jobs: int | None = None,
    ) -> None:
        self._trainer = Trainer.of(estimator)
        self._trainer.check()
        given = splits
        if self._trainer.kernel in ("linear", "rbf"):
            splits = [_near_zero(split) for split in splits]
        self._classes = classes
        self._moments = []
        split_problems = []
        for rows, split in zip(given, splits, strict=True):
            own = np.unique(split.y)
            weights = split.weights * self._trainer.class_weights(own, split.y)
            problems = self._trainer.problems(own, split.y, weights)
            split_problems.append(
                SplitProblem(split.X, split.X_test, own, tuple(problems), split.truth, split.test_weights)
            )
            self._moments.append(Moments.of(rows.X, weights))
        self._split_problems = split_problems
        self._index = split_index(split_problems, classes, n_labels)
        n_threads = native_threads(estimator.n_jobs if n_jobs is None else n_jobs)
        self.machines: Machines = self._choose(splits, n_threads)
        self._is_wanted = np.ones(splits[0].X.shape[1], dtype=bool)
        self._beta: FloatArray | None = None
        self._stands = False

    def _choose(self, splits: Sequence[SplitRows], n_threads: int) -> Machines:
        """Return the fastest machines that fit the memory budget."""
        trainer = self._trainer
        n = max(split.X.shape[0] for split in splits)
        n_columns = splits[0].X.shape[1]
        pairs = sum(split.X.shape[0] * (split.X.shape[0] + split.X_test.shape[0]) for split in splits)
        is_sparse = sparse.issparse(splits[0].X)
        if trainer.kernel == "linear":
            if any(len(extreme_columns(split.X)) for split in splits):
                # Rounding in the large columns would drown the others: each training by a careful solver.
                return WarmMachines(self._split_problems, self._kernels, trainer.solve)
            arguments = (self._split_problems, self._index, n_threads)
            if trainer.loss == "squared_hinge":
                is_tall = n >= n_columns and not is_sparse
                if is_tall and trainer.fits(2 * len(self._index.split) * (n_columns + 1) ** 2):
                    return NewtonMachines(*arguments)
                # With this loss most rows may be free: each machine has a factor of all of them.
                if (
                    not is_sparse
                    and has_few_rows(n)
                    and trainer.fits(2 * pairs + len(self._index.split) * n**2)
                ):
                    return GramMachines(*arguments)
                return WarmMachines(self._split_problems, self._kernels, trainer.solve)
            is_wide = n <= VERY_FEW_ROWS or (has_few_rows(n) and n <= n_columns)
            if is_wide and not is_sparse and trainer.fits(2 * pairs):
                return GramMachines(*arguments)
            largest_free_set = min(n, n_columns + 1)
            if trainer.fits(len(self._index.split) * largest_free_set**2 // (4 if is_sparse else 1)):
                return RowMachines(*arguments)
        elif trainer.fits(2 * pairs) and (not is_sparse or trainer.fits(n * n_columns)):
            solver = SMOSolver(trainer.tol, trainer.max_iter, trainer.cache_size, n_threads)
            return KernelMachines(self._split_problems, self._index, self._kernels, solver)
        return WarmMachines(self._split_problems, self._kernels, trainer.solve)

    def _kernels(self, t: int, columns: IntArray) -> list[KernelSpec]:
        return self._trainer.kernels(self._split_problems[t].classes, self._moments[t].taken(columns))

    @property
    def columns(self) -> IntArray:
        """Numbers of the present columns, ascending."""
        return np.flatnonzero(self._is_wanted)

    @property
    def classes(self) -> LabelArray:
        """Labels of all classes that occur in the training rows, ascending."""
        return self._classes

    @property
    def eliminating_machines(self) -> EliminatingMachines | None:
        """The machines, if they can eliminate columns by themselves; None otherwise."""
        return self.machines if isinstance(self.machines, EliminatingMachines) else None

    def add(self, columns: IntArray) -> None:
        """Take columns in."""
        self._is_wanted[columns] = True

    def drop(self, columns: IntArray) -> None:
        """Leave columns out."""
        self._is_wanted[columns] = False

    def fit(self) -> None:
        """Move the machines to the columns wanted, and to the optimum there."""
        with one_blas_thread():
            if self._stands and self._beta is None:
                self.machines.update_columns(self.columns)
            else:
                self.machines.set_columns(self.columns, self._beta)
        self._stands = True
        self._beta = None

    def credit_shares(self) -> FloatArray:
        """Shares of the columns in each class indicator, mean over the splits: (n_classes, n_columns)."""
        with one_blas_thread():
            return mean_shares(self._index, self.machines.sensitivities())

    def predict(self) -> tuple[LabelArray, ...]:
        """Labels of the rows that each split tests, one array per split."""
        with one_blas_thread():
            outputs = self.machines.outputs()
        return tuple(
            _labels(values, problem.classes)
            for values, problem in zip(outputs, self._split_problems, strict=True)
        )

    def expansions(self, columns: IntArray) -> list[Expansion]:
        """What the machines of each split, on `columns`, are made of."""
        betas = split_beta(self.machines.beta, self._split_problems)
        return [
            Expansion(split.X, split.X_test, split.classes, beta, self._kernels(t, columns))
            for t, (split, beta) in enumerate(zip(self._split_problems, betas, strict=True))
        ]

    def snapshot(self) -> Mapping[str, Any]:
        """Return the dual variables, and go on from them: the next training computes everything else anew."""
        self._beta = self.machines.beta.copy()
        return {"beta": self._beta}

    def restore(self, columns: IntArray, snapshot: Mapping[str, Any]) -> None:
        """Go to `columns`, as after a `snapshot` taken there."""
        self._is_wanted[:] = False
        self._is_wanted[columns] = True
        self._beta = np.array(snapshot["beta"])


def _near_zero(split: SplitRows) -> SplitRows:
    """Return the same rows, moved to zero if they are far from it; these machines do not mind.

    A free bias takes up the difference, and distances have none.
    """
    if not is_far_from_zero(split.X):
        return split
    rows = centred(np.concatenate([split.X, split.X_test]), len(split.X))
    return replace(split, X=rows[: len(split.X)], X_test=rows[len(split.X) :])


def _labels(values: FloatArray, classes: LabelArray) -> LabelArray:
    """Class of each row, as `OneVsRestSVC.predict` gives it."""
    winners = (
        (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else with_exact_ties(values).argmax(axis=1)
    )
    return np.asarray(classes[winners])
