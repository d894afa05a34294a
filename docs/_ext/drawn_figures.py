"""Figures drawn by infoprop itself while the pages are built, once for light pages and once for dark ones.

``{drawn} credit_figures.flow`` runs the function `flow` of ``docs/_figures/credit_figures.py``, which returns
a matplotlib figure, and shows its source below it. What a page shows is therefore what today's code draws.
"""

import importlib
import inspect
import re
import sys
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_FOLDER = "_build/figures"
_STYLES = {
    "light": {
        "axes.prop_cycle": matplotlib.cycler(color=["#2a6fb0", "#d9822b", "#3f9b5b", "#b8433a", "#7d5ba6"])
    },
    "dark": {
        "axes.prop_cycle": matplotlib.cycler(color=["#6cb0f0", "#f0a860", "#74cf90", "#f0857a", "#b79ae0"]),
        **dict.fromkeys(
            ["text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"], "#d8dbe0"
        ),
        "axes.facecolor": "#131416",
        "grid.color": "#4a4d52",
        "legend.edgecolor": "#4a4d52",
    },
}
_COMMON = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "infoprop",
}


class Drawn(SphinxDirective):
    """A figure by its function; the content is the caption."""

    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Draw it, and put figure, caption and source on the page."""
        module_name, _, function_name = self.arguments[0].partition(".")
        module = importlib.import_module(module_name)
        self.env.note_dependency(str(module.__file__))
        draw = getattr(module, function_name)
        figure = nodes.figure(classes=["drawn"])
        for style in _STYLES:
            place = _drawn(draw, self.arguments[0], style, Path(self.env.srcdir))
            figure += nodes.image(
                uri=f"/{place}", alt=self.options["alt"], classes=[f"only-{style}"], width="100%"
            )
        words = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, words)
        figure += nodes.caption("", "", *(part for paragraph in words for part in paragraph.children))
        return [figure, *_source(draw)]


@cache
def _drawn(draw: Any, name: str, style: str, source: Path) -> str:
    """Draw once, for all pages that show it."""
    import matplotlib.pyplot as plt

    place = f"{_FOLDER}/{name}.{style}.svg"
    path = source / place
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(_COMMON | _STYLES[style]):
        figure = draw()
        figure.savefig(path, transparent=True, metadata={"Date": None})
        plt.close(figure)
    return place


def _source(draw: Any) -> list[nodes.Node]:
    """The body of the function, folded away until it is asked for."""
    text = inspect.getsource(draw)
    body = re.sub(r'^def .*?:\n(    """.*?"""\n)?', "", text, count=1, flags=re.DOTALL)
    code = textwrap.dedent(body).replace("return display.figure_", "").replace("return figure", "").rstrip()
    opening = nodes.raw("", '<details class="drawn-source"><summary>The code</summary>', format="html")
    block = nodes.literal_block(code, code, language="python")
    return [opening, block, nodes.raw("", "</details>", format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive, and let it find the functions."""
    matplotlib.use("agg")
    sys.path.insert(0, str(Path(app.srcdir) / "_figures"))
    app.add_directive("drawn", Drawn)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
