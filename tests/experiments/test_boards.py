"""The boards of selection quality: the page is what the journals say, and a stopped run goes on."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from boards import cells, methods, page, problems, ranks, study
from boards.cells import read_journal, too_slow


def test_stored_page_is_what_the_stored_journals_say(experiments):
    folder = experiments / "boards"
    settings = study.read_settings()
    journals = {board: read_journal(folder / f"{board}.jsonl") for board in settings}
    assert page.page(settings, journals) == (folder / "README.md").read_text(encoding="utf-8")


def test_ranks_in_the_readme_are_those_of_the_stored_journals(experiments):
    settings = study.read_settings()
    journals = {board: read_journal(experiments / "boards" / f"{board}.jsonl") for board in settings}
    readme = (experiments.parent / "README.md").read_text(encoding="utf-8")
    assert "\n".join(page.summary(settings, journals)) in readme


def test_halves_share_no_draw():
    for board, settings in study.read_settings().items():
        drawn = {"choose": set(), "report": set()}
        for problem, seeds in problems.problems_of(board, settings):
            drawn[problem.half] |= {(problem.name, seed) for seed in seeds}
        assert drawn["choose"].isdisjoint(drawn["report"])
        assert set(settings["quick"]) <= {name for name, _ in drawn["report"]}


def test_critical_difference_is_the_published_one():
    # Demšar 2006, section 3.2.2: four classifiers on 14 data sets.
    assert ranks.ranked(np.random.default_rng(0).random((14, 4))).critical == pytest.approx(1.25, abs=0.005)


def _journal(scores):
    """Lines of a journal: {(problem, seed): scores of the methods a, b, ..., None without a result}."""
    return {
        (problem, seed, name): {"scores": {} if score is None else {"recall": score}}
        for (problem, seed), row in scores.items()
        for name, score in zip("abcd", row, strict=False)
        if score != "not drawn"
    }


def test_equal_scores_share_a_rank_and_what_has_no_result_is_last():
    tables = ranks.score_tables(
        _journal({("led", 0): [90.0, 90.0, None, 70.0]}), [("led", 0)], "abcd", "recall"
    )
    found = ranks.data_set_scores(tables)
    assert ranks.ranked(np.array(list(found.values()))).ranks.tolist() == [[1.5, 1.5, 3.5, 3.5]]


def test_what_has_no_result_with_many_columns_counts_as_with_fewer():
    drawn = [("xor/32", 0), ("xor/8", 0), ("xor/8", 1)]
    rows = {("xor/8", 0): [100.0, 50.0], ("xor/8", 1): [100.0, 0.0], ("xor/32", 0): [0.0, None]}
    tables = ranks.score_tables(_journal(rows), drawn, "ab", "recall")
    assert tables["xor/32"].tolist() == [[0.0, 25.0]]
    assert ranks.data_set_scores(tables)["xor"].tolist() == [50.0, 25.0]


def test_means_are_over_the_draws_that_a_method_has():
    rows = {("led", 0): [80.0, 70.0], ("led", 1): [40.0, "not drawn"], ("wine", 0): [80.0, "not drawn"]}
    journal = _journal(rows)
    # A problem that a method has not begun takes no part.
    drawn = ranks.draws_of(journal, rows, "ab")
    assert drawn == [("led", 0), ("led", 1)]
    tables = ranks.score_tables(journal, drawn, "ab", "recall")
    assert ranks.data_set_scores(tables)["led"].tolist() == [60.0, 70.0]
    # Folds of one table: the second method had the easier one, and was worse there.
    assert ranks.data_set_scores(tables, is_paired=True)["led"].tolist() == [60.0, 50.0]
    assert ranks.data_set_differences(tables, 0, 1).tolist() == [10.0]


def test_interval_is_that_of_a_paired_t_test():
    from scipy import stats

    first, second = np.random.default_rng(0).normal(size=(2, 8))
    mean, half = ranks.interval(first - second)
    interval = stats.ttest_rel(first, second).confidence_interval()
    assert (mean - half, mean + half) == pytest.approx((interval.low, interval.high))


def test_what_was_too_slow_is_not_tried_on_more_columns():
    journal = {0: {"problem": "xor/128", "seed": 3, "method": "m", "status": "timeout"}}
    assert too_slow(journal, "xor/512", "m", 5.0) is journal[0]
    assert too_slow(journal, "xor/128", "m", 5.0) is journal[0]
    for problem, method in (("xor/32", "m"), ("ring/512", "m"), ("xor/512", "other")):
        assert too_slow(journal, problem, method, 5.0) is None


def test_what_would_take_more_than_twice_the_limit_is_not_tried():
    journal = {0: {"problem": "xor/128", "seed": 3, "method": "m", "status": "done", "seconds": 2.6}}
    assert too_slow(journal, "xor/512", "m", 5.0) is journal[0]
    assert too_slow(journal, "xor/512", "m", 5.3) is None
    assert too_slow(journal, "xor/128", "m", 1.0) is None


def test_a_method_has_its_first_draw_and_more_until_its_time_is_used():
    spent = cells.Spent([], 1.0)
    assert not spent.all("led", "m")
    for expected in (False, True):
        spent.add({"problem": "led", "method": "m", "status": "done", "seconds": 0.6})
        assert spent.all("led", "m") is expected
    spent.add({"problem": "xor/8", "method": "m", "status": "timeout"})
    assert spent.all("xor/8", "m")
    assert not spent.all("xor/8", "other")
    assert cells.Spent([{"problem": "led", "method": "m", "status": "done", "seconds": 2.0}], 1.0).all(
        "led", "m"
    )


def test_relief_as_published_is_that_of_the_loop():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 5)), rng.integers(0, 2, 40)
    expected = np.zeros(5)
    for i in range(40):
        gaps = np.sqrt(((X - X[i]) ** 2).sum(axis=1))
        gaps[i] = np.inf
        hit, miss = (np.where((y == y[i]) == is_hit, gaps, np.inf).argmin() for is_hit in (True, False))
        expected += (np.abs(X[i] - X[miss]) - np.abs(X[i] - X[hit])) / np.ptp(X, axis=0)
    np.testing.assert_allclose(methods.published_relief_scores(X, y, 0, 2), np.abs(expected) / 40)


def test_harness_gives_the_published_forest_and_relief(experiments):
    """Means over all widths within .1 of those printed in the paper."""
    settings = study.read_settings()["published"]
    board = page.read_board("published", settings, read_journal(experiments / "boards" / "published.jsonl"))
    printed = json.loads((experiments / "recovery2024" / "expected.json").read_text(encoding="utf-8"))[
        "numbers"
    ]
    for problem, found in ranks.data_set_scores(board.tables["recall"]).items():
        for name, recall in zip(("forest", "relief"), found, strict=True):
            assert recall == pytest.approx(float(printed[f"{problem}/{name}"]["printed"]), abs=10.0)


@pytest.mark.parametrize("name", problems.OTHER)
def test_shuffled_columns_keep_their_features(name):
    X, y, relevant, groups = problems.OTHER[name](0)
    rows = problems._drawn(problems.OTHER[name], 0)
    groups = np.arange(X.shape[1]) if groups is None else groups
    assert rows.sizes == (len(relevant),) == (rows.real.sum(),)
    # Sums of the standardised columns of the features that made the class do not depend on order.
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    expected = ((X - X.mean(axis=0)) / spread)[:, np.isin(groups, relevant)].sum(axis=1)
    np.testing.assert_allclose(rows.X[:, rows.real[rows.groups]].sum(axis=1), expected, atol=1e-9)
    assert (rows.y == y).all()
    assert rows.groups[0] == 0


def test_added_columns_make_up_the_share():
    X = np.random.default_rng(0).normal(size=(50, 6))
    for kind, make in problems.NOISE.items():
        added = make(X, 18, np.random.default_rng(1))
        assert added.shape == (50, 18), kind


@pytest.mark.parametrize("name", ["random", "F-test", "RFE, linear", "front door", "all"])
def test_methods_choose_as_many_as_asked(name):
    found = methods.chosen(name, cells._tiny(), 0)
    assert {size: len(columns) for size, columns in found.items()} == {2: 6 if name == "all" else 2}
    if name != "random":
        assert 0 in found[2]


def test_a_failure_is_a_line(monkeypatch):
    def broken(name, rows, seed):
        raise ValueError("no such thing")

    monkeypatch.setattr(cells, "chosen", broken)
    outcome = cells._outcome("recovery", cells._tiny(), 0, "m", 5, set(), {})
    assert outcome == {"status": "failed", "why": "ValueError: no such thing"}


@pytest.fixture
def few(monkeypatch):
    """Two methods, done in this process."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    done = []

    def do(worker, problem, seed, method):
        done.append((problem.name, seed, method))
        outcome = cells._outcome("recovery", problem.draw(seed), seed, method, 20, set(), {})
        return {"problem": problem.name, "seed": seed, "method": method} | outcome

    monkeypatch.setattr(cells.Worker, "do", do)
    monkeypatch.setattr(methods, "METHODS", ("F-test", "random"))
    monkeypatch.setattr(page, "FRONT", "F-test")
    return done


def test_a_run_that_was_stopped_goes_on_with_what_it_has(few, tmp_path):
    arguments = ["recovery", "--quick", "--only", "corral", "--output", str(tmp_path)]
    assert study.main(arguments) == 0
    assert few == [("corral", 1000, "F-test"), ("corral", 1000, "random")]
    path = tmp_path / "recovery.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:20]]))
    assert study.main(arguments) == 0
    assert few[2:] == [("corral", 1000, "random")]
    kept = read_journal(path)
    assert kept["corral", 1000, "F-test"] == json.loads(lines[0])
    assert "1 data sets, 1 problems" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert (tmp_path / "figures" / "recovery.png").exists()


@pytest.mark.soak
def test_a_run_that_was_killed_goes_on(experiments, tmp_path):
    command = [sys.executable, "-m", "boards.study", "recovery", "--quick", "--only", "corral"]
    path = tmp_path / "recovery.jsonl"
    with subprocess.Popen([*command, "--output", str(tmp_path)], cwd=experiments) as run:
        while not path.exists() or path.read_bytes().count(b"\n") < 3:
            assert run.poll() is None
            time.sleep(0.05)
        run.kill()
    before = path.read_text().splitlines()[:3]
    subprocess.run([*command, "--output", str(tmp_path)], cwd=experiments, check=True)
    lines = path.read_text().splitlines()
    assert lines[:3] == before
    done = [(line["problem"], line["seed"], line["method"]) for line in map(json.loads, lines)]
    assert len(set(done)) == len(done) == len(methods.methods_of(study.read_settings()["recovery"]))


@pytest.mark.soak
def test_a_method_that_takes_too_long_is_ended_and_the_next_one_runs(soak_seed):
    settings = study.read_settings()["recovery"]
    wide = next(
        problem for problem, _ in problems.problems_of("recovery", settings) if problem.name == "xor/2048"
    )
    worker = cells.Worker("recovery", 1)
    assert worker.do(wide, soak_seed % 1000, "ReliefF")["status"] == "timeout"
    assert worker.do(wide, soak_seed % 1000, "F-test")["status"] == "done"
    worker.close()
