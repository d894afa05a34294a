"""The few numbers at the head of a page."""

from typing import NamedTuple

from infoprop.report._parts import STAGES
from infoprop.report._summary import ReportSummary
from infoprop.report._words import count, hundredths, percent


class Tile(NamedTuple):
    """One number: what it is, its value, and what to set it beside."""

    name: str
    value: str
    beside: str = ""


def tiles_of(summary: ReportSummary) -> tuple[Tile, ...]:
    """What a reader looks for first: how often it is right, against what, then the bits."""
    before, after = summary.stages
    retrained = summary.retrained
    shown = summary if retrained is None else retrained
    whose = "" if retrained is None else f", {after}"
    tiles = []
    base, n_rows = f"base rate {percent(summary.base_rate)}", f"{count(summary.n_judged)} rows judged"
    if summary.nested is not None:
        best = summary.nested.best
        error = "" if best.accuracy_error is None else f"± {100 * best.accuracy_error:.1f}, "
        tiles.append(Tile("accuracy, unseen rows (nested)", percent(best.accuracy), f"{error}{base}"))
        tiles.append(Tile("balanced accuracy (nested)", percent(best.balanced_accuracy)))
    optimism = " (optimistic)" if summary.judged_on == "choice" else ""
    beside = base if summary.nested is None else n_rows
    tiles.append(Tile(f"accuracy{whose}{optimism}", percent(shown.accuracy), beside))
    if summary.nested is None:
        tiles.append(Tile(f"balanced accuracy{whose}", percent(shown.balanced_accuracy), n_rows))
    if summary.auc is not None:
        # Almost all is not all.
        is_rounded_up = 0.9995 <= summary.auc < 1.0
        tiles.append(Tile(f"AUC{whose}", "> 0.999" if is_rounded_up else f"{summary.auc:.3f}"))
    of = f"of {hundredths(summary.class_entropy)} bits"
    tiles.append(Tile(f"information{whose}", hundredths(shown.information), of))
    if retrained is not None:
        name = f"{before}, {summary.n_features:,}" if summary.stages == STAGES else before
        tiles.append(Tile(name, percent(summary.accuracy), f"{hundredths(summary.information)} bits"))
    return tuple(tiles)
