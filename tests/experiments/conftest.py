"""Experiments are programs beside the package, not a part of it: let the tests find them."""

import sys
from pathlib import Path

import pytest

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))


@pytest.fixture(scope="session")
def experiments() -> Path:
    """Folder of the experiments."""
    return EXPERIMENTS


@pytest.fixture(
    params=[path.parent for path in sorted(EXPERIMENTS.glob("*/run.py"))], ids=lambda folder: folder.name
)
def stored(request) -> Path:
    """Folder of each experiment that has landed."""
    return request.param


@pytest.fixture
def toy():
    """Settings, published and own numbers of an experiment with one of each."""
    from ledger import Expected, Number, Published

    expected = Expected(
        {"authors": "A", "title": "T", "venue": "V", "year": "2001"},
        {"toy/all/accuracy": Published("94.68", "%", "Table 1")},
        [],
    )
    place = {"part": "toy", "table": "features", "row": "all", "measure": "accuracy", "unit": "%"}
    results = {"toy/all/accuracy": Number.of([90.0, 92.0], **place)}
    settings = {
        "title": "Toy",
        "intro": "First.\n\nSecond: {toy/all/accuracy}.",
        "part": [{"name": "toy", "title": "The toy", "text": "It is\nsmall."}],
        "difference": [{"covers": ["toy/*"], "sentence": "It is\n{deviations:toy/all/accuracy} our mean."}],
    }
    return settings, expected, results
