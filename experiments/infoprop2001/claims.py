"""What the paper says of its figures, counted draw by draw.

A claim speaks of the features ``features = [first, last]``, numbered from 1 as in the paper.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from infoprop.credit import FeatureCredits


def _told(credits: FeatureCredits, claim: Mapping[str, Any]) -> Any:
    first, last = claim["features"]
    return np.isin(np.arange(credits.n_features), np.arange(first - 1, last))


def _are_best(credits: FeatureCredits, claim: Mapping[str, Any]) -> float:
    """All of them before all others, in percent: 0 or 100."""
    told = _told(credits, claim)
    return 100.0 * bool(told[credits.ranking[: told.sum()]].all())


def _are_split_off(credits: FeatureCredits, claim: Mapping[str, Any]) -> float:
    """They and no others earn more than the threshold, in percent: 0 or 100."""
    return 100.0 * bool(((credits.values > claim["threshold"]) == _told(credits, claim)).all())


def _above(credits: FeatureCredits, claim: Mapping[str, Any]) -> float:
    """How many of them earn more than the threshold."""
    return float((credits.values > claim["threshold"])[_told(credits, claim)].sum())


def _among_best(credits: FeatureCredits, claim: Mapping[str, Any]) -> float:
    """How many of them are among the best so many."""
    return float(_told(credits, claim)[credits.ranking[: claim["best"]]].sum())


KINDS: Mapping[str, tuple[Callable[[FeatureCredits, Mapping[str, Any]], float], str]] = {
    "are best": (_are_best, "% of draws"),
    "are split off": (_are_split_off, "% of draws"),
    "above": (_above, "features"),
    "among best": (_among_best, "features"),
}
"""Function and unit of each kind of claim."""
