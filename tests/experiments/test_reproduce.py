"""All experiments from one command."""

from reproduce import landed, main


def test_every_experiment_has_its_files():
    for folder in landed():
        for name in ("settings.toml", "expected.json", "results.json", "README.md"):
            assert (folder / name).is_file(), name


def test_one_part_runs_as_a_process_and_the_summary_is_written(tmp_path):
    code = main(["--quick", "--only", "infoprop2001/synthetic-printed", "--output", str(tmp_path)])
    assert code == 0
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert (
        "| Synthetic, as printed | accuracy, all | 100 % | 100.00 ± 0.00 % | section 6, Synthetic |" in page
    )
    assert "not run" in page


def test_an_unknown_experiment_is_refused_with_the_known_ones(capsys):
    assert main(["--only", "nonsense"]) == 2
    assert (
        "There is no experiment 'nonsense'. There are: gradient_angle2000, infoprop2001"
        in capsys.readouterr().err
    )


def test_failure_of_an_experiment_is_passed_on(tmp_path, monkeypatch):
    # What runs an experiment fails at once, whatever it is told.
    failing = tmp_path / "failing"
    failing.write_text("#!/bin/sh\nexit 2\n")
    failing.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(failing))
    assert main(["--quick", "--only", "infoprop2001/nonsense", "--output", str(tmp_path)]) == 2
