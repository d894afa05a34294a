"""How far a run is, from the lines that its process writes."""

import json

from infoprop.selection.running._progress import WATCHED, Progress
from infoprop.serve._live import live_curve, progress_of, told_lines


def test_lines_of_a_search_become_a_bar_and_a_curve(tmp_path, monkeypatch):
    path = tmp_path / "progress.jsonl"
    monkeypatch.setenv(WATCHED, str(path))
    with Progress(title="search", total=4) as progress:
        for size, right, worth in ((8, 0.5, 0.1), (4, 0.75, 0.5), (2, 0.7, 0.4)):
            progress.reached(size, right, worth)
            progress.step()
            with Progress(title="inside", total=1) as inner:
                assert not inner.is_told
                inner.step()
    with path.open("a") as file:
        file.write(json.dumps({"title": "worker", "process": -1}) + "\n" + '{"half')
    lines = told_lines(path, json.loads(path.read_text().splitlines()[0])["process"])
    assert {line["title"] for line in lines} == {"search"}
    told = progress_of(lines)
    assert (told["title"], told["done"], told["total"]) == ("search", 3, 4)
    assert told["best"] == "best so far: 0.500 bits, 75.0% right, 4 features"
    assert told["curve"].startswith("<svg")
    assert told_lines(tmp_path / "none", 1) == []
    assert progress_of([]) == {}


def test_the_time_that_is_left_follows_from_the_pace():
    first = {"title": "a", "done": 10, "total": 100, "at": 50.0, "curve": []}
    assert "left" not in progress_of([first], now=50.0)
    last = {**first, "done": 20, "at": 60.0}
    assert progress_of([first, last], now=65.0)["left"] == 75
    other = {"title": "b", "done": 0, "total": 0, "at": 61.0, "curve": []}
    assert progress_of([first, last, other]) == {"title": "b", "done": 0, "total": 0}


def test_a_curve_is_over_sizes_or_over_steps():
    assert ">features<" in live_curve([(9, 0.5, 0.1), (4, 0.75, 0.5), (2, 0.7, 0.4)])
    assert ">steps<" in live_curve([(9, 0.5, None), (10, 0.75, None), (9, 0.7, None)])
    long = live_curve([(size, 0.5, 0.1) for size in range(20_000, 0, -1)])
    assert len(long) < 20_000
