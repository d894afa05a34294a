"""Tables and runs as folders: each run is a process of the command line that works in a folder of its own."""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from infoprop._core._exceptions import ParameterError
from infoprop.selection.running._progress import WATCHED
from infoprop.serve._live import progress_of, told_lines
from infoprop.serve._words import REPORT, words_of

_PROCESSES = Path("/proc")

_BEGUN: dict[Path, "subprocess.Popen[bytes]"] = {}
"""Processes that this server began, by the folder of their run."""

_STOPPED = (130, -signal.SIGINT, -signal.SIGKILL, -signal.SIGTERM)
"""How a process ends that was told to."""

_IDENTITY = re.compile(r"[0-9a-f]{12}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_PROGRESS, _ABOUT = "progress.jsonl", "run.json"


def safe_name(name: str) -> str:
    """A file name made of letters, digits, dots and dashes only, that is no option and not hidden.

    >>> safe_name("../../etc/my data.csv"), safe_name("--help"), safe_name("...")
    ('my_data.csv', 'help', 'table.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    return _UNSAFE.sub("_", last).lstrip(".-_")[-80:] or "table.csv"


@dataclass(frozen=True)
class Run:
    """One run: its folder, what it was told, and what has become of it."""

    folder: Path

    @property
    def about(self) -> dict[str, Any]:
        """What the run was told, and its process."""
        told: dict[str, Any] = json.loads((self.folder / _ABOUT).read_text(encoding="utf-8"))
        return told

    @property
    def is_running(self) -> bool:
        """Whether its process lives; another one that has got its number does not count."""
        ours = _BEGUN.get(self.folder)
        if ours is not None:
            code = ours.poll()
            if code is not None and self.about.get("ended") is None:
                _write(self.folder / _ABOUT, {**self.about, "ended": code})
            return code is None
        number = self.about.get("process")
        if not isinstance(number, int):
            return False
        place = _PROCESSES / str(number) / "cwd"
        try:
            return place.resolve(strict=True) == self.folder.resolve()
        except OSError:
            return False

    @property
    def status(self) -> str:
        """One of "running", "done", "stopped" (with a report: of the best so far) and "failed"."""
        if self.is_running:
            return "running"
        code = self.about.get("ended")
        if code in _STOPPED:
            return "stopped"
        if (self.folder / REPORT).exists():
            return "done"
        return "stopped" if code is None else "failed"

    @property
    def was_cut_off(self) -> bool:
        """Whether it ended without a report while no server was there to see why: a power cut, say."""
        about = self.about
        return self.status == "stopped" and about.get("ended") is None and not about.get("is_told_to_stop")

    def to_dict(self) -> dict[str, Any]:
        """What the page shows of it."""
        about, status = self.about, self.status
        return {
            "id": self.folder.name,
            "words": about["words"],
            "begun": about["begun"],
            "status": status,
            "headline": _headline(self.folder),
            "has_report": (self.folder / REPORT).exists(),
            "remark": self._remark(),
            "progress": self.progress() if status == "running" else {},
        }

    def progress(self) -> dict[str, Any]:
        """How far it is, while it runs."""
        return progress_of(told_lines(self.folder / _PROGRESS, self.about.get("process")))

    def _remark(self) -> str:
        try:
            lines = (self.folder / "stderr.txt").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return lines[-1][:500] if lines else ""

    def start(self) -> None:
        """Begin, or go on from the checkpoint: the same words in the same folder."""
        if self.is_running:
            return
        about = self.about
        for name in (REPORT, "report.json", _PROGRESS):
            (self.folder / name).unlink(missing_ok=True)
        environment = {**os.environ, WATCHED: _PROGRESS}
        with (self.folder / "stdout.txt").open("wb") as out, (self.folder / "stderr.txt").open("wb") as err:
            process = _BEGUN[self.folder] = subprocess.Popen(
                [sys.executable, "-m", "infoprop", *about["words"]],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,  # it outlives the server
            )
        _write(
            self.folder / _ABOUT, {**about, "process": process.pid, "ended": None, "is_told_to_stop": False}
        )

    def stop(self) -> None:
        """Ask the process to end with the best that it has found."""
        if self.is_running:
            _write(self.folder / _ABOUT, {**self.about, "is_told_to_stop": True})
            os.kill(self.about["process"], signal.SIGINT)


class Workshop:
    """All tables and runs below one folder. Nothing outside of it is read or written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for part in ("tables", "runs"):
            (root / part).mkdir(parents=True, exist_ok=True)

    def new_table(self, name: str) -> tuple[str, Path]:
        """A place for a table: its identity, and the file to write."""
        identity = secrets.token_hex(6)
        folder = self.root / "tables" / identity
        folder.mkdir()
        return identity, folder / safe_name(name)

    def table(self, identity: str) -> Path:
        """The file of a table."""
        return next(self._folder("tables", identity).iterdir())

    def forget(self, identity: str) -> None:
        """Remove a table."""
        shutil.rmtree(self._folder("tables", identity))

    def new_run(self, asked: Mapping[str, Any], begun: str) -> Run:
        """Begin a run on a table; the table is in the folder of the run, under its own name."""
        table = self.table(str(asked.get("table", "")))
        words = words_of(asked, table.name)
        folder = self.root / "runs" / secrets.token_hex(6)
        folder.mkdir()
        try:
            os.link(table, folder / table.name)
        except OSError:
            shutil.copyfile(table, folder / table.name)
        _write(folder / _ABOUT, {"words": words, "begun": begun, "process": None})
        run = Run(folder)
        run.start()
        return run

    def run(self, identity: str) -> Run:
        """One run by its identity."""
        return Run(self._folder("runs", identity))

    def runs(self) -> Iterator[Run]:
        """All runs, the latest first."""
        folders = [place for place in (self.root / "runs").iterdir() if (place / _ABOUT).exists()]
        yield from sorted(map(Run, folders), key=lambda run: str(run.about["begun"]), reverse=True)

    def resume_cut_off(self) -> None:
        """Let all runs go on that were cut off together with the server before.

        Without ``/proc`` nobody knows whether a run of that server still lives, and nothing is begun twice.
        """
        for run in self.runs():
            if _PROCESSES.exists() and run.was_cut_off:
                run.start()

    def _folder(self, part: str, identity: str) -> Path:
        # Twelve digits name no other place.
        folder = self.root / part / identity
        if not _IDENTITY.fullmatch(identity) or not folder.is_dir():
            raise ParameterError(f"There is nothing called {identity[:20]!r} among the {part}.")
        return folder


def _headline(folder: Path) -> str:
    """The finding of a run, empty if there is none yet."""
    file = folder / "report.json"
    try:
        return _headline_in(file, file.stat().st_mtime_ns)
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=1000)
def _headline_in(file: Path, changed: int) -> str:
    plain = json.loads(file.read_text(encoding="utf-8"))
    return str(plain.get("headline", ""))


def _write(path: Path, plain: dict[str, Any]) -> None:
    """Write as one piece, so that nobody reads half of it."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(plain, ensure_ascii=False), encoding="utf-8")
    fresh.replace(path)
