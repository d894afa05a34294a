"""One draw of knockoffs: make them, eliminate columns and knockoffs together, see which score higher."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection.control._controlled import eliminated, survival_scores
from infoprop.selection.control._copula import CopulaKnockoffs
from infoprop.selection.control._gaussian import GaussianKnockoffs
from infoprop.selection.control._halves import half_masks

GAUSSIAN = "gaussian"
COPULA = "copula"
LAWS = (GAUSSIAN, COPULA)


@dataclass(frozen=True)
class DrawRule:
    """How knockoffs are made and tested.

    Attributes
    ----------
    knockoffs : {"gaussian", "copula"}, callable or ndarray
        The array has the shape (n_draws, n_knockoffs, n_samples, n_features).
    n_knockoffs : int
        Number of knockoffs of each column.
    covariance : ndarray of shape (n_features, n_features) or None
    n_tested : int or None
        Number of groups that a half of the rows chooses for the test; None tests all on all rows.
    step : int, float or "halving"
    sampler : GaussianKnockoffs or CopulaKnockoffs or None
        Where all columns are tested: the law of their rows, which all draws share.
    """

    knockoffs: Any
    n_knockoffs: int
    covariance: FloatArray | None
    n_tested: int | None
    step: Any
    sampler: Any = None


def prepared(rule: DrawRule, X: Any, labels: IntArray, seed: int) -> DrawRule:
    """Return the rule with the law of the rows, if all draws share it."""
    if rule.n_tested is not None or not isinstance(rule.knockoffs, str):
        return rule
    return replace(rule, sampler=_sampler(rule, dense(X), labels, np.random.default_rng(seed)))


def draw_statistics(
    evaluator: SubsetEvaluator,
    choice: ColumnChoice,
    row_groups: Any,
    rule: DrawRule,
    task: tuple[int, int],
) -> FloatArray:
    """Return W of every group in one draw: (n_groups,); the task is its number and its seed."""
    number, seed = task
    rows = evaluator.all_rows()
    generator = np.random.default_rng(seed)
    tested = np.setdiff1d(np.arange(choice.groups.n_groups), choice.keep)
    first_half = rows[:0]
    if rule.n_tested is not None:
        first_half, tested = _screened(evaluator, choice, row_groups, rule, seed)
    columns = choice.groups.members(np.union1d(tested, choice.keep))
    training = evaluator.training
    originals = dense(training.X[:, columns])
    versions = np.tile(originals, (1 + rule.n_knockoffs, 1, 1))
    drawn = np.setdiff1d(rows, first_half)
    labels = choice.groups.labels[columns]
    versions[1:, drawn] = _drawn(rule, originals, drawn, rows, columns, labels, number, generator)
    together = ColumnVersions(versions, labels, choice.keep)
    scores = together.scores(evaluator, training, rows, rule.step, generator)[:, tested]
    W = np.zeros(choice.groups.n_groups)
    W[tested] = scores.max(axis=0) * np.sign(scores[0] - scores[1:].max(axis=0))
    return W


@dataclass(frozen=True)
class ColumnVersions:
    """Columns and their knockoffs, to be eliminated together.

    What is eliminated does not depend on which version of a group is the original: the versions are put in an
    order that their values decide, and then all columns in a random one. So whatever the classifier does, bit
    for bit, swapping a column with its knockoff swaps their scores and changes nothing else.

    Attributes
    ----------
    versions : ndarray of shape (1 + n_knockoffs, n_samples, n_columns)
        The originals, then their knockoffs.
    labels : ndarray of shape (n_columns,)
        Group of each column.
    keep : ndarray
        Groups that stay, without knockoffs.
    """

    versions: FloatArray
    labels: IntArray
    keep: IntArray

    def scores(
        self,
        evaluator: SubsetEvaluator,
        training: LabelledRows,
        rows: IntArray,
        step: Any,
        generator: np.random.Generator,
    ) -> FloatArray:
        """Return the scores of all versions, see :func:`survival_scores`: (n_versions, n_groups).

        The same number for versions that are equal.
        """
        is_kept = np.isin(self.labels, self.keep)
        order, is_repeated = self._order_of_versions(rows)
        n_versions, n_groups = order.shape
        placed = np.take_along_axis(self.versions, order[:, self.labels][:, None], axis=0)
        labels = np.arange(n_versions)[:, None] * n_groups + self.labels
        blocks = [placed[0], *placed[1:, :, ~is_kept]]
        numbers = np.concatenate([labels[0], *labels[1:, ~is_kept]])
        mixed = generator.permutation(len(numbers))
        names = tuple(f"x{k}" for k in range(len(mixed)))
        groups = ColumnGroups.from_specification(numbers[mixed].tolist(), names)
        numbers = np.array([int(name) for name in groups.names])
        keep = np.flatnonzero(np.isin(numbers, self.keep))
        choice = ColumnChoice(groups, keep, None, None)
        both = replace(
            evaluator,
            training=LabelledRows(np.hstack(blocks)[:, mixed], training.y, training.sample_weight),
            feature_names=names,
            given=None,
        )
        placed_scores = np.zeros((n_versions, n_groups))
        placed_scores.ravel()[numbers] = survival_scores(both, choice, rows, step)
        for first in (*range(n_versions - 1), *range(n_versions - 2, -1, -1)):
            own = placed_scores[first : first + 2]
            own[:, is_repeated[first]] = own[:, is_repeated[first]].max(axis=0)
        found = np.empty_like(placed_scores)
        np.put_along_axis(found, order, placed_scores, axis=0)
        return found

    def _order_of_versions(self, rows: IntArray) -> tuple[IntArray, BoolArray]:
        """Versions of each group by their values, and whether each but the last is equal to the next.

        Shapes (n_versions, n_groups) and (n_versions - 1, n_groups). The first row where two differ decides.
        """
        n_versions, n_groups = len(self.versions), int(self.labels.max()) + 1
        order = np.tile(np.arange(n_versions)[:, None], n_groups)
        is_repeated = np.zeros((n_versions - 1, n_groups), dtype=bool)
        by_column = np.moveaxis(self.versions[:, rows], 2, 0)
        for group in np.unique(self.labels):
            members = by_column[self.labels == group]
            own = np.moveaxis(members, 1, 0).reshape(n_versions, -1).tolist()
            order[:, group] = sorted(range(n_versions), key=own.__getitem__)
            is_repeated[:, group] = [own[i] == own[j] for i, j in pairwise(order[:, group])]
        return order, is_repeated


def dense(X: Any) -> FloatArray:
    """Rows as a dense array of numbers."""
    if sparse.issparse(X):
        X = X.toarray()
    try:
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            "Knockoffs need columns of numbers. Code nominal columns first, each as a group of columns, and "
            "pass the 'groups'."
        ) from error


def _screened(
    evaluator: SubsetEvaluator, choice: ColumnChoice, row_groups: Any, rule: DrawRule, seed: int
) -> tuple[IntArray, IntArray]:
    """Half of the rows, and the groups that an elimination on it keeps longest."""
    rows, data = evaluator.all_rows(), evaluator.training
    weights = np.ones(len(data.y)) if data.sample_weight is None else data.sample_weight
    own = None if row_groups is None else np.asarray(row_groups)[rows]
    mask = half_masks(data.X[rows], data.y[rows], weights[rows], own, 1, seed)[0]
    order = eliminated(evaluator, choice, rows[mask], rule.step)
    best = order[~np.isin(order, choice.keep)][: rule.n_tested]
    return rows[mask], np.sort(best)


def _drawn(
    rule: DrawRule,
    originals: FloatArray,
    drawn: IntArray,
    rows: IntArray,
    columns: IntArray,
    labels: IntArray,
    number: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Knockoffs of the rows `drawn` of these columns: (n_knockoffs, n_drawn, n_columns)."""
    if isinstance(rule.knockoffs, np.ndarray):
        return np.asarray(rule.knockoffs[number][:, drawn][:, :, columns], dtype=np.float64)
    if not isinstance(rule.knockoffs, str):
        return _called(rule.knockoffs, originals[drawn], rule.n_knockoffs, generator)
    sampler = rule.sampler
    if sampler is None:
        own = rule.covariance if rule.covariance is None else rule.covariance[np.ix_(columns, columns)]
        sampler = _sampler(replace(rule, covariance=own), originals[rows], labels, generator)
    made = sampler.sample(originals[rows], generator).reshape(rule.n_knockoffs, len(rows), -1)
    return np.asarray(made[:, np.isin(rows, drawn)])


def _sampler(rule: DrawRule, X: FloatArray, labels: IntArray, generator: np.random.Generator) -> Any:
    if rule.knockoffs == COPULA:
        return CopulaKnockoffs.from_rows(X, labels, generator, rule.n_knockoffs)
    return GaussianKnockoffs.from_rows(X, labels, rule.covariance, rule.n_knockoffs)


def _called(
    function: Callable[..., Any], X: FloatArray, n_knockoffs: int, generator: np.random.Generator
) -> FloatArray:
    made = np.asarray(function(X, generator), dtype=np.float64)
    shape = X.shape if n_knockoffs == 1 else (n_knockoffs, *X.shape)
    if made.shape != shape or not np.isfinite(made).all():
        raise DataError(
            f"The 'knockoffs' function must return finite numbers of the shape of its rows, {X.shape}"
            f"{'' if n_knockoffs == 1 else f', for each knockoff: {shape}'}. Got "
            f"{'numbers that are not finite' if made.shape == shape else f'shape {made.shape}'}."
        )
    return made.reshape(n_knockoffs, *X.shape)
