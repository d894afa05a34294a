"""Shapes as small SVG figures: a line from value to shaped value over the rows of the class and of others."""

from collections.abc import Callable, Sequence

from infoprop.report._markup import Markup
from infoprop.report._shapes import ShapeSummary
from infoprop.report._svg import element

_TOP, _PLOT, _BOTTOM = 8.0, 110.0, 22.0
_HEIGHT = _TOP + _PLOT + _BOTTOM
_LEFT, _WIDTH = 15.0, 84.0
_MOST_DOTS = 12


def shape_figure(shape: ShapeSummary, style: str) -> Markup:
    """One shape; rows of its class in the colour `style`."""
    low, high = shape.edges[0], shape.edges[-1]
    least, most = min(shape.shaped), max(shape.shaped)

    def across(value: float) -> float:
        return 100 * (value - low) / (high - low)

    def down(value: float) -> float:
        part = (value - least) / (most - least) if most > least else 0.5
        return _TOP + _PLOT * (1.0 - part)

    knots = [(across(x), down(y)) for x, y in zip(shape.values, shape.shaped, strict=True)]
    line = element("path", d="M" + "L".join(f"{x:.3f} {y:.2f}" for x, y in knots), class_="curve")
    what = f"{shape.name}: shaped value against value, for {shape.positive}"
    return element(
        "svg",
        element("title", what),
        _canvas([*_bars(shape, style, across), line]),
        *(_dot(x, y) for x, y in knots if len(knots) <= _MOST_DOTS),
        *_heights(least, most),
        *_ends(shape, across),
        class_="shape",
        role="img",
        width="100%",
        height=_HEIGHT,
        font_size=12,
    )


def _canvas(shapes: Sequence[Markup]) -> Markup:
    return element(
        "svg",
        *shapes,
        x=f"{_LEFT}%",
        width=f"{_WIDTH}%",
        height=_HEIGHT,
        viewBox=f"0 0 100 {_HEIGHT:.2f}",
        preserveAspectRatio="none",
    )


def _bars(shape: ShapeSummary, style: str, across: Callable[[float], float]) -> list[Markup]:
    """Shares of the class and of all others, side by side in every bin."""
    tallest = max(*shape.positives, *shape.others)
    drawn = []
    for number, shares in enumerate(zip(shape.positives, shape.others, strict=True)):
        left, right = across(shape.edges[number]), across(shape.edges[number + 1])
        for side, (share, colour) in enumerate(zip(shares, (style, "kx"), strict=True)):
            height = _PLOT * share / tallest
            if height > 0:
                half = 0.46 * (right - left)
                x, y = left + 0.04 * (right - left) + side * half, _TOP + _PLOT - height
                place = {"x": f"{x:.3f}", "width": f"{half:.3f}", "y": y, "height": height}
                drawn.append(element("rect", **place, class_=f"{colour} share"))
    return drawn


def _dot(x: float, y: float) -> Markup:
    return element("circle", cx=f"{_LEFT + _WIDTH * x / 100:.3f}%", cy=y, r=2.4, class_="knot")


def _heights(least: float, most: float) -> list[Markup]:
    """The ground, and the highest and lowest shaped value beside it."""
    ground = _TOP + _PLOT
    heights = [(_TOP + 2, most), (ground - 2, least)] if most > least else [(_TOP + _PLOT / 2, most)]
    return [
        element("line", x1=f"{_LEFT}%", x2="100%", y1=ground, y2=ground, class_="grid"),
        *(
            element("text", f"{value:.2f}", x=f"{_LEFT - 2}%", y=y, text_anchor="end", class_="value")
            for y, value in heights
        ),
    ]


def _ends(shape: ShapeSummary, across: Callable[[float], float]) -> list[Markup]:
    """The lowest and the highest value, where they lie."""
    values = shape.values[:1] if len(shape.values) == 1 else (shape.values[0], shape.values[-1])
    return [
        element(
            "text",
            f"{value:.4g}",
            x=f"{_LEFT + _WIDTH * across(value) / 100:.3f}%",
            y=_TOP + _PLOT + 13,
            text_anchor="start" if across(value) < 20 else "end" if across(value) > 80 else "middle",
            class_="value",
        )
        for value in values
    ]
