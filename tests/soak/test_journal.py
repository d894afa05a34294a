"""Journals whose bytes change, and journals that many processes want at once, again and again."""

import os

import numpy as np
import pytest

from reference.damage import opened, race, refused_changes


def test_bytes_that_changed_are_found_or_do_not_matter(tmp_path, soak_seed):
    path = tmp_path / "journal"
    with opened(path, seed=5) as journal:
        records = [{"number": k, "credits": np.arange(40.0) + k} for k in range(60)]
        journal.append(records, {"alpha": np.arange(4000.0), "active": np.array([True, False])})
    places = np.random.default_rng(soak_seed).integers(path.stat().st_size, size=2000)
    assert refused_changes(path, places.tolist(), soak_seed) > 1000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_of_processes_that_make_a_journal_at_the_same_moment_one_wins(tmp_path):
    for number in range(200):
        path = tmp_path / f"journal{number}"
        if number % 2:
            path.touch()
        assert sorted(race(path, 8)) == ["in use"] * 7 + ["wrote"]
        with opened(path) as journal:
            (found,) = journal.records()
            assert journal.state()["number"].tolist() == [found["number"]]
