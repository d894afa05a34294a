"""What the information allows the error to be, as SVG text: intervals, and the error in them."""

from collections.abc import Sequence

from infoprop.report._markup import Markup
from infoprop.report._parts import BoundsSummary
from infoprop.report._plane import axis_end
from infoprop.report._svg import element
from infoprop.report._words import percent

_ROW, _FOOT = 34.0, 22.0
_LEFT, _WIDTH = 32.0, 66.0


def bounds_figure(rows: Sequence[tuple[str, BoundsSummary]]) -> Markup:
    """One row for each classifier: its name, the bounds from the bits alone, the extended ones, the error.

    Empty when no error is possible.
    """
    reach = max(bounds.upper_without_error for _, bounds in rows)
    if reach <= 0:
        return Markup("")
    most = min(axis_end(max(reach, 0.01)), 1.0)
    height = _ROW * len(rows)
    ticks = [
        element(
            "text",
            f"{100 * part * most:.3g}%",
            x=_place(part),
            y=height + 12,
            text_anchor=("start", "middle", "end")[number],
            class_="value",
        )
        for number, part in enumerate((0.0, 0.5, 1.0))
    ]
    grid = [
        element("line", x1=_place(part), x2=_place(part), y1=0, y2=height, class_="grid")
        for part in (0.0, 0.5, 1.0)
    ]
    return element(
        "svg",
        element("title", "Error rates that the information allows, and the error observed"),
        *grid,
        *(_row(number, name, bounds, most) for number, (name, bounds) in enumerate(rows)),
        *ticks,
        class_="bounds",
        role="img",
        width="100%",
        height=height + _FOOT,
        font_size=12,
    )


def _place(part: float) -> str:
    return f"{_LEFT + _WIDTH * part:.3f}%"


def _row(number: int, name: str, bounds: BoundsSummary, most: float) -> Markup:
    middle = _ROW * (number + 0.5)
    wide = (bounds.lower_without_error, bounds.upper_without_error, 7.0, "wide", "from the bits alone")
    narrow = (bounds.lower, bounds.upper, 4.0, "narrow", "extended bounds")
    drawn = [element("text", name, x=0, y=middle, class_="name")]
    for lower, upper, half, style, what in (wide, narrow):
        drawn.append(
            element(
                "rect",
                element("title", f"{name}, {what}: {percent(lower)} to {percent(upper)}"),
                x=_place(lower / most),
                width=f"{_WIDTH * (upper - lower) / most:.3f}%",
                y=middle - half,
                height=2 * half,
                rx=2,
                class_=style,
            )
        )
    words = element("title", f"{name}, observed: {percent(bounds.error)}")
    drawn.append(element("circle", words, cx=_place(bounds.error / most), cy=middle, r=4.5, class_="chosen"))
    return Markup("").join(drawn)
