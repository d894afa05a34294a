"""The numbers behind the page's table of features, as JSON that a page can hold."""

import json

import numpy as np

from infoprop.report._markup import Markup
from infoprop.report._palette import N_COLOURS
from infoprop.report._summary import ReportSummary

N_TABLE_ROWS = 100_000
"""Features listed in the HTML page; the JSON form has them all."""

N_STATIC_ROWS = 100
"""Rows that stand in the page itself, for paper and for readers without scripts."""

N_CLASS_COLUMNS, N_CLASS_CELLS = 40, 200_000
"""Classes, and features times classes, up to which the table has a column for every class."""

_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def has_class_columns(summary: ReportSummary) -> bool:
    """Whether the table can hold the bits that every feature pays to every class."""
    n_classes = len(summary.classes)
    n_cells = n_classes * min(summary.n_features, N_TABLE_ROWS)
    return n_classes <= N_COLOURS or (n_classes <= N_CLASS_COLUMNS and n_cells <= N_CLASS_CELLS)


def has_strongest(summary: ReportSummary) -> bool:
    """Whether the table names the class that a feature is worth the most for: of many, one must be told."""
    return len(summary.classes) > N_COLOURS


def feature_data(summary: ReportSummary) -> Markup:
    """Names, credits and choice of the features, best first, column by column.

    Shares follow from the bits and their total.
    """
    rows = summary.features[:N_TABLE_ROWS]
    data: dict[str, object] = {
        "names": [feature.name for feature in rows],
        "bits": [short(feature.credit) for feature in rows],
        "total": sum(feature.credit for feature in summary.features),
    }
    if summary.has_intervals:
        data["lows"] = [None if feature.low is None else short(feature.low) for feature in rows]
        data["highs"] = [None if feature.high is None else short(feature.high) for feature in rows]
    if has_class_columns(summary):
        data["classes"] = [
            [short(feature.by_class[number]) for feature in rows] for number in range(len(summary.classes))
        ]
    if has_strongest(summary):
        data["labels"] = [entry.label for entry in summary.classes]
        data["strongest"] = [int(np.argmax(feature.by_class)) for feature in rows]
    if summary.has_noise_floor:
        data["chances"] = [short(feature.p_value or 0.0) for feature in rows]
        data["floors"] = [short(feature.noise_floor or 0.0) for feature in rows]
    if summary.has_q_values:
        data["rates"] = [None if feature.q_value is None else short(feature.q_value) for feature in rows]
    if summary.selected is not None:
        data["chosen"] = [int(bool(feature.selected)) for feature in rows]
    return page_json(data)


def page_json(data: object) -> Markup:
    """JSON that a page can hold: letters that could end a script element are escaped as JSON allows."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_ESCAPES))


def short(value: float) -> float | int:
    """Five digits: more than is shown, and few letters."""
    rounded = float(f"{value:.5g}")
    return int(rounded) if rounded.is_integer() else rounded
