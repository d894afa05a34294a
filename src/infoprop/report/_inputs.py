"""What a report can be told besides credits or a flow, all of it optional."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from infoprop._core._typing import BoolArray
from infoprop.credit import FeatureCredits, RowCredits
from infoprop.metrics import InformationFlow
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import (
    BeamTrace,
    Comparison,
    GeneticTrace,
    InteractionScreen,
    SearchTrace,
    SelectionPath,
)


class PageParts(TypedDict, total=False):
    """Keyword parameters of :meth:`Report.from_selector`, which is told the rows apart from them."""

    title: str | None
    selected: BoolArray | None
    retrained: InformationFlow | None
    chosen_credits: FeatureCredits | None
    judged_on: str | None
    auc: float | None
    stages: tuple[str, str] | None
    path: SelectionPath | None
    rule: str | None
    tolerance: float | None
    trace: SearchTrace | None
    beam: BeamTrace | None
    evolution: GeneticTrace | None
    pairs: PairwiseClassifier | None
    control: Any
    front: Any
    interactions: InteractionScreen | None
    shapes: Any
    owners: Sequence[str] | None
    column_names: Sequence[str] | None
    rows: RowCredits | None
    row_numbers: Sequence[int] | None
    row_classes: Sequence[Any] | None
    nested: Comparison | None
    code: str | None
    data: str | None
    n_rows: int | None
    target: str | None
    settings: Mapping[str, object] | None


class ReportParts(PageParts, total=False):
    """Keyword parameters of :meth:`Report.from_credits` and :meth:`Report.from_flow`; explained there."""

    X: Any
    y: Any


def check_parts(parts: ReportParts) -> None:
    """Refuse a keyword that no report knows, as a plain signature would."""
    for name in parts:
        if name not in ReportParts.__annotations__:
            raise TypeError(f"Report got an unexpected keyword argument {name!r}.")
