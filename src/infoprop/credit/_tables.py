"""Credits as text, as a rich table, as HTML: one set of rows, three ways to draw them."""

from collections.abc import Sequence
from html import escape
from typing import Any, Protocol

import numpy as np

from infoprop._core._numbers import aligned, aligned_percent
from infoprop._core._typing import FloatArray, IntArray, LabelArray

ROWS_SHOWN = 20
CLASSES_SHOWN = 8
BAR_WIDTH = 20


class Credits(Protocol):
    """What a table needs to know."""

    @property
    def values(self) -> FloatArray: ...
    @property
    def by_class(self) -> FloatArray: ...
    @property
    def shares(self) -> FloatArray: ...
    @property
    def ranking(self) -> IntArray: ...
    @property
    def classes(self) -> LabelArray: ...
    @property
    def feature_names(self) -> tuple[str, ...]: ...
    @property
    def information(self) -> float: ...
    @property
    def n_features(self) -> int: ...
    @property
    def flow(self) -> Any: ...
    @property
    def noise(self) -> Any: ...


def class_columns(classes: Sequence[Any] | LabelArray) -> list[str]:
    """Give each label a column name of its own, also where 1 and "1" are different labels.

    >>> class_columns(["yes", 1, "1"])
    ['class_yes', 'class_1', "class_'1'"]
    """
    labels = [label.item() if isinstance(label, np.generic) else label for label in classes]
    names: list[str] = []
    for label in labels:
        name = f"class_{label}"
        names.append(name if name not in names else f"class_{label!r}")
    return names


def caption(credits: Credits) -> str:
    """One line that says what the numbers add up to."""
    delivered, known = aligned(credits.information, 4), aligned(float(credits.flow.class_entropy), 4)
    return f"{delivered} of {known} bits delivered, over {credits.n_features} features"


def _shown(credits: Credits) -> IntArray:
    return credits.ranking[:ROWS_SHOWN]


def _rest(credits: Credits) -> str:
    hidden = credits.n_features - ROWS_SHOWN
    if hidden <= 0:
        return ""
    bits = float(credits.values[credits.ranking[ROWS_SHOWN:]].sum())
    return f"and {hidden} more with {aligned(bits, 4)} bits together"


def _above(credits: Credits) -> str:
    """How many features are above the noise floor."""
    n_above = int(credits.noise.is_above.sum())
    return f"{n_above} of {credits.n_features} features are above what chance could earn (p <= 0.05)"


def text_table(credits: Credits) -> str:
    """Plain text: rank, name, bits, share, a bar."""
    shown = _shown(credits)
    width = max([len("feature"), *(len(credits.feature_names[k]) for k in shown)])
    largest = float(credits.values.max(initial=0.0)) or 1.0
    lines = [
        caption(credits),
        f"rank  {'feature':<{width}}    bits   share{'' if credits.noise is None else '      p'}",
    ]
    for rank, k in enumerate(shown, start=1):
        bar = "#" * round(BAR_WIDTH * float(credits.values[k]) / largest)
        chance = "" if credits.noise is None else f"{aligned(credits.noise.p_values[k], 3):>5}  "
        lines.append(
            f"{rank:>4}  {credits.feature_names[k]:<{width}}  {aligned(credits.values[k], 4):>6}  "
            f"{aligned_percent(credits.shares[k]):>6}  {chance}{bar}".rstrip()
        )
    if credits.noise is not None:
        lines.append(_above(credits))
    if rest := _rest(credits):
        lines.append(rest)
    return "\n".join(lines)


def rich_table(credits: Credits) -> Any:
    """Return a rich Table with one column per class while they fit."""
    from rich.markup import escape as escape_markup
    from rich.table import Table

    table = Table(title="Feature credits", caption=caption(credits))
    table.add_column("rank", justify="right")
    table.add_column("feature")
    table.add_column("bits", justify="right")
    table.add_column("share", justify="right")
    if credits.noise is not None:
        table.add_column("p", justify="right")
    with_classes = len(credits.classes) <= CLASSES_SHOWN
    for label in credits.classes if with_classes else ():
        table.add_column(escape_markup(str(label)), justify="right")
    for rank, k in enumerate(_shown(credits), start=1):
        cells = [str(rank), escape_markup(credits.feature_names[k])]
        cells += [aligned(credits.values[k], 4), aligned_percent(credits.shares[k])]
        cells += [] if credits.noise is None else [aligned(credits.noise.p_values[k], 3)]
        cells += [aligned(bits, 4) for bits in credits.by_class[:, k]] if with_classes else []
        table.add_row(*cells)
    if rest := _rest(credits):
        table.add_section()
        table.add_row("", rest)
    return table


def html_table(credits: Credits) -> str:
    """Return an HTML table; names and labels are escaped."""
    with_classes = len(credits.classes) <= CLASSES_SHOWN
    labels = [escape(str(label)) for label in credits.classes] if with_classes else []
    chance = [] if credits.noise is None else ["p"]
    head = "".join(f"<th>{word}</th>" for word in ["rank", "feature", "bits", "share", *chance, *labels])
    body = []
    for rank, k in enumerate(_shown(credits), start=1):
        bits = [credits.values[k], *(credits.by_class[:, k] if with_classes else ())]
        numbers = [aligned(value, 4) for value in bits]
        numbers.insert(1, aligned_percent(credits.shares[k]))
        if credits.noise is not None:
            numbers.insert(2, aligned(credits.noise.p_values[k], 3))
        cells = "".join(f'<td style="text-align:right">{number}</td>' for number in numbers)
        body.append(f"<tr><td>{rank}</td><td>{escape(credits.feature_names[k])}</td>{cells}</tr>")
    if rest := _rest(credits):
        body.append(f'<tr><td></td><td colspan="{3 + len(chance) + len(labels)}">{rest}</td></tr>')
    return (
        f"<table><caption>Feature credits: {caption(credits)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    )
