"""Credits made by hand, without any classifier."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from reference.browsing import open_browser

HOSTILE = "<script>alert(1)</script>"
"""A column that some spreadsheet really could have."""

CreditsMaker = Callable[..., FeatureCredits]


def make_credits(
    table: Any = ((57, 2, 0), (3, 66, 2), (0, 1, 47)),
    labels: Sequence[Any] = ("barolo", "grignolino", "barbera"),
    names: Sequence[str] = ("proline", "hue", HOSTILE, "a|b & \"c\" 'd' *e*"),
    *,
    power: float = 3.0,
) -> FeatureCredits:
    """Credits of the confusion table `table`, shared out among `names` by fixed random shares."""
    flow = InformationFlow.from_confusion(table, labels=labels)
    shares = np.random.default_rng(0).random((len(labels), len(names))) ** power
    return FeatureCredits.from_shares(flow, shares / shares.sum(axis=1, keepdims=True), names)


@pytest.fixture
def credits_of() -> CreditsMaker:
    return make_credits


@pytest.fixture
def credits() -> FeatureCredits:
    return make_credits()


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[object]:
    yield from open_browser(tmp_path_factory.mktemp("profile"))
