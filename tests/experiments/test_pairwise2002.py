"""The n² classifier's paper in short form: it runs, codes the data as the paper, and repeats itself."""

import numpy as np
import pytest
from ledger import read_expected, read_results, read_settings
from pairwise2002.problems import load
from pairwise2002.protocols import classifier, run_method
from pairwise2002.run import main


def quick(part, output):
    assert main(["--quick", "--part", part, "--output", str(output)]) == 0
    return read_results(output)


@pytest.fixture(scope="module")
def settings(experiments):
    return read_settings(experiments / "pairwise2002")


def test_data_are_coded_to_the_published_sizes(shared_data, experiments):
    expected = read_expected(experiments / "pairwise2002").numbers
    for name in ("automobile", "ecoli", "glass", "meta-data", "yeast", "zoo"):
        problem = load(name)
        assert problem.X.shape == (expected[f"{name}/rows"].value, expected[f"{name}/features"].value)
        assert np.isfinite(problem.X).all()
        assert len(set(problem.feature_names)) == len(problem.feature_names)


def test_a_part_runs_in_short_form_and_repeats_itself(shared_data, tmp_path):
    numbers = quick("zoo", tmp_path / "first")
    assert numbers["zoo/single/accuracy"].mean > 85.0
    assert numbers["zoo/forward/width"].mean < 3.0 < numbers["zoo/all/width"].mean == 16.0
    quick("zoo", tmp_path / "second")
    for name in ("results.json", "README.md", "figures/zoo.png"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_data_that_are_not_here_are_skipped_by_name(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("INFOPROP_DATA", str(tmp_path))
    assert main(["--quick", "--part", "zoo", "--output", str(tmp_path)]) == 0
    assert "Skipped Zoo: zoo.csv.gz is not in INFOPROP_DATA" in capsys.readouterr().err


def test_an_unknown_part_is_refused_with_the_known_ones(tmp_path, capsys):
    assert main(["--quick", "--part", "iris", "--output", str(tmp_path)]) == 2
    assert "There is no part 'iris'. There are: automobile" in capsys.readouterr().err


def test_with_one_scaling_the_vote_of_all_pairs_is_the_single_nearest_neighbour(shared_data, settings):
    # Distances tie nowhere in glass.
    problem, part = load("glass"), {"n_neighbors": 1, "repeats": 1}
    run = settings["run"] | {"n_jobs": 1, "n_folds": 3}
    single, together = (
        next(method for method in run["methods"] if method["key"] == key) for key in ("single", "all")
    )
    assert run_method(problem, single, part, run).accuracies == pytest.approx(
        run_method(problem, together, part, run).accuracies, abs=1.0
    )
    assert classifier(together, part, seed=3)[-1].random_state == 3
