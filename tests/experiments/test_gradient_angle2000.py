"""The gradient-angle paper in short form: it runs, its noise is found out, and it repeats itself."""

import numpy as np
import pytest
from gradient_angle2000.claims import KINDS, resampled_averages
from gradient_angle2000.problems import draw_split
from gradient_angle2000.protocols import Draws, build_machine, run_draw, walk_down
from gradient_angle2000.run import main
from ledger import read_results, read_settings


@pytest.fixture(scope="module")
def settings(experiments):
    return read_settings(experiments / "gradient_angle2000")


def part_of(settings, name):
    return next(part for part in settings["part"] if part["name"] == name)


def quick(part, output):
    assert main(["--quick", "--part", part, "--output", str(output)]) == 0
    return read_results(output)


def test_importances_fall_as_noise_grows(tmp_path):
    numbers = quick("noise-ranking", tmp_path)
    assert numbers["noise-ranking/follows"].mean == 100.0
    assert numbers["noise-ranking/importance-1"].mean > 3 * numbers["noise-ranking/importance-20"].mean


def test_wine_runs_in_short_form_and_beats_chance(tmp_path):
    numbers = quick("wine", tmp_path)
    assert numbers["wine/angles-above-random"].mean == 100.0
    assert numbers["wine/13/angles"].mean == numbers["wine/13/random"].mean > 90.0
    assert "wine/8-raw/angles" in numbers
    assert (tmp_path / "figures" / "wine.png").exists()


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for folder in ("first", "second"):
        quick("noise-ranking", tmp_path / folder)
    for name in ("results.json", "README.md", "figures/noise-ranking.png"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_a_part_run_alone_keeps_the_numbers_of_the_others(tmp_path):
    first = quick("wine", tmp_path)
    both = quick("noise-ranking", tmp_path)
    assert {key: both[key] for key in first} == first
    assert next(iter(both)).startswith("noise-ranking/")


def test_an_unknown_part_is_refused_with_the_known_ones(tmp_path, capsys):
    assert main(["--quick", "--part", "iris", "--output", str(tmp_path)]) == 2
    assert "There is no part 'iris'. There are: noise-ranking" in capsys.readouterr().err


def test_all_strategies_meet_where_nothing_is_left_out(settings):
    part = {
        **part_of(settings, "noise-subsets"),
        "source": {"data": "graded noise", "n_rows": 300, "train": 0.7},
    }
    draw = run_draw(part, settings["run"], seed=1)
    assert len({curve[-1] for curve in draw.test.values()}) == 1
    assert draw.test["angles"][4] > draw.test["least"][4]


def test_walking_down_gives_what_training_anew_does(settings):
    part = part_of(settings, "wine")
    split = draw_split(part["source"], 3).standardised()
    order = np.random.RandomState(0).permutation(13)
    _, test = walk_down(build_machine(part["machine"], settings["run"]), split, order, {})
    for m in (13, 6, 2):
        machine = build_machine(part["machine"], settings["run"])
        columns = np.sort(order[:m])
        machine.fit(split.X_train[:, columns], split.y_train)
        assert test[m - 1] == pytest.approx(100.0 * machine.score(split.X_test[:, columns], split.y_test))


def test_splits_are_two_thirds_and_scaled_by_their_training_rows(settings):
    split = draw_split(part_of(settings, "wine")["source"], 0).standardised()
    assert len(split.y_train) == 119
    assert len(split.y_test) == 59
    np.testing.assert_allclose(split.X_train.mean(axis=0), 0.0, atol=1e-12)
    assert not np.allclose(split.X_test.mean(axis=0), 0.0, atol=1e-3)


@pytest.fixture
def draws():
    rising = np.array([[50.0, 60.0, 80.0], [50.0, 70.0, 75.0]])
    return Draws(
        ("a", "b", "c"), np.array([[3.0, 2.0, 1.0]] * 2), {"angles": rising}, {"angles": rising[:, ::-1]}
    )


@pytest.mark.parametrize(
    ("kind", "claim", "is_true"),
    [
        ("is above", {"first": "test angles", "second": "all", "sizes": [1, 2]}, True),
        ("is above", {"first": "train angles", "second": "all", "sizes": [1, 2]}, False),
        ("is above", {"first": "test angles", "second": "train angles", "sizes": [1, 1]}, True),
        ("is below all", {"first": "train angles", "sizes": [1, 2]}, True),
        ("never falls", {"first": "train angles"}, True),
        ("never falls", {"first": "test angles"}, False),
        ("always falls", {"first": "importances"}, True),
        ("always falls", {"first": "train angles"}, False),
    ],
)
def test_statements_are_read_off_the_averages(draws, kind, claim, is_true):
    averages = resampled_averages(draws, 10, seed=0)
    assert KINDS[kind](averages, claim).tolist() == [is_true] * 10


def test_the_first_average_is_that_of_all_draws(draws):
    averages = resampled_averages(draws, 5, seed=0)
    np.testing.assert_allclose(averages["train angles"][0], [50.0, 65.0, 77.5])
    assert averages["importances"].shape == (5, 3)
