"""What a report keeps of a comparison of methods: numbers, and what they say in words."""

from collections import Counter
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np

from infoprop.report._parts import RunSummary, balanced_accuracy_of, base_rate_of, printable
from infoprop.report._words import hundredths, percent
from infoprop.selection import ComparedChoice, Comparison, Stability

N_FEATURES = 20
"""Features of the best choice listed on a page; the JSON form has those of every fold."""

COMPARISON_SCHEMA = 1
"""Number of the JSON layout of a comparison's page; grows when a field changes its meaning or goes away."""


@dataclass(frozen=True)
class StabilitySummary:
    """How alike the choices of the folds are, and the interval for it."""

    value: float
    lower: float
    upper: float

    @property
    def words(self) -> tuple[str, str, str]:
        """The three numbers with two decimals, none of them a negative zero."""
        value, lower, upper = (
            f"{round(number, 2) + 0.0:.2f}" for number in (self.value, self.lower, self.upper)
        )
        return value, lower, upper


@dataclass(frozen=True)
class ChoiceSummary:
    """One method at one size, on rows that took no part in the choice.

    `size` is None where the method chose as it was told or found the number itself. The inner numbers are
    those that the rows which chose would promise; None if nobody asked. Errors and stability are None for a
    single fold, and the stability of all features is None too. `folds` holds the numbers of the features
    chosen in every fold; seconds are medians over the folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.report import Report
    >>> from infoprop.selection import compare_selectors
    >>> comparison = compare_selectors({"all": None}, *load_iris(return_X_y=True), random_state=0)
    >>> Report.from_comparison(comparison).summary.comparison.best.phrase
    'all with 4 features'
    """

    method: str
    size: int | None
    n_features: float
    accuracy: float
    accuracy_error: float | None
    balanced_accuracy: float
    information: float
    information_error: float | None
    inner_accuracy: float | None
    inner_information: float | None
    search_seconds: float
    fit_seconds: float
    stability: StabilitySummary | None
    is_best: bool
    is_near_best: bool
    folds: tuple[tuple[int, ...], ...]

    @property
    def words(self) -> str:
        """How many features: a number asked for, or what the method came to."""
        if self.size is not None:
            return f"{self.size:,}"
        return f"{self.n_features:,.0f}" if self.n_features.is_integer() else f"{self.n_features:,.1f}"

    @property
    def phrase(self) -> str:
        """Method and number of features in words."""
        noun = "feature" if self.words == "1" else "features"
        average = " on average" if not self.n_features.is_integer() and self.size is None else ""
        return f"{self.method} with {self.words} {noun}{average}"


@dataclass(frozen=True)
class ComparisonSummary:
    """A comparison of methods by nested cross-validation.

    `n_planned` is the number of outer folds that were to be done; `feature_names` is what the numbers in the
    folds of the choices stand for.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.report import Report
    >>> from infoprop.selection import compare_selectors
    >>> comparison = compare_selectors({"all": None}, *load_iris(return_X_y=True), random_state=0)
    >>> Report.from_comparison(comparison).summary.comparison.methods
    ('all',)
    """

    n_folds: int
    n_planned: int
    n_rows: int
    base_rate: float
    class_entropy: float
    classes: tuple[str, ...]
    feature_names: tuple[str, ...]
    choices: tuple[ChoiceSummary, ...]

    @property
    def n_features(self) -> int:
        """Number of features there are."""
        return len(self.feature_names)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(dict.fromkeys(choice.method for choice in self.choices))

    def of(self, method: str) -> tuple[ChoiceSummary, ...]:
        """All choices of one method."""
        return tuple(choice for choice in self.choices if choice.method == method)

    @property
    def best(self) -> ChoiceSummary:
        """The most accurate choice."""
        return next(choice for choice in self.choices if choice.is_best)

    @property
    def is_single(self) -> bool:
        """Whether there is one choice alone, and nothing to compare it with."""
        return len(self.choices) == 1

    @property
    def has_inner(self) -> bool:
        """Whether the rows that chose were asked."""
        return any(choice.inner_accuracy is not None for choice in self.choices)

    @property
    def most_promising(self) -> ChoiceSummary | None:
        """The choice that looks best to the rows that chose; None if nobody asked, or nothing was chosen."""
        asked = [choice for choice in self.promising if choice.n_features < self.n_features]
        return max(asked, key=lambda choice: choice.inner_accuracy or 0.0, default=None)

    @property
    def promising(self) -> tuple[ChoiceSummary, ...]:
        """For every method the choice that looks best to the rows that chose."""
        chosen = []
        for method in self.methods:
            asked = [choice for choice in self.of(method) if choice.inner_accuracy is not None]
            chosen += [max(asked, key=lambda choice: choice.inner_accuracy or 0.0)] if asked else []
        return tuple(chosen)

    @property
    def best_features(self) -> tuple[tuple[str, int], ...]:
        """Features of the best choice and the number of folds that chose each, most often chosen first."""
        times = Counter(feature for fold in self.best.folds for feature in fold)
        ordered = sorted(times.items(), key=lambda entry: (-entry[1], entry[0]))
        return tuple((self.feature_names[feature], number) for feature, number in ordered)

    @property
    def listed_features(self) -> tuple[tuple[str, int], ...]:
        """Those of them that fit on a page."""
        return self.best_features[:N_FEATURES]

    @property
    def how(self) -> str:
        """What was done."""
        subject = f"{len(self.methods)} methods were compared"
        if self.is_single:
            subject = "The whole selection was judged"
        done = f"{self.n_folds}" if self.n_folds == self.n_planned else f"{self.n_folds} of {self.n_planned}"
        return (
            f"{subject} by nested cross-validation on {self.n_rows:,} rows ({done} folds): features were "
            "chosen from the other folds alone, the same classifier was trained on them, and the rows of the "
            "fold were counted."
        )

    @property
    def best_sentence(self) -> str:
        """The best choice and its numbers."""
        best = self.best
        error = "" if best.accuracy_error is None else f" (standard error {percent(best.accuracy_error)})"
        word = "On rows not seen" if self.is_single else "Best"
        return (
            f"{word}: {best.phrase}, {percent(best.accuracy)} of the rows right{error}, "
            f"{hundredths(best.information)} of {hundredths(self.class_entropy)} bits."
        )

    @property
    def near_sentence(self) -> str:
        """What is as good as the best, for all that the rows can tell; empty if nothing else was compared."""
        if self.is_single or self.best.accuracy_error is None:
            return ""
        others = []
        for method in self.methods:
            near = [choice for choice in self.of(method) if choice.is_near_best and not choice.is_best]
            if near:
                fewest = min(near, key=lambda choice: choice.n_features)
                others.append(f"{method} {fewest.words}")
        if not others:
            return "No other choice is within one standard error of it."
        return f"Within one standard error of it, with the fewest features of each: {', '.join(others)}."

    @property
    def bias_sentence(self) -> str:
        """What the rows that chose would have promised, beside the truth; empty if nobody asked them."""
        choice = self.most_promising
        if choice is None or choice.inner_accuracy is None:
            return ""
        word = "Selection bias" if choice.inner_accuracy > choice.accuracy else "No selection bias here"
        return (
            f"{word}: cross-validated on the very rows that chose its features, "
            f"{choice.phrase} would promise {percent(choice.inner_accuracy)}; on rows it has not seen it is "
            f"right on {percent(choice.accuracy)}."
        )

    @property
    def stability_sentence(self) -> str:
        """How alike the features of the folds are; empty for a single fold or all features."""
        stability = self.best.stability
        if stability is None:
            return ""
        value, lower, upper = stability.words
        return (
            f"The features it chose in the {self.n_folds} folds have a stability of {value} (95% interval "
            f"{lower} to {upper}; 1: always the same, 0: as if drawn at random)."
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """The finding in words, for the terminal."""
        words = (self.best_sentence, self.near_sentence, self.bias_sentence, self.stability_sentence)
        return tuple(sentence for sentence in words if sentence)


@dataclass(frozen=True)
class ComparisonPage:
    """Everything that the page of a comparison says, as numbers and names.

    Parameters
    ----------
    schema : int
        Number of the layout.
    title : str
        Title of the page.
    comparison : ComparisonSummary
        What was found.
    run : RunSummary
        What was run.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.report import Report
    >>> from infoprop.selection import compare_selectors
    >>> comparison = compare_selectors({"all": None}, *load_iris(return_X_y=True), random_state=0)
    >>> Report.from_comparison(comparison, data="iris").summary.title
    'iris: ways to choose features, compared'
    """

    schema: int
    title: str
    comparison: ComparisonSummary
    run: RunSummary

    @property
    def n_features(self) -> int:
        """Number of features there are."""
        return self.comparison.n_features

    @property
    def correction(self) -> None:
        """Entropies of a comparison are not corrected."""
        return None

    @property
    def headline(self) -> str:
        """The finding in one sentence."""
        best = self.comparison.best
        spread = "" if best.accuracy_error is None else f" (± {100 * best.accuracy_error:.1f})"
        return f"Best on rows not seen: {best.phrase}, right on {percent(best.accuracy)}{spread}"

    @property
    def lead(self) -> str:
        """The finding in a few more sentences."""
        base = f"Always naming the most frequent class would get {percent(self.comparison.base_rate)} right."
        return f"{base} {self.comparison.how}"

    def to_dict(self) -> dict[str, Any]:
        """The page as plain dictionaries, lists, numbers and strings."""
        plain = asdict(self)
        plain["headline"] = self.headline
        for part in ("settings", "versions"):
            plain["run"][part] = dict(plain["run"][part])
        return plain


def comparison_of(comparison: Comparison | None) -> ComparisonSummary | None:
    """The numbers of a comparison."""
    if comparison is None:
        return None
    best, near = comparison.best, comparison.near_best
    return ComparisonSummary(
        n_folds=comparison.n_folds,
        n_planned=comparison.n_planned,
        n_rows=comparison.n_rows,
        base_rate=base_rate_of(comparison.choices[0].flow),
        class_entropy=float(comparison.class_entropy),
        classes=tuple(printable(label) for label in comparison.labels.tolist()),
        feature_names=tuple(printable(name) for name in comparison.feature_names),
        choices=tuple(
            _choice(choice, is_best=choice is best, is_near_best=any(choice is other for other in near))
            for choice in comparison
        ),
    )


def _choice(choice: ComparedChoice, *, is_best: bool, is_near_best: bool) -> ChoiceSummary:
    return ChoiceSummary(
        method=printable(choice.method),
        size=choice.size,
        n_features=choice.n_features,
        accuracy=float(choice.accuracy),
        accuracy_error=_known(choice.accuracy_error),
        balanced_accuracy=balanced_accuracy_of(choice.flow),
        information=float(choice.information),
        information_error=_known(choice.information_error),
        inner_accuracy=_known(choice.inner_accuracy),
        inner_information=_known(choice.inner_information),
        search_seconds=float(np.median(choice.search_seconds)),
        fit_seconds=float(np.median(choice.fit_seconds)),
        stability=_stability(choice.stability),
        is_best=is_best,
        is_near_best=is_near_best,
        folds=tuple(tuple(np.flatnonzero(support).tolist()) for support in choice.supports),
    )


def _known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _stability(stability: Stability | None) -> StabilitySummary | None:
    if stability is None or isnan(stability.value):
        return None
    return StabilitySummary(float(stability.value), float(stability.lower), float(stability.upper))
