"""A report that is asked: the slider, one feature, pins, tables as files, another report beside it."""

import json
import time

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier

from infoprop.credit import cross_val_credits
from infoprop.report import Report
from infoprop.report._path_data import N_STOPS, path_data
from infoprop.selection import BackwardEliminationSelector, SelectionPath
from reference.page_checks import check_everywhere
from reference.paths import path_of

HOSTILE = "=<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def report():
    X, y = load_wine(return_X_y=True)
    names = [HOSTILE, *(f"x{number}" for number in range(1, 13))]
    selector = BackwardEliminationSelector(
        RidgeClassifier(), n_features_to_select=4, validation=3, random_state=0
    ).fit(X, y)
    alone = cross_val_credits(
        RidgeClassifier(),
        X[:, selector.support_],
        y,
        validation=3,
        groups=[name for name, is_in in zip(names, selector.support_, strict=True) if is_in],
    )
    path = SelectionPath(**{**selector.path_.__dict__, "names": tuple(names)})
    credits = cross_val_credits(RidgeClassifier(), X, y, validation=3, groups=names)
    return Report.from_credits(
        credits,
        selected=selector.support_,
        retrained=alone.flow,
        chosen_credits=alone,
        judged_on="choice",
        path=path,
        data="wine",
        code="print('again')",
        X=X,
        y=y,
    )


@pytest.fixture(scope="module")
def opened(browser, report, tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    browser.get(report.write_html(folder / "report.html").as_uri())
    browser.folder = folder
    yield browser
    assert browser.get_log("browser") == []


def words(browser, selector):
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def wait_until(is_true):
    """Wait for what the browser does in its own time."""
    for _ in range(200):
        if is_true():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


def downloaded(browser, name):
    wait_until((browser.folder / name).exists)
    return (browser.folder / name).read_text(encoding="utf-8")


def test_arrow_keys_move_the_slider(opened, report):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    slider = opened.find_element("id", "size")
    assert words(opened, "#size-features") == "4 (chosen)"
    slider.send_keys(keys.ARROW_RIGHT)
    step = next(step for step in report.summary.path.steps if step.n_features == 5)
    assert words(opened, "#size-features") == "5"
    assert words(opened, "#size-accuracy") == f"{100 * step.accuracy:.1f}%"
    assert slider.get_attribute("aria-valuetext").startswith("5 features: ")
    assert len(words(opened, "#size-names").split(", ")) == 5
    assert opened.execute_script("return document.querySelectorAll('#size-confusion td').length") == 9
    slider.send_keys(keys.HOME)
    assert words(opened, "#size-features") == "4 (chosen)"
    slider.send_keys(keys.END)
    assert words(opened, "#size-features") == "13"


def test_a_click_on_the_curve_goes_there_and_hovering_tells(opened):
    actions = pytest.importorskip("selenium.webdriver").ActionChains(opened)
    figure = opened.find_element("css selector", "#path svg.path")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", figure)
    actions.move_to_element_with_offset(figure, figure.size["width"] // 2 - 30, 0).click().perform()
    assert words(opened, "#size-features") == "13"
    assert words(opened, "#path .tip").startswith("13: ")


def test_a_feature_opens_and_can_be_pinned_and_hidden(opened):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    opened.find_element("css selector", "#full summary").click()
    names = opened.execute_script(
        "return [...document.querySelectorAll('#features button.link')].map(b => b.textContent)"
    )
    last = opened.find_elements("css selector", "#features button.link")[-1]
    last.send_keys(keys.ENTER)
    told = words(opened, "dialog")
    assert names[-1] in told
    assert "elimination" in told
    opened.switch_to.active_element.send_keys(keys.ESCAPE)
    wait_until(lambda: opened.execute_script("return document.querySelectorAll('dialog').length") == 0)
    opened.execute_script("document.querySelectorAll('#features button.link')[12].click()")
    opened.execute_script("document.querySelector('dialog .controls button').click()")
    first = "return document.querySelector('#features tbody th').textContent"
    assert opened.execute_script(first) == names[-1]
    opened.execute_script("document.querySelectorAll('#features button.link')[0].click()")
    opened.execute_script("document.querySelectorAll('dialog .controls button')[1].click()")
    assert words(opened, "#found") == "12 of 13"
    shown = (
        "return [...document.querySelectorAll('#full svg.bars g')]"
        ".filter(g => g.style.display !== 'none').length"
    )
    assert opened.execute_script(shown) == 12
    opened.execute_script("document.querySelector('#controls button').click()")
    assert words(opened, "#found") == ""


def test_an_opened_feature_shows_the_classes_over_its_values(opened, report):
    opened.execute_script("document.querySelector('#chosen-features button.link').click()")
    name = words(opened, "dialog h3")
    bins = next(one for one in report.summary.value_bins if one.name == name)
    assert opened.execute_script("return document.querySelectorAll('dialog svg.values g').length") == len(
        bins.bins
    )
    told = opened.execute_script(
        "return [...document.querySelectorAll('dialog tbody tr')]"
        ".map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert [row[0] for row in told] == list(bins.bins)
    assert [row[1] for row in told] == [str(sum(counts)) for counts in bins.counts]
    assert told[0][2:] == [
        "0%"
        if count == 0
        else "100%"
        if count == sum(bins.counts[0])
        else f"{100 * count / sum(bins.counts[0]):.1f}%"
        for count in bins.counts[0]
    ]
    wide = opened.execute_script(
        "return [...document.querySelectorAll('dialog svg.values g')]"
        ".map(g => [...g.querySelectorAll('rect[class^=k]')]"
        ".reduce((sum, bar) => sum + parseFloat(bar.getAttribute('width')), 0))"
    )
    assert wide == pytest.approx([50.0] * len(bins.bins), abs=0.05)
    opened.execute_script("document.querySelector('dialog').close()")


def test_chosen_only_and_tables_as_files(opened, report):
    opened.execute_script("document.getElementById('full').querySelector('details').open = true")
    opened.execute_script("document.getElementById('only').click()")
    assert words(opened, "#found") == "4 of 13"
    opened.execute_script("document.getElementById('only').click()")
    opened.execute_script("document.querySelector('#credits button.csv').click()")
    lines = downloaded(opened, "chosen-features.csv").splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("rank,feature,bits")
    opened.execute_script("document.querySelector('#full button.csv').click()")
    # A spreadsheet must not run what a column is called.
    assert f"'{HOSTILE}" in downloaded(opened, "features.csv")
    assert opened.execute_script("return document.querySelectorAll('main img').length") == 0


def test_another_report_is_set_beside_this_one(opened, report, tmp_path):
    plain = json.loads(report.json())
    plain["retrained"]["features"]["name"][0] = "<b>new</b>"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(plain))
    opened.find_element("id", "other").send_keys(str(other))
    wait_until(lambda: words(opened, "#beside-words") == "Compared with other.json.")
    assert "3 in both, 1 only in this page, 1 only in the other" in words(opened, "#beside-tables")
    assert "<b>new</b>" in words(opened, "#beside-tables")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[]")
    opened.find_element("id", "other").send_keys(str(wrong))
    wait_until(lambda: "it is not a report" in words(opened, "#beside-words"))


def test_everybody_can_read_and_reach_everything(opened):
    opened.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    check_everywhere(opened)
    opened.execute_script("document.querySelector('#features button.link').click()")
    check_everywhere(opened)
    opened.execute_script("document.querySelector('dialog').close()")


def test_the_dialog_keeps_the_focus_and_gives_it_back(opened):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    link = opened.find_element("css selector", "#chosen-features button.link")
    link.send_keys(keys.ENTER)
    inside = "return document.querySelector('dialog').contains(document.activeElement)"
    where = []
    for _ in range(4):
        where.append(opened.execute_script("return document.activeElement.textContent"))
        assert opened.execute_script(inside) or where[-1].strip().startswith("wine")
        opened.switch_to.active_element.send_keys(keys.TAB)
    assert {"pin to the top", "hide", "close"} <= set(where)
    assert opened.execute_script(
        "document.querySelector('#size').focus(); return document.activeElement.id !== 'size'"
    )
    opened.find_element("css selector", "dialog button").send_keys(keys.ESCAPE)
    wait_until(lambda: opened.execute_script("return !document.querySelector('dialog')"))
    assert opened.execute_script("return document.activeElement === arguments[0]", link)


def test_the_slider_is_dragged(opened):
    actions = pytest.importorskip("selenium.webdriver").ActionChains(opened)
    slider = opened.find_element("id", "size")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].value = 0", slider)
    width = slider.size["width"]
    actions.move_to_element_with_offset(slider, 9 - width // 2, 0).click_and_hold()
    actions.move_by_offset(width // 2, 0).move_by_offset(width // 2, 0).release().perform()
    assert words(opened, "#size-features") == "13"


def test_parts_of_a_figure_are_read_by_keys_and_by_pointing(opened):
    webdriver = pytest.importorskip("selenium.webdriver")
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    flow = opened.find_element("css selector", "#flow svg.sankey")
    assert "Arrow keys read its" in flow.get_attribute("aria-label")
    opened.execute_script("arguments[0].focus()", flow)
    told = []
    for key in (keys.ARROW_RIGHT, keys.ARROW_DOWN, keys.ARROW_UP, keys.END, keys.ARROW_RIGHT, keys.HOME):
        opened.switch_to.active_element.send_keys(key)
        told.append(words(opened, "#flow .tip"))
        assert opened.execute_script("return document.querySelectorAll('#flow .told').length") == 1
    assert told[0] == told[2] == told[5]
    assert len({told[0], told[1], told[3]}) == 3
    assert told[3] == told[4]
    assert all(text.endswith(" bits") and " → " in text for text in told)
    opened.switch_to.active_element.send_keys(keys.ESCAPE)
    assert not opened.find_element("css selector", "#flow .tip").is_displayed()
    bar = opened.find_element("css selector", "#credits svg.bars rect[class^=k]")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", bar)
    webdriver.ActionChains(opened).move_to_element(bar).perform()
    assert words(opened, "#credits .tip").startswith(words(opened, "#chosen-features tbody th"))
    inside = "const t = arguments[0].getBoundingClientRect(); return t.left >= 0 && t.right <= innerWidth"
    assert opened.execute_script(inside, opened.find_element("css selector", "#credits .tip"))


def test_another_report_is_dropped_on_the_page(opened, report):
    opened.execute_script(
        "const data = new DataTransfer(); data.items.add(new File([arguments[0]], 'dropped.json'));"
        "document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true,"
        "cancelable: true}))",
        report.json(),
    )
    wait_until(lambda: words(opened, "#beside-words") == "Compared with dropped.json.")
    assert "4 in both, 0 only in this page, 0 only in the other" in words(opened, "#beside-tables")
    figures = opened.execute_script(
        "return [...document.querySelectorAll('#beside-tables table:first-of-type tbody tr')].slice(0, 6)"
        ".map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert all(here == there for _, here, there in figures)


def test_without_scripts_everything_is_there(report):
    page = report.html()
    assert '<input type="range"' in page.split('id="sizes" hidden')[1]
    assert page.count('<th scope="row" class="name">x') > 13
    assert "<details>" in page


def long_path(n_features, n_classes):
    """A path over many features with a table of its own for every size."""
    sizes = np.arange(n_features)
    right = np.minimum(50, 10 + sizes[::-1] % 41)
    counts = np.zeros((n_features, n_classes, n_classes))
    for label in range(n_classes):
        counts[:, label, label] = right
        counts[:, label, (label + 1) % n_classes] = 50 - right
    names = tuple(f"gene {number}" for number in range(n_features))
    return path_of(counts, 50.0 * n_classes, n_features - sizes, names)


def test_twenty_thousand_features_are_a_small_page_and_a_fast_slider(browser, credits_of, tmp_path):
    n_features = 20_000
    path = long_path(n_features, 3)
    credits = credits_of(names=path.names)
    made = Report.from_credits(credits, selected=np.arange(n_features) >= n_features - 20, path=path)
    file = made.write_html(tmp_path / "large.html")
    assert file.stat().st_size < 3_000_000
    assert len(json.loads(path_data(made.summary))["sizes"]) <= N_STOPS + 3
    browser.get(file.as_uri())
    took = browser.execute_script(
        "const slider = document.getElementById('size'); const times = [];"
        "for (let k = 0; k <= Number(slider.max); k += 10) { const begin = performance.now();"
        "slider.value = k;"
        "slider.dispatchEvent(new Event('input')); times.push(performance.now() - begin); }"
        "return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]"
    )
    assert took < 100
    # By name in both directions: the worst of four clicks.
    took = browser.execute_script(
        "const sort = document.querySelectorAll('#features thead button')[1]; const times = [];"
        "for (let k = 0; k < 4; k += 1) { const begin = performance.now(); sort.click();"
        "times.push(performance.now() - begin); } return Math.max(...times)"
    )
    assert took < 400
    names = "return [...document.querySelectorAll('#features button.link')].map(b => b.textContent)"
    assert browser.execute_script(names)[:2] == ["gene 19999", "gene 19998"]
    assert browser.get_log("browser") == []
    assert len(made.json()) < 3_000_000
