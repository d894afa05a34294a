"""The plane that curves are drawn on, as SVG text.

As in the other figures, horizontal places are percentages and vertical ones pixels, so that letters keep
their size; only the curves are stretched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from infoprop.report._markup import Markup
from infoprop.report._svg import element

MOST_ON_A_PLAIN_AXIS = 50
"""Features up to which the axis of sizes is linear."""

_TOP, _PLOT, _BOTTOM = 26.0, 206.0, 40.0
_HEIGHT = _TOP + _PLOT + _BOTTOM
_LEFT, _WIDTH = 10.5, 87.5
_POINTS = 800
"""Places of a curve across its width: finer than a screen shows, and a long path keeps a short figure."""


PLAIN_UNITS = ("bits", "stability", "W")
"""Names of upward axes whose numbers are not shares of rows."""


@dataclass(frozen=True)
class Plane:
    """Two axes: places across in percent of the curve's width, heights in pixels.

    Parameters
    ----------
    low, high : float
        Ends of the axis across.
    most, least : float
        Ends of the axis upwards.
    is_log : bool
        Whether the axis across is logarithmic.
    """

    low: float
    high: float
    most: float
    least: float = 0.0
    is_log: bool = False

    @classmethod
    def of_sizes(cls, sizes: Sequence[float], most: float, least: float = 0.0) -> "Plane":
        """A plane over numbers of features: logarithmic if there are many."""
        return cls(min(sizes), max(sizes), most, least, max(sizes) > MOST_ON_A_PLAIN_AXIS)

    def across(self, value: float) -> float:
        """Place across the curve's canvas, from 0 to 100."""
        low, high = (log10(self.low), log10(self.high)) if self.is_log else (self.low, self.high)
        place = log10(value) if self.is_log else value
        return 100 * (place - low) / (high - low) if high > low else 50.0

    def down(self, value: float) -> float:
        """Pixels from the top."""
        part = (value - self.least) / (self.most - self.least)
        return _TOP + _PLOT * (1.0 - min(max(part, 0.0), 1.0))

    def page(self, value: float) -> str:
        """Place across the whole figure."""
        return f"{_LEFT + _WIDTH * self.across(value) / 100:.3f}%"

    def points(self, places: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
        """Corners of a curve; of many that cannot be told apart, one."""
        return [
            (self.across(places[k]), self.down(values[k]))
            for k in thinned([self.across(place) for place in places])
        ]


def share_ends(values: Sequence[float]) -> tuple[float, float]:
    """Round ends, most and least, of an axis for `values` between 0 and 1."""
    least, most = floor(10 * min(values) + 1e-9) / 10, ceil(10 * max(values) - 1e-9) / 10
    return (most, least) if most > least else (min(most + 0.1, 1.0), max(most - 0.1, 0.0))


def figure(title: str, *drawn: Markup) -> Markup:
    """A whole figure."""
    words = element("title", title)
    return element(
        "svg", words, *drawn, class_="path", role="img", width="100%", height=_HEIGHT, font_size=12
    )


def thinned(places: Sequence[float], most: int = _POINTS) -> list[int]:
    """Numbers of the points to draw: one for each of `most` places that can be told apart, and both ends."""
    last_at = {round(place * most / 100): number for number, place in enumerate(places)}
    return sorted({0, *last_at.values()})


def curve(points: Sequence[tuple[float, float]], style: str = "curve", what: str = "") -> Markup:
    """A line through `points` of the canvas; `what` on hovering."""
    words = [element("title", what)] if what else []
    return element("path", *words, d=_line(points), class_=style)


def band(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> Markup:
    """The area between two lines."""
    return element("path", d=_line([*upper, *lower[::-1]]) + "Z", class_="band")


def _line(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.3f} {y:.2f}" for x, y in points)


def stretched(*shapes: Markup) -> Markup:
    """Curves on a canvas 100 wide that is stretched to the space there is."""
    return element(
        "svg",
        *shapes,
        x=f"{_LEFT}%",
        width=f"{_WIDTH}%",
        height=_HEIGHT,
        viewBox=f"0 0 100 {_HEIGHT:.2f}",
        preserveAspectRatio="none",
    )


def axes(plane: Plane, word: str, unit: str = "bits", *, ticks: Sequence[float] | None = None) -> Markup:
    """Grid, numbers and names of both axes: `word` across, `unit` upwards ("bits", or a share of rows).

    `ticks` are the numbers across; round ones if not given.
    """
    ground = _TOP + _PLOT
    right = f"{_LEFT + _WIDTH}%"
    drawn = []
    for part in (0.0, 0.5, 1.0):
        value = plane.least + part * (plane.most - plane.least)
        y = plane.down(value)
        drawn.append(element("line", x1=f"{_LEFT}%", x2=right, y1=y, y2=y, class_="grid"))
        text = f"{value:g}" if unit in PLAIN_UNITS else f"{100 * value:.3g}%"
        drawn.append(element("text", text, x=f"{_LEFT - 1}%", y=y, text_anchor="end", class_="value"))
    for tick in _ticks(plane) if ticks is None else ticks:
        # The last one ends a little to the right of its place: in the middle it would be cut off.
        is_last = plane.across(tick) > 97
        where = (
            {"text_anchor": "end", "transform": "translate(6 0)"} if is_last else {"text_anchor": "middle"}
        )
        drawn.append(
            element("text", f"{tick:,.0f}", x=plane.page(tick), y=ground + 13, class_="value", **where)
        )
    drawn.append(element("text", word, x=right, y=ground + 31, text_anchor="end", class_="heading"))
    drawn.append(element("text", unit, x=0, y=8, class_="heading"))
    return Markup("").join(drawn)


def mark(plane: Plane, place: float, value: float, words: str, what: str) -> Markup:
    """A ring at a point of a curve, a line down through it, and `words` beside; `what` on hovering."""
    x = plane.page(place)
    ring = element("circle", element("title", what), cx=x, cy=plane.down(value), r=5.5, class_="chosen")
    line = element("line", x1=x, x2=x, y1=_TOP, y2=_TOP + _PLOT, class_="chosen")
    is_right = plane.across(place) > 50
    text = element(
        "text",
        words,
        x=x,
        y=_TOP + _PLOT - 14,
        text_anchor="end" if is_right else "start",
        transform=f"translate({-8 if is_right else 8} 0)",
        class_="strong halo",
    )
    return line + ring + text


def pointer() -> Markup:
    """A line and a ring that the page's script moves; not seen without it."""
    line = element("line", y1=_TOP, y2=_TOP + _PLOT)
    return element("g", line, element("circle", r=6), class_="moving")


def dot(plane: Plane, place: float, value: float, what: str, *, is_chosen: bool = False) -> Markup:
    """One point; `what` on hovering."""
    words = element("title", what)
    style = "dot picked" if is_chosen else "dot"
    return element("circle", words, cx=plane.page(place), cy=plane.down(value), r=2.2, class_=style)


def _ticks(plane: Plane) -> list[float]:
    """Round numbers; on a logarithmic axis the powers of ten, and both ends if they fit."""
    between = _powers(plane) if plane.is_log else _multiples(plane)
    ends = [
        end
        for end in (plane.low, plane.high)
        if all(abs(plane.across(end) - plane.across(tick)) > 6 for tick in between)
    ]
    return sorted({*between, *ends})


def _powers(plane: Plane) -> list[float]:
    return [10.0**power for power in range(ceil(log10(plane.low)), floor(log10(plane.high)) + 1)]


def _multiples(plane: Plane) -> list[float]:
    span = plane.high - plane.low
    if span == 0:
        return [plane.low]
    step = max(1.0, round_up(span / 8))
    first = ceil(plane.low / step) * step
    return [first + step * number for number in range(int((plane.high - first) // step) + 1)]


def round_up(value: float) -> float:
    """The next of 1, 2, 2.5, 5, 10 times a power of ten."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= value * (1 - 1e-9))


def axis_end(value: float) -> float:
    """A round end of an axis for numbers up to `value`, of which half is round too."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    ends = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return next(unit * factor for factor in ends if unit * factor >= value * (1 - 1e-9))
