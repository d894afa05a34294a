"""Stopped, killed and resumed runs end as if nothing had happened: as the command line's own run."""

import json
import os
import signal

import pytest

from infoprop.cli import main
from infoprop.serve._runs import Run
from reference.page_checks import check_everywhere
from reference.serving import until

if not os.path.exists("/proc/self/cwd"):
    pytest.skip("runs of an earlier server are found through /proc", allow_module_level=True)


def is_searching(run, process):
    """Whether the search of a new process has come some way."""
    about = run.about
    return about["process"] not in (None, process) and run.progress().get("done", 0) > 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def latest(serve, folder):
    """The server that runs now, in a list."""
    return [serve(folder)]


@pytest.mark.soak
def test_a_run_survives_being_stopped_and_killed_with_its_server(
    serve, latest, folder, long_table, tmp_path, monkeypatch
):
    server = latest[0]
    taken = server.post("/tables?name=..%2Ftable.csv", long_table.encode())
    asked = {"table": taken["table"], "command": "select", "method": "genetic", "classifier": "mlp"}
    told = server.post("/runs", asked)
    run = Run(server.folder / "runs" / told["id"])

    until(lambda: is_searching(run, None))
    first = run.about["process"]
    server.post(f"/runs/{told['id']}/stop", {})
    (stopped,) = until(lambda: [one for one in server.runs() if one["status"] != "running"])
    assert stopped["status"] == "stopped"
    assert stopped["has_report"]
    assert "interrupted" in json.loads((run.folder / "report.json").read_text())["run"]["settings"]

    server.post(f"/runs/{told['id']}/resume", {})
    until(lambda: is_searching(run, first))
    second = run.about["process"]
    server.process.kill()
    os.kill(second, signal.SIGKILL)
    server.kill()
    until(lambda: not run.is_running)
    assert not (run.folder / "report.html").exists()

    server = latest[0] = serve(folder)
    assert [one["status"] for one in server.runs()] == ["running"]
    assert run.about["process"] != second
    (done,) = until(lambda: [one for one in server.runs() if one["status"] != "running"])
    assert done["status"] == "done"
    assert "of 20 features" in done["headline"]

    by_hand = tmp_path / "by-hand"
    by_hand.mkdir()
    (by_hand / "table.csv").write_text(long_table)
    monkeypatch.chdir(by_hand)
    assert main(told["words"]) == 0
    for name in ("report.html", "report.json"):
        assert (run.folder / name).read_bytes() == (by_hand / name).read_bytes()


def choose(browser, field, value):
    """Choose in a list, or write into a field, as a person would."""
    browser.execute_script(
        "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event('change'))",
        field,
        value,
    )


def row_of(browser, words, status):
    """The row of a run whose words begin so, once it has that status."""
    path = f"//div[@data-status='{status}'][.//code[starts-with(., 'infoprop {words}')]]"
    return until(lambda: browser.find_elements("xpath", path))[0]


def test_the_page_in_a_browser(browser, latest, long_table):
    server = latest[0]
    browser.get(server.address)
    assert "token" not in browser.current_url
    check_everywhere(browser)
    browser.execute_script(
        "const data = new DataTransfer(); data.items.add(new File([arguments[0]], 'table.csv'));"
        "dispatchEvent(new DragEvent('drop', {dataTransfer: data, cancelable: true}))",
        long_table,
    )
    until(lambda: "600 rows, 20 columns" in browser.find_element("id", "sizes").text)

    choose(browser, "command", "compare")
    assert browser.find_element("id", "contestants").is_displayed()
    assert not browser.find_element("id", "method").is_displayed()
    choose(browser, "command", "select")
    choose(browser, "method", "angle")
    offered = "return [...document.querySelectorAll('#classifier option:not(:disabled)')].map(o => o.value)"
    assert browser.execute_script(offered) == ["svm", "logistic"]
    choose(browser, "size", "lots")
    browser.find_element("id", "start").click()
    until(lambda: "must be a number" in browser.find_element("id", "refused").text)

    choose(browser, "method", "genetic")
    choose(browser, "classifier", "mlp")
    choose(browser, "size", "")
    browser.find_element("id", "start").click()
    # A row is drawn anew at every event: what is seen of it is taken in one go.
    seen = (
        "const row = document.querySelector('[data-status=running]:has(figure.live svg path.curve)');"
        "return row && row.querySelector('.best').textContent"
    )
    assert until(lambda: browser.execute_script(seen)).startswith("best so far: ")
    browser.execute_script("document.querySelector('[data-status=running] [data-key=stop]').click()")
    assert "with the best so far" in row_of(browser, "select", "stopped").text
    choose(browser, "method", "credit")
    choose(browser, "classifier", "svm")
    choose(browser, "size", "5")
    browser.find_element("id", "start").click()
    choose(browser, "command", "shape")
    browser.find_element("id", "start").click()
    row_of(browser, "shape", "done")
    row_of(browser, "select", "done")
    check_everywhere(browser)

    for box in browser.find_elements("css selector", "[data-key=pick]")[:2]:
        box.click()
    until(lambda: "in both" in browser.find_element("id", "beside-tables").text)
    assert browser.execute_script("return document.querySelectorAll('main img').length") == 0
    report = row_of(browser, "select", "done").find_element("link text", "report").get_attribute("href")
    # What was refused is told by the browser, too.
    assert [
        entry for entry in browser.get_log("browser") if "400 (Bad Request)" not in entry["message"]
    ] == []
    browser.get(report)
    assert "features" in browser.find_element("css selector", "h1").text
    assert browser.get_log("browser") == []

    # A page that is still open neither holds the server up nor makes it complain.
    browser.get(server.root)
    row_of(browser, "select", "done")
    assert server.interrupt() == (0, "")
