"""Rules that share a classifier's bits out, and importances of others, on machines trained fold by fold."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from _credit_problems import Credited
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from infoprop.credit import credit_rows
from infoprop.credit._contributions import indicators_of
from infoprop.credit._covariance import (
    Contributions,
    covariance_contributions,
    labelled_rows,
    pooled,
)
from infoprop.credit._crediting import Judged, SharingRule, credits_of
from infoprop.credit._groups import ColumnGroups
from infoprop.credit._shares import per_class
from infoprop.credit._unwrapping import unwrapped
from infoprop.metrics import InformationFlow
from infoprop.svm import OneVsRestSVC


@dataclass(frozen=True)
class Fold:
    """A trained machine, and standardised rows that it has not seen."""

    machine: OneVsRestSVC
    X: Any
    y: Any


@dataclass(frozen=True)
class Trained:
    """The machines of all folds, what they deliver, and the features that columns belong to."""

    problem: Credited
    folds: list[Fold]
    flow: InformationFlow
    groups: ColumnGroups | None

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"x{k}" for k in range(self.problem.X.shape[1]))


def trained(problem: Credited, kernel: str, n_folds: int = 5) -> Trained:
    """Train linear machines with C = 0.1, or rbf machines with C = 1, in stratified folds."""
    folds, true, named = [], [], []
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(problem.X, problem.y):
        scaler = StandardScaler().fit(problem.X[train])
        machine = OneVsRestSVC(kernel=kernel, C=0.1 if kernel == "linear" else 1.0)
        machine.fit(scaler.transform(problem.X[train]), problem.y[train])
        fold = Fold(machine, scaler.transform(problem.X[test]), problem.y[test])
        folds.append(fold)
        true.append(fold.y)
        named.append(machine.predict(fold.X))
    flow = InformationFlow.from_predictions(
        np.concatenate(true), np.concatenate(named), labels=np.unique(problem.y)
    )
    names = tuple(f"x{k}" for k in range(problem.X.shape[1]))
    groups = None
    if problem.owners is not None:
        groups = ColumnGroups.from_specification(list(problem.owners), names)
    return Trained(problem, folds, flow, groups)


def _summed(found: Trained, values: Any) -> Any:
    return values if found.groups is None else found.groups.sums(values)


def _credits(sharing: str) -> Callable[[Trained], tuple[Any, Any]]:
    def rule(found: Trained) -> tuple[Any, Any]:
        judged = [Judged(fold.machine, fold.X, fold.y) for fold in found.folds]
        credits = credits_of(judged, SharingRule(sharing, found.groups, found.columns))
        return credits.values, _places(credits.ranking)

    return rule


def _squared(found: Trained) -> tuple[Any, Any]:
    """Squares of the papers' sensitivities: for linear machines, of the weights."""
    shares = []
    for fold in found.folds:
        squares = _summed(found, fold.machine.credit_shares(fold.X) ** 2)
        shares.append(squares / squares.sum(axis=1, keepdims=True))
    values = found.flow.indicator_credits @ np.mean(shares, axis=0)
    return values, values


def _fold_by_fold(found: Trained) -> tuple[Any, Any]:
    """Covariance, shrunk in every fold alone."""
    rule = SharingRule("covariance", found.groups, found.columns)
    values = np.mean([credits_of([Judged(f.machine, f.X, f.y)], rule).values for f in found.folds], axis=0)
    return values, values


def _contributions(found: Trained) -> Contributions:
    """Contributions averaged over folds, with the true classes of the rows."""
    parts, learned = [], []
    for fold in found.folds:
        classes = fold.machine.classes_
        indicators = indicators_of(unwrapped(fold.machine, fold.X))
        membership = None if found.groups is None else found.groups.membership
        own = labelled_rows(indicators, classes, fold.y)
        parts.append(
            per_class(
                covariance_contributions(indicators, np.ones(len(fold.y)), membership, own), len(classes)
            )
        )
        learned.append(np.searchsorted(found.flow.labels, classes))
    return pooled(parts, learned, len(found.flow.labels))


def _without_labels(found: Trained) -> tuple[Any, Any]:
    """Covariance with the output alone, whatever the classes."""
    parts = _contributions(found)._replace(has_labels=False)
    bits = found.flow.indicator_credits @ parts.shares()
    return bits, bits + 1e-9 * (found.flow.indicator_credits @ parts.values)


def _class_gap(found: Trained) -> tuple[Any, Any]:
    """Covariance with the class in the place of the output, shrunk alike."""
    parts = _contributions(found)
    parts = parts._replace(values=parts.gaps, variances=parts.gap_variances, has_labels=False)
    bits = found.flow.indicator_credits @ parts.shares()
    return bits, bits + 1e-9 * (found.flow.indicator_credits @ parts.gaps)


def _coefficients(found: Trained) -> tuple[Any, Any]:
    """Mean size of the weights over classes and folds, which know nothing of unseen rows."""
    sizes = [np.abs([m.weights for m in fold.machine.machines_]).mean(axis=0) for fold in found.folds]
    values = _summed(found, np.mean(sizes, axis=0))
    return values, values


def _shap_linear(found: Trained) -> tuple[Any, Any]:
    """Mean absolute Shapley values of unseen rows: w (x - mean), which shap.LinearExplainer returns."""
    parts = []
    for fold in found.folds:
        for machine in fold.machine.machines_:
            parts.append(np.abs(_summed(found, fold.X * machine.weights)).mean(axis=0))
    values = np.mean(parts, axis=0)
    return values, values


def _shap_rbf(found: Trained) -> tuple[Any, Any]:
    """Mean absolute Shapley values of unseen rows, those of shapiq's product-kernel explainer."""
    parts = [
        np.abs(credit_rows(fold.machine, fold.X).contributions).mean(axis=(0, 1)) for fold in found.folds
    ]
    values = np.mean(parts, axis=0)
    return values, values


def _permutation(found: Trained) -> tuple[Any, Any]:
    """scikit-learn's permutation_importance on unseen rows, five repeats, mean of the folds; no groups."""
    parts = [
        permutation_importance(fold.machine, fold.X, fold.y, n_repeats=5, random_state=0).importances_mean
        for fold in found.folds
    ]
    signed = _summed(found, np.mean(parts, axis=0))
    return np.maximum(signed, 0.0), signed


def _forest(found: Trained) -> tuple[Any, Any]:
    """feature_importances_ of 200 trees, trained on all rows."""
    forest = RandomForestClassifier(200, random_state=0).fit(found.problem.X, found.problem.y)
    values = _summed(found, forest.feature_importances_)
    return values, values


def above_floor(found: Trained) -> Any:
    """Which features are above the noise floor by covariance, with 199 shuffles of the labels."""
    judged = [Judged(fold.machine, fold.X, fold.y) for fold in found.folds]
    rule = SharingRule("covariance", found.groups, found.columns, n_null=199, seed=0)
    noise = credits_of(judged, rule).noise
    assert noise is not None
    return noise.is_above


def _places(ranking: Any) -> Any:
    """Something that is the larger, the better a feature ranks."""
    places = np.empty(len(ranking))
    places[ranking] = -np.arange(len(ranking))
    return places


RULES: dict[str, Callable[[Trained], tuple[Any, Any]]] = {
    "margin (papers)": _credits("margin"),
    "squared margin": _squared,
    "covariance": _credits("covariance"),
    "covariance, fold by fold": _fold_by_fold,
    "covariance, without labels": _without_labels,
    "class gap": _class_gap,
    "coef_": _coefficients,
    "shap, linear": _shap_linear,
    "Shapley values, rbf": _shap_rbf,
    "forest importance": _forest,
    "permutation importance": _permutation,
}
LINEAR_ONLY, KERNEL_ONLY = ("coef_", "shap, linear"), ("Shapley values, rbf",)
SLOW = "permutation importance"


def timed(rule: str, found: Trained) -> tuple[Any, Any, float]:
    """Return what a rule gives every feature, something to rank by, and seconds beside the training.

    Processor seconds; what takes less than a fifth of a second is done three times, and the least counts.
    """
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        values, order = RULES[rule](found)
        best = min(best, time.process_time() - begin)
        if best > 0.2:
            break
    return values, order, best
