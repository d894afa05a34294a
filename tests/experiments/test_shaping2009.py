"""The feature shaping paper in short form: tasks, folds, measures, a study that goes on where it stopped."""

import json
from dataclasses import replace

import numpy as np
import pytest
import running
from ledger import read_results, read_settings
from scipy import sparse
from shaping2009.machines import train
from shaping2009.problems import load
from shaping2009.run import main
from shaping2009.scores import Score, area_under_curve, precision_at_top, summarised
from shaping2009.splits import deal, generator, outer_split
from shaping2009.study import Study
from shaping2009.summary import difference
from shaping2009.trial import Unit, run_unit
from shaping2009.variants import Part, Variant
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from infoprop.shaping import FeatureShaper


@pytest.fixture(scope="module")
def run(experiments):
    return read_settings(experiments / "shaping2009")["run"]


@pytest.fixture
def small(run):
    """The settings cut down to one small data set, two folds and two sizes."""
    return run | {"uci": ["iris"], "most_folds": 2, "only_sizes": [20, 90], "n_jobs": 1}


def test_the_rule_gives_the_paper_s_tasks(shared_data, run):
    assert sum(len(load(name).tasks) for name in run["text"]) == 104
    assert sum(len(load(name).tasks) for name in run["uci"]) == 64
    assert load("diabetes").tasks == (1,)
    assert load("credit-g").n_features == 20 < load("credit-g").X.shape[1]
    assert load("tr23").is_text
    assert not load("vowel").is_text


def test_training_sets_are_nested_and_every_task_has_rows_in_them():
    codes = np.repeat([0, 1, 2], [50, 500, 3])
    split = outer_split(codes, "toy", 3, 10, 0)
    assert sorted([*split.train, *split.test]) == list(range(len(codes)))
    assert 4 <= (codes[split.test] == 0).sum() <= 6
    first = split.train[: round(0.05 * len(codes))]
    assert (codes[first] == 0).sum() >= 2
    again = outer_split(codes, "toy", 3, 10, 0)
    assert np.array_equal(split.train, again.train)


def test_two_rows_of_a_class_are_never_in_one_fold():
    for seed in range(20):
        folds = deal(np.repeat([0, 1], [2, 9]), 2, generator(seed, "toy"))
        assert folds[0] != folds[1]


def test_measures_are_those_of_their_definitions():
    random = np.random.default_rng(0)
    outputs, is_positive = random.integers(0, 6, 40).astype(float), random.uniform(size=40) < 0.4
    assert area_under_curve(outputs, is_positive) == pytest.approx(roc_auc_score(is_positive, outputs))
    assert precision_at_top(np.arange(40.0), np.arange(40) >= 30) == 0.5
    assert precision_at_top(np.zeros(40), np.arange(40) >= 30) == 0.25
    assert precision_at_top(np.arange(8.0), np.arange(8) >= 6) == 0.25
    score = Score.of(outputs - 2.5, 1.0, 0.0, is_positive)
    right = ((outputs > 2.5) == is_positive).mean()
    assert summarised([score])["accuracy"] == pytest.approx(100.0 * right)
    assert Score.of(outputs, -1.0, 0.0, is_positive).auc == pytest.approx(1.0 - score.auc, abs=1e-6)
    assert summarised([[0, 0, 3, 7, 0.5, 0.0, 0.5, 0.0]])["f"] == 0.0


def test_counts_of_all_folds_are_added_before_f_is_taken():
    folds = [[1, 0, 3, 6, 0.5, 0.0, 0.5, 0.0], [3, 0, 1, 6, 1.0, 1.0, 1.0, 1.0]]
    found = summarised(folds)
    assert (found["f"], found["auc"]) == (pytest.approx(100.0 * 8 / 12), 75.0)


def test_both_losses_reach_their_optimum():
    random = np.random.default_rng(1)
    X = random.normal(size=(120, 4))
    signs = np.where(X[:, 0] + 0.5 * random.normal(size=120) > 0.5, 1.0, -1.0)
    costs = np.array([0.1, 1.0, 10.0])
    for cost, machine in zip(costs, train(X, signs, costs, "hinge", 1e-6), strict=True):
        peer = SVC(kernel="linear", C=cost, tol=1e-8).fit(X, signs)
        np.testing.assert_allclose(machine.outputs(X), peer.decision_function(X), atol=1e-3)
    for cost, machine in zip(costs, train(X, signs, costs, "squared hinge", 1e-6), strict=True):
        slack = np.maximum(1.0 - signs * machine.outputs(X), 0.0)
        np.testing.assert_allclose(machine.w, 2.0 * cost * X.T @ (signs * slack), atol=1e-6)
        assert (signs * slack).sum() == pytest.approx(0.0, abs=1e-6)


def test_a_machine_that_is_no_better_than_none_has_no_weights():
    random = np.random.default_rng(0)
    names = random.integers(0, 6, 400)
    X = np.column_stack([*(names == name for name in range(6)), names < 3, random.random((400, 3))])
    signs = np.where(random.random(400) < 0.1, 1.0, -1.0)
    for machine in train(X, signs, np.array([0.01, 1.0, 100.0]), "hinge", 1e-2):
        assert not machine.w.any()
        assert machine.b == pytest.approx(-1.0, abs=1e-2)


@pytest.mark.parametrize("is_text", [False, True])
def test_rows_are_represented_as_feature_shaper_does(is_text):
    random = np.random.default_rng(2)
    X = random.poisson(0.8, size=(60, 5)).astype(float)
    X = sparse.csr_matrix(X) if is_text else X
    codes = random.integers(0, 3, 60)
    part = Part(X[:40], codes[:40], X[40:], codes[40:], 3)
    variant = Variant("shaping", "shaping")
    for switches in ({}, {"keep_raw": True}, {"policy": "auto", "window": "auto"}):
        shaper = FeatureShaper(positive_label=1, **switches).fit(X[:40], codes[:40])
        for rows, found in zip(
            (X[:40], X[40:]), part.represented(replace(variant, **switches), 1), strict=True
        ):
            peer = shaper.transform(rows)
            gap = found - peer
            assert abs(gap).max() < 1e-12


def test_the_baseline_on_text_is_whether_a_word_is_there():
    X = sparse.csr_matrix(np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0]]))
    part = Part(X, np.array([0, 1]), X, np.array([0, 1]), 2)
    plain = Variant("baseline", "", words="binary", policy="none", scaling="none")
    seen, _ = part.represented(plain, 1)
    assert np.allclose(seen.toarray(), normalize((X > 0).astype(float)).toarray())


def test_a_study_goes_on_where_it_stopped(shared_data, small, tmp_path):
    study = Study(small, tmp_path)
    study.complete(["lesions"])
    lines = study.journal.path.read_text(encoding="utf-8").split("\n")
    # Killed while it wrote: a line and a half are left.
    study.journal.path.write_text("\n".join(lines[:2]) + "\n" + lines[2][:40], encoding="utf-8")
    again = Study(small, tmp_path)
    assert len(again.journal.lines) == 1
    again.complete(["lesions"])
    for unit in study.units("lesions"):
        assert again.results(unit) == study.results(unit)
    assert (
        json.loads(again.journal.path.read_text(encoding="utf-8").splitlines()[-1])["key"]
        in study.journal.lines
    )


def test_other_settings_are_another_study(small, tmp_path):
    unit = Unit("lesions", "iris", 0, 90, "hinge", "full")
    other = small | {"costs": [1.0]}
    assert Study(small, tmp_path).key(unit) != Study(other, tmp_path).key(unit)


def test_a_wide_window_is_not_worked_out_twice(shared_data, small):
    variants = [Variant("shaping", ""), Variant("window", "", window="auto")]
    numbers = {
        name: small[name]
        for name in ("seed", "n_folds", "n_inner_folds", "costs", "start", "tol", "inner_tol")
    }
    few, many = (
        run_unit(Unit("uci", name, 0, size, "hinge", "full"), variants, numbers)["results"]
        for name, size in (("iris", 20), ("vehicle", 50))
    )
    assert many["window"] == many["shaping"]
    assert few["window"] != few["shaping"]


def test_methods_that_agree_everywhere_do_not_differ():
    assert difference(np.ones(5), np.ones(5)) == (0.0, 1.0, 0)
    assert difference(np.array([2.0, 3.0, 4.1]), np.ones(3)).p < 0.1


@pytest.mark.soak
def test_a_part_is_the_same_with_any_number_of_workers(shared_data, tmp_path, monkeypatch):
    whole = running.read_settings

    def cut(n_jobs):
        def read(folder):
            settings = whole(folder)
            small = {"uci": ["iris"], "most_folds": 1, "only_sizes": [90], "n_jobs": n_jobs}
            return settings | {"quick": settings["quick"] | small}

        return read

    for n_jobs in (1, 2):
        monkeypatch.setattr(running, "read_settings", cut(n_jobs))
        assert main(["--quick", "--part", "lesions", "--output", str(tmp_path / str(n_jobs))]) == 0
    assert read_results(tmp_path / "1")["lesions/shaping/auc"].mean > 80.0
    for name in ("results.json", "README.md", "figures/lesions.png"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_data_that_are_not_here_are_skipped_by_name(monkeypatch, tmp_path, capsys):
    load.cache_clear()
    monkeypatch.setenv("INFOPROP_DATA", str(tmp_path))
    assert main(["--quick", "--part", "lesions", "--output", str(tmp_path)]) == 0
    assert "Skipped Figure 7: one part taken away: vehicle is not in INFOPROP_DATA" in capsys.readouterr().err
