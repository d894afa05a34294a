"""Figures of a comparison: what methods deliver at every size, what was promised, and what it costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from infoprop.report._comparisons import ChoiceSummary, ComparisonSummary
from infoprop.report._markup import Markup
from infoprop.report._palette import N_COLOURS
from infoprop.report._plane import Plane, axes, axis_end, curve, figure, share_ends, stretched
from infoprop.report._svg import element, shortened
from infoprop.report._words import bits, hundredths, percent

_ROW, _HEAD = 26.0, 22.0
_LEFT, _WIDTH, _NAME = 34.0, 52.0, 20


@dataclass(frozen=True)
class ComparisonFigures:
    """All figures of a comparison; those that have nothing to show are empty."""

    accuracy: Markup
    information: Markup
    stability: Markup
    promised: Markup
    seconds: Markup
    styles: dict[str, str]


def comparison_figures(comparison: ComparisonSummary | None) -> ComparisonFigures | None:
    """Draw a comparison; a single choice needs no figures."""
    if comparison is None:
        return None
    styles = _styles(comparison)
    return ComparisonFigures(
        accuracy=_accuracy(comparison, styles),
        information=_information(comparison, styles),
        stability=_stability(comparison, styles),
        promised=_promised(comparison, styles),
        seconds=_seconds(comparison, styles),
        styles=styles,
    )


def _styles(comparison: ComparisonSummary) -> dict[str, str]:
    """A colour for each method, and dashes when all colours are taken; all features are grey."""
    styles: dict[str, str] = {}
    n_coloured = 0
    for method in comparison.methods:
        if all(choice.n_features == comparison.n_features for choice in comparison.of(method)):
            styles[method] = "kx"
            continue
        styles[method] = f"k{n_coloured % N_COLOURS}" + (" dashed" if n_coloured >= N_COLOURS else "")
        n_coloured += 1
    return styles


def _accuracy(comparison: ComparisonSummary, styles: dict[str, str]) -> Markup:
    most, least = share_ends([choice.accuracy for choice in comparison.choices])
    return _curves(
        comparison,
        styles,
        lambda choice: choice.accuracy,
        (most, least),
        "right",
        "Share of rows right against the number of features, on rows not seen",
    )


def _information(comparison: ComparisonSummary, styles: dict[str, str]) -> Markup:
    largest = max(choice.information for choice in comparison.choices)
    most = max(share_ends([largest])[0], 0.1) if largest < 1 else axis_end(largest)
    return _curves(
        comparison,
        styles,
        lambda choice: choice.information,
        (most, 0.0),
        "bits",
        "Information delivered against the number of features, on rows not seen",
    )


def _stability(comparison: ComparisonSummary, styles: dict[str, str]) -> Markup:
    known = [choice.stability.value for choice in comparison.choices if choice.stability is not None]
    if not known:
        return Markup("")
    # Choices at random scatter around 0; only worse ones need space below it.
    least = 0.0 if min(known) > -0.15 else -1.0
    return _curves(
        comparison,
        styles,
        lambda choice: None if choice.stability is None else choice.stability.value,
        (1.0, least),
        "bits",
        "Stability of the choice against the number of features",
        word="stability",
    )


def _curves(
    comparison: ComparisonSummary,
    styles: dict[str, str],
    value_of: Callable[[ChoiceSummary], float | None],
    ends: tuple[float, float],
    unit: str,
    title: str,
    word: str | None = None,
) -> Markup:
    """One curve for every method over the sizes it was asked for, and a ring where it chose its own."""
    sizes = sorted({float(choice.size) for choice in comparison.choices if choice.size is not None})
    if len(sizes) < 2:
        return Markup("")
    own = [choice.n_features for choice in comparison.choices if _is_own(choice, comparison)]
    reach = [*sizes, *(number for number in own if number > 0)]
    plane = Plane(min(reach), max(reach), *ends, is_log=True)
    lines, marks = [], []
    for method in comparison.methods:
        asked, alone = _split(comparison, method, value_of)
        if asked:
            points = [(plane.across(float(c.size or 1)), plane.down(value)) for c, value in asked]
            lines.append(curve(points, f"curve {styles[method]}"))
        marks += [_mark(plane, choice, value, styles[method], comparison, unit) for choice, value in asked]
        marks += [_mark(plane, choice, value, styles[method], comparison, unit) for choice, value in alone]
    return figure(
        title, axes(plane, "features", word or unit, ticks=_ticks(plane, sizes)), stretched(*lines), *marks
    )


def _split(
    comparison: ComparisonSummary, method: str, value_of: Callable[[ChoiceSummary], float | None]
) -> tuple[list[tuple[ChoiceSummary, float]], list[tuple[ChoiceSummary, float]]]:
    """Choices of a method that have a value: those of a size, and those of its own."""
    valued = [(choice, value_of(choice)) for choice in comparison.of(method)]
    known = [(choice, value) for choice, value in valued if value is not None]
    return [entry for entry in known if entry[0].size is not None], [
        entry for entry in known if entry[0].size is None
    ]


def _is_own(choice: ChoiceSummary, comparison: ComparisonSummary) -> bool:
    return choice.size is None and choice.n_features < comparison.n_features


def _mark(
    plane: Plane, choice: ChoiceSummary, value: float, style: str, comparison: ComparisonSummary, unit: str
) -> Markup:
    """A dot for a size, a ring for a number of its own, a line across for all features."""
    words = percent(value) if unit == "right" else bits(value)
    what = element("title", f"{choice.phrase}: {words}")
    y = plane.down(value)
    if choice.size is not None:
        place = plane.page(float(choice.size))
        return element("circle", what, cx=place, cy=y, r=3, class_=f"point {style}")
    if not _is_own(choice, comparison):
        left, right = plane.page(plane.low), plane.page(plane.high)
        return element("line", what, x1=left, x2=right, y1=y, y2=y, class_=f"level {style}")
    place = plane.page(max(choice.n_features, plane.low))
    return element("circle", what, cx=place, cy=y, r=5, class_=f"ring {style}")


def _ticks(plane: Plane, sizes: Sequence[float]) -> list[float]:
    """Sizes that fit, from the largest down: large numbers are what the axis is read for."""
    kept: list[float] = []
    for size in sorted(sizes, reverse=True):
        if all(abs(plane.across(size) - plane.across(other)) > 7 for other in kept):
            kept.append(size)
    return sorted(kept)


def _promised(comparison: ComparisonSummary, styles: dict[str, str]) -> Markup:
    """For every method what its most promising choice promised (a ring) and what it kept (a dot)."""
    shown = comparison.promising
    if not shown:
        return Markup("")
    values = [value for c in shown for value in (c.accuracy, c.inner_accuracy or 0.0)]
    most, least = share_ends(values)

    def place(value: float) -> str:
        return f"{_LEFT + _WIDTH * (value - least) / (most - least):.3f}%"

    rows = [
        element("text", f"{least:.0%}", x=place(least), y=8, text_anchor="start", class_="value"),
        element("text", f"{most:.0%}", x=place(most), y=8, text_anchor="end", class_="value"),
        element("text", "size", x="100%", y=8, text_anchor="end", class_="heading"),
    ]
    for number, choice in enumerate(shown):
        middle = _HEAD + _ROW * (number + 0.5)
        ends = place(choice.accuracy), place(choice.inner_accuracy or 0.0)
        rows += [
            _row_name(choice.method, middle),
            element("line", x1=place(least), x2=place(most), y1=middle, y2=middle, class_="grid"),
            _promise(choice, ends, middle, styles[choice.method]),
            element("text", choice.words, x="100%", y=middle, text_anchor="end", class_="value"),
        ]
    return _rows_figure("What the rows that chose promised, and what others kept", rows, len(shown))


def _promise(choice: ChoiceSummary, ends: tuple[str, str], y: float, style: str) -> Markup:
    """A dot where the rows not seen are, a ring where those that chose are, and the gap between."""
    kept, promised = ends
    words = f"{percent(choice.inner_accuracy or 0.0)} promised, {percent(choice.accuracy)} kept"
    what = element("title", f"{choice.phrase}: {words}")
    return Markup("").join(
        [
            element("line", x1=kept, x2=promised, y1=y, y2=y, class_=f"gap {style}"),
            element("circle", what, cx=promised, cy=y, r=5, class_=f"ring {style}"),
            element("circle", what, cx=kept, cy=y, r=5, class_=f"point {style}"),
        ]
    )


def _seconds(comparison: ComparisonSummary, styles: dict[str, str]) -> Markup:
    """Seconds that each method takes in one fold to choose for all sizes."""
    seconds = {method: method_seconds(comparison.of(method)) for method in comparison.methods}
    if len(seconds) < 2:
        return Markup("")
    longest = max(seconds.values()) or 1.0
    rows = [element("text", "seconds", x="100%", y=8, text_anchor="end", class_="heading")]
    for number, (method, value) in enumerate(seconds.items()):
        middle = _HEAD + _ROW * (number + 0.5)
        width = f"{max(_WIDTH * value / longest, 0.15):.3f}%"
        rows += [
            _row_name(method, middle),
            element(
                "rect",
                element("title", f"{method}: {hundredths(value)} seconds"),
                x=f"{_LEFT}%",
                y=middle - 6,
                width=width,
                height=12,
                class_=styles[method].split()[0],
            ),
            element("text", hundredths(value), x="100%", y=middle, text_anchor="end", class_="value"),
        ]
    return _rows_figure("Seconds to choose, in one fold", rows, len(seconds))


def method_seconds(choices: Sequence[ChoiceSummary]) -> float:
    """Seconds of all runs of a method in a fold: sizes that have one run in common have one time."""
    return sum(dict.fromkeys(choice.search_seconds for choice in choices))


def _row_name(name: str, middle: float) -> Markup:
    text = element("title", name)
    return element("text", text, shortened(name, _NAME), x=0, y=middle, class_="name")


def _rows_figure(title: str, rows: Sequence[Markup], n_rows: int) -> Markup:
    return element(
        "svg",
        element("title", title),
        *rows,
        class_="path",
        role="img",
        width="100%",
        height=_HEAD + _ROW * n_rows,
        font_size=12,
    )
