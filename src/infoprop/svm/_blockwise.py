"""BlockwiseLinearSVC: linear machines with the squared hinge, trained in passes over blocks of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _get_feature_names

from infoprop._core._checks import check_integer, check_number
from infoprop._core._cluster import SharedData
from infoprop._core._exceptions import DataError
from infoprop._core._tasks import results_in_order, run_tasks
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import FloatArray, LabelArray
from infoprop.shaping._blocks import Block, row_blocks

# A step is taken if it brings this part of what the slope promises.
_ENOUGH = 1e-4
_SHORTEST = 2.0**-30


class BlockwiseLinearSVC(LinearClassifierMixin, ClassifierMixin, BaseEstimator):
    r"""Linear machines with the squared hinge for rows that do not fit into memory together.

    Each machine has the optimum of
    :math:`\tfrac{1}{2} \|w\|^2 + C \sum_i \max(0, 1 - y_i (w x_i + b))^2`, that of
    ``OneVsRestSVC(kernel="linear", loss="squared_hinge")``. A step of Newton's method needs sums over the
    rows only: the loss, its slope, and the products of the columns over rows within the margin. They are
    added up block by block; a training takes about ten passes.

    Parameters
    ----------
    C : float, default=1.0
        Cost of an error.
    tol : float, default=1e-9
        Part of the slope at zero weights that may be left at the end.
    max_iter : int, default=100
        Most passes over the rows.
    n_jobs : int, default=None
        Blocks that are read at the same time; inside ``joblib.parallel_config("dask")`` the cluster reads.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_machines, n_features)
    intercept_ : array of shape (n_machines,)
    n_iter_ : int
        Passes over the rows, the first of which counts them.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)

    Notes
    -----
    A worker holds one block, and a square matrix of the columns for every machine: this is for hundreds
    of columns, not for words. Sparse blocks are made dense. Files are read anew in every pass.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.svm import BlockwiseLinearSVC, OneVsRestSVC
    >>> X = np.random.default_rng(0).normal(size=(300, 4))
    >>> y = X[:, 0] + X[:, 1] > 0.5
    >>> parts = [lambda: (X[:100], y[:100]), lambda: (X[100:], y[100:])]
    >>> in_blocks = BlockwiseLinearSVC().fit_blocks(parts)
    >>> at_once = OneVsRestSVC(kernel="linear", loss="squared_hinge").fit(X, y)
    >>> np.allclose(in_blocks.coef_, at_once.coef_, rtol=1e-8)
    True
    """

    def __init__(
        self, *, C: float = 1.0, tol: float = 1e-9, max_iter: int = 100, n_jobs: int | None = None
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Train the machines on rows that are in memory, as one block.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        BlockwiseLinearSVC
            Itself.
        """
        X, y = checked_training_rows(self, X, y, reset=True, dtype=np.float64)
        check_classification_targets(y)
        return self._train([partial(_itself, X, y)], 1)

    def fit_blocks(self, blocks: Any, y: Any = None, *, target: str | None = None) -> Self:
        """Train the machines in passes over blocks of rows.

        Parameters
        ----------
        blocks : list of paths, list of callables, Dask array or Dask data frame
            As in :meth:`infoprop.shaping.FeatureShaper.fit_blocks`. A function must give the same rows
            whenever it is called.
        y : Dask array or series, optional
            Labels of a Dask collection.
        target : str, optional
            Column that holds the labels, in files and data frames.

        Returns
        -------
        BlockwiseLinearSVC
            Itself.
        """
        return self._train(row_blocks(blocks, y, target), self.n_jobs)

    def _train(self, blocks: Sequence[Block], n_jobs: int | None) -> Self:
        name = type(self).__name__
        check_number("C", self.C, name, low=0.0, low_open=True)
        check_number("tol", self.tol, name, low=0.0)
        check_integer("max_iter", self.max_iter, name, low=1)
        seen = [*results_in_order(run_tasks(_look, SharedData(None), blocks, n_jobs))]
        if len({(look.names, look.sums.size) for look in seen}) != 1:
            raise DataError("All blocks must have the same columns, and there must be at least one.")
        self.classes_ = np.unique(np.concatenate([look.labels for look in seen]))
        if len(self.classes_) < 2:
            raise DataError(f"{name} needs rows of at least two classes. Got {len(self.classes_)} class.")
        shift = np.sum([look.sums for look in seen], axis=0) / sum(look.n_rows for look in seen)
        self.n_features_in_ = len(shift)
        self.__dict__.pop("feature_names_in_", None)
        if seen[0].names is not None:
            self.feature_names_in_ = np.array(seen[0].names, dtype=object)
        positives = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        machines = [_Machine(label, np.zeros(len(shift) + 1)) for label in positives]
        self.n_iter_ = 1
        while self.n_iter_ < self.max_iter and not all(machine.is_done for machine in machines):
            asked = [machine for machine in machines if not machine.is_done]
            told = SharedData((shift, [(machine.label, machine.tried) for machine in asked]))
            sums: list[list[FloatArray]] = [[] for _ in asked]
            for answer in results_in_order(run_tasks(_sums, told, blocks, n_jobs)):
                for total, part in zip(sums, answer, strict=True):
                    total[:] = [a + b for a, b in zip(total, part, strict=True)] if total else part
            for machine, (loss, slope, curvature) in zip(asked, sums, strict=True):
                machine.move(self.C * loss, self.C * slope, self.C * curvature, self.tol)
            self.n_iter_ += 1
        weights = np.stack([machine.weights for machine in machines])
        self.coef_ = weights[:, :-1].copy()
        self.intercept_ = weights[:, -1] - self.coef_ @ shift
        return self


def _itself(X: Any, y: Any) -> tuple[Any, Any]:
    """A block that is in memory."""
    return X, y


class _Look(NamedTuple):
    """What the first pass tells of a block."""

    labels: LabelArray
    sums: FloatArray
    n_rows: int
    names: tuple[str, ...] | None


def _look(_: None, block: Block) -> _Look:
    X, y = block()
    names = _get_feature_names(X)
    X, y = _checked(X, y)
    check_classification_targets(y)
    return _Look(np.unique(y), X.sum(axis=0), len(y), None if names is None else tuple(names))


def _checked(X: Any, y: Any) -> tuple[FloatArray, LabelArray]:
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64)
    return (X.toarray() if sparse.issparse(X) else X), y


def _sums(asked: tuple[FloatArray, list[tuple[Any, FloatArray]]], block: Block) -> list[list[FloatArray]]:
    """Loss, slope and curvature of every machine over a block, for C = 1 and without the penalty."""
    shift, machines = asked
    X, y = _checked(*block())
    X = np.column_stack([X - shift, np.ones(len(y))])
    found = []
    for label, weights in machines:
        signs = np.where(y == label, 1.0, -1.0)
        slack = 1.0 - signs * (X @ weights)
        inside = np.flatnonzero(slack > 0.0)
        rows, errors = X[inside], slack[inside]
        slope = -2.0 * (rows.T @ (signs[inside] * errors))
        found.append([errors @ errors, slope, 2.0 * (rows.T @ rows)])
    return found


@dataclass
class _Machine:
    """One machine on its way: its weights, the bias last, and those that are tried next."""

    label: Any
    tried: FloatArray
    is_done: bool = False

    def __post_init__(self) -> None:
        self.weights, self._value, self._step = self.tried, np.inf, np.zeros_like(self.tried)
        self._slope, self._length, self._first = 0.0, 1.0, 0.0

    def move(self, loss: Any, slope: FloatArray, curvature: FloatArray, tol: float) -> None:
        """Take what was tried if it is better, and say what to try next."""
        free = np.append(self.tried[:-1], 0.0)
        value = 0.5 * float(free @ free) + float(loss)
        rounding = 1e-13 * abs(value)
        if value > self._value + _ENOUGH * self._length * self._slope + rounding:
            self._length *= 0.5
            self.is_done = self._length < _SHORTEST
            self.tried = self.weights + self._length * self._step
            return
        self.weights, self._value = self.tried, value
        gradient = slope + free
        self._first = self._first or float(np.abs(gradient).max())
        if np.abs(gradient).max() <= tol * self._first:
            self.is_done = True
            return
        hessian = curvature + np.diag(np.append(np.ones(len(free) - 1), 0.0))
        # Without a row within the margin nothing holds the bias.
        self._step = -np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        self._slope, self._length = float(gradient @ self._step), 1.0
        self.tried = self.weights + self._step
