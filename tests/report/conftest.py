"""Credits made by hand, without any classifier."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow

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


FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,900",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[object]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed")
    webdriver = pytest.importorskip("selenium.webdriver")
    service = pytest.importorskip("selenium.webdriver.chrome.service")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    window = webdriver.Chrome(options=options, service=service.Service(driver))
    yield window
    window.quit()
