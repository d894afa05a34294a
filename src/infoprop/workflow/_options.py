"""What a run is told: where the data lies, which classifier, which rows judge. Light enough for a parser."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from infoprop.workflow._classifier_names import PAIRWISE

SPLIT: Literal["split"] = "split"
AUTO = "auto"
HALVING = "halving"
STANDARD_INPUT = Path("-")

SHAPE, PROBABILITY, BNS = "shape", "probability", "bns"
WEIGHTS = ("count", "binary", "tfidf", "bns", "shaped")
"""What the number of times that a word occurs becomes."""

MODEL_ROWS = ("all", "train")
"""Rows that a model which is kept is trained on."""

APART = "a value of its own"
"""What fills a missing number if --missing-apart is given: nothing."""


@dataclass(frozen=True)
class DataOptions:
    """Where the data lies and how it becomes numbers."""

    path: Path
    target: str | None
    format: str | None
    drop: tuple[str, ...]
    nominal: tuple[str, ...]
    impute: str | None
    is_scaled: bool
    text: tuple[str, ...] = ()
    min_df: int = 2
    ngrams: int = 1
    weights: str | None = None
    delimiter: str | None = None
    has_header: bool | None = None
    encoding: str | None = None
    sheet: str | None = None
    layer: str | None = None
    numeric: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    identifier: str | None = None
    row_groups: str | None = None
    groups: Path | None = None
    labels: Path | None = None
    decimal: str | None = None
    thousands: str | None = None
    is_transposed: bool = False

    @property
    def name(self) -> str:
        """How the data is called."""
        if self.path == STANDARD_INPUT:
            return "standard input"
        # Names of files are bytes, which need not be the letters of any language.
        return os.fsencode(self.path.name).decode("utf-8", "replace")


def is_h5ad(data: DataOptions) -> bool:
    """Whether the data is AnnData on disk."""
    return (data.format or data.path.suffix.lower().lstrip(".")) == "h5ad"


@dataclass(frozen=True)
class ModelOptions:
    """The classifier, and which rows judge it.

    Options of other classifiers than `classifier` are there, and mean nothing.
    """

    classifier: str = "svm"
    kernel: str = "linear"
    C: float = 1.0
    gamma: float | str = "scale"
    degree: float = 3
    coef0: float = 0.0
    class_weight: str | None = None
    hidden: tuple[int, ...] = (10,)
    neighbors: int = 1
    member: str = "svm"
    sharing: str | None = None
    n_null: int = 199
    validation: float | int | str = 0.25
    seed: int = 0
    jobs: int | None = None

    @property
    def credit_sharing(self) -> str:
        """How credits are shared out: by covariance, if nothing else was asked for."""
        return "covariance" if self.sharing is None else self.sharing

    @property
    def learner(self) -> str:
        """The classifier that is trained on rows: the member of `pairwise`, else the classifier itself."""
        return self.member if self.classifier == PAIRWISE else self.classifier


def draws_noise(options: ModelOptions) -> bool:
    """Whether labels are shuffled: a shaped classifier does not tell what a feature adds to a row."""
    return options.n_null > 0 and options.classifier != "shaped"


@dataclass(frozen=True)
class ShapeOptions:
    """How values are shaped.

    Attributes
    ----------
    method : {"shape", "probability", "bns"}
    positive : str or None
        The class that is told from the rest; None for each of them.
    window : float or "auto"
        Rows on each side that a probability is estimated from.
    policy : {"all", "auto"}
        Shape all columns, or only those that gain.
    """

    method: str = SHAPE
    positive: str | None = None
    window: Any = 15
    policy: Any = "all"
