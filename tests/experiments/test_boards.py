"""The boards of selection quality: the page is what the journals say, and a stopped run goes on."""

import json

import numpy as np
import pytest
from boards import cells, methods, page, problems, ranks, study
from boards.cells import read_journal, timed_out_before


def test_stored_page_is_what_the_stored_journals_say(experiments):
    folder = experiments / "boards"
    settings = study.read_settings()
    journals = {board: read_journal(folder / f"{board}.jsonl") for board in settings}
    assert page.page(settings, journals) == (folder / "README.md").read_text(encoding="utf-8")


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


def test_equal_scores_share_a_rank_and_what_has_no_result_is_last():
    scores = {"a": 90.0, "b": 90.0, "c": None, "d": 70.0}
    journal = {
        ("ring/8", 0, name): {"scores": {} if score is None else {"recall": score}}
        for name, score in scores.items()
    }
    found = ranks.data_set_scores(journal, [("ring/8", 0)], list(scores), "recall")
    assert ranks.ranked(np.array(list(found.values()))).ranks.tolist() == [[1.5, 1.5, 3.5, 3.5]]


def test_difference_has_the_interval_of_a_paired_t_test():
    from scipy import stats

    first, second = np.random.default_rng(0).normal(size=(2, 8))
    mean, half = ranks.difference(first, second)
    interval = stats.ttest_rel(first, second).confidence_interval()
    assert (mean - half, mean + half) == pytest.approx((interval.low, interval.high))


def test_what_was_too_slow_is_not_tried_on_more_columns():
    journal = {0: {"problem": "xor/128", "seed": 3, "method": "m", "status": "timeout"}}
    assert timed_out_before(journal, "xor/512", "m") is journal[0]
    assert timed_out_before(journal, "xor/128", "m") is journal[0]
    for problem, method in (("xor/32", "m"), ("ring/512", "m"), ("xor/512", "other")):
        assert timed_out_before(journal, problem, method) is None


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
    for module in (methods, page):
        monkeypatch.setattr(module, "METHODS", ("F-test", "random", "front door")[:2])
    monkeypatch.setattr(page, "FRONT", "F-test")
    return done


def test_a_run_that_was_stopped_goes_on_with_what_it_has(few, tmp_path):
    arguments = ["recovery", "--quick", "--only", "corral", "--output", str(tmp_path)]
    assert study.main(arguments) == 0
    assert few == [("corral", 1000, "F-test"), ("corral", 1000, "random")]
    path = tmp_path / "recovery.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:20]]) + "\n")
    assert study.main(arguments) == 0
    assert few[2:] == [("corral", 1000, "random")]
    kept = read_journal(path)
    assert kept["corral", 1000, "F-test"] == json.loads(lines[0])
    assert "1 data sets, 1 problems" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert (tmp_path / "figures" / "recovery.png").exists()


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
