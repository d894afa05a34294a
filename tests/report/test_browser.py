"""The page in a real browser: it opens without a complaint, and names from the data stay text."""

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

from infoprop.report import Report
from infoprop.selection import SelectionPath
from infoprop.selection._step_tables import StepTables

HOSTILE = "<script>alert(1)</script>"
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


@pytest.fixture
def page(browser, credits_of, tmp_path):
    names = [HOSTILE, *(f"a fairly long name of feature number {number}" for number in range(30))]
    selected = np.arange(31) % 2 == 0
    report = Report.from_credits(credits_of(names=names), selected=selected, data="<b>.csv")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    return browser


def count(page, selector):
    return page.execute_script("return document.querySelectorAll(arguments[0]).length", selector)


def test_page_opens_without_a_complaint(page):
    assert page.get_log("browser") == []
    assert page.title == "<b>.csv: what every feature is worth"
    assert count(page, "#features tbody tr") == 31
    assert count(page, "svg.sankey path.ribbon") > 10


def test_hostile_name_shows_as_text(page):
    shown = page.execute_script(
        "return [...document.querySelectorAll('#features tbody th')].map(e => e.innerText)"
    )
    assert HOSTILE in shown
    in_figures = page.execute_script(
        "return [...document.querySelectorAll('svg text')].map(e => e.textContent)"
    )
    assert any(HOSTILE in words for words in in_figures)
    assert count(page, "script") == 2
    assert count(page, "b") == 0


def test_filter_hides_other_features(page):
    page.execute_script(
        "const f = document.getElementById('filter'); f.value = 'SCRIPT'; f.dispatchEvent(new Event('input'))"
    )
    assert count(page, "#features tbody tr:not([hidden])") == 1


def test_nothing_is_asked_of_the_network(page):
    requests = page.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in requests if not name.startswith(("file:", "data:"))] == []


def test_dark_readers_get_a_dark_page(page):
    def background(scheme):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    light, dark = background("light"), background("dark")
    assert sum(map(int, light[4:-1].split(","))) > 600
    assert sum(map(int, dark[4:-1].split(","))) < 150


def test_phone_needs_no_sideways_scrolling(page):
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    assert page.execute_script("return document.documentElement.scrollWidth") == 390
    sizes = page.execute_script(
        "return [...document.querySelectorAll('svg text')].map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 11


def test_path_of_a_search_is_drawn_within_its_section(browser, credits_of, tmp_path):
    names = tuple(f"a fairly long name of feature number {number}" for number in range(100))
    sizes = np.arange(100, 0, -1)
    right = 10.0 + 0.2 * sizes
    counts = np.stack([np.array([[r, 30.0 - r], [30.0 - r, r]]) for r in right])
    path = SelectionPath(
        n_columns=sizes,
        order=np.arange(99),
        credits=np.zeros(99),
        starts=np.append(np.arange(100), 99),
        names=names,
        group_of_column=np.arange(100),
        tables=StepTables.from_counts(counts, 60.0),
    )
    report = Report.from_credits(credits_of(names=names), selected=np.arange(100) < 40, path=path)
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    assert browser.get_log("browser") == []
    assert count(browser, ".steps tbody tr") == 21
    assert count(browser, "svg.path .curve") == 1
    assert browser.execute_script("return document.documentElement.scrollWidth") == 390
    figure, curve = (
        browser.execute_script(
            "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [r.left, r.right, r.top, r.bottom]",
            selector,
        )
        for selector in ("svg.path", "svg.path .curve")
    )
    assert figure[0] <= curve[0] < curve[1] <= figure[1] + 1
    assert figure[2] <= curve[2] < curve[3] <= figure[3]
