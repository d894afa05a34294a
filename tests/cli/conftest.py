"""Small tables on disk (`reference.tables`), and the command line called in this process."""

from dataclasses import dataclass

import pytest

from infoprop.cli import main
from infoprop.selection import StabilitySelector
from reference.tables import iris, mixed, wine, write

__all__ = ["iris", "mixed", "refused", "run", "wine", "write"]


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys):
    """Call the command line with words, and return its outcome."""

    def call(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture(autouse=True)
def _few_halves(monkeypatch):
    """Let stability be that of three pairs of halves, not fifty: commands only hand its answer on."""
    monkeypatch.setitem(StabilitySelector.__init__.__kwdefaults__, "n_pairs", 3)


@pytest.fixture
def refused(run):
    """Call the command line, which must refuse in one sentence, and return the sentence."""

    def call(*words):
        outcome = run(*words)
        assert outcome.code == 2
        assert outcome.out == ""
        lines = [line for line in outcome.err.splitlines() if not line.startswith(("note:", "compiling"))]
        assert len(lines) == 1
        assert lines[0].startswith("infoprop: ")
        return lines[0].removeprefix("infoprop: ")

    return call
