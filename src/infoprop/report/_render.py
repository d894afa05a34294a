"""Summary and figures to text: HTML, Markdown. Everything that comes from the data is escaped."""

import base64
import hashlib
import re
from functools import cache
from typing import Any

from infoprop.report._bin_data import bin_data
from infoprop.report._bounds_figure import bounds_figure
from infoprop.report._comparison_figures import comparison_figures
from infoprop.report._control import control_figure
from infoprop.report._feature_table import short
from infoprop.report._figures import fading
from infoprop.report._markup import Environment, Markup, PackageLoader, StrictUndefined, escape
from infoprop.report._own_data import own_data
from infoprop.report._palette import N_COLOURS, bands
from infoprop.report._parts import BoundsSummary
from infoprop.report._path_data import path_data
from infoprop.report._row_figures import waterfalls
from infoprop.report._search_figures import beam_curve, evolution_curves, path_curve, trace_dots
from infoprop.report._shape_figures import shape_figure
from infoprop.report._shapes import ShapeSummary
from infoprop.report._summary import ReportSummary
from infoprop.report._svg import shortened
from infoprop.report._tiles import tiles_of
from infoprop.report._views import views_of
from infoprop.report._words import bits, count, hundredths, percent, signed

SCRIPTS = ("words", "tables", "values", "detail", "sizes", "beside", "compare", "tips")
"""Files that the page's one script is made of, in this order."""

N_MATRIX_CLASSES = 40
"""Classes up to which the confusion table is shown whole; beyond, its largest confusions."""

N_AIRY_CLASSES = 6
"""Classes up to which the confusion table has wide cells; beyond, narrow ones, so that two fit abreast."""

_MARKDOWN_ROWS = 100
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]|~])")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("infoprop.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        bits=bits,
        hundredths=hundredths,
        signed=signed,
        percent=percent,
        count=count,
        short=short,
        markdown=_markdown_text,
        heat=_heat,
    )
    return environment


def _heat(value: float, total: float) -> str:
    """Share of `total` in whole percent, for the strength of a cell's colour."""
    return str(round(100 * value / total)) if total > 0 else "0"


def _markdown_text(text: str) -> Markup:
    """`text` so that Markdown shows it letter by letter, in a table cell too."""
    return Markup(_MARKDOWN_SPECIAL.sub(r"\\\1", str(escape(text))))


def _source(name: str) -> Markup:
    """The text of a file of the templates folder as it stands: the package's own, hence trusted."""
    loader = _environment().loader
    assert loader is not None
    return Markup(loader.get_source(_environment(), name)[0])


def _digest(script: Markup) -> str:
    """What the page's security policy must hold for exactly this script to run and no other."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _confusions(summary: ReportSummary) -> list[tuple[str, str, float]]:
    """The largest cells off the diagonal: true class, predicted class, rows."""
    cells = [
        (summary.classes[true].label, summary.classes[predicted].label, number)
        for true, row in enumerate(summary.confusion)
        for predicted, number in enumerate(row)
        if true != predicted and number > 0
    ]
    return sorted(cells, key=lambda cell: -cell[2])[:20]


def _shape_panels(summary: ReportSummary) -> list[tuple[ShapeSummary, Markup]]:
    """Every shape with its figure, in the colour of its class."""
    if summary.shapes is None:
        return []
    styles = {summary.classes[m].label: band.style for band in bands(summary) for m in band.members}
    return [(shape, shape_figure(shape, styles.get(shape.positive, "k0"))) for shape in summary.shapes.shapes]


def _chosen_names(summary: ReportSummary) -> list[str]:
    """Names of the chosen features, best first: by what they are worth alone, if that is known."""
    alone = () if summary.retrained is None else summary.retrained.features
    return [feature.name for feature in alone or summary.selected_features]


def _bound_rows(summary: ReportSummary) -> list[tuple[str, BoundsSummary]]:
    if summary.retrained is None:
        return [("this classifier", summary.bounds)]
    before, after = summary.stages
    return [(before, summary.bounds), (after, summary.retrained.bounds)]


def rendered(template: str, **context: Any) -> str:
    """The text that a template makes of its context."""
    return _environment().get_template(template).render(**context)


def rendered_page(template: str, **context: Any) -> str:
    """The same for a whole page, with style and script in it."""
    parts = [_source(f"{name}.js") for name in SCRIPTS]
    script = Markup('"use strict";\n(() => {\n') + Markup("\n").join(parts) + Markup("})();\n")
    style = _source("report.css")
    return rendered(template, **context, style=style, script=script, script_digest=_digest(script))


def render_html(summary: ReportSummary) -> str:
    """One page that needs nothing but itself."""
    return rendered_page(
        "report.html",
        summary=summary,
        tiles=tiles_of(summary),
        views=views_of(summary),
        fading=fading(),
        chosen_names=", ".join(shortened(name, 40) for name in _chosen_names(summary)),
        path_curve=path_curve(summary.path),
        trace_dots=trace_dots(summary.trace),
        beam_curve=beam_curve(summary.beam),
        evolution_curves=evolution_curves(summary.evolution),
        control_figure=control_figure(summary.control),
        shape_panels=_shape_panels(summary),
        row_panels=list(zip(summary.rows or (), waterfalls(summary.rows or ()), strict=True)),
        comparison=summary.nested,
        figures=comparison_figures(summary.nested),
        path_data=path_data(summary),
        own_data=own_data(summary),
        bin_data=bin_data(summary),
        bounds_figure=bounds_figure(_bound_rows(summary)),
        has_matrix=len(summary.classes) <= N_MATRIX_CLASSES,
        n_airy_classes=N_AIRY_CLASSES,
        longest_label=max(len(entry.label) for entry in summary.classes),
        confusions=_confusions(summary),
    )


def render_markdown(summary: ReportSummary) -> str:
    """The report's text and tables, for a pull request or a notebook."""
    return rendered(
        "report.md",
        summary=summary,
        comparison=summary.nested,
        rows=summary.features[:_MARKDOWN_ROWS],
        has_class_columns=len(summary.classes) <= N_COLOURS,
        has_matrix=len(summary.classes) <= N_MATRIX_CLASSES,
        confusions=_confusions(summary),
    )
