"""Comparison: several ways to choose features, each judged on rows that took no part in its choice."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import nan
from typing import Any, overload

import numpy as np

from infoprop._core._exceptions import ParameterError
from infoprop._core._frames import to_native_frame
from infoprop._core._frozen import FrozenArrays
from infoprop._core._typing import BoolArray, FloatArray, LabelArray
from infoprop.metrics import ConfusionCounts, InformationFlow
from infoprop.selection.comparison._stability import Stability, selection_stability

# Accuracies are ratios of whole numbers of rows; those that differ by less differ by rounding alone.
_TIE_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class ComparedChoice(FrozenArrays):
    """One method at one number of features, in every outer fold.

    Attributes
    ----------
    method : str
        Name of the method.
    size : int or None
        Number of features (groups) it was asked for; None where it chose as it was told or found the number
        itself.
    supports : ndarray of bool of shape (n_folds, n_features)
        The features (groups) it chose from the training rows of each fold.
    tables : ndarray of shape (n_folds, L, L)
        Confusion tables of the test rows of each fold; rows are true labels.
    inner_tables : ndarray of shape (n_folds, L, L)
        Confusion tables of the same features, cross-validated on the very rows that chose them; zero if that
        was not asked for.
    search_seconds, fit_seconds : ndarray of shape (n_folds,)
        Time of the choice, and of training the classifier on what was chosen. A method that knows all sizes
        after one run has the time of that run at every size.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from infoprop.selection import compare_selectors
    >>> X, y = load_iris(return_X_y=True)
    >>> choice = compare_selectors({"F": SelectKBest()}, X, y, sizes=[2], random_state=0)[0]
    >>> choice.method, choice.size, choice.supports.sum(axis=0).tolist(), choice.stability.value
    ('F', 2, [0, 0, 5, 5], 1.0)
    """

    method: str
    size: int | None
    supports: BoolArray
    tables: FloatArray
    inner_tables: FloatArray
    search_seconds: FloatArray
    fit_seconds: FloatArray

    @property
    def n_features(self) -> float:
        """Mean number of features chosen."""
        return float(self.supports.sum(axis=1).mean())

    @cached_property
    def flow(self) -> InformationFlow:
        """What the test rows of all folds say together."""
        return _flow(self.tables.sum(axis=0))

    @property
    def accuracy(self) -> float:
        """Part of the test rows of all folds that are predicted right."""
        return _accuracy(self.tables.sum(axis=0))

    @property
    def information(self) -> float:
        """I(Y;Yf) in bits, from the test rows of all folds in one table."""
        return self.flow.information

    @cached_property
    def accuracy_error(self) -> float:
        """Standard error of `accuracy` over the folds (jackknife); NaN for a single fold."""
        return _jackknife_error([_accuracy(table) for table in _without_one(self.tables)])

    @cached_property
    def information_error(self) -> float:
        """Standard error of `information` over the folds (jackknife), in bits; NaN for a single fold."""
        return _jackknife_error([_flow(table).information for table in _without_one(self.tables)])

    @property
    def inner_accuracy(self) -> float:
        """Accuracy that the rows which chose the features would promise; NaN if not asked for."""
        table = self.inner_tables.sum(axis=0)
        return _accuracy(table) if table.any() else nan

    @property
    def inner_information(self) -> float:
        """Information that the rows which chose the features would promise, in bits; NaN if not asked for."""
        table = self.inner_tables.sum(axis=0)
        return _flow(table).information if table.any() else nan

    @cached_property
    def stability(self) -> Stability | None:
        """How alike the choices of the folds are; None for a single fold."""
        return selection_stability(self.supports) if len(self.supports) > 1 else None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(FrozenArrays, Sequence[ComparedChoice]):
    """What :func:`compare_selectors` found: a sequence of :class:`ComparedChoice`.

    Attributes
    ----------
    choices : tuple of ComparedChoice
        Method by method, as they were given, and size by size.
    labels : ndarray of shape (L,)
        The classes, in the order of all tables.
    feature_names : tuple of str
        Names of the features (groups), in the order of all supports.
    n_rows : int
        Number of rows compared on.
    n_planned : int
        Number of outer folds that were to be done; more than `n_folds` after an interruption.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from infoprop.selection import CreditSelector, compare_selectors
    >>> X, y = load_iris(return_X_y=True)
    >>> methods = {"credit": CreditSelector(), "F": SelectKBest(), "all": None}
    >>> comparison = compare_selectors(methods, X, y, sizes=[1, 2], random_state=0)
    >>> comparison
    Comparison(methods=['credit', 'F', 'all'], n_folds=5, best='F' at 2 with accuracy 0.9133)
    >>> len(comparison), [choice.size for choice in comparison.of("credit")]
    (5, [1, 2])
    """

    choices: tuple[ComparedChoice, ...]
    labels: LabelArray
    feature_names: tuple[str, ...]
    n_rows: int
    n_planned: int

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods."""
        return tuple(dict.fromkeys(choice.method for choice in self.choices))

    @property
    def n_folds(self) -> int:
        """Number of outer folds done."""
        return len(self.choices[0].supports)

    @property
    def class_entropy(self) -> float:
        """H(Y) of the test rows, in bits."""
        return self.choices[0].flow.class_entropy

    @property
    def best(self) -> ComparedChoice:
        """The most accurate choice; of equally accurate ones the one with the fewest features."""
        return min(self.choices, key=_preference)

    @property
    def near_best(self) -> tuple[ComparedChoice, ...]:
        """Choices whose accuracy is within one standard error of the best, the best among them."""
        best = self.best
        error = 0.0 if np.isnan(best.accuracy_error) else best.accuracy_error
        least = round(best.accuracy - error, _TIE_DECIMALS)
        return tuple(choice for choice in self.choices if round(choice.accuracy, _TIE_DECIMALS) >= least)

    def of(self, method: str) -> tuple[ComparedChoice, ...]:
        """All choices of one method, size by size."""
        found = tuple(choice for choice in self.choices if choice.method == method)
        if not found:
            known = ", ".join(repr(name) for name in self.methods)
            raise ParameterError(f"There is no method {method!r} in this comparison; there are {known}.")
        return found

    def at(self, method: str, size: int | None = None) -> ComparedChoice:
        """The choice of one method at one size; None means its own."""
        for choice in self.of(method):
            if choice.size == size:
                return choice
        known = ", ".join(str(choice.size) for choice in self.of(method))
        raise ParameterError(f"The method {method!r} was not compared at size {size!r}; there are {known}.")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per method and size.

        Times are medians over the folds: the first fold of a process pays for what is loaded then.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            None means pandas if it is installed, else polars.
        """
        rows = [_row(choice) for choice in self.choices]
        data = {name: [row[name] for row in rows] for name in rows[0]}
        return to_native_frame(data, backend, "Comparison.to_frame")

    def __len__(self) -> int:
        return len(self.choices)

    @overload
    def __getitem__(self, number: int) -> ComparedChoice: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[ComparedChoice, ...]: ...
    def __getitem__(self, number: int | slice) -> ComparedChoice | tuple[ComparedChoice, ...]:
        return self.choices[number]

    def __repr__(self) -> str:
        best = self.best
        of_size = "" if best.size is None else f" at {best.size}"
        return (
            f"Comparison(methods={list(self.methods)}, n_folds={self.n_folds}, "
            f"best={best.method!r}{of_size} with accuracy {best.accuracy:.4f})"
        )

    def _repr_html_(self) -> str:
        words = ["method", "size", "accuracy", "±", "bits", "inner accuracy", "seconds", "stability"]
        head = "".join(f"<th>{word}</th>" for word in words)
        body = "".join(_html_row(choice) for choice in self.choices)
        return (
            f"<table><caption>{self.n_folds} outer folds of {self.n_rows} rows</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _preference(choice: ComparedChoice) -> tuple[float, float]:
    return -round(choice.accuracy, _TIE_DECIMALS), choice.n_features


def _accuracy(counts: FloatArray) -> float:
    return float(np.trace(counts) / counts.sum())


def _flow(counts: FloatArray) -> InformationFlow:
    # What the labels are called changes no measure.
    return InformationFlow.from_counts(ConfusionCounts(np.arange(len(counts)), counts, float(counts.sum())))


def _without_one(tables: FloatArray) -> list[FloatArray]:
    """Sum of all tables but one, for every one of them; nothing where that would be empty."""
    whole = tables.sum(axis=0)
    return [whole - table for table in tables] if len(tables) > 1 else []


def _jackknife_error(values: list[float]) -> float:
    """Standard error from the values with one fold left out each; for equal folds that of a mean of folds."""
    n = len(values)
    if n < 2:
        return nan
    return float(np.sqrt((n - 1) / n * np.sum((np.array(values) - np.mean(values)) ** 2)))


def _row(choice: ComparedChoice) -> dict[str, Any]:
    stability = choice.stability or Stability(nan, nan, nan, 1)
    return {
        "method": choice.method,
        "size": choice.size,
        "n_features": choice.n_features,
        "accuracy": choice.accuracy,
        "accuracy_error": choice.accuracy_error,
        "information": choice.information,
        "information_error": choice.information_error,
        "inner_accuracy": choice.inner_accuracy,
        "inner_information": choice.inner_information,
        "search_seconds": float(np.median(choice.search_seconds)),
        "fit_seconds": float(np.median(choice.fit_seconds)),
        "stability": stability.value,
        "stability_lower": stability.lower,
        "stability_upper": stability.upper,
    }


def _html_row(choice: ComparedChoice) -> str:
    row = _row(choice)
    size = f"{choice.n_features:.4g} (own)" if choice.size is None else str(choice.size)
    cells = [
        escape(choice.method),
        size,
        f"{row['accuracy']:.1%}",
        f"{row['accuracy_error']:.1%}",
        f"{row['information']:.3f}",
        f"{row['inner_accuracy']:.1%}",
        f"{row['search_seconds']:.2f}",
        f"{row['stability']:.2f} [{row['stability_lower']:.2f}, {row['stability_upper']:.2f}]",
    ]
    return "<tr>" + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells) + "</tr>"
