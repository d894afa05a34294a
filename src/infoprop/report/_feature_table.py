"""The numbers behind the page's table of features, as JSON that a page can hold."""

import json

import numpy as np
from markupsafe import Markup

from infoprop.report._palette import N_COLOURS
from infoprop.report._summary import ReportSummary

N_TABLE_ROWS = 100_000
"""Features listed in the HTML page; the JSON form has them all."""

N_STATIC_ROWS = 100
"""Rows that stand in the page itself, for paper and for readers without scripts."""

_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def feature_data(summary: ReportSummary) -> Markup:
    """Names, credits and choice of the features, best first, column by column.

    Letters that could end the script element are escaped as JSON allows, so that no name is ever markup.
    """
    rows = summary.features[:N_TABLE_ROWS]
    data: dict[str, object] = {
        "names": [feature.name for feature in rows],
        "bits": [_short(feature.credit) for feature in rows],
        "shares": [_short(feature.share) for feature in rows],
    }
    if len(summary.classes) <= N_COLOURS:
        data["classes"] = [
            [_short(feature.by_class[number]) for feature in rows] for number in range(len(summary.classes))
        ]
    else:
        data["labels"] = [entry.label for entry in summary.classes]
        data["strongest"] = [int(np.argmax(feature.by_class)) for feature in rows]
    if summary.selected is not None:
        data["chosen"] = [int(bool(feature.selected)) for feature in rows]
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_ESCAPES))


def _short(value: float) -> float:
    """Eight digits: more than is shown, so that rows are sorted as the full numbers would be."""
    return float(f"{value:.8g}")
