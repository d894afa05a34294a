"""Pictures are drawn without a screen, and thrown away after each test."""

from collections.abc import Iterator

import numpy as np
import pytest

from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow


@pytest.fixture(autouse=True)
def pyplot() -> Iterator[object]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    yield plt
    plt.close("all")


@pytest.fixture
def credits_of():
    def make(n_features, labels=("a", "b", "c")):
        flow = InformationFlow.from_confusion(np.eye(len(labels)) * 20 + 1, labels=list(labels))
        shares = np.random.default_rng(0).random((len(labels), n_features)) ** 3
        names = [f"x{number}" for number in range(n_features)]
        return FeatureCredits.from_shares(flow, shares / shares.sum(axis=1, keepdims=True), names)

    return make
