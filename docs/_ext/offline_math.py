"""Formulas as inline SVG, drawn by matplotlib while the pages are built.

The pages then show their formulas without a network, a TeX installation or a script, in the colour of the
text around them. The source stays in the page as the label that screen readers speak.
"""

import re
from html import escape
from typing import Any

from docutils import nodes
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextToPath
from sphinx.application import Sphinx
from sphinx.util import logging

_SIZE = 100.0
# Computer Modern has smaller letters than the text around it.
_UNITS_PER_EM = _SIZE / 1.12
_PADDING = 4.0
_FONT = FontProperties(size=_SIZE, math_fontfamily="cm")
_LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
_POINTS = {Path.MOVETO: 1, Path.LINETO: 1, Path.CURVE3: 2, Path.CURVE4: 3}

# What TeX knows and mathtext does not.
_REWRITES = (
    (re.compile(r"\\([td]?)frac\s*(\w)\s*(\w)"), r"\\\1frac{\2}{\3}"),
    (re.compile(r"\\bmod\b"), r"\\;\\mathrm{mod}\\;"),
    (re.compile(r"\\dots\b"), r"\\ldots"),
    (re.compile(r"\\(le|ge|ne)\b"), r"\\\1q"),
    (re.compile(r"\s+"), " "),
)

logger = logging.getLogger(__name__)


def to_mathtext(tex: str, is_display: bool) -> str:
    """Write `tex` in the part of TeX that matplotlib understands; fractions are full size in a display."""
    for pattern, replacement in _REWRITES:
        tex = pattern.sub(replacement, tex)
    if is_display:
        tex = tex.replace(r"\frac", r"\dfrac")
    return f"${tex.strip()}$".replace(r"\tfrac", r"\frac")


def to_svg(tex: str, is_display: bool = False) -> str:
    """Draw a formula; the baseline of the picture is that of the line it stands in."""
    text = to_mathtext(tex, is_display)
    drawer = TextToPath()
    width, height, descent = drawer.get_text_width_height_descent(text, _FONT, ismath=True)
    vertices, codes = drawer.get_text_path(_FONT, text, ismath=True)
    above, below = height - descent + _PADDING, descent + _PADDING
    box = f"0 {-above:.0f} {width:.0f} {above + below:.0f}"
    style = (
        f"width:{width / _UNITS_PER_EM:.3f}em;height:{(above + below) / _UNITS_PER_EM:.3f}em;"
        f"vertical-align:{-below / _UNITS_PER_EM:.3f}em"
    )
    return (
        f'<svg class="formula" role="img" aria-label="{escape(tex.strip(), quote=True)}" '
        f'viewBox="{box}" style="{style}"><path fill="currentColor" d="{_path(vertices, codes)}"/></svg>'
    )


def _path(vertices: Any, codes: Any) -> str:
    parts, place = [], 0
    while place < len(codes):
        code = codes[place]
        if code == Path.CLOSEPOLY:
            parts.append("Z")
            place += 1
            continue
        end = place + _POINTS[code]
        # The y axis of a page points down.
        points = " ".join(f"{x:.1f} {-y:.1f}" for x, y in vertices[place:end])
        parts.append(_LETTERS[code] + points)
        place = end
    return "".join(parts)


def _visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_drawn(node))
    raise nodes.SkipNode


def _visit_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula-block">{_drawn(node, is_display=True)}</div>\n')
    raise nodes.SkipNode


def _drawn(node: nodes.Node, is_display: bool = False) -> str:
    tex = node.astext()
    try:
        return to_svg(tex, is_display)
    except ValueError as error:
        first_line = str(error).strip().splitlines()[-1]
        logger.warning("matplotlib cannot draw the formula %r: %s", tex, first_line, location=node)
        return f"<code>{escape(tex)}</code>"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name "mathtext"."""
    app.add_html_math_renderer(
        "mathtext", inline_renderers=(_visit_inline, None), block_renderers=(_visit_block, None)
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
