"""Trainer: from the parameters of OneVsRestSVC to problems, kernels and solutions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight

from infoprop._core._checks import check_boolean, check_choice, check_integer, check_number
from infoprop._core._exceptions import ParameterError
from infoprop._core._matrices import centred, is_far_from_zero
from infoprop._core._stopping import stoppable
from infoprop._core._threads import native_threads
from infoprop._core._typing import FloatArray, IntArray, LabelArray, Matrix
from infoprop.kernels import KernelSpec
from infoprop.kernels._spec import KERNELS, Moments
from infoprop.svm._machine import DualProblem, DualSolution
from infoprop.svm.solvers._dual_cd import LinearSolver
from infoprop.svm.solvers._interior import of_uncentred, solved_after_all
from infoprop.svm.solvers._newton import NewtonSolver
from infoprop.svm.solvers._primal import PrimalSolver, suits_primal
from infoprop.svm.solvers._row_store import numbers_in
from infoprop.svm.solvers._smo import SMOSolver

# Up to this many sparse rows a Gram matrix is cheap, and the SMO solver lands on the exact optimum.
_SPARSE_ROWS_FOR_SMO = 2000
# Descent on the primal is quick on so few cells, and compiles in less time than SMO.
_FEW_CELLS = 200_000
# Over fewer numbers no compiled call takes long enough for Ctrl-C to be missed, and a thread would cost more.
_CELLS_FOR_A_THREAD = 500_000
_OWNER = "OneVsRestSVC"


class TrainingRows(NamedTuple):
    """Rows with a weight, their numbers among the rows given, the classes, a problem for each machine."""

    rows: Matrix
    used: IntArray
    n_rows: int
    classes: LabelArray
    specs: list[KernelSpec]
    problems: list[DualProblem]
    y: LabelArray
    weights: FloatArray
    costs: FloatArray


class Start(NamedTuple):
    """Where a training starts: dual variables, (n_machines, n_rows) or None, and the solver for "auto"."""

    beta: FloatArray | None = None
    solver: str = "auto"


NO_START = Start()


@dataclass(frozen=True)
class Trainer:
    """Parameters of an :class:`OneVsRestSVC`, and what follows from them for given rows."""

    C: Any
    kernel: Any
    gamma: Any
    degree: Any
    coef0: Any
    tol: Any
    class_weight: Any
    solver: Any
    normalize_margin: Any
    loss: Any
    max_iter: Any
    cache_size: Any
    warm_start: Any
    n_jobs: Any

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Read the parameters of an estimator."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})

    def fits(self, n_entries: int) -> bool:
        """Whether so many numbers fit the memory budget."""
        return bool(n_entries <= numbers_in(self.cache_size))

    def check(self) -> None:
        """Refuse parameters that are wrong whatever the rows."""
        name = _OWNER
        check_number("C", self.C, name, low=0, low_open=True)
        check_number("tol", self.tol, name, low=0, low_open=True)
        check_choice("loss", self.loss, ("hinge", "squared_hinge"), name)
        check_choice("solver", self.solver, ("auto", "smo", "cd", "primal"), name)
        check_integer("max_iter", self.max_iter, name, low=-1)
        check_number("cache_size", self.cache_size, name, low=0, low_open=True)
        check_boolean("warm_start", self.warm_start, name)
        check_choice("normalize_margin", self.normalize_margin, (True, False, "auto"), name)
        if not isinstance(self.kernel, Mapping):
            check_choice("kernel", self.kernel, KERNELS, name)
        if self.loss == "squared_hinge" and (
            self.kernel != "linear" or self.solver not in ("auto", "primal")
        ):
            raise ParameterError(
                f"The loss 'squared_hinge' of {name} needs kernel='linear' and solver='auto' or 'primal'. "
                f"Got kernel={self.kernel!r}, solver={self.solver!r}; other machines have the loss 'hinge'."
            )

    def class_weights(self, classes: LabelArray, y: LabelArray) -> FloatArray:
        """Return what C is multiplied with for each row."""
        if self.class_weight is None:
            return np.ones(len(y))
        by_class = compute_class_weight(self.class_weight, classes=classes, y=y)
        return np.asarray(by_class[np.searchsorted(classes, y)], dtype=np.float64)

    def problems(self, classes: LabelArray, y: LabelArray, weights: FloatArray) -> list[DualProblem]:
        """Return the problem of each machine; two classes have one machine, for the second of them."""
        state = DualProblem if self.loss == "hinge" else DualProblem.of_squared_hinge
        return [
            state(np.where(y == label, 1.0, -1.0), self.C * weights)
            for label in (classes if classes.size > 2 else classes[1:])
        ]

    def kernels(self, classes: LabelArray, moments: Moments) -> list[KernelSpec]:
        """Return the kernel of each machine; gamma may depend on moments of the weighted training rows."""
        defaults: dict[str, Any] = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        if not isinstance(self.kernel, Mapping):
            spec = KernelSpec.on(moments, self.kernel, **defaults)
            return [spec] * (classes.size if classes.size > 2 else 1)
        missing = [label for label in classes.tolist() if label not in self.kernel]
        if missing:
            raise ParameterError(
                f"The 'kernel' parameter of OneVsRestSVC is a dict and must name a kernel for every class. "
                f"Got none for {missing!r}."
            )
        specs = []
        for label in classes.tolist():
            entry = self.kernel[label]
            entry = dict(entry) if isinstance(entry, Mapping) else {"kernel": entry}
            unknown = set(entry) - {"kernel", *defaults}
            if "kernel" not in entry or unknown:
                raise ParameterError(
                    f"The kernel of class {label!r} must be a name or a dict with 'kernel' and any of "
                    f"'gamma', 'degree', 'coef0'. Got {self.kernel[label]!r}."
                )
            kind = check_choice("kernel", entry.pop("kernel"), KERNELS, _OWNER)
            specs.append(KernelSpec.on(moments, kind, **{**defaults, **entry}))
        if classes.size == 2:
            if specs[0] != specs[1]:
                raise ParameterError(
                    "Two classes are separated by one machine, so the 'kernel' parameter of OneVsRestSVC "
                    "must name the same kernel for both."
                )
            return specs[1:]
        return specs

    def solve(
        self,
        X: Matrix,
        specs: list[KernelSpec],
        problems: Sequence[DualProblem],
        starts: Sequence[FloatArray | None],
    ) -> list[DualSolution]:
        """Solve machine by machine, those with the same kernel together; Ctrl-C ends it at once."""
        n_threads = native_threads(self.n_jobs)
        if X.shape[0] * X.shape[1] < _CELLS_FOR_A_THREAD:
            return self._solve_by(n_threads, X, specs, problems, starts)
        return stoppable(lambda: self._solve_by(n_threads, X, specs, problems, starts))

    def _solve_by(
        self,
        n_threads: int,
        X: Matrix,
        specs: list[KernelSpec],
        problems: Sequence[DualProblem],
        starts: Sequence[FloatArray | None],
    ) -> list[DualSolution]:
        solutions: dict[int, DualSolution] = {}
        for spec in dict.fromkeys(specs):
            members = [r for r, other in enumerate(specs) if other == spec]
            group = [problems[r] for r in members], [starts[r] for r in members]
            if spec.kind == "linear":
                solved = self._solve_linear(X, spec, *group, n_threads)
            else:
                # Distances do not change either; squares of the means would hide them by rounding.
                rows = centred(X) if spec.base == "distance" and is_far_from_zero(X) else X
                smo = SMOSolver(self.tol, self.max_iter, self.cache_size, n_threads)
                solved = smo.solve(rows, spec, *group)
            solutions.update(zip(members, solved, strict=True))
        return [solutions[r] for r in range(len(problems))]

    def _solve_linear(
        self,
        X: Matrix,
        spec: KernelSpec,
        problems: Sequence[DualProblem],
        starts: Sequence[FloatArray | None],
        n_threads: int,
    ) -> list[DualSolution]:
        """Solve on centred rows if columns are far from zero, and again what rounding has kept unsolved."""
        is_far = is_far_from_zero(X)
        rows = centred(X) if is_far else X
        solver = self.solver_for(spec, X)
        if solver == "newton":
            found = NewtonSolver(self.tol, self.max_iter, self.cache_size, n_threads).solve(
                rows, problems, starts
            )
        elif solver == "primal":
            found = PrimalSolver(self.tol, self.max_iter, n_threads).solve(rows, problems, starts)
        elif solver == "cd":
            found = LinearSolver(self.tol, self.max_iter, n_threads).solve(rows, problems, starts)
        else:
            smo = SMOSolver(self.tol, self.max_iter, self.cache_size, n_threads)
            found = smo.solve(rows, spec, problems, starts)
        if self.loss == "hinge" and self.max_iter < 0 and self.fits(X.shape[0] * X.shape[1]):
            found = solved_after_all(rows, problems, found, self.tol)
        return [of_uncentred(solution, X, rows) for solution in found] if is_far else found

    def solver_for(self, spec: KernelSpec, X: Matrix) -> str:
        """Return "smo", "cd", "primal" or "newton", whichever is asked for or suits the loss and the rows."""
        if self.loss == "squared_hinge":
            return "newton"
        if self.solver in ("cd", "primal") and spec.kind != "linear":
            raise ParameterError(
                f"The solver {self.solver!r} of OneVsRestSVC needs the linear kernel, not {spec.kind!r}; "
                "use 'smo' or 'auto'."
            )
        if self.solver == "primal" and sparse.issparse(X):
            raise ParameterError("The solver 'primal' of OneVsRestSVC needs dense rows; use 'cd' or 'auto'.")
        if self.solver != "auto":
            return self.solver
        n, n_columns = X.shape
        # The steps of the descent grow with the columns, each looks at all rows; those of SMO do not.
        is_quick = n * n_columns <= _FEW_CELLS or n >= n_columns**2
        if spec.kind == "linear" and suits_primal(X) and (is_quick or not self.fits(n * n)):
            return "primal"
        is_small = n <= _SPARSE_ROWS_FOR_SMO or not sparse.issparse(X)
        return "smo" if spec.kind != "linear" or (self.fits(n * n) and is_small) else "cd"
