"""The pieces a report's summary is made of, and how each comes out of the credits."""

import platform
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from importlib.metadata import version
from typing import Any

import numpy as np

from infoprop import __version__
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray, FloatArray
from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.report._inputs import ReportParts

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class ClassSummary:
    """One class: how often it is true and predicted, and what its indicator delivers (bits).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.credit import credit_features
    >>> from infoprop.report import ReportSummary
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> summary = ReportSummary.from_credits(credit_features(model, X[1::2], y[1::2]))
    >>> [(one.label, one.true_count) for one in summary.classes]
    [('0', 25.0), ('1', 25.0), ('2', 25.0)]
    """

    label: str
    true_count: float
    predicted_count: float
    indicator_probability: float
    indicator_entropy: float
    credit: float


@dataclass(frozen=True)
class FeatureSummary:
    """One feature: its credit in bits, in all and per class (in the order of the classes).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.credit import credit_features
    >>> from infoprop.report import ReportSummary
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> summary = ReportSummary.from_credits(credit_features(model, X[1::2], y[1::2]))
    >>> first = summary.features[0]
    >>> first.rank, first.name, bool(abs(sum(first.by_class) - first.credit) < 1e-9)
    (1, 'x2', True)
    """

    rank: int
    name: str
    column: int
    credit: float
    share: float
    by_class: tuple[float, ...]
    selected: bool | None
    low: float | None = None
    high: float | None = None
    suppressor: bool | None = None
    noise_floor: float | None = None
    p_value: float | None = None
    above_noise: bool | None = None
    q_value: float | None = None


FEATURE_COLUMNS = tuple(field.name for field in fields(FeatureSummary) if field.name not in ("rank", "share"))
"""Fields of features in the JSON form: ranks follow from their order, shares from the credits."""


N_JSON_CELLS = 100_000
"""Features times classes up to which the JSON form has the bits of every feature through each class."""


@dataclass(frozen=True)
class BoundsSummary:
    """The observed error and the intervals that information theory allows it."""

    error: float
    lower: float
    upper: float
    lower_without_error: float
    upper_without_error: float


@dataclass(frozen=True)
class RetrainedSummary:
    """What the classifier delivers once it is trained again on the chosen features alone.

    `features` are the chosen ones with what each is worth then, best first; empty if that is not known.
    """

    information: float
    relative_information: float
    accuracy: float
    balanced_accuracy: float
    bounds: BoundsSummary
    classes: tuple[ClassSummary, ...]
    confusion: tuple[tuple[float, ...], ...]
    features: tuple[FeatureSummary, ...]


@dataclass(frozen=True)
class RunSummary:
    """What was run: the data by name and size, the settings, the code that repeats it, the versions."""

    data: str | None
    n_rows: int | None
    target: str | None
    settings: tuple[tuple[str, str], ...]
    code: str | None
    versions: tuple[tuple[str, str], ...]


def selection_mask(selected: BoolArray | None, n_features: int) -> BoolArray | None:
    """Check a choice of features."""
    if selected is None:
        return None
    mask = np.asarray(selected)
    if mask.dtype != np.bool_ or mask.shape != (n_features,):
        raise ParameterError(
            f"The 'selected' parameter of Report must be a boolean array of shape ({n_features},). "
            f"Got {mask.dtype} of shape {mask.shape}."
        )
    return mask


def bounds_of(flow: InformationFlow) -> BoundsSummary:
    """What the information allows the error to be."""
    bounds = flow.error_bounds
    return BoundsSummary(
        error=float(bounds.error),
        lower=float(bounds.lower),
        upper=float(bounds.upper),
        lower_without_error=float(bounds.lower_without_error),
        upper_without_error=float(bounds.upper_without_error),
    )


def counts_of(flow: InformationFlow) -> tuple[tuple[float, ...], ...]:
    """The confusion table: rows true, columns predicted."""
    return tuple(tuple(row) for row in flow.counts.tolist())


def base_rate_of(flow: InformationFlow) -> float:
    """Share of the rows that the most frequent class has: what naming it always would get right."""
    true = flow.counts.sum(axis=1)
    return float(true.max() / true.sum())


def balanced_accuracy_of(flow: InformationFlow) -> float:
    """Mean over the classes of the share of their rows that were named right."""
    true = flow.counts.sum(axis=1)
    return float((np.diag(flow.counts)[true > 0] / true[true > 0]).mean())


def retrained_of(parts: ReportParts, flow: InformationFlow, names: Sequence[str]) -> RetrainedSummary | None:
    """What the chosen features deliver alone; its confusion table in the order of the labels of `flow`."""
    retrained, credits = parts.get("retrained"), parts.get("chosen_credits")
    if retrained is None:
        return None
    labels, own = flow.labels.tolist(), retrained.labels.tolist()
    unknown = [label for label in own if label not in labels]
    if unknown:
        raise ParameterError(
            f"The 'retrained' parameter of Report must have no other classes than those judged before: it "
            f"has {unknown[0]!r}."
        )
    counts = np.zeros((len(labels), len(labels)))
    places = [labels.index(label) for label in own]
    counts[np.ix_(places, places)] = retrained.counts
    aligned = InformationFlow.from_confusion(counts, labels=labels, correction=retrained.correction)
    return RetrainedSummary(
        information=float(retrained.information),
        relative_information=float(retrained.relative_information),
        accuracy=float(retrained.accuracy),
        balanced_accuracy=balanced_accuracy_of(retrained),
        bounds=bounds_of(retrained),
        classes=classes_of(aligned),
        confusion=counts_of(aligned),
        features=() if credits is None else _chosen_features(credits, names, places, len(labels)),
    )


def _chosen_features(
    credits: FeatureCredits, names: Sequence[str], places: Sequence[int], n_classes: int
) -> tuple[FeatureSummary, ...]:
    """The chosen features as :func:`features_of` gives them, with columns and classes of the whole report."""
    missing = [name for name in credits.feature_names if name not in names]
    if missing or len(places) != len(credits.by_class):
        raise ParameterError(
            "The 'chosen_credits' parameter of Report must be about features of the report and the classes "
            f"of 'retrained'. Got {(missing or credits.flow.labels.tolist())!r}."
        )
    columns = {name: column for column, name in enumerate(names)}
    told = []
    for feature in features_of(credits, np.ones(credits.n_features, dtype=np.bool_)):
        by_class = [0.0] * n_classes
        for place, credit in zip(places, feature.by_class, strict=True):
            by_class[place] = credit
        own = columns[credits.feature_names[feature.column]]
        told.append(replace(feature, column=own, by_class=tuple(by_class)))
    return tuple(told)


STAGES = ("all features", "chosen features")
"""What a classifier is trained on before and after, usually."""


def stages_of(stages: tuple[str, str] | None) -> tuple[str, str]:
    """Names of what was there before and after."""
    before, after = STAGES if stages is None else stages
    return printable(before), printable(after)


def run_of(parts: ReportParts) -> RunSummary:
    """What was run, as text."""
    data, target, code = parts.get("data"), parts.get("target"), parts.get("code")
    return RunSummary(
        data=None if data is None else printable(data),
        n_rows=parts.get("n_rows"),
        target=None if target is None else printable(target),
        settings=printable_pairs((parts.get("settings") or {}).items()),
        code=None
        if code is None
        else "\n".join(printable(line) if line else "" for line in code.splitlines()),
        versions=versions(),
    )


def classes_of(flow: InformationFlow) -> tuple[ClassSummary, ...]:
    """The classes, in the order of the confusion table."""
    true, predicted = flow.counts.sum(axis=1), flow.counts.sum(axis=0)
    return tuple(
        ClassSummary(
            label=printable(label),
            true_count=float(true[number]),
            predicted_count=float(predicted[number]),
            indicator_probability=float(flow.indicator_probabilities[number]),
            indicator_entropy=float(flow.indicator_entropies[number]),
            credit=float(flow.indicator_credits[number]),
        )
        for number, label in enumerate(flow.labels.tolist())
    )


def features_of(credits: FeatureCredits, selected: BoolArray | None) -> tuple[FeatureSummary, ...]:
    """The features, best first."""
    total = float(credits.values.sum())
    interval = None if credits.standard_errors is None else credits.interval()
    is_suppressor = None if credits.contributions is None else credits.is_suppressor
    return tuple(
        FeatureSummary(
            rank=rank,
            name=printable(credits.feature_names[column]),
            column=int(column),
            credit=float(credits.values[column]),
            share=float(credits.values[column]) / total if total > 0 else 0.0,
            by_class=tuple(credits.by_class[:, column].tolist()),
            selected=None if selected is None else bool(selected[column]),
            **_doubt_of(credits, interval, is_suppressor, column),
        )
        for rank, column in enumerate(credits.ranking.tolist(), start=1)
    )


def _doubt_of(
    credits: FeatureCredits, interval: FloatArray | None, is_suppressor: BoolArray | None, column: int
) -> dict[str, Any]:
    """How sure a credit is, as far as it is known."""
    told: dict[str, Any] = {}
    if interval is not None and np.isfinite(interval[column]).all():
        told["low"], told["high"] = interval[column].tolist()
    if is_suppressor is not None:
        told["suppressor"] = bool(is_suppressor[column])
    if credits.noise is not None:
        told["noise_floor"] = float(credits.noise.floor[column])
        told["p_value"] = float(credits.noise.p_values[column])
        told["above_noise"] = bool(credits.noise.is_above[column])
    return told


def columns_called(names: Sequence[str], owners: Sequence[str] | None, own: Sequence[str]) -> Sequence[str]:
    """What columns are called: by owners, else as the features if there are as many, else by `own` names."""
    if owners is not None and len(owners) != len(own):
        raise ParameterError(
            f"The 'owners' parameter of Report must name the feature of each of {len(own)} columns. "
            f"Got {len(owners)}."
        )
    return owners if owners is not None else names if len(names) == len(own) else own


def versions() -> tuple[tuple[str, str], ...]:
    """Names and versions of what computed the numbers."""
    installed = [(package, version(package)) for package in _PACKAGES]
    return (("infoprop", __version__), ("Python", platform.python_version()), *installed)


def printable_pairs(items: Iterable[tuple[str, object]]) -> tuple[tuple[str, str], ...]:
    """Names and values as text."""
    return tuple((printable(name), printable(value)) for name, value in items)


def printable(name: object) -> str:
    """`name` as text that any file can hold: no control characters, no halves of surrogate pairs."""
    text = str(name).encode("utf-8", "replace").decode("utf-8")
    clean = "".join("\ufffd" if unicodedata.category(letter) == "Cc" else letter for letter in text)
    return clean if clean.strip() else "(blank)"
