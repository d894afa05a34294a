"""What a fitted selector has to say on a page."""

from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, column_or_1d

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._row_folds import row_splits
from infoprop.credit import FeatureCredits, cross_val_credits
from infoprop.credit._features import cross_val_credits_and_area
from infoprop.credit._groups import ColumnGroups
from infoprop.metrics import InformationFlow
from infoprop.report._control import is_controlled
from infoprop.report._front import N_INTERACTIONS
from infoprop.selection import (
    BackwardEliminationSelector,
    DirectedSearchSelector,
    FeatureSelector,
    ForwardBeamSelector,
    GeneticSelector,
    interaction_screen,
)
from infoprop.selection._base import BaseFeatureSelector
from infoprop.selection.front._candidates import can_screen


def search_parts(selector: Any) -> dict[str, Any]:
    """What a fitted selector went through, by the names that :class:`Report` has for it."""
    if isinstance(selector, BackwardEliminationSelector):
        rule = selector.rule if selector.n_features_to_select == "auto" else None
        tolerance = selector.tolerance if rule == "tolerance" else None
        return {"path": selector.path_, "rule": rule, "tolerance": tolerance}
    if isinstance(selector, DirectedSearchSelector):
        return {"trace": selector.trace_}
    if isinstance(selector, ForwardBeamSelector):
        return {"beam": selector.trace_}
    if isinstance(selector, FeatureSelector):
        return {"front": selector}
    if is_controlled(selector):
        return {"control": selector}
    return {"evolution": selector.trace_} if isinstance(selector, GeneticSelector) else {}


def interactions_in(X: Any, y: Any) -> dict[str, Any]:
    """The screen of all columns and pairs as a part of a report; nothing where it would take long."""
    n_rows, n_columns = X.shape
    if not can_screen(n_rows, n_columns, len(np.unique(y))):
        return {}
    return {"interactions": interaction_screen(X, y, n_pairs=N_INTERACTIONS, n_rounds=1)}


def judged_selector(
    selector: BaseFeatureSelector | FeatureSelector, X: Any, y: Any, validation: Any
) -> tuple[FeatureCredits | InformationFlow, tuple[str, ...], dict[str, Any]]:
    """Judge the classifier of a fitted selector with all features and with those chosen, on the same folds.

    Returns the credits (or what is delivered, for a classifier that has none), the names of the features and
    the further parts of a report.
    """
    check_is_fitted(selector, "support_")
    labels = column_or_1d(y)
    # Once: folds are dealt by what rows hold, which is less with fewer columns.
    folds = row_splits(validation, X, labels)
    estimator = clone(selector.estimator_)
    groups = ColumnGroups.from_specification(selector.groups, selector._input_names())
    found: FeatureCredits | InformationFlow | None = None
    with suppress(UnsupportedEstimatorError):
        found = cross_val_credits(estimator, X, labels, validation=folds, groups=groups)
    if found is None:
        predicted = cross_val_predict(estimator, X, labels, cv=folds)
        found = InformationFlow.from_predictions(labels, predicted)
    columns = np.flatnonzero(selector.support_)
    # Data frames differ in whether they can have no columns.
    chosen = _safe_indexing(X, columns, axis=1) if len(columns) else np.empty((len(labels), 0))
    chosen_credits, auc = None, None
    if isinstance(found, FeatureCredits) and len(columns):
        owners = [groups.names[label] for label in groups.labels[columns]]
        chosen_credits, auc = cross_val_credits_and_area(
            estimator, chosen, labels, validation=folds, groups=owners
        )
        retrained = chosen_credits.flow
    else:
        predicted = cross_val_predict(estimator, chosen, labels, cv=folds)
        retrained = InformationFlow.from_predictions(labels, predicted)
    parts = {
        "selected": np.bincount(groups.labels, selector.support_) > 0,
        "retrained": retrained,
        "chosen_credits": chosen_credits,
        "auc": auc,
        "judged_on": "choice",
        "n_rows": len(labels),
        "X": X,
        "y": labels,
        "column_names": groups.columns,
        **search_parts(selector),
    }
    if isinstance(selector, FeatureSelector):
        parts |= interactions_in(X, labels)
    if len(groups.names) < len(groups.columns):
        parts["owners"] = [groups.names[label] for label in groups.labels]
    return found, groups.names, parts
