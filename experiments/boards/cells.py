"""Cells of a board, each done in a process that may be ended, and the journal of those that are done."""

import json
import math
import multiprocessing
import resource
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from boards.judges import scores
from boards.methods import OURS, chosen
from boards.problems import Problem, Rows

Line = dict[str, Any]
"""A cell of the journal: problem, seed, method, status ("done", "failed" or "timeout"), and what came out."""
Journal = dict[tuple[str, int, str], Line]
COMPILING = 60
"""Processor seconds that one of ours may take beyond its limit, to compile what the first rows did not need;
it is then run again."""
STABILITY_SIZE = "20"
"""The number of features whose choices are kept, to be compared between folds."""
TO_JUDGE = 120
"""Processor seconds that judging may take beyond the method's limit."""


def end_last_line(path: Path) -> None:
    """Let the next cell begin on a line of its own, if a kill cut off the last one."""
    if path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")


def read_journal(path: Path) -> Journal:
    """Cells of an earlier run; a line that was cut off by a kill is done again."""
    journal: Journal = {}
    if path.exists():
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue
            journal[line["problem"], line["seed"], line["method"]] = line
    return journal


class Spent:
    """Processor seconds that each method has used on each problem, and whether that is all it may use.

    The first draw is always done; a method that was too slow for a problem once has used all.
    """

    def __init__(self, lines: Iterable[Line], budget: float) -> None:
        self._budget = budget
        self._seconds: dict[tuple[str, str], float] = {}
        for line in lines:
            self.add(line)

    def add(self, line: Line) -> None:
        key = line["problem"], line["method"]
        seconds = math.inf if line["status"] == "timeout" else line.get("seconds", 0.0)
        self._seconds[key] = self._seconds.get(key, 0.0) + seconds

    def all(self, problem: str, method: str) -> bool:
        return self._seconds.get((problem, method), 0.0) >= self._budget


def too_slow(journal: Mapping[Any, Line], problem: str, method: str, limit: float) -> Line | None:
    """Return a cell that shows that the method is too slow for a problem: it need not be tried.

    Either it was too slow for this problem or for a narrower one of the same kind, or it took so long on the
    next narrower one that, growing as the number of columns does, it will take more than twice the limit.
    """
    name, _, width = problem.partition("/")
    narrower: dict[int, Line] = {}
    for line in journal.values():
        if line["method"] == method:
            if line["problem"] == problem and line["status"] == "timeout":
                return line
            other, _, columns = line["problem"].partition("/")
            if other == name and width.isdigit() and int(columns) < int(width):
                narrower[int(columns)] = line
    if not narrower:
        return None
    n_columns, line = max(narrower.items())
    seconds = math.inf if line["status"] == "timeout" else line.get("seconds", 0.0)
    return line if seconds * int(width) / n_columns > 2.0 * limit else None


class Worker:
    """A process that does one cell after the other; one that takes too long is ended, and started anew."""

    def __init__(self, board: str, limit: int) -> None:
        self._board, self._limit = board, limit
        self._process: Any = None
        self._end: Any = None

    def do(self, problem: Problem, seed: int, method: str) -> Line:
        """Do a cell; whatever happens, there is a line that says it."""
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._end, theirs = context.Pipe()
            self._process = context.Process(
                target=_serve, args=(theirs, self._board, self._limit), daemon=True
            )
            self._process.start()
            theirs.close()
        self._end.send((problem, seed, method))
        try:
            outcome = self._end.recv()
        except EOFError:
            self._process.join()
            self._process = None
            outcome = {"status": "timeout"}
        return {"problem": problem.name, "seed": seed, "method": method} | outcome

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._end.close()
            self._process.join()


def _serve(end: Any, board: str, limit: int) -> None:
    warm: set[str] = set()
    drawn: tuple[Any, Rows | None] = (None, None)
    judged: dict[Any, dict[str, float]] = {}
    while True:
        try:
            problem, seed, method = end.recv()
        except (EOFError, KeyboardInterrupt):
            return
        if drawn[0] != (problem.name, seed):
            drawn = ((problem.name, seed), problem.draw(seed))
            judged.clear()
        try:
            end.send(_outcome(board, drawn[1], seed, method, limit, warm, judged))
        except BrokenPipeError:
            # The run was killed meanwhile.
            return


def _outcome(board: str, rows: Any, seed: int, method: str, limit: int, warm: set[str], judged: Any) -> Line:
    try:
        if method not in warm:
            # Loading and compiling is not counted.
            chosen(method, _tiny(), 0)
            warm.add(method)
        found, seconds = _timed(method, rows, seed, limit + (COMPILING if method in OURS else 0))
        if seconds > limit:
            found, seconds = _timed(method, rows, seed, limit)
        _end_after(TO_JUDGE)
        # Methods often choose the same.
        key = tuple(columns.tobytes() for columns in found.values())
        if key not in judged:
            judged[key] = scores(board, rows, found, seed)
        outcome: Line = {"status": "done", "seconds": round(seconds, 3), "scores": judged[key]}
        if board == "wide" and method != "all":
            outcome["n_columns"] = rows.X.shape[1]
            outcome["chosen"] = {STABILITY_SIZE: found[int(STABILITY_SIZE)].tolist()}
    except Exception as error:
        outcome = {"status": "failed", "why": f"{type(error).__name__}: {error}"[:200]}
    _end_after(None)
    return outcome


def _timed(method: str, rows: Rows, seed: int, limit: int) -> tuple[Any, float]:
    """What a method chooses, and its processor seconds; this process ends if they are more than the limit."""
    _end_after(limit)
    begun = time.process_time()
    found = chosen(method, rows, seed)
    return found, time.process_time() - begun


def _end_after(seconds: int | None) -> None:
    """Let the kernel end this process after so many further processor seconds, whatever it is doing then."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = resource.RLIM_INFINITY if seconds is None else int(time.process_time()) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _tiny() -> Rows:
    X = np.random.default_rng(0).normal(size=(60, 6))
    y = (X[:, 0] > 0).astype(int)
    return Rows(X, y, X, y, (2,), np.arange(6) < 2, np.arange(6))
