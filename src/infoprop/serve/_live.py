"""How far a run is, from the lines that its process writes: the bar, the time that is left, the curve."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from infoprop.report._plane import Plane, axes, axis_end, curve, figure, share_ends, stretched
from infoprop.report._words import bits, percent

N_POINTS = 300
"""Subsets that a curve is drawn through, at most."""

Point = tuple[int, float, float | None]
"""Number of features, accuracy, bits (if the search counts them)."""


def told_lines(path: Path, process: int | None) -> list[dict[str, Any]]:
    """The lines of one process; what its workers write and a last line half written do not count."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    told = [json.loads(line) for line in lines if line.endswith("}")]
    return [line for line in told if line.get("process") == process]


def progress_of(lines: Sequence[dict[str, Any]], now: float | None = None) -> dict[str, Any]:
    """What a page shows: `title`, `done`, `total`, `left` in seconds, `best` in words, `curve` as SVG."""
    if not lines:
        return {}
    last = lines[-1]
    told = {name: last[name] for name in ("title", "done", "total")}
    same = [line for line in lines if (line["title"], line["total"]) == (last["title"], last["total"])]
    gone, done = last["at"] - same[0]["at"], last["done"] - same[0]["done"]
    if gone > 0 and done > 0:
        left = gone / done * (last["total"] - last["done"]) - ((now or time.time()) - last["at"])
        told["left"] = max(0, round(left))
    points: list[Point] = [(n, right, worth) for line in lines for n, right, worth in line["curve"]]
    if len(points) > 1:
        told["best"], told["curve"] = _best(points), live_curve(points)
    return told


def _value(point: Point) -> float:
    return point[1] if point[2] is None else point[2]


def _best(points: Sequence[Point]) -> str:
    best = max(points, key=lambda point: (_value(point), -point[0]))
    worth = "" if best[2] is None else f"{bits(best[2])} bits, "
    return f"best so far: {worth}{percent(best[1])} right, {best[0]:,} feature{'s' if best[0] != 1 else ''}"


def live_curve(points: Sequence[Point]) -> str:
    """Bits or accuracy against the number of features; against the steps if that goes up and down."""
    sizes = [point[0] for point in points]
    is_along_sizes = sizes in (sorted(sizes), sorted(sizes, reverse=True)) and sizes[0] != sizes[-1]
    places = [float(size) for size in sizes] if is_along_sizes else [float(k + 1) for k in range(len(sizes))]
    values = [_value(point) for point in points]
    has_bits = points[0][2] is not None
    most, least = (axis_end(max(values)), 0.0) if has_bits else share_ends(values)
    plane = (
        Plane.of_sizes(places, most, least)
        if is_along_sizes
        else Plane(1.0, max(places[-1], 2.0), most, least)
    )
    step = max(1, len(points) // N_POINTS)
    kept = sorted({*range(0, len(points), step), len(points) - 1})
    drawn = [(plane.across(places[k]), plane.down(values[k])) for k in kept]
    word = "features" if is_along_sizes else "steps"
    unit = "bits" if has_bits else "right"
    return str(figure(f"{unit} against {word}", axes(plane, word, unit), stretched(curve(drawn))))
