"""Small tables on disk (`reference.tables`), and the command line called in this process."""

from dataclasses import dataclass

import pytest

from infoprop.cli import main
from infoprop.selection import StabilitySelector
from infoprop.selection.running._work import Work
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
def interrupted(monkeypatch):
    """Let Ctrl-C come after so many steps of a search, or before the first."""

    def after(n_steps=None):
        counted = iter(range(n_steps or 0))

        def press(*_):
            if next(counted, None) is None:
                raise KeyboardInterrupt

        monkeypatch.setattr(Work, "begin_step" if n_steps is None else "end_step", press)
        # Steps come one by one as if somebody watched them.
        monkeypatch.setattr(Work, "is_watched", True)

    return after


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
