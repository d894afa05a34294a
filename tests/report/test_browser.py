"""The page in a real browser: it opens without a complaint, and names from the data stay text."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier

from infoprop.credit import credit_rows
from infoprop.metrics import InformationFlow
from infoprop.pairwise import PairwiseClassifier
from infoprop.report import Report
from infoprop.selection import (
    CreditSelector,
    ForwardBeamSelector,
    GeneticSelector,
    compare_selectors,
)
from infoprop.shaping import FeatureShaper
from reference.page_checks import CONTRASTS, check_everywhere
from reference.paths import path_of

HOSTILE = "<script>alert(1)</script>"


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
    assert count(page, "script") == 3
    assert count(page, "b") == 0


def search(page, words):
    page.execute_script(
        "const f = document.getElementById('filter');"
        "f.value = arguments[0]; f.dispatchEvent(new Event('input'))",
        words,
    )


def sort(page, heading):
    page.execute_script(
        "[...document.querySelectorAll('#features thead button')]"
        ".find(button => button.textContent === arguments[0]).click()",
        heading,
    )


def column(page, number):
    """Words of a column of the table, as far as rows are drawn."""
    return page.execute_script(
        "return [...document.querySelectorAll('#features tbody tr:not(.space)')]"
        ".map(row => row.cells[arguments[0]].textContent)",
        number,
    )


def test_search_leaves_the_features_with_these_letters(page):
    search(page, "SCRIPT")
    assert column(page, 1) == [HOSTILE]
    assert page.find_element("id", "found").text == "1 of 31"
    search(page, "no such feature")
    assert column(page, 1) == []
    search(page, "")
    assert len(column(page, 1)) == 31
    assert page.find_element("id", "found").text == ""


def test_script_writes_what_the_page_said_before(browser, credits_of, tmp_path):
    report = Report.from_credits(credits_of(names=[f"x{number}" for number in range(90)], power=40))
    rows = report.html().split("<tbody>")[1].split("</tbody>")[0].strip().split("\n")
    said = [re.findall(r">([^<]+)</t[dh]>", row) for row in rows]
    assert len({len(bits) for _, _, bits, *_ in said}) > 2
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    written = []
    for top in (0, 600, 1200, 1800, 2400, 3000):
        browser.execute_script(
            "const box = document.getElementById('features').parentElement;"
            "box.scrollTop = arguments[0]; box.dispatchEvent(new Event('scroll'))",
            top,
        )
        written += list(zip(*(column(browser, number) for number in range(7)), strict=True))
    assert sorted(set(written), key=lambda row: int(row[0])) == [tuple(row) for row in said]


def test_sorting_goes_by_number_and_by_name_and_back(page):
    best_first = column(page, 1)
    sort(page, "bits")
    assert column(page, 1) == best_first
    sort(page, "bits")
    assert column(page, 1) == best_first[::-1]
    sort(page, "feature")
    ending = [int(name.split()[-1]) for name in column(page, 1) if name != HOSTILE]
    assert ending == list(range(30))
    sort(page, "barolo")
    values = [float(text) for text in column(page, 5)]
    assert values == sorted(values, reverse=True)
    sort(page, "chosen")
    assert column(page, 4) == ["yes"] * 16 + [""] * 15
    sort(page, "rank")
    assert column(page, 1) == best_first
    sorted_by = page.execute_script(
        "return [...document.querySelectorAll('#features [aria-sort]')].map(e => e.textContent)"
    )
    assert sorted_by == ["rank"]


def test_keyboard_sorts_and_tells_the_way(page):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    best_first = column(page, 1)
    heading = page.find_element("css selector", "#features thead th:nth-child(3)")
    button = heading.find_element("css selector", "button")
    button.send_keys(keys.ENTER)
    assert heading.get_attribute("aria-sort") == "descending"
    button.send_keys(keys.SPACE)
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, 1) == best_first[::-1]


@pytest.fixture
def crowd(browser, credits_of, tmp_path):
    """A page with many classes, that some rows were put into wrongly, and one that was never said."""
    labels = [f"{chr(65 + number)}{'-long-name' * (number % 2)}" for number in range(26)]
    table = np.random.default_rng(0).integers(0, 2, (26, 26)) + 14 * np.eye(26, dtype=int)
    table[3, 7], table[:, 5] = 120, 0
    credits = credits_of(table, labels, [f"x{number}" for number in range(40)])
    retrained = InformationFlow.from_confusion(table.T[::-1], labels=labels)
    report = Report.from_credits(credits, selected=np.arange(40) < 3, retrained=retrained)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    return browser


def test_many_classes_fit_a_desk_a_phone_and_paper(crowd):
    assert crowd.get_log("browser") == []
    assert count(crowd, "#features thead th") == 32
    assert count(crowd, ".matrix tbody td.cell") == 2 * 26 * 26
    script = "return [...document.querySelectorAll('.matrix')].map(e => e.getBoundingClientRect().right)"
    edge = "return document.querySelector('#confusion').getBoundingClientRect().right"
    assert max(crowd.execute_script(script)) < crowd.execute_script(edge)
    metrics = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    crowd.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    assert crowd.execute_script("return document.documentElement.scrollWidth") == 360
    sheet = {"width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    crowd.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sheet)
    crowd.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert max(crowd.execute_script(script)) <= 718
    crowd.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_stand_out_from_their_ground(crowd, scheme):
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    crowd.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    contrasts = crowd.execute_script(CONTRASTS)
    crowd.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(contrasts) > 20
    assert contrasts[0][0] >= 4.5, contrasts[:5]


def test_ten_thousand_features_are_drawn_a_few_at_a_time(browser, credits_of, tmp_path):
    names = [f"word {number}" for number in range(10_000)]
    browser.get(Report.from_credits(credits_of(names=names)).write_html(tmp_path / "report.html").as_uri())
    assert browser.get_log("browser") == []
    assert count(browser, "#features tbody tr") < 100
    sort(browser, "feature")
    assert column(browser, 1)[:3] == ["word 0", "word 1", "word 2"]
    search(browser, "999")
    assert browser.find_element("id", "found").text == "19 of 10,000"
    search(browser, "")
    browser.execute_script(
        "const box = document.getElementById('features').parentElement;"
        "box.scrollTop = box.scrollHeight; box.dispatchEvent(new Event('scroll'))"
    )
    assert column(browser, 1)[-1] == "word 9999"
    assert count(browser, "#features tbody tr") < 100


def test_paper_has_the_first_hundred_features_and_says_so(browser, credits_of, tmp_path):
    names = [f"word {number}" for number in range(500)]
    browser.get(Report.from_credits(credits_of(names=names)).write_html(tmp_path / "report.html").as_uri())
    browser.execute_script(
        "addEventListener('beforeprint', () => {"
        "window.printed = document.querySelectorAll('#features tbody tr').length })"
    )
    browser.execute_cdp_cmd("Page.printToPDF", {})
    assert browser.execute_script("return window.printed") == 100
    assert count(browser, "#features tbody tr") < 60
    assert count(browser, "#features thead button") == 7
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = browser.execute_script(
        "return [...document.querySelectorAll('.print-only')].map(e => getComputedStyle(e).display)"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert shown == ["block"] * 2


def test_every_section_opens_without_a_complaint_on_a_phone(browser, tmp_path):
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "<i>versicolor</i>", "virginica"])[y]
    model = PairwiseClassifier(selector=GeneticSelector(population_size=4, n_generations=3), random_state=0)
    model.fit(X, labels)
    forward = ForwardBeamSelector(random_state=0).fit(X, labels)
    flow = InformationFlow.from_predictions(labels, model.predict(X))
    report = Report.from_flow(
        flow,
        feature_names=[HOSTILE, "a rather long name of a feature, with spaces", "c" * 60, "d"],
        selected=forward.support_,
        retrained=InformationFlow.from_predictions(labels, forward.predict(X)),
        beam=forward.trace_,
        evolution=model.trace_,
        pairs=model,
        shapes=FeatureShaper(multiclass="ovr").fit(X, labels),
        rows=credit_rows(RidgeClassifier().fit(X, labels), X[::60], groups={HOSTILE: [0], "c" * 60: [2]}),
        row_numbers=[0, 60, 120],
        row_classes=labels[::60],
        code=f"print({HOSTILE!r})\n" + "x = " + "1 + " * 80 + "1",
        settings={"kernel": "x" * 90},
    )
    metrics = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth") == 360
    sections = browser.execute_script("return [...document.querySelectorAll('section')].map(e => e.id)")
    parts = ["chosen", "beam", "evolution", "pairs", "shapes", "rows", "confusion", "error", "beside", "run"]
    assert sections == parts
    assert count(browser, "#rows svg.waterfall") == 3
    assert count(browser, "#rows rect.for") > 0
    assert count(browser, "#rows rect.against") > 0
    assert HOSTILE in browser.find_element("css selector", "#rows svg.waterfall").get_attribute("textContent")
    assert count(browser, "script") == 2
    assert count(browser, "main i i") == 0
    assert browser.find_element("id", "code").text.startswith(f"print({HOSTILE!r})")


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
    metrics = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    assert page.execute_script("return document.documentElement.scrollWidth") == 360
    sizes = page.execute_script(
        "return [...document.querySelectorAll('svg text')].map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 11


def test_comparison_fits_a_phone_and_keeps_names_as_text(browser, tmp_path):
    methods = {HOSTILE: SelectKBest(), "credit": CreditSelector(RidgeClassifier()), "all": None}
    comparison = compare_selectors(
        methods,
        *load_iris(return_X_y=True),
        estimator=RidgeClassifier(),
        sizes=[1, 2, 3],
        validation=2,
        random_state=0,
    )
    metrics = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    report = Report.from_comparison(comparison, data="<b>.csv")
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    assert browser.get_log("browser") == []
    assert count(browser, "#compared tbody tr") == 7
    assert count(browser, "#comparison svg .point") == 12
    assert count(browser, "script:not([type])") == 1
    assert browser.execute_script("return document.documentElement.scrollWidth") == 360
    strokes = browser.execute_script(
        "return [...document.querySelectorAll('#comparison path.curve')].map(e => getComputedStyle(e).stroke)"
    )
    assert len(set(strokes)) == 2
    check_everywhere(browser)


def test_path_of_a_search_is_drawn_within_its_section(browser, credits_of, tmp_path):
    names = tuple(f"a fairly long name of feature number {number}" for number in range(100))
    sizes = np.arange(100, 0, -1)
    right = 10.0 + 0.2 * sizes
    counts = np.stack([np.array([[r, 30.0 - r], [30.0 - r, r]]) for r in right])
    path = path_of(counts, 60.0, sizes, names)
    report = Report.from_credits(credits_of(names=names), selected=np.arange(100) < 40, path=path)
    metrics = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    assert browser.get_log("browser") == []
    assert count(browser, ".steps tbody tr") == 21
    assert count(browser, "svg.path .curve") == 1
    assert browser.execute_script("return document.documentElement.scrollWidth") == 360
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
