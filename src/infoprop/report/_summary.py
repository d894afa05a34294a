"""The numbers of a report: typed, frozen, ready for JSON. Nothing here draws."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from infoprop._core._typing import BoolArray
from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.report._parts import (
    BoundsSummary,
    ClassSummary,
    FeatureSummary,
    RetrainedSummary,
    RunSummary,
    bounds_of,
    classes_of,
    features_of,
    printable,
    printable_pairs,
    retrained_of,
    selection_mask,
    versions,
)
from infoprop.report._searches import PathSummary, TraceSummary, check_features, path_of, trace_of
from infoprop.report._words import count, percent
from infoprop.selection import SearchTrace, SelectionPath

SCHEMA = 1
"""Number of the JSON layout; grows when a field changes its meaning or goes away."""


@dataclass(frozen=True)
class ReportSummary:
    """Everything a report says, as numbers and names.

    Parameters
    ----------
    schema : int
        Number of the layout.
    title : str
        Title of the page.
    n_features : int
        Number of features credited.
    n_judged : float
        Number of rows behind the confusion table.
    class_entropy, information, relative_information : float
        H(Y) and I(Y;Yf) in bits, and their ratio.
    accuracy : float
        Share of the judged rows that were labelled right.
    correction : str or None
        Correction for small samples that was applied to the entropies.
    bounds : BoundsSummary
        What the information allows the error to be.
    classes : tuple of ClassSummary
        In the order of the confusion table.
    confusion : tuple of tuple of float
        Rows true, columns predicted.
    features : tuple of FeatureSummary
        Best first.
    retrained : RetrainedSummary or None
        After a selection, the classifier on the chosen features.
    path : PathSummary or None
        After an elimination, what every size delivered.
    trace : TraceSummary or None
        After a directed search, every subset it asked about.
    run : RunSummary
        What was run.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.credit import credit_features
    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> credits = credit_features(LogisticRegression().fit(X, y), X, y)
    >>> ReportSummary.from_credits(credits).headline
    '2 features deliver 1.00 of 1.00 bits'
    """

    schema: int
    title: str
    n_features: int
    n_judged: float
    class_entropy: float
    information: float
    relative_information: float
    accuracy: float
    correction: str | None
    bounds: BoundsSummary
    classes: tuple[ClassSummary, ...]
    confusion: tuple[tuple[float, ...], ...]
    features: tuple[FeatureSummary, ...]
    retrained: RetrainedSummary | None
    path: PathSummary | None
    trace: TraceSummary | None
    run: RunSummary

    @classmethod
    def from_credits(
        cls,
        credits: FeatureCredits,
        *,
        title: str | None = None,
        selected: BoolArray | None = None,
        retrained: InformationFlow | None = None,
        path: SelectionPath | None = None,
        trace: SearchTrace | None = None,
        data: str | None = None,
        n_rows: int | None = None,
        target: str | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> "ReportSummary":
        """Take the numbers out of `credits`.

        Parameters
        ----------
        credits : FeatureCredits
            What every feature is worth.
        title : str, optional
            Title of the page; made from `data` if not given.
        selected : ndarray of bool of shape (n_features,), optional
            The features that were chosen.
        retrained : InformationFlow, optional
            Of the classifier trained again on the chosen features.
        path : SelectionPath, optional
            `path_` of the selector, if it eliminated.
        trace : SearchTrace, optional
            `trace_` of the selector, if it searched by direction.
        data, target : str, optional
            Names of the data and of the column that holds the classes.
        n_rows : int, optional
            Number of rows of the data.
        settings : mapping, optional
            What the run was told, in the order to be shown.

        Returns
        -------
        ReportSummary
        """
        flow = credits.flow
        data = None if data is None else printable(data)
        mask = selection_mask(selected, credits.n_features)
        check_features(path, "path", credits.n_features)
        check_features(trace, "trace", credits.n_features)
        return cls(
            schema=SCHEMA,
            title=printable(title) if title else _default_title(data),
            n_features=int(credits.n_features),
            n_judged=float(flow.n_samples),
            class_entropy=float(flow.class_entropy),
            information=float(flow.information),
            relative_information=float(flow.relative_information),
            accuracy=float(flow.accuracy),
            correction=flow.correction,
            bounds=bounds_of(flow),
            classes=classes_of(flow),
            confusion=tuple(tuple(float(cell) for cell in row) for row in flow.counts),
            features=features_of(credits, mask),
            retrained=None if retrained is None else retrained_of(retrained),
            path=path_of(path, None if mask is None else int(mask.sum())),
            trace=trace_of(trace),
            run=RunSummary(
                data=data,
                n_rows=n_rows,
                target=None if target is None else printable(target),
                settings=printable_pairs((settings or {}).items()),
                versions=versions(),
            ),
        )

    @property
    def selected_features(self) -> tuple[FeatureSummary, ...]:
        """The chosen features, best first; empty when nothing was chosen."""
        return tuple(feature for feature in self.features if feature.selected)

    @property
    def headline(self) -> str:
        """The finding in one sentence."""
        chosen = self.selected_features
        if not chosen:
            noun = "feature delivers" if self.n_features == 1 else "features deliver"
            return f"{self.n_features:,} {noun} {self.information:.2f} of {self.class_entropy:.2f} bits"
        verb = "delivers" if len(chosen) == 1 else "deliver"
        if self.retrained is not None:
            bits = f"{self.retrained.information:.2f} of {self.class_entropy:.2f} bits"
            return f"{len(chosen):,} of {self.n_features:,} features {verb} {bits}"
        bits = f"{sum(feature.credit for feature in chosen):.2f} of {self.information:.2f} bits"
        return f"{len(chosen):,} of {self.n_features:,} features {verb} {bits}"

    @property
    def lead(self) -> str:
        """The finding in a few more sentences."""
        n_classes = len(self.classes)
        needed = (
            f"Knowing the class of a row takes {self.class_entropy:.2f} bits "
            f"({n_classes} class{'es' if n_classes != 1 else ''}, {count(self.n_judged)} rows judged)."
        )
        if self.information <= 0:
            return f"{needed} The classifier's output says nothing about it: there is nothing to share out."
        delivered = (
            f"The classifier with all {self.n_features:,} features delivers {self.information:.2f} of them, "
            f"with an accuracy of {percent(self.accuracy)}."
        )
        return " ".join([needed, delivered, *self._retrained_sentence(), *self._concentration_sentence()])

    def _retrained_sentence(self) -> list[str]:
        if self.retrained is None:
            return []
        return [
            f"Trained again on the chosen features alone, it delivers {self.retrained.information:.2f} bits, "
            f"with an accuracy of {percent(self.retrained.accuracy)} on the same rows."
        ]

    def _concentration_sentence(self) -> list[str]:
        needed = self.n_features_for(0.9)
        if needed == self.n_features:
            return []
        subject = "One feature carries" if needed == 1 else f"{needed:,} features carry"
        return [f"{subject} 90% of the credit."]

    @property
    def error_sentences(self) -> tuple[str, ...]:
        """What the error was, and what the information allows it to be."""
        bounds = self.bounds
        return (
            f"The classifier was wrong on {percent(bounds.error)} of the {count(self.n_judged)} rows judged.",
            "Whoever knows only how many bits its output delivers can tell that the error lies between "
            f"{percent(bounds.lower_without_error)} (Fano) and "
            f"{percent(bounds.upper_without_error)} (Hellman and Raviv).",
            "With the observed error put into the extended Fano bounds, the interval is "
            f"{percent(bounds.lower)} to {percent(bounds.upper)}.",
        )

    @property
    def search_sentences(self) -> tuple[str, ...]:
        """What the search went through, if there was one."""
        return tuple(search.sentence for search in (self.path, self.trace) if search is not None)

    def n_features_for(self, share: float) -> int:
        """Smallest number of best features whose credits reach `share` of the information."""
        if self.information <= 0:
            return 0
        reached = np.cumsum([feature.share for feature in self.features])
        # Credits add up to the information only within rounding.
        return int(np.searchsorted(reached, share - 1e-12)) + 1

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain dictionaries, lists, numbers and strings."""
        plain = asdict(self)
        plain["headline"] = self.headline
        for part in ("settings", "versions"):
            plain["run"][part] = dict(plain["run"][part])
        return plain


def _default_title(data: str | None) -> str:
    return "What every feature is worth" if data is None else f"{data}: what every feature is worth"
