"""The report's figures as SVG text.

Both figures keep their letters at reading size on every width: horizontal places are percentages, vertical
ones pixels, and only the ribbons of the Sankey are stretched. Colours are class names of the style sheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from infoprop.report._markup import Markup
from infoprop.report._palette import Band, bands
from infoprop.report._parts import FeatureSummary
from infoprop.report._summary import ReportSummary
from infoprop.report._svg import element, shortened
from infoprop.report._words import bits, hundredths

N_BARS = 30
"""Features drawn as bars; the table holds the others."""

N_CHOSEN_BARS = 100
"""Chosen features drawn as bars, when they are all there is to draw."""

N_PAPER_BARS = 15
"""Bars that a sheet of paper shows: a figure cannot be broken, and would leave half a sheet empty."""

N_SOURCES, N_CHOSEN_SOURCES = 14, 40
"""Features that get a node of their own in the Sankey."""

ROW = 24.0
BAR = 12.0
_BARS_LEFT, _BARS_RIGHT = 33.0, 83.0

_HEAD, _FOOT = 34.0, 16.0
_GAP = 5.0
_ENTROPY_HEIGHTS = (320.0, 280.0, 240.0, 200.0)
_TALLEST = 480.0
_LEFT, _RIGHT = 27.0, 86.0
_NODE_WIDTH = 6


def n_bars_of(summary: ReportSummary) -> int:
    """Features to draw as bars: of a model with chosen features alone, all of them if they fit."""
    is_small = summary.n_features <= N_CHOSEN_BARS
    n_chosen = len(summary.selected_features)
    most = N_CHOSEN_BARS if is_small and not summary.selected else max(N_BARS, min(n_chosen, N_CHOSEN_BARS))
    return min(most, summary.n_features)


def credit_bars(summary: ReportSummary) -> Markup:
    """Credits of the best features as bars, stacked by class; empty when there is nothing to draw."""
    shown = foremost(summary.features, n_bars_of(summary))
    if not shown or summary.features[0].credit <= 0:
        return Markup("")
    groups = bands(summary)
    widest = max(feature.credit for feature in shown)
    left_end = room_for([feature.name for feature in shown], _BARS_LEFT)
    rows = []
    for number, feature in enumerate(shown):
        segments, left = [], 0.0
        for group in groups:
            width = 100 * group.credit_of(feature) / widest
            what = f"{feature.name} → {group.name}: {bits(group.credit_of(feature))} bits"
            segments.append(_segment(group, left, width, what))
            left += width
        if feature.noise_floor is not None:
            what = f"{feature.name}: chance alone reaches {bits(feature.noise_floor)} bits"
            segments.append(_floor(100 * feature.noise_floor / widest, what))
        row = bar_row(0, feature.name, bits(feature.credit), segments, left_end)
        moved = f"translate(0 {ROW * number:g})"
        style = "bar dropped" if feature.selected is False else "bar"
        rows.append(element("g", row, class_=style, data_rank=feature.rank, transform=moved))
    height = ROW * len(shown)
    title = element("title", f"Credits of {len(shown)} features in bits, stacked by class")
    return element(
        "svg",
        title,
        *rows,
        class_="bars",
        data_row=f"{ROW:g}",
        role="img",
        width="100%",
        height=height,
        font_size=12,
    )


def foremost(features: Sequence[FeatureSummary], most: int) -> list[FeatureSummary]:
    """The `most` features to show, best first: those chosen, then the best others."""
    by_choice = sorted(features, key=lambda feature: (not feature.selected, feature.rank))
    return sorted(by_choice[:most], key=lambda feature: feature.rank)


def _segment(group: Band, left: float, width: float, what: str) -> Markup:
    if width <= 0:
        return Markup("")
    return element(
        "rect",
        element("title", what),
        class_=group.style,
        x=f"{left:.3f}%",
        y=(ROW - BAR) / 2,
        width=f"{width:.3f}%",
        height=BAR,
    )


def _floor(left: float, what: str) -> Markup:
    """A line where chance alone could have come to; at the edge if that is beyond the longest bar."""
    at = f"{min(left, 100.0):.3f}%"
    top, bottom = (ROW - BAR) / 2 - 2, (ROW + BAR) / 2 + 2
    return element("line", element("title", what), class_="floor", x1=at, x2=at, y1=top, y2=bottom)


def room_for(names: Sequence[str], most: float) -> float:
    """Percent of the width for a column of names: as much as the longest needs on a phone, or `most`."""
    return min(most, 4.0 + 2.2 * max([5, *map(len, names)]))


def bar_row(number: int, name: str, value: str, segments: Sequence[Markup], left: float) -> Markup:
    """A name, something drawn to the right of `left` percent, and a value, as row `number` of a figure."""
    top, middle = ROW * number, ROW / 2
    label = _label(name, 40, top, ROW, left - 1.5)
    return Markup("").join(
        [
            label,
            element(
                "svg", *segments, x=f"{left:.4g}%", y=top, width=f"{_BARS_RIGHT - left:.4g}%", height=ROW
            ),
            element("text", value, x="100%", y=top + middle, text_anchor="end", class_="value"),
        ]
    )


def _label(name: str, length: int, top: float, height: float, width: float) -> Markup:
    """A feature's name in a column `width` percent wide, fading out where it is longer than that."""
    text = element("text", element("title", name), shortened(name, length), x=0, y=height / 2, class_="name")
    fade = element("rect", class_="fade", x="100%", width=18, height=height, transform="translate(-18 0)")
    # A nested svg clips what runs over its edge.
    return element("svg", text, fade, y=top, width=f"{width:.4g}%", height=height)


def fading() -> Markup:
    """The gradient behind ``.fade``, once for a page; the style sheet colours it."""
    stops = [element("stop", offset=0, stop_opacity=0), element("stop", offset=1, stop_opacity=1)]
    defined = element("defs", element("linearGradient", *stops, id="fade", class_="fading"))
    return element("svg", defined, width=0, height=0, class_="defined", aria_hidden="true")


@dataclass(frozen=True)
class _Node:
    """A column's entry: its name, its bits, and where its bar begins and ends (pixels from the top)."""

    name: str
    credit: float
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class _Places:
    """Where the columns of nodes stand, in percent of the width: features and class indicators."""

    left: float
    middle: float


def sankey(summary: ReportSummary, most: int = N_SOURCES) -> Markup:
    """Bits flowing from `most` features and the others through class indicators to the output.

    Empty without information.
    """
    if summary.information <= 0:
        return Markup("")
    groups = [group for group in bands(summary) if group.credit > 0]
    names, flows = _sources(summary, groups, most)
    credits = [sum(row) for row in flows]
    scale, whole = _scale(summary, credits)
    left = room_for(names, _LEFT)
    places = _Places(left, (left + _RIGHT) / 2)
    left_height = _column_height(credits, scale, 20.0)
    middle_height = _column_height([group.credit for group in groups], scale, 34.0)
    height = _HEAD + max(left_height, middle_height, whole) + _FOOT
    features = _column(names, credits, scale, 20.0, height)
    classes = _column([g.name for g in groups], [g.credit for g in groups], scale, 34.0, height)
    output = _output_column(summary, scale, whole, height)
    drawn = [
        element(
            "title", f"{bits(summary.information)} bits from features through class indicators to the output"
        ),
        _headings(places),
        _ribbons_in(features, classes, groups, flows, scale, height, places),
        _ribbons_out(classes, output[0], groups, scale, height, places),
        *(_feature_node(node, places) for node in features),
        *(_class_node(node, group, places) for node, group in zip(classes, groups, strict=True)),
        *_output_nodes(output),
    ]
    return element("svg", *drawn, class_="sankey", role="img", width="100%", height=height, font_size=12)


def _scale(summary: ReportSummary, credits: Sequence[float]) -> tuple[float, float]:
    """Pixels per bit, and the pixels of all bits: fewer where many thin features make the figure tall."""
    most = max(summary.class_entropy, summary.information)
    for whole in _ENTROPY_HEIGHTS:
        if _column_height(credits, whole / most, 20.0) <= _TALLEST:
            break
    return whole / most, whole


def _sources(
    summary: ReportSummary, groups: Sequence[Band], most: int
) -> tuple[list[str], list[list[float]]]:
    """Names and bits per band of the sources: the best features, then all others as one."""
    credited = [feature for feature in summary.features if feature.credit > 0]
    own = credited if len(credited) <= most + 1 else foremost(credited, most)
    names = [feature.name for feature in own]
    flows = [[group.credit_of(feature) for group in groups] for feature in own]
    drawn = {feature.rank for feature in own}
    rest = [feature for feature in credited if feature.rank not in drawn]
    if rest:
        # All that are not drawn, those without a single bit among them.
        names.append(f"{summary.n_features - len(own):,} others")
        flows.append([sum(group.credit_of(feature) for feature in rest) for group in groups])
    return names, flows


def _column_height(credits: Sequence[float], scale: float, slot: float) -> float:
    return sum(max(credit * scale, slot) for credit in credits) + _GAP * (len(credits) - 1)


def _column(
    names: Sequence[str], credits: Sequence[float], scale: float, slot: float, height: float
) -> list[_Node]:
    """Nodes one under the other, centred; a node thinner than its label keeps the label's height free."""
    top = _HEAD + (height - _HEAD - _FOOT - _column_height(credits, scale, slot)) / 2
    nodes = []
    for name, credit in zip(names, credits, strict=True):
        thickness = credit * scale
        taken = max(thickness, slot)
        begin = top + (taken - thickness) / 2
        nodes.append(_Node(name, credit, begin, begin + thickness))
        top += taken + _GAP
    return nodes


def _output_column(summary: ReportSummary, scale: float, whole: float, height: float) -> tuple[_Node, _Node]:
    """What arrives, and below it what is missing from the class entropy."""
    top = _HEAD + (height - _HEAD - _FOOT - whole) / 2
    between = top + summary.information * scale
    missing = max(summary.class_entropy - summary.information, 0.0)
    return (
        _Node("bits", summary.information, top, between),
        _Node("missing", missing, between, between + missing * scale),
    )


def _ribbons_in(
    features: Sequence[_Node],
    classes: Sequence[_Node],
    groups: Sequence[Band],
    flows: Sequence[Sequence[float]],
    scale: float,
    height: float,
    places: _Places,
) -> Markup:
    paths = []
    arrived = [node.top for node in classes]
    for source, row in zip(features, flows, strict=True):
        left = source.top
        for number, credit in enumerate(row):
            thickness = credit * scale
            if thickness > 0:
                what = f"{source.name} → {groups[number].name}: {bits(credit)} bits"
                paths.append(_ribbon(left, arrived[number], thickness, groups[number].style, what))
            left += thickness
            arrived[number] += thickness
    return _stretched(paths, places.left, places.middle, height)


def _ribbons_out(
    classes: Sequence[_Node],
    output: _Node,
    groups: Sequence[Band],
    scale: float,
    height: float,
    places: _Places,
) -> Markup:
    paths, arrived = [], output.top
    for node, group in zip(classes, groups, strict=True):
        thickness = group.credit * scale
        what = f"{group.name} → output: {bits(group.credit)} bits"
        paths.append(_ribbon(node.top, arrived, thickness, group.style, what))
        arrived += thickness
    return _stretched(paths, places.middle, _RIGHT, height)


def _ribbon(left: float, right: float, thickness: float, style: str, what: str) -> Markup:
    above = f"M0 {left:.2f}C50 {left:.2f} 50 {right:.2f} 100 {right:.2f}"
    low_left, low_right = left + thickness, right + thickness
    below = f"V{low_right:.2f}C50 {low_right:.2f} 50 {low_left:.2f} 0 {low_left:.2f}Z"
    # Thinner than a pixel it would be drawn in shreds: the style sheet gives it an outline.
    thin = " thin" if thickness < 1 else ""
    return element("path", element("title", what), d=above + below, class_=f"ribbon {style}{thin}")


def _stretched(paths: Sequence[Markup], left: float, right: float, height: float) -> Markup:
    """Ribbons between two columns: drawn on a canvas 100 wide that is stretched to the space there is."""
    return element(
        "svg",
        *paths,
        x=f"{left:.4g}%",
        width=f"{right - left:.4g}%",
        height=height,
        viewBox=f"0 0 100 {height:.2f}",
        preserveAspectRatio="none",
    )


def _bar(node: _Node, x: float, style: str) -> Markup:
    # A node is centred on its column and never thinner than one can see.
    thickness = max(node.bottom - node.top, 1.0)
    return element(
        "rect",
        class_=style,
        x=f"{x:.4g}%",
        y=node.top,
        width=_NODE_WIDTH,
        height=thickness,
        transform="translate(-3 0)",
    )


def _headings(places: _Places) -> Markup:
    middle = f"{places.middle:.4g}%"
    return Markup("").join(
        [
            element("text", "feature", x=0, y=10, class_="heading"),
            element("text", "class indicator", x=middle, y=10, class_="heading", text_anchor="middle"),
            element("text", "output", x="100%", y=10, class_="heading", text_anchor="end"),
        ]
    )


def _feature_node(node: _Node, places: _Places) -> Markup:
    label = _label(node.name, 34, node.middle - 10, 20, places.left - 1.5)
    return label + _bar(node, places.left, "node")


def _class_node(node: _Node, group: Band, places: _Places) -> Markup:
    shown = shortened(node.name, 34)
    name = element("text", element("title", node.name), shown, x=4, y=10, class_="name halo strong")
    value = element("text", bits(node.credit), x=4, y=26, class_="value halo")
    # A nested svg cuts long names off before they reach the output.
    left, width = places.middle + 1, _RIGHT - places.middle - 2
    words = element(
        "svg", name, value, x=f"{left:.4g}%", y=node.middle - 18, width=f"{width:.4g}%", height=36
    )
    return _bar(node, places.middle, group.style) + words


def _output_nodes(output: tuple[_Node, _Node]) -> list[Markup]:
    drawn = []
    for node, style in zip(output, ("node", "missing"), strict=True):
        if node.credit <= 0:
            continue
        number = element(
            "text", hundredths(node.credit), x="100%", y=node.middle - 8, text_anchor="end", class_="strong"
        )
        word = element("text", node.name, x="100%", y=node.middle + 8, text_anchor="end", class_="value")
        drawn.extend([_bar(node, _RIGHT, style), number, word])
    return drawn
