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
from pathlib import Path
from typing import Any

from infoprop._core._exceptions import ParameterError
from infoprop.workflow._choice import COMBINATIONS, CREDIT, METHODS
from infoprop.workflow._classifier_names import CLASSIFIERS, PAIRWISE

_IDENTITY = re.compile(r"[0-9a-f]{12}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_REPORT, _PROGRESS, _ABOUT = "report.html", "progress.jsonl", "run.json"


def safe_name(name: str) -> str:
    """A file name made of letters, digits, dots and dashes only, that is no option and not hidden.

    >>> safe_name("../../etc/my data.csv"), safe_name("--help"), safe_name("...")
    ('my_data.csv', 'help', 'table.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    return _UNSAFE.sub("_", last).lstrip(".-_")[-80:] or "table.csv"


def words_of(asked: Mapping[str, Any], table: str) -> list[str]:
    """The words of the command line that do what a page asked for.

    Parameters
    ----------
    asked : mapping
        `method` ("none": credits alone), `classifier`, `target`, `size` (a number or "auto"), `nested`.
    table : str
        Name of the file.

    Raises
    ------
    ParameterError
        If something else was asked for.
    """
    method, classifier = str(asked.get("method", "none")), str(asked.get("classifier", "svm"))
    if classifier not in CLASSIFIERS or classifier == PAIRWISE:
        raise ParameterError(f"There is no classifier {classifier!r} here.")
    if method not in (*METHODS, "none"):
        raise ParameterError(f"There is no method {method!r}.")
    if method != "none" and classifier not in COMBINATIONS[method]:
        raise ParameterError(f"The method {method} does not go with the classifier {classifier}.")
    words = ["credit" if method == "none" else "select", table, f"--classifier={classifier}"]
    # With the equals sign a value is a value, whatever it begins with.
    if asked.get("target"):
        words.append(f"--target={asked['target']}")
    if method != "none":
        words.append(f"--method={method}")
        size = str(asked.get("size") or "")
        if size and not re.fullmatch(r"[0-9]{1,6}|auto", size):
            raise ParameterError(f"The number of features must be a number or 'auto'. Got {size!r}.")
        if size:
            words.append(f"--k={size}")
        if asked.get("nested"):
            words.append("--nested=5")
        if method != CREDIT and method != "angle":
            words.append("--checkpoint=search.journal")
    return [*words, f"--report={_REPORT}"]


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
        number = self.about.get("process")
        if not isinstance(number, int):
            return False
        try:
            if os.waitpid(number, os.WNOHANG)[0]:
                return False  # ours, and it has just ended
        except ChildProcessError:
            pass  # begun by a server before this one
        place = Path(f"/proc/{number}/cwd")
        try:
            return place.resolve(strict=True) == self.folder.resolve()
        except OSError:
            return False

    @property
    def status(self) -> str:
        """One of "running", "done" and "stopped" (it can go on, or failed at once)."""
        if self.is_running:
            return "running"
        return "done" if (self.folder / _REPORT).exists() else "stopped"

    def to_dict(self) -> dict[str, Any]:
        """What the page shows of it."""
        about = self.about
        return {
            "id": self.folder.name,
            "words": about["words"],
            "begun": about["begun"],
            "status": self.status,
            "headline": self._headline(),
            "remark": self._remark(),
            "progress": self.progress(),
        }

    def progress(self) -> list[dict[str, Any]]:
        """How far it is: the last few hundred lines that the process wrote."""
        try:
            lines = (self.folder / _PROGRESS).read_text(encoding="utf-8").splitlines()[-300:]
        except OSError:
            return []
        # The last line may be half written.
        return [json.loads(line) for line in lines if line.endswith("}")]

    def _headline(self) -> str:
        try:
            with (self.folder / "report.json").open(encoding="utf-8") as file:
                plain = json.load(file)
        except (OSError, ValueError):
            return ""
        return str(plain.get("headline", ""))

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
        for name in (_REPORT, "report.json", _PROGRESS):
            (self.folder / name).unlink(missing_ok=True)
        environment = {**os.environ, "INFOPROP_PROGRESS": _PROGRESS}
        with (self.folder / "stdout.txt").open("wb") as out, (self.folder / "stderr.txt").open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "infoprop", *about["words"]],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,  # it outlives the server
            )
        _write(self.folder / _ABOUT, {**about, "process": process.pid})

    def stop(self) -> None:
        """Ask the process to end with the best that it has found."""
        if self.is_running:
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
        yield from (Run(place) for place in sorted(folders, key=lambda place: -place.stat().st_ctime_ns))

    def _folder(self, part: str, identity: str) -> Path:
        # Twelve digits name no other place.
        folder = self.root / part / identity
        if not _IDENTITY.fullmatch(identity) or not folder.is_dir():
            raise ParameterError(f"There is nothing called {identity[:20]!r} among the {part}.")
        return folder


def _write(path: Path, plain: dict[str, Any]) -> None:
    """Write as one piece, so that nobody reads half of it."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(plain, ensure_ascii=False), encoding="utf-8")
    fresh.replace(path)
