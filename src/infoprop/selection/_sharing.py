r"""Credits of a moved model by covariance: what a feature adds to the outputs for validation rows.

For linear machines on dense rows the sums of :mod:`infoprop.credit._moments` factor. A term is
:math:`\phi_k = w_k x_k`, so :math:`\mathrm{Cov}(f, \phi_k) = w_k \mathrm{Cov}(f, x_k)`, and all moments of a
column with the class can be found once, before the search.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from infoprop._core._blas import one_blas_thread
from infoprop._core._matrices import taken_columns
from infoprop._core._subset import SubsetModel
from infoprop._core._typing import FloatArray, IntArray
from infoprop.credit._contributions import Indicator
from infoprop.credit._covariance import Contributions, covariance_contributions, pooled
from infoprop.credit._groups import ColumnGroups
from infoprop.credit._machines import FLAT, KernelFunction, LinearFunction, Machine
from infoprop.credit._shares import per_class
from infoprop.kernels._gram import apply_link, base_matrix
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._refit import RefitSubsetModel
from infoprop.svm.subset._model import Expansion, MovingSVC

COVARIANCE = "covariance"
# Rbf machines are looked at together as long as their support vectors, taken once for each, are so few
# numbers: with more, each by itself is as fast.
MOST_ENTRIES = 2**19


class SharedOut(NamedTuple):
    """Shares of the columns that a model stands on, and what decides between equal ones.

    Attributes
    ----------
    shares : ndarray of shape (n_classes, n_columns)
        Rows sum to one. A group is one contribution, which its columns have equal parts of.
    signed : ndarray of shape (n_classes, n_columns)
        Covariances with the class, with their signs.
    """

    shares: FloatArray
    signed: FloatArray


class CovarianceSharing:
    """Shares a model's indicators by covariance on the validation rows of all splits.

    Contributions are averaged over the splits before they are shrunk; see
    :class:`~infoprop.credit._covariance.Contributions`.

    Parameters
    ----------
    model : SubsetModel
        Made for these groups.
    evaluator : SubsetEvaluator
    groups : ColumnGroups
        Of all columns.
    """

    def __init__(self, model: SubsetModel, evaluator: SubsetEvaluator, groups: ColumnGroups) -> None:
        self._model = model
        self._groups = groups
        self._table = evaluator.pooled
        self._is_plain = groups.n_groups == len(groups.labels)
        self._rows: list[_ColumnMoments] | None = None
        self._ends = np.cumsum(
            [0, *(len(rows.y) for rows in map(evaluator.test_rows, evaluator.plan.splits))]
        )

    def found(self, columns: IntArray) -> SharedOut:
        """Shares of the columns, those that the model stands on."""
        contributions = self._contributions(columns)
        if contributions is None:
            # A network: searches share by equation 8, layer by layer, in any case.
            shares = self._model.credit_shares() * self._table.share_scale[:, None]
            return SharedOut(shares, shares)
        if self._is_plain:
            return SharedOut(contributions.shares(), contributions.gaps)
        _, place, sizes = np.unique(self._groups.labels[columns], return_inverse=True, return_counts=True)
        return SharedOut((contributions.shares() / sizes)[:, place], (contributions.gaps / sizes)[:, place])

    def _contributions(self, columns: IntArray) -> Contributions | None:
        """Of the groups that the columns belong to, ascending; None if the model has a rule of its own."""
        model = self._model
        if isinstance(model, RefitSubsetModel):
            parts = model.contributions()
            if parts is None:
                return None
            standing = np.unique(self._groups.labels[columns])
            found, learned = [part.taken(standing) for part in parts[0]], parts[1]
        elif isinstance(model, MovingSVC):
            with one_blas_thread():
                found, learned = self._of_machines(model, columns)
        else:
            return None
        return pooled(found, learned, len(self._table.classes))

    def _of_machines(self, model: MovingSVC, columns: IntArray) -> tuple[list[Contributions], list[IntArray]]:
        expansions = model.expansions(columns)
        if self._rows is None:
            self._rows = [self._moments(t, part) for t, part in enumerate(expansions)]
        found, learned = [], []
        for moments, part, outputs in zip(self._rows, expansions, model.machines.outputs(), strict=True):
            if not len(moments.truth):
                continue
            is_linear = part.kernels[0].kind == "linear"
            is_simple = self._is_plain and not sparse.issparse(part.X_test)
            if is_simple and is_linear:
                own = moments.linear(part, columns)
            elif is_simple and _is_small_rbf(part, columns):
                own = moments.rbf(part, outputs, columns)
            else:
                own = self._in_general(moments, part, outputs, columns)
            found.append(per_class(own, len(part.classes)))
            learned.append(np.searchsorted(self._table.classes, part.classes))
        return found, learned

    def _moments(self, t: int, part: Expansion) -> "_ColumnMoments":
        rows = slice(self._ends[t], self._ends[t + 1])
        weights = self._table.weights
        own = np.ones(rows.stop - rows.start) if weights is None else weights[rows]
        codes = np.searchsorted(self._table.classes, part.classes)
        return _ColumnMoments(part, self._table.truth[rows], own, codes if len(codes) > 2 else codes[-1:])

    def stacked_moments(self, columns: IntArray, n_rows: int) -> tuple[FloatArray, ...]:
        """Moments of columns for compiled code, see `ColumnMoments`; rows are dense and columns not grouped.

        Parameters
        ----------
        columns : ndarray
        n_rows : int
            Of all splits, those to train on and those to predict.
        """
        assert isinstance(self._model, MovingSVC)
        expansions = self._model.expansions(columns)
        if self._rows is None:
            self._rows = [self._moments(t, part) for t, part in enumerate(expansions)]
        parts, done = np.zeros(n_rows), 0
        for own, part in zip(self._rows, expansions, strict=True):
            own.measure(part.X_test)
            done += part.X.shape[0]
            parts[done : done + len(own.part)] = own.part
            done += len(own.part)
        return (
            parts,
            np.array([own.freedom for own in self._rows]),
            np.stack([own.means[columns] for own in self._rows]),
            # Compiled code takes one layout, and concatenating keeps that of its parts.
            np.ascontiguousarray(np.concatenate([own.gaps[:, columns] for own in self._rows])),
            np.ascontiguousarray(np.concatenate([own.gap_variances[:, columns] for own in self._rows])),
        )

    def _in_general(
        self, moments: "_ColumnMoments", part: Expansion, outputs: FloatArray, columns: IntArray
    ) -> Contributions:
        """For any kernel, sparse rows and groups: the terms of every row, one machine after another."""
        X, X_test = taken_columns(part.X, columns), taken_columns(part.X_test, columns)
        indicators = []
        for beta, kernel, known in zip(part.beta, part.kernels, outputs.T, strict=True):
            if kernel.kind == "linear":
                function: LinearFunction | KernelFunction = LinearFunction(
                    np.asarray(X.T @ beta).ravel(), 0.0
                )
            else:
                support = np.flatnonzero(beta)
                function = KernelFunction(X[support], beta[support], 0.0, kernel, 0.0)
            indicators.append(Indicator([Machine(function, X_test, None, None, known_outputs=known)], [1.0]))
        membership = None
        if not self._is_plain:
            own = self._groups.labels[columns]
            membership = sparse.csr_array(
                (np.ones(len(own)), own, np.arange(len(own) + 1)), shape=(len(own), self._groups.n_groups)
            )
        found = covariance_contributions(indicators, moments.weights, membership, list(moments.is_class))
        return found if membership is None else found.taken(np.unique(own))


def _is_small_rbf(part: Expansion, columns: IntArray) -> bool:
    """Whether all machines have the same rbf kernel, and few support vectors together."""
    n_entries = len(part.beta) * max(part.X.shape[0], part.X_test.shape[0]) * len(columns)
    is_rbf = part.kernels[0].kind == "rbf" and len(set(part.kernels)) == 1
    return is_rbf and n_entries <= MOST_ENTRIES


class _ColumnMoments:
    """The validation rows of one split: what their columns have to do with the classes of its machines."""

    def __init__(self, part: Expansion, truth: IntArray, weights: FloatArray, codes: IntArray) -> None:
        self.truth = truth
        self.weights = weights
        self.is_class = truth == codes[:, None]
        tiny = np.finfo(np.float64).tiny
        self.part = weights / max(weights.sum(), tiny)
        self.freedom = max(1.0, 1.0 / max(float(self.part @ self.part), tiny) - 1.0)
        self._X: FloatArray | None = None

    def linear(self, part: Expansion, columns: IntArray) -> Contributions:
        """Contributions of dense columns to linear machines."""
        self.measure(part.X_test)
        assert self._X is not None
        w = part.beta @ taken_columns(part.X, columns)
        X = self._X[columns]
        f = w @ X
        varied = f * self.part
        variance = np.einsum("qi,qi->q", f, varied)[:, None]
        safe = np.where(variance > 0.0, variance, np.inf)
        covariance = varied @ X.T
        spread = np.maximum((varied * f) @ self._squares[columns].T - covariance**2, 0.0) / self.freedom
        squares = w * w
        is_moved = variance > 0.0
        return Contributions(
            w * covariance / safe,
            squares * spread / safe**2,
            np.where(is_moved, w * self.gaps[:, columns], 0.0),
            np.where(is_moved, squares * self.gap_variances[:, columns], 0.0),
            is_exact=True,
            has_labels=True,
        )

    def rbf(self, part: Expansion, outputs: FloatArray, columns: IntArray) -> Contributions:
        r"""Contributions of dense columns to machines with one rbf kernel, all machines together.

        With K the kernel between rows and support vectors v, terms are
        :math:`\phi_k = (x_k - \bar x_k)\, 2 \gamma \sum_j c_j K(x, v_j) (v_{jk} - x_k)`.
        """
        self.measure(part.X_test)
        assert self._X is not None
        used = np.flatnonzero(part.beta.any(axis=0))
        coefficients = part.beta[:, used].T
        X = np.ascontiguousarray(self._X[columns].T)
        vectors = np.ascontiguousarray(taken_columns(part.X[used], columns)) - self.means[columns]
        kernel = part.kernels[0]
        values = apply_link(base_matrix(X, vectors, kernel), kernel)
        weighted = coefficients[:, :, None] * vectors[:, None, :]
        pulls = np.tensordot(values, weighted, axes=1)
        # (n_samples, n_machines, n_columns)
        slopes = pulls - (values @ coefficients)[:, :, None] * X[:, None, :]
        reach = max(np.abs(vectors).max(initial=0.0), np.abs(X).max(initial=0.0))
        # As in `KernelFunction.gradients`: what is nothing but rounding has no direction.
        sizes = 2.0 * kernel.gamma * np.abs(slopes).max(axis=2)
        slopes[sizes * reach <= FLAT * (values @ np.abs(coefficients))] = 0.0
        terms = 2.0 * kernel.gamma * np.ascontiguousarray((slopes * X[:, None, :]).swapaxes(0, 1))
        terms -= (self.part @ terms)[:, None, :]
        f = outputs.T - (self.part @ outputs)[:, None]
        varied, labelled = f * self.part, self._labels * self.part
        variance = np.einsum("qi,qi->q", f, varied)[:, None]
        safe = np.where(variance > 0.0, variance, np.inf)
        covariance, gaps = (np.stack([varied, labelled], axis=1) @ terms).swapaxes(0, 1)
        squares = np.stack([varied * f, labelled * self._labels], axis=1) @ (terms * terms)
        spread, apart = squares.swapaxes(0, 1)
        is_moved = variance > 0.0
        return Contributions(
            covariance / safe,
            np.maximum(spread - covariance**2, 0.0) / self.freedom / safe**2,
            np.where(is_moved, gaps, 0.0),
            np.where(is_moved, np.maximum(apart - gaps**2, 0.0) / self.freedom, 0.0),
            is_exact=False,
            has_labels=True,
        )

    def measure(self, X_test: FloatArray) -> None:
        """Find what does not change during the search, once."""
        if self._X is not None:
            return
        self.means = self.part @ X_test
        self._X = np.ascontiguousarray((X_test - self.means).T)
        self._squares = self._X**2
        s = self._labels = self.is_class - (self.is_class @ self.part)[:, None]
        self.gaps = (s * self.part) @ self._X.T
        spread = (s * s * self.part) @ self._squares.T - self.gaps**2
        self.gap_variances = np.maximum(spread, 0.0) / self.freedom
