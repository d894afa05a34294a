"""Figures of a search as SVG text: what every size delivers, or every subset asked about.

As in the other figures, horizontal places are percentages and vertical ones pixels, so that letters keep
their size; only the curve is stretched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from markupsafe import Markup

from infoprop.report._searches import PathSummary, TraceSummary
from infoprop.report._svg import element
from infoprop.report._words import bits

MOST_ON_A_PLAIN_AXIS = 50
"""Features up to which the axis of sizes is linear."""

_TOP, _PLOT, _BOTTOM = 12.0, 220.0, 40.0
_LEFT, _WIDTH = 9.0, 89.0
_POINTS = 800
"""Places of a curve across its width: finer than a screen shows, and a long path keeps a short figure."""


@dataclass(frozen=True)
class _Frame:
    """The plane of a figure: places across in percent of the curve's width, heights in pixels."""

    low: float
    high: float
    most: float
    is_log: bool

    def across(self, value: float) -> float:
        low, high = (log10(self.low), log10(self.high)) if self.is_log else (self.low, self.high)
        place = log10(value) if self.is_log else value
        return 100 * (place - low) / (high - low) if high > low else 50.0

    def down(self, value: float) -> float:
        return _TOP + _PLOT * (1.0 - min(max(value / self.most, 0.0), 1.0))

    def page(self, value: float) -> str:
        """Place across the whole figure."""
        return f"{_LEFT + _WIDTH * self.across(value) / 100:.3f}%"


def path_curve(path: PathSummary | None) -> Markup:
    """Information against the number of features, with one standard error and the chosen size marked."""
    if path is None:
        return Markup("")
    steps = path.steps[::-1]
    sizes = [float(step.n_features) for step in steps]
    reach = max(step.information + step.standard_error for step in steps)
    frame = _Frame(sizes[0], sizes[-1], _round_up(reach), sizes[-1] > MOST_ON_A_PLAIN_AXIS)
    kept = _thinned([frame.across(size) for size in sizes])
    middle = [(frame.across(sizes[k]), frame.down(steps[k].information)) for k in kept]
    upper = [
        (frame.across(sizes[k]), frame.down(steps[k].information + steps[k].standard_error)) for k in kept
    ]
    lower = [
        (frame.across(sizes[k]), frame.down(steps[k].information - steps[k].standard_error)) for k in kept
    ]
    drawn = [
        element("title", "Information delivered against the number of features"),
        *_axes(frame, _size_ticks(frame), "features"),
        _stretched(
            element("path", d=_line([*upper, *lower[::-1]]) + "Z", class_="band"),
            element("path", d=_line(middle), class_="curve"),
        ),
        _chosen(path, frame),
    ]
    return _figure(drawn, "path")


def trace_dots(trace: TraceSummary | None) -> Markup:
    """Information of every subset that was asked about, in order, and the best so far."""
    if trace is None:
        return Markup("")
    values = [step.information for step in trace.steps]
    frame = _Frame(1.0, float(max(len(values), 2)), _round_up(max(values)), False)
    best_so_far, points = 0.0, []
    for number, value in enumerate(values, start=1):
        if value > best_so_far or number in (1, len(values)):
            points.append((frame.across(number), frame.down(best_so_far)))
            best_so_far = max(best_so_far, value)
            points.append((frame.across(number), frame.down(best_so_far)))
    shown = _thinned([frame.across(number) for number in range(1, len(values) + 1)])
    dots = [
        element(
            "circle",
            element("title", f"subset {k + 1}: {bits(values[k])} bits"),
            cx=frame.page(k + 1),
            cy=frame.down(values[k]),
            r=2.2,
            class_="dot",
        )
        for k in shown
    ]
    drawn = [
        element("title", "Information of the subsets in the order they were asked about"),
        *_axes(frame, _plain_ticks(frame), "subsets asked about"),
        _stretched(element("path", d=_line(points[1:]), class_="curve")),
        *dots,
    ]
    return _figure(drawn, "path")


def _figure(drawn: Sequence[Markup], style: str) -> Markup:
    height = _TOP + _PLOT + _BOTTOM
    return element("svg", *drawn, class_=style, role="img", width="100%", height=height, font_size=12)


def _thinned(places: Sequence[float]) -> list[int]:
    """Numbers of the points to draw: one for each place that can be told apart, and both ends."""
    last_at = {round(place * _POINTS / 100): number for number, place in enumerate(places)}
    return sorted({0, *last_at.values()})


def _line(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.3f} {y:.2f}" for x, y in points)


def _stretched(*shapes: Markup) -> Markup:
    height = _TOP + _PLOT + _BOTTOM
    return element(
        "svg",
        *shapes,
        x=f"{_LEFT}%",
        width=f"{_WIDTH}%",
        height=height,
        viewBox=f"0 0 100 {height:.2f}",
        preserveAspectRatio="none",
    )


def _axes(frame: _Frame, ticks: Sequence[float], word: str) -> list[Markup]:
    ground = _TOP + _PLOT
    right = f"{_LEFT + _WIDTH}%"
    drawn = []
    for part in (0.0, 0.5, 1.0):
        y = frame.down(part * frame.most)
        drawn.append(element("line", x1=f"{_LEFT}%", x2=right, y1=y, y2=y, class_="grid"))
        text = f"{part * frame.most:g}"
        drawn.append(element("text", text, x=f"{_LEFT - 1}%", y=y, text_anchor="end", class_="value"))
    for tick in ticks:
        text = f"{tick:,.0f}"
        drawn.append(
            element("text", text, x=frame.page(tick), y=ground + 13, text_anchor="middle", class_="value")
        )
    drawn.append(
        element("text", word, x=right, y=ground + 31, text_anchor="end", class_="heading"),
    )
    drawn.append(element("text", "bits", x=0, y=_TOP + 14, class_="heading"))
    return drawn


def _chosen(path: PathSummary, frame: _Frame) -> Markup:
    at = next((step for step in path.steps if step.n_features == path.n_chosen), None)
    if at is None:
        return Markup("")
    place = frame.page(float(at.n_features))
    what = element("title", f"{at.n_features:,} chosen: {bits(at.information)} bits")
    ring = element("circle", what, cx=place, cy=frame.down(at.information), r=5.5, class_="chosen")
    line = element("line", x1=place, x2=place, y1=_TOP, y2=_TOP + _PLOT, class_="chosen")
    is_right = frame.across(float(at.n_features)) > 50
    text = element(
        "text",
        f"{at.n_features:,} chosen",
        x=place,
        y=_TOP + _PLOT - 14,
        text_anchor="end" if is_right else "start",
        transform=f"translate({-8 if is_right else 8} 0)",
        class_="strong halo",
    )
    return line + ring + text


def _size_ticks(frame: _Frame) -> list[float]:
    """Round numbers of features; on a logarithmic axis the powers of ten, and both ends if there is room."""
    if not frame.is_log:
        return _plain_ticks(frame)
    powers = [10.0**power for power in range(ceil(log10(frame.low)), floor(log10(frame.high)) + 1)]
    ends = [end for end in (frame.low, frame.high) if all(_are_apart(frame, end, tick) for tick in powers)]
    return sorted({*powers, *ends})


def _plain_ticks(frame: _Frame) -> list[float]:
    span = frame.high - frame.low
    if span == 0:
        return [frame.low]
    step = max(1.0, _round_up(span / 8))
    first = ceil(frame.low / step) * step
    between = [first + step * number for number in range(int((frame.high - first) // step) + 1)]
    ends = [end for end in (frame.low, frame.high) if all(_are_apart(frame, end, tick) for tick in between)]
    return sorted({*between, *ends})


def _are_apart(frame: _Frame, one: float, other: float) -> bool:
    return abs(frame.across(one) - frame.across(other)) > 6


def _round_up(value: float) -> float:
    """The next of 1, 2, 2.5, 5, 10 times a power of ten."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= value * (1 - 1e-9))
