"""Predicted classes: shown, or written."""

import json
from collections import Counter

import numpy as np
import polars as pl

from infoprop.cli._data._files import write_table
from infoprop.cli._display._prediction_tables import confusion_table, predictions_frame, predictions_table
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._grammar._options import OutputOptions
from infoprop.workflow._predicting import Predictions


def publish_predictions(terminal: Terminal, predictions: Predictions, output: OutputOptions) -> None:
    """Show the predictions, or write them."""
    frame = _frame(predictions)
    if output.output is not None:
        write_table(frame, output.output, is_raw=output.is_raw)
    if output.is_json:
        terminal.show_json(json.dumps(predictions.to_dict(), ensure_ascii=False, indent=2))
    else:
        _show(terminal, predictions, frame, None if output.output is not None else output.top)
    if output.output is not None:
        terminal.say(f"predictions written to {output.output}")


def _show(terminal: Terminal, predictions: Predictions, frame: pl.DataFrame, top: int | None) -> None:
    counts = Counter(predictions.predicted.tolist())
    named = ", ".join(f"{counts[label]:,} {label}" for label in predictions.classes.tolist() if counts[label])
    terminal.result(f"{len(frame):,} rows: {named}", style="bold")
    flow = predictions.flow
    if flow is not None:
        terminal.result(
            f"{flow.accuracy:.1%} of them are named right; that delivers {flow.information:.2f} of "
            f"{flow.class_entropy:.2f} bits."
        )
        terminal.show_table(confusion_table(flow, terminal.width))
    for one in predictions.explained:
        terminal.result(one.sentence)
    if top is not None:
        shown = frame.head(top) if top else frame
        terminal.show_table(predictions_table(shown))
        if len(shown) < len(frame):
            left = len(frame) - len(shown)
            terminal.result(f"and {left:,} more (--top 0 shows all, --output writes them)", style="dim")


def _frame(found: Predictions) -> pl.DataFrame:
    """One row per prediction."""
    answers = (found.predicted, found.true, found.classes, found.probabilities)
    rows = np.arange(len(found.predicted))
    return predictions_frame(rows, *answers, identifiers=found.identifiers, scores=found.scores)
