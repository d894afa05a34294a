"""One draw of knockoffs: make them, eliminate columns and knockoffs together, see who falls first."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection.control._controlled import eliminated
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
    knockoffs : {"gaussian", "copula"}, callable or ndarray of shape (n_draws, n_samples, n_features)
    covariance : ndarray of shape (n_features, n_features) or None
    n_tested : int or None
        Number of groups that a half of the rows chooses for the test; None tests all on all rows.
    step : int, float or "halving"
    sampler : GaussianKnockoffs or CopulaKnockoffs or None
        Where all columns are tested: the law of their rows, which all draws share.
    """

    knockoffs: Any
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
    knockoffs = originals.copy()
    drawn = np.setdiff1d(rows, first_half)
    labels = choice.groups.labels[columns]
    knockoffs[drawn] = _drawn(rule, originals, drawn, rows, columns, labels, number, generator)
    pairs = ColumnPairs(originals, knockoffs, labels, choice.keep)
    depth = pairs.depths(evaluator, training, rows, rule.step, generator)
    W = np.zeros(choice.groups.n_groups)
    W[tested] = depth[tested].max(axis=1) * np.sign(depth[tested, 0] - depth[tested, 1])
    return W


@dataclass(frozen=True)
class ColumnPairs:
    """Columns and their knockoffs, to be eliminated together.

    What is eliminated does not depend on which of a pair is the knockoff: the two are put in an order that
    their values decide, and then all columns in a random one. So whatever the classifier does, bit for bit,
    swapping a column with its knockoff swaps their depths and changes nothing else.

    Attributes
    ----------
    originals, knockoffs : ndarray of shape (n_samples, n_columns)
    labels : ndarray of shape (n_columns,)
        Group of each column.
    keep : ndarray
        Groups that stay, without knockoffs.
    """

    originals: FloatArray
    knockoffs: FloatArray
    labels: IntArray
    keep: IntArray

    def depths(
        self,
        evaluator: SubsetEvaluator,
        training: LabelledRows,
        rows: IntArray,
        step: Any,
        generator: np.random.Generator,
    ) -> FloatArray:
        """Return how late each group and its knockoff fell: (n_groups, 2), 1 for the first of all to fall.

        The same number for both where they are equal.
        """
        is_kept = np.isin(self.labels, self.keep)
        swapped, equal = self._order_of_pairs(rows)
        turned = swapped[self.labels]
        first = np.where(turned, self.knockoffs, self.originals)
        second = np.where(turned, self.originals, self.knockoffs)[:, ~is_kept]
        n_groups = len(swapped)
        labels = np.concatenate([self.labels, self.labels[~is_kept] + n_groups])
        order = generator.permutation(len(labels))
        X = np.hstack([first, second])[:, order]
        names = tuple(f"x{k}" for k in range(len(order)))
        groups = ColumnGroups.from_specification(labels[order].tolist(), names)
        numbers = np.array([int(name) for name in groups.names])
        keep = np.flatnonzero(np.isin(numbers, self.keep))
        choice = ColumnChoice(groups, keep, None, None)
        both = replace(
            evaluator,
            training=LabelledRows(X, training.y, training.sample_weight),
            feature_names=names,
            given=None,
        )
        last_first = numbers[eliminated(both, choice, rows, step)]
        depth = np.zeros(2 * n_groups)
        depth[last_first] = np.arange(len(last_first), 0, -1)
        both_depths = depth.reshape(2, n_groups).T
        both_depths[equal] = both_depths[equal].max(axis=1, keepdims=True)
        both_depths[swapped] = both_depths[swapped, ::-1]
        return both_depths

    def _order_of_pairs(self, rows: IntArray) -> tuple[BoolArray, BoolArray]:
        """Whether the knockoff is smaller where the two differ first, and whether they never do, by group."""
        n_groups = int(self.labels.max()) + 1
        differing = self.knockoffs[rows] - self.originals[rows]
        found = np.zeros(n_groups)
        # Row by row, until all pairs are told apart; the first column of a group decides in a row.
        for row in differing:
            for column in np.flatnonzero((row != 0.0) & (found[self.labels] == 0.0)):
                if found[self.labels[column]] == 0.0:
                    found[self.labels[column]] = np.sign(row[column])
            if found[self.labels].all():
                break
        return found < 0.0, found == 0.0


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
    """Knockoffs of the rows `drawn` of these columns."""
    if isinstance(rule.knockoffs, np.ndarray):
        return np.asarray(rule.knockoffs[number][np.ix_(drawn, columns)], dtype=np.float64)
    if not isinstance(rule.knockoffs, str):
        return _called(rule.knockoffs, originals[drawn], generator)
    sampler = rule.sampler
    if sampler is None:
        own = rule.covariance if rule.covariance is None else rule.covariance[np.ix_(columns, columns)]
        sampler = _sampler(replace(rule, covariance=own), originals[rows], labels, generator)
    return np.asarray(sampler.sample(originals[rows], generator)[np.isin(rows, drawn)])


def _sampler(rule: DrawRule, X: FloatArray, labels: IntArray, generator: np.random.Generator) -> Any:
    if rule.knockoffs == COPULA:
        return CopulaKnockoffs.from_rows(X, labels, generator)
    return GaussianKnockoffs.from_rows(X, labels, rule.covariance)


def _called(function: Callable[..., Any], X: FloatArray, generator: np.random.Generator) -> FloatArray:
    made = np.asarray(function(X, generator), dtype=np.float64)
    if made.shape != X.shape or not np.isfinite(made).all():
        raise DataError(
            f"The 'knockoffs' function must return finite numbers of the shape of its rows, {X.shape}. Got "
            f"{'numbers that are not finite' if made.shape == X.shape else f'shape {made.shape}'}."
        )
    return made
