"""What a report keeps of a choice with error control: q-values, and how features stand out from luck."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from infoprop.credit._groups import ColumnGroups
from infoprop.report._columns import columns_of
from infoprop.report._markup import Markup
from infoprop.report._parts import printable
from infoprop.report._plane import Plane, axes, axis_end, curve, dot, figure, stretched
from infoprop.selection import KnockoffSelector, StabilitySelector

N_LISTED = 25
"""Features listed on a page; the JSON form has them all."""

_N_CHOSEN_CURVES, _N_OTHER_CURVES, _N_SIZES = 12, 4, 40
_N_DOTS = 200


@dataclass(frozen=True)
class ControlledFeature:
    """One feature: its stability or W, q-value, and how often halves had it at each size.

    `q_value` is None for a feature that was to be kept; `frequencies` are there for the first features only.
    """

    name: str
    value: float
    q_value: float | None
    selected: bool
    frequencies: tuple[float, ...]


@dataclass(frozen=True)
class ControlSummary:
    """A choice with error control: which rate, and all features, best first.

    `method` is "stability" or "knockoffs"; `value` of a feature is its stability or W; `sizes` are those of
    the features' frequencies.
    """

    method: str
    fdr: float | None
    n_chosen: int
    sizes: tuple[int, ...]
    features: tuple[ControlledFeature, ...]

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain dictionaries and lists."""
        features = columns_of(self.features, ("name", "value", "q_value", "selected", "frequencies"))
        return {
            "method": self.method,
            "fdr": self.fdr,
            "n_chosen": self.n_chosen,
            "sizes": self.sizes,
            "features": features,
        }

    @property
    def q_values(self) -> dict[str, float | None]:
        """The q-values by the names of the features."""
        return {feature.name: feature.q_value for feature in self.features}

    @property
    def sentence(self) -> str:
        """The choice in one sentence."""
        counted = f"{self.n_chosen:,} of {len(self.features):,} features"
        if self.fdr is None:
            return f"{counted}, as asked for."
        known = [value for value in self.q_values.values() if value is not None]
        n_kept = len(self.features) - len(known)
        kept = f" ({n_kept:,} of them kept as asked for, without a test)" if n_kept else ""
        found = f"{counted}{kept} at an estimated false discovery rate of {100 * self.fdr:g} %."
        least = min(known, default=1.0)
        if least <= self.fdr or least == 1.0:
            return found
        n_least = known.count(least)
        # A few features may be found at a higher rate: one knockoff of each column finds many, or none.
        return f"{found} The smallest q-value is {least:.3g}, of {n_least:,} feature{'s' * (n_least > 1)}."

    @property
    def listed(self) -> tuple[ControlledFeature, ...]:
        """The features to be listed."""
        return self.features[:N_LISTED]


def control_of(selector: Any) -> ControlSummary | None:
    """The numbers of a fitted selector with error control."""
    if selector is None:
        return None
    is_stability = isinstance(selector, StabilitySelector)
    found = selector.stability_ if is_stability else selector.knockoffs_
    values = found.scores if is_stability else found.W.mean(axis=0)
    labels = ColumnGroups.from_specification(selector.groups, selector._input_names()).labels
    chosen = np.bincount(labels, selector.support_) > 0
    order = found.best_first
    shown = [j for j in order if chosen[j]][:_N_CHOSEN_CURVES]
    shown += [j for j in order if not chosen[j]][:_N_OTHER_CURVES]
    n = len(order)
    sizes = np.unique(np.geomspace(1, n, _N_SIZES).round().astype(int)).tolist() if is_stability else []
    curves: dict[int, list[float]] = {j: [] for j in shown}
    for size in sizes:
        frequencies = found.frequencies(size)
        for j, own in curves.items():
            own.append(float(np.nan_to_num(frequencies[j], nan=1.0)))
    features = tuple(
        ControlledFeature(
            printable(found.names[j]),
            float(np.nan_to_num(values[j])),
            None if np.isnan(found.q_values[j]) else float(found.q_values[j]),
            bool(chosen[j]),
            tuple(curves.get(j, ())),
        )
        for j in order.tolist()
    )
    by_rate = selector.n_features_to_select is None and getattr(selector, "max_false_positives", None) is None
    return ControlSummary(
        "stability" if is_stability else "knockoffs",
        float(selector.fdr) if by_rate else None,
        int(chosen.sum()),
        tuple(sizes),
        features,
    )


def is_controlled(selector: Any) -> bool:
    """Whether a selector tells how many of the features that it chooses are chosen by luck."""
    return isinstance(selector, StabilitySelector | KnockoffSelector)


def control_figure(control: ControlSummary | None) -> Markup:
    """How often halves have the first features among their best k; or W of the first features."""
    if control is None:
        return Markup("")
    return _frequencies(control) if control.method == "stability" else _statistics(control)


def _frequencies(control: ControlSummary) -> Markup:
    sizes = [float(size) for size in control.sizes]
    plane = Plane.of_sizes(sizes, 1.0)
    drawn = [feature for feature in control.features if feature.frequencies]
    return figure(
        "Share of the halves that have a feature among their best, against the number of the best",
        axes(plane, "best features of a half", "halves"),
        stretched(
            *(
                curve(
                    plane.points(sizes, feature.frequencies),
                    "curve" if feature.selected else "curve mean",
                    f"{feature.name}: stability {feature.value:.3g}",
                )
                for feature in drawn
            )
        ),
    )


def _statistics(control: ControlSummary) -> Markup:
    shown = sorted(control.features, key=lambda feature: -abs(feature.value))[:_N_DOTS]
    shown = sorted(shown, key=lambda feature: -feature.value)
    end = axis_end(max((abs(feature.value) for feature in shown), default=1.0))
    plane = Plane(1.0, float(max(2, len(shown))), end, -end)
    return figure(
        "W, by how much features outlive their knockoffs",
        axes(plane, "features", "W"),
        *(
            dot(
                plane,
                float(place),
                feature.value,
                f"{feature.name}: W = {feature.value:g}",
                is_chosen=feature.selected,
            )
            for place, feature in enumerate(shown, start=1)
        ),
    )
