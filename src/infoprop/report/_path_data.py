"""The numbers behind the slider over the sizes of an elimination, as JSON that a page can hold."""

import numpy as np

from infoprop.report._feature_table import N_TABLE_ROWS, page_json, short
from infoprop.report._markup import Markup
from infoprop.report._plane import thinned
from infoprop.report._search_figures import path_plane
from infoprop.report._summary import ReportSummary

N_STOPS = 400
"""Sizes that the slider stops at; of more, those that can be told apart on the axis."""

N_CELLS = 200_000
"""Cells of confusion tables that fit on a page; beyond, the slider shows none."""


def path_data(summary: ReportSummary) -> Markup:
    """Every size to stop at, few features first: what it delivers, and the order of the features.

    ``order`` has the place of each feature among the names of the page, those that stay the longest first.
    """
    path = summary.path
    if path is None or path.tables is None:
        return Markup("null")
    steps = path.steps[::-1]
    plane = path_plane(path)
    stops = _stops(summary)
    shown = [steps[stop] for stop in stops]
    data: dict[str, object] = {
        "sizes": [step.n_features for step in shown],
        "bits": [short(step.information) for step in shown],
        "errors": [short(step.standard_error) for step in shown],
        "accuracy": [short(step.accuracy) for step in shown],
        "lower": [short(step.error_lower) for step in shown],
        "upper": [short(step.error_upper) for step in shown],
        "x": [float(plane.page(float(step.n_features))[:-1]) for step in shown],
        "y": [round(plane.down(step.information), 1) for step in shown],
        "chosen": path.n_chosen,
        "n_kept": path.steps[-1].n_features,
        **_order(summary),
    }
    numbers = path.tables.table_of_step[::-1][stops]
    used, table = np.unique(numbers, return_inverse=True)
    counts = path.tables.tables[used]
    if counts.size <= N_CELLS and counts.shape[1] == len(summary.classes):
        data["labels"] = [entry.label for entry in summary.classes]
        data["table"] = table.tolist()
        data["tables"] = [[short(count) for count in one.ravel().tolist()] for one in counts]
    return page_json(data)


def _stops(summary: ReportSummary) -> list[int]:
    """Numbers of the steps to stop at, few features first: all, or those that the axis tells apart."""
    assert summary.path is not None
    steps = summary.path.steps[::-1]
    if len(steps) <= N_STOPS:
        return list(range(len(steps)))
    plane = path_plane(summary.path)
    told = thinned([plane.across(float(step.n_features)) for step in steps], N_STOPS)
    marked = {summary.path.n_chosen, summary.path.best.n_features}
    return sorted({*told, *(k for k, step in enumerate(steps) if step.n_features in marked)})


def _order(summary: ReportSummary) -> dict[str, object]:
    """The features, those that stay the longest first, as places in the table or with their own names."""
    assert summary.path is not None
    order = summary.path.best_first
    if 0 < len(summary.features) <= N_TABLE_ROWS:
        place = {feature.column: feature.rank - 1 for feature in summary.features}
        return {"order": [place[column] for column in order]}
    return {"order": list(order), "names": list(summary.feature_names)}
