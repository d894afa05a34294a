"""The paper's experiments in short form: they run, find the right features, and repeat themselves."""

import numpy as np
import pytest
from infoprop2001.claims import KINDS
from infoprop2001.drawing import mean_credits
from infoprop2001.problems import binary_words, load_problem, numeric_share
from infoprop2001.protocols import build_machine, run_held_out, run_paper, word_information
from infoprop2001.run import main
from ledger import read_results, read_settings
from scipy import sparse
from sklearn.metrics import mutual_info_score

SYNTHETIC = ["synthetic-printed", "synthetic-equal-means"]


def quick(part, output):
    assert main(["--quick", "--part", part, "--output", str(output)]) == 0
    return read_results(output)


@pytest.mark.parametrize("part", SYNTHETIC)
def test_synthetic_is_solved_and_its_three_features_come_first(part, tmp_path):
    numbers = quick(part, tmp_path)
    assert numbers[f"{part}/all/accuracy"].mean == 100.0
    assert numbers[f"{part}/relevant-best"].mean == 100.0


def test_led_segments_come_first(tmp_path):
    assert quick("led-24", tmp_path)["led-24/relevant-best"].mean == 100.0


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for folder in ("first", "second"):
        quick("synthetic-printed", tmp_path / folder)
    for name in ("results.json", "README.md", "figures/synthetic-printed.png"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_a_part_run_alone_keeps_the_numbers_of_the_others(tmp_path):
    first = quick("synthetic-equal-means", tmp_path)
    both = quick("synthetic-printed", tmp_path)
    assert {key: both[key] for key in first} == first
    assert next(iter(both)).startswith("synthetic-printed/")


def test_missing_data_are_skipped_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("INFOPROP_DATA", str(tmp_path / "nowhere"))
    assert quick("dna", tmp_path) == {}
    assert "Skipped DNA: dna.csv.gz is not in the data folder (INFOPROP_DATA)" in capsys.readouterr().err


def test_an_unknown_part_is_refused_with_the_known_ones(tmp_path, capsys):
    assert main(["--quick", "--part", "iris", "--output", str(tmp_path)]) == 2
    assert "There is no part 'iris'. There are: synthetic-printed" in capsys.readouterr().err


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("part", ["dna", "vehicle", "reuters-1"])
def test_real_data_run_in_short_form(part, tmp_path):
    numbers = quick(part, tmp_path)
    assert numbers[f"{part}/all/accuracy"].mean > 60.0
    assert (tmp_path / "figures" / f"{part}.png").exists()


def test_satellite_mixes_one_anova_machine_with_polynomial_ones(experiments):
    settings = read_settings(experiments / "infoprop2001")
    part = next(part for part in settings["part"] if part["name"] == "satellite")
    machine = build_machine(part["machine"], settings["run"], scaled=False)
    labels = np.repeat(list(machine.kernel), 4)
    X = np.random.RandomState(0).normal(80.0, 20.0, size=(len(labels), 5))
    kinds = {
        label: each.kernel.kind
        for label, each in zip(sorted(machine.kernel), machine.fit(X, labels).machines_, strict=True)
    }
    assert [label for label, kind in kinds.items() if kind != "poly"] == ["damp grey soil"]


def test_held_out_credits_do_not_see_the_test_rows(experiments):
    settings = read_settings(experiments / "infoprop2001")
    part = settings["part"][1]
    split = next(load_problem(part["source"]).splits(1, 0))
    machine = build_machine(part["machine"], settings["run"], scaled=False)
    flow = run_held_out(machine, split, [3], validation=0.25, seed=0)[3]
    assert flow.accuracy == 1.0
    assert flow.counts.sum() == len(split.y_test)


def test_word_information_is_the_mutual_information_of_every_column():
    random = np.random.RandomState(0)
    X, y = (random.uniform(size=(60, 8)) < 0.3).astype(float), random.randint(3, size=60)
    X[:, 0] = 0.0
    slow = [mutual_info_score(column, y) / np.log(2.0) for column in X.T]
    np.testing.assert_allclose(word_information(sparse.csr_matrix(X), y), slow, atol=1e-12)


def test_numeric_share_counts_runs_of_digits_among_runs():
    assert numeric_share("shr 12.5 cts") == 0.5
    assert numeric_share("--") == 1.0


def test_words_that_occur_too_seldom_are_left_out():
    X, words = binary_words(["gold gold rises", "the gold, silver 5"], least_occurrences=3)
    assert words == ("gold",)
    assert X.toarray().tolist() == [[1.0], [1.0]]


@pytest.fixture(scope="module")
def outcome(experiments):
    settings = read_settings(experiments / "infoprop2001")
    part = settings["part"][1]
    problem = load_problem(part["source"])
    machine = build_machine(part["machine"], settings["run"], scaled=False)
    return run_paper(machine, next(problem.splits(1, 0)), [3], problem.feature_names)


@pytest.mark.parametrize(
    ("kind", "claim", "value"),
    [
        ("are best", {"features": [1, 3]}, 100.0),
        ("are best", {"features": [2, 2]}, 0.0),
        ("are split off", {"features": [1, 3], "threshold": 0.1}, 100.0),
        ("are split off", {"features": [1, 2], "threshold": 0.1}, 0.0),
        ("above", {"features": [1, 3], "threshold": 0.1}, 3.0),
        ("above", {"features": [4, 9], "threshold": 0.1}, 0.0),
        ("among best", {"features": [2, 9], "best": 3}, 2.0),
    ],
)
def test_claims_are_read_off_the_credits(outcome, kind, claim, value):
    holds, _ = KINDS[kind]
    assert holds(outcome.credits, claim) == value


def test_mean_credits_add_up_to_the_mean_information(outcome):
    mean = mean_credits([outcome.credits, outcome.credits])
    assert mean.values.sum() == pytest.approx(outcome.credits.information)
    assert mean.feature_names == outcome.credits.feature_names
