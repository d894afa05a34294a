"""Waterfalls as SVG text: from the output without features, feature by feature, to that of one row."""

from collections.abc import Sequence

from infoprop.report._explained_rows import RowSummary
from infoprop.report._figures import BAR, ROW, bar_row, room_for
from infoprop.report._markup import Markup
from infoprop.report._svg import element
from infoprop.report._words import signed

_LEFT = 40.0
# A rest below this part of the whole reach is rounding, and has no bar.
_ROUNDING = 1e-9


def waterfalls(rows: Sequence[RowSummary]) -> list[Markup]:
    """One figure for each row; bars to the right speak for its class, bars to the left against it."""
    return [_waterfall(row) for row in rows]


def _waterfall(row: RowSummary) -> Markup:
    steps = [(step.name, step.value) for step in row.steps]
    reach = sum(abs(value) for _, value in steps) or 1.0
    if row.n_others or abs(row.others) > _ROUNDING * reach:
        steps.append((f"{row.n_others:,} others" if row.n_others else "not accounted for", row.others))
    edges = [row.base]
    for _, value in steps:
        edges.append(edges[-1] + value)
    low, high = min(edges), max(edges)
    scale = 100 / (high - low) if high > low else 0.0
    names = ["without features", *(name for name, _ in steps), "this row"]
    left = room_for(names, _LEFT)
    places = [scale * (edge - low) for edge in edges]
    drawn = [bar_row(0, names[0], signed(row.base), [_mark(places[0])], left)]
    for number, (name, value) in enumerate(steps, start=1):
        bar = _bar(places[number - 1], places[number], f"{name}: {value:+.3g}")
        drawn.append(bar_row(number, name, signed(value), [bar], left))
    drawn.append(bar_row(len(steps) + 1, names[-1], signed(row.output), [_mark(places[-1])], left))
    return element(
        "svg",
        element("title", f"{row.title}: what every feature adds to the output"),
        *drawn,
        class_="bars waterfall",
        role="img",
        width="100%",
        height=ROW * len(names),
        font_size=12,
    )


def _bar(begin: float, end: float, words: str) -> Markup:
    return element(
        "rect",
        element("title", words),
        class_="for" if end >= begin else "against",
        x=f"{min(begin, end):.3f}%",
        y=(ROW - BAR) / 2,
        width=f"{abs(end - begin):.3f}%",
        height=BAR,
    )


def _mark(place: float) -> Markup:
    at = f"{place:.3f}%"
    return element("line", class_="floor", x1=at, x2=at, y1=(ROW - BAR) / 2 - 2, y2=(ROW + BAR) / 2 + 2)
