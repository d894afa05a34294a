"""Features that a search without credits chose, as a table on the terminal and on disk."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from rich import box
from rich.table import Table
from rich.text import Text

from infoprop.workflow._finding import Finding, Measure


def feature_table(finding: Finding, shown: Sequence[int], width: int) -> Table:
    """Return the features `shown`, one a row, in at most `width` letters."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("feature", overflow="ellipsis", no_wrap=True, max_width=max(12, width - 40))
    if finding.measure is not None:
        table.add_column(finding.measure.name, justify="right", no_wrap=True)
    if finding.selected is not None:
        table.add_column("kept", min_width=4)
    for rank, feature in enumerate(shown, start=1):
        row = [Text(str(rank)), Text(finding.names[feature])]
        is_chosen = finding.selected is None or bool(finding.selected[feature])
        if finding.measure is not None:
            row.append(Text(_measured(finding.measure, feature)))
        if finding.selected is not None:
            row.append(Text("yes" if is_chosen else ""))
        table.add_row(*row, style="" if is_chosen else "dim")
    return table


def feature_frame(finding: Finding) -> pl.DataFrame:
    """Return all features, best first: name, whether chosen, place, what the search knows of them."""
    columns: dict[str, object] = {"feature": list(finding.names)}
    if finding.selected is not None:
        columns["selected"] = finding.selected
    if finding.places is not None:
        columns["place"] = finding.places
    if finding.measure is not None:
        columns[finding.measure.name.replace(" ", "_")] = finding.measure.values
    return pl.DataFrame(columns)[finding.order]


def _measured(measure: Measure, feature: int) -> str:
    value = measure.values[feature]
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if measure.is_count else f"{value:.1%}"
