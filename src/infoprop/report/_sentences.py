"""The finding in words: the same sentences on the page, in Markdown and on the terminal."""

from typing import Protocol

from infoprop.report._parts import STAGES, BoundsSummary, ClassSummary, FeatureSummary, RetrainedSummary
from infoprop.report._words import count, percent


class Numbers(Protocol):
    """What the sentences look at; a :class:`ReportSummary` has it all."""

    @property
    def n_features(self) -> int: ...
    @property
    def n_judged(self) -> float: ...
    @property
    def class_entropy(self) -> float: ...
    @property
    def information(self) -> float: ...
    @property
    def accuracy(self) -> float: ...
    @property
    def bounds(self) -> BoundsSummary: ...
    @property
    def classes(self) -> tuple[ClassSummary, ...]: ...
    @property
    def features(self) -> tuple[FeatureSummary, ...]: ...
    @property
    def selected(self) -> tuple[str, ...] | None: ...
    @property
    def retrained(self) -> RetrainedSummary | None: ...
    @property
    def stages(self) -> tuple[str, str]: ...
    def n_features_for(self, share: float) -> int: ...


def headline(summary: Numbers) -> str:
    """The finding in one sentence."""
    before, after = summary.stages
    if summary.stages != STAGES and summary.retrained is not None:
        of = f"of {summary.class_entropy:.2f} bits"
        return (
            f"{after.capitalize()} deliver {summary.retrained.information:.2f} {of}, "
            f"{before} {summary.information:.2f}"
        )
    if not summary.selected:
        noun = "feature delivers" if summary.n_features == 1 else "features deliver"
        return f"{summary.n_features:,} {noun} {summary.information:.2f} of {summary.class_entropy:.2f} bits"
    verb = "delivers" if len(summary.selected) == 1 else "deliver"
    if summary.retrained is not None:
        bits = f"{summary.retrained.information:.2f} of {summary.class_entropy:.2f} bits"
    elif summary.features:
        chosen = sum(feature.credit for feature in summary.features if feature.selected)
        bits = f"{chosen:.2f} of {summary.information:.2f} bits"
    else:
        bits = f"{summary.information:.2f} of {summary.class_entropy:.2f} bits"
    return f"{len(summary.selected):,} of {summary.n_features:,} features {verb} {bits}"


def lead(summary: Numbers) -> str:
    """The finding in a few more sentences."""
    n_classes = len(summary.classes)
    needed = (
        f"Knowing the class of a row takes {summary.class_entropy:.2f} bits "
        f"({n_classes} class{'es' if n_classes != 1 else ''}, {count(summary.n_judged)} rows judged)."
    )
    if summary.information <= 0:
        return f"{needed} The classifier's output says nothing about it: there is nothing to share out."
    is_of_chosen = bool(summary.selected) and summary.retrained is None and not summary.features
    whose = "the chosen features" if is_of_chosen else _all_of(summary.n_features)
    if summary.stages != STAGES:
        whose = summary.stages[0]
    delivered = (
        f"The classifier with {whose} delivers {summary.information:.2f} of them, "
        f"with an accuracy of {percent(summary.accuracy)}."
    )
    return " ".join([needed, delivered, *_retrained(summary), *_concentration(summary)])


def _all_of(n_features: int) -> str:
    return {1: "its only feature", 2: "both features"}.get(n_features, f"all {n_features:,} features")


def _retrained(summary: Numbers) -> list[str]:
    if summary.retrained is None:
        return []
    what = "the chosen features alone" if summary.stages == STAGES else summary.stages[1]
    return [
        f"Trained again on {what}, it delivers {summary.retrained.information:.2f} bits, "
        f"with an accuracy of {percent(summary.retrained.accuracy)} on the same rows."
    ]


def _concentration(summary: Numbers) -> list[str]:
    needed = summary.n_features_for(0.9)
    if not summary.features or needed == summary.n_features:
        return []
    subject = "One feature carries" if needed == 1 else f"{needed:,} features carry"
    return [f"{subject} 90% of the credit."]


def errors(summary: Numbers) -> tuple[str, ...]:
    """What the error was, and what the information allows it to be."""
    bounds = summary.bounds
    if bounds.upper_without_error <= 0:
        return (
            f"The classifier was right on all {count(summary.n_judged)} rows judged.",
            "Its output delivers every bit there is to know, and that leaves no room for an error on these "
            "rows. On others it may still be wrong.",
        )
    return (
        f"The classifier was wrong on {percent(bounds.error)} of the {count(summary.n_judged)} rows judged.",
        "Whoever knows only how many bits its output delivers can tell that the error lies between "
        f"{percent(bounds.lower_without_error)} (Fano) and "
        f"{percent(bounds.upper_without_error)} (Hellman and Raviv).",
        "With the observed error put into the extended Fano bounds, the interval is "
        f"{percent(bounds.lower)} to {percent(bounds.upper)}.",
    )


def noise(summary: Numbers) -> str:
    """How many features are above what chance could earn."""
    others = [feature.credit for feature in summary.features if not feature.above_noise]
    n_above = len(summary.features) - len(others)
    rest = f"; the others have {sum(others):.2f} bits together" if others else ""
    return (
        f"{n_above:,} of {summary.n_features:,} features are above what chance could earn (p ≤ 0.05, "
        f"corrected for the number of features){rest}."
    )
