"""The finding in words: the same sentences on the page, in Markdown and on the terminal."""

from math import sqrt
from typing import Protocol

from infoprop.report._comparisons import ComparisonSummary
from infoprop.report._parts import STAGES, BoundsSummary, ClassSummary, FeatureSummary, RetrainedSummary
from infoprop.report._words import count, hundredths, percent


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
    def judged_on(self) -> str | None: ...
    @property
    def base_rate(self) -> float: ...
    @property
    def nested(self) -> ComparisonSummary | None: ...
    @property
    def stages(self) -> tuple[str, str]: ...
    def n_features_for(self, share: float) -> int: ...


def unseen_accuracy(summary: Numbers) -> tuple[float, float | None]:
    """The accuracy to tell first, and one standard error of it: nested if there is one, else as judged."""
    if summary.nested is not None:
        return summary.nested.best.accuracy, summary.nested.best.accuracy_error
    accuracy = summary.accuracy if summary.retrained is None else summary.retrained.accuracy
    # Two rows more of each kind, after Agresti and Coull: all right is no proof of no errors.
    n_rows = summary.n_judged + 4.0
    part = (accuracy * summary.n_judged + 2.0) / n_rows
    return accuracy, sqrt(part * (1.0 - part) / n_rows)


def _is_unseen(summary: Numbers) -> bool:
    return summary.nested is not None or summary.judged_on == "unseen"


def headline(summary: Numbers) -> str:
    """The finding in one sentence."""
    accuracy, error = unseen_accuracy(summary)
    spread = "" if error is None else f" (± {100 * error:.1f})"
    if _is_unseen(summary):
        figure = f"{percent(accuracy)} of unseen rows right{spread}"
    elif summary.judged_on == "choice":
        figure = f"{percent(accuracy)} right on the rows that helped to choose (optimistic)"
    else:
        figure = f"{percent(accuracy)} of the judged rows right{spread}"
    before, after = summary.stages
    if summary.stages != STAGES and summary.retrained is not None:
        return f"{after.capitalize()} get {figure}; {before} get {percent(summary.accuracy)}"
    n_features = f"{summary.n_features:,} feature{'s' if summary.n_features != 1 else ''}"
    if summary.selected is None:
        return f"{n_features} get{'s' if summary.n_features == 1 else ''} {figure}"
    if not summary.selected:
        return f"None of {n_features} was chosen"
    is_one = len(summary.selected) == 1
    chosen = f"{len(summary.selected):,} of {n_features}"
    if summary.retrained is None and summary.features:
        bits = sum(feature.credit for feature in summary.features if feature.selected)
        verb = "carries" if is_one else "carry"
        return f"{chosen} {verb} {hundredths(bits)} of {hundredths(summary.information)} bits"
    if summary.retrained is None:
        return f"{chosen} get{'s' if is_one else ''} {figure}"
    if summary.retrained.accuracy >= summary.accuracy - (error or 0.0):
        return f"{chosen} {'is' if is_one else 'are'} enough: {figure}"
    return f"{chosen} get{'s' if is_one else ''} {figure}; all get {percent(summary.accuracy)}"


def lead(summary: Numbers) -> str:
    """The finding in a few more sentences."""
    n_classes = len(summary.classes)
    needed = (
        f"Knowing the class of a row takes {hundredths(summary.class_entropy)} bits "
        f"({n_classes} class{'es' if n_classes != 1 else ''}, {count(summary.n_judged)} rows judged); a bit "
        "answers one yes-or-no question with even odds."
    )
    base = f"Always naming the most frequent class would get {percent(summary.base_rate)} right."
    first = [base, *_origin(summary), needed]
    if summary.information <= 0:
        first.append("The classifier's output says nothing about it: there is nothing to share out.")
        return " ".join(first)
    is_of_chosen = bool(summary.selected) and summary.retrained is None and not summary.features
    whose = "the chosen features" if is_of_chosen else _all_of(summary.n_features)
    if summary.stages != STAGES:
        whose = summary.stages[0]
    delivered = (
        f"The classifier with {whose} delivers {hundredths(summary.information)} of them, "
        f"with an accuracy of {percent(summary.accuracy)}."
    )
    # After a choice, how many of all features carry most is beside the point.
    last = _retrained(summary) or _concentration(summary)
    return " ".join([*first, delivered, *last])


def _origin(summary: Numbers) -> list[str]:
    """Where the accuracy of the headline comes from, if that is known."""
    if summary.nested is not None:
        return [
            "The headline is from nested validation: the whole choice was repeated in "
            f"{summary.nested.n_folds} outer folds and judged on rows that took no part in it."
        ]
    if summary.judged_on == "choice":
        return [
            "The judged rows helped to choose the features, so expect less on new rows; nested validation "
            "(--nested 5) measures how much less."
        ]
    return []


def _all_of(n_features: int) -> str:
    return {1: "its only feature", 2: "both features"}.get(n_features, f"all {n_features:,} features")


def _retrained(summary: Numbers) -> list[str]:
    if summary.retrained is None:
        return []
    what = _after(summary) + (" alone" if summary.stages == STAGES else "")
    return [
        f"Trained again on {what}, it delivers {hundredths(summary.retrained.information)} bits, "
        f"with an accuracy of {percent(summary.retrained.accuracy)} on the same rows."
    ]


def _after(summary: Numbers) -> str:
    return "the chosen features" if summary.stages == STAGES else summary.stages[1]


def _concentration(summary: Numbers) -> list[str]:
    needed = summary.n_features_for(0.9)
    if not summary.features or needed == summary.n_features:
        return []
    subject = "One feature carries" if needed == 1 else f"{needed:,} features carry"
    return [f"{subject} 90% of the credit."]


def errors(summary: Numbers) -> tuple[str, ...]:
    """What the error was, and what the information allows it to be: after a choice, with what was chosen."""
    retrained = summary.retrained
    bounds = summary.bounds if retrained is None else retrained.bounds
    whose = "The classifier" if retrained is None else f"The classifier with {_after(summary)}"
    if bounds.upper_without_error <= 0:
        return (
            f"{whose} was right on all {count(summary.n_judged)} rows judged.",
            "Its output delivers every bit there is to know, and that leaves no room for an error on these "
            "rows. On others it may still be wrong.",
        )
    return (
        f"{whose} was wrong on {percent(bounds.error)} of the {count(summary.n_judged)} rows judged.",
        "From the information alone, the error must lie between "
        f"{percent(bounds.lower_without_error)} (Fano) and "
        f"{percent(bounds.upper_without_error)} (Hellman and Raviv).",
        "With the observed error put into the extended Fano bounds, the interval is "
        f"{percent(bounds.lower)} to {percent(bounds.upper)}.",
    )


def noise(summary: Numbers) -> str:
    """How many features are above what chance could earn."""
    others = [feature.credit for feature in summary.features if not feature.above_noise]
    n_above = len(summary.features) - len(others)
    rest = f"; the others have {hundredths(sum(others))} bits together" if others else ""
    return (
        f"{n_above:,} of {summary.n_features:,} features are above what chance could earn (p ≤ 0.05, "
        f"corrected for the number of features){rest}."
    )
