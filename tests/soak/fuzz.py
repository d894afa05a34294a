"""Malformed command lines and files, by the hundred: each is refused in one sentence, or works.

Run it as ``python tests/soak/fuzz.py --seed 1 --cases 600``; the seed is printed, and ``--only N`` repeats
one case. Cases run one after the other in a process that has everything loaded; whoever watches it ends it if
a case takes longer than a minute, and starts another.
"""

import argparse
import contextlib
import io
import json
import math
import os
import queue
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference.command_line import options_of
from soak.malformed import TABLES, delimited, rows_of, spoil_checkpoint, spoil_model

LIMIT = 60.0
MEMORY = 8 * 2**30
PROCESS_EVERY = 25
PATIENCE = 15 * LIMIT  # seconds on the clock, which others may use up, for LIMIT seconds of work
OUTCOMES = ("refused in one sentence", "worked", "traceback", "over 60 s")
# fmt: off
COMMANDS = ("demo", "check", "credit", "select", "compare", "classify", "predict", "shape", "datasets",
            "completion")
VALUES = [
    "", " ", "-", "--", "-1", "0", "1", "2", "3", "0.5", "1.0", "-0.5", "nan", "inf", "-inf", "1e400",
    "1e-400",
    "1e308", "99999999999999999999", "4294967296", "100000000", "2147483648", "0x10", "1_000", "١", "½",
    "None",
    "true", "x", "é", "a,b", ",", ",,", "a=b", "../..", "/", "/dev/null", "/proc/self/mem", "\udcff",
    "\u202e",
    "x" * 300, "x/" * 3000, "t" * 200_000, "auto", "linear", "rbf", "split", "class", "colour", "a", "rot13",
    "utf-8", "utf-16", "idna", "hex", "csv", "parquet", "\\t", "\t", ";;", "1:2", "1,2", "[", "{}",
    "$(id)", "*",
]
PLACES = [
    ".", "..", "/", "", "absent.csv", "absent/x.csv", "x" * 256 + ".csv", "y/" * 2100 + "x.html", "~", "-",
    "/dev/null", "/dev/full", "/dev/zero.csv", "/proc/self/cmdline", "b\udce4d.csv", "x.html", "x.json",
    "x.skops",
    "x.parquet", "x.npz", "good.csv", "x.md", "x.journal", "\u202egpj.csv", "a b'\"$(id).csv",
]
WAYS = [
    [], [], ["--target", "class"], ["--target", "0"], ["--impute", "mean"], ["--validation", "2"], ["--json"],
    ["--text", "colour"], ["--delimiter", ";"], ["--encoding", "latin-1"], ["--format", "csv"],
    ["--drop", "a"],
]
STREAMS = ["", "<&-", ">&-", "2>&-", ">/dev/full", "2>/dev/full", "| head -1", ">&- 2>&-"]
# fmt: on
SEARCHES = ("backward", "directed", "forward", "genetic")
SMALL = ["--population", "6", "--generations", "2"]


class Case:
    """One malformed command line, with the files that it names."""

    def __init__(self, seed, number, folder, kept):
        self.random = random.Random(f"{seed} {number}")
        self.folder = folder / str(number)
        self.kept = kept
        self.folder.mkdir()
        makers = [self._line, self._line, self._file, self._file, self._checkpoint, self._model]
        self.kind = ("command line", "command line", "file", "file", "checkpoint", "model")[
            number % len(makers)
        ]
        self.words = [str(word) for word in makers[number % len(makers)]()]

    def _good(self):
        path = self.folder / "good.csv"
        path.write_bytes(delimited(rows_of(self.random)))
        return path

    def _beginning(self, command, data):
        """A command that works on `data`."""
        return {
            "select": ["select", data, "-k", "2"],
            "compare": ["compare", data, "--methods", "credit", "--folds", "2", "--sizes", "1,2"],
            "predict": ["predict", self.kept / "model.skops", data],
            "completion": ["completion", "bash"],
            "demo": ["demo", "--report", self.folder / "demo.html"],
        }.get(command, [command, data])

    def _line(self):
        """A good command line with words that are wrong, missing or too many."""
        command = self.random.choice([*COMMANDS, "credit", "select", "classify"])
        words = [str(word) for word in self._beginning(command, self._good())]
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(["option"] * 6 + ["drop", "extra", "place", "twice"])
            if kind == "option":
                words += self._option(command)
            elif kind == "drop" and len(words) > 1:
                del words[self.random.randrange(1, len(words))]
            elif kind == "extra":
                words.insert(self.random.randint(1, len(words)), self.random.choice(VALUES))
            elif kind == "place" and len(words) > 1:
                words[1] = self._place()
            else:
                words += words[1:]
        return words

    def _option(self, command):
        options = options_of(command)
        if not options:
            return [self.random.choice(VALUES)]
        action = self.random.choice(options)
        name = self.random.choice(action.option_strings)
        if action.nargs == 0:
            return [name]
        if action.dest in ("output", "report", "model", "checkpoint", "folder"):
            return [name, self._place()]
        good = [str(choice) for choice in action.choices or ()]
        value = self.random.choice(good + VALUES if self.random.random() < 0.4 else VALUES)
        # As after "--name=": otherwise a value that begins with a dash is another option.
        return [f"{name}={value}"] if name.startswith("--") and self.random.random() < 0.7 else [name, value]

    def _place(self):
        """Something that a path can be: there, not there, impossible."""
        place = self.random.choice(PLACES)
        if place.startswith(("/", "~", "-")) or place in ("", ".", ".."):
            return place
        return f"{self.folder}/{place}"

    def _file(self):
        """A file that is not as it should be, and a command that reads it."""
        name = self.random.choice(list(TABLES))
        path = self.folder / name
        path.write_bytes(TABLES[name](self.random))
        command = self.random.choice(
            ["datasets", "check", "check", "credit", "credit", "classify", "predict", "shape", "select"]
        )
        words = self._beginning(command, path)
        chosen = self.random.choice(WAYS)
        known = {name for action in options_of(command) for name in action.option_strings}
        return [*words, *(chosen if chosen and chosen[0] in known else [])]

    def _checkpoint(self):
        """A search with a checkpoint that is damaged."""
        method = self.random.choice(SEARCHES)
        path = self.folder / "search.journal"
        shutil.copy(self.kept / f"{method}.journal", path)
        spoil_checkpoint(self.random, path)
        return [*search(method, self.kept / "good.csv"), "--checkpoint", path]

    def _model(self):
        """A prediction by a model that is damaged."""
        path = self.folder / "model.skops"
        shutil.copy(
            self.kept / self.random.choice(["model.skops", "shaped.skops", "mlp.skops", "pairwise.skops"]),
            path,
        )
        spoil_model(self.random, path)
        return ["predict", path, self.kept / "good.csv"]


def search(method, data):
    """A search that takes little time."""
    size = SMALL if method == "genetic" else ["-k", "2"]
    return ["select", data, "--method", method, "--validation", "2", *size]


def answer(words):
    """Run a command line in this process; return its exit code and what it said."""
    from infoprop.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except BaseException:
            traceback.print_exc()
            code = -1
    return {"code": code, "err": err.getvalue()}


def work():
    """Answer one command line after another, as they come on standard input."""
    # Whatever asks for more than there is gets an error instead of the whole machine.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    lines = sys.stdin
    tell = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in lines:
        sys.stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        words, limit = json.loads(line)
        # Seconds of work, as other processes may be busy; then the process ends.
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + limit), most))
        print(json.dumps(answer(words)), file=tell, flush=True)


class Worker:
    """A process that answers command lines, and is replaced when it hangs or dies."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def begin(self):
        self.answers = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
        )
        threading.Thread(target=self._listen, args=(self.process, self.answers), daemon=True).start()

    @staticmethod
    def _listen(process, answers):
        for line in process.stdout:
            answers.put(json.loads(line))
        answers.put(None)

    def ask(self, words, limit):
        """Return the answer; None after `limit` seconds of work, and the exit code if the process died."""
        if self.process is None:
            self.begin()
        self.process.stdin.write(json.dumps([words, limit]) + "\n")
        self.process.stdin.flush()
        try:
            found = self.answers.get(timeout=PATIENCE)
        except queue.Empty:
            self.end()
            return None
        if found is None:
            code = self.process.wait()
            self.process = None
            return None if code == -signal.SIGXCPU else {"code": code, "err": "the process died"}
        return found

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def in_process(case, folder):
    """Run a case as a process, with streams that may be closed, full or broken; return the answer."""
    streams = case.random.choice(STREAMS)
    script = f'ulimit -S -t {LIMIT:.0f}; set -o pipefail; "$0" -m infoprop "$@" {streams}'
    command = ["bash", "-c", script, sys.executable, *(word[:100_000] for word in case.words)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, cwd=folder, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    case.words += [streams]
    if done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        return None
    # What nobody can read is as good as said.
    unread = "infoprop: \n" if "2>" in streams and done.returncode else ""
    return {"code": done.returncode, "err": unread + done.stderr.decode("utf-8", "replace")}


def outcome_of(found):
    """Which of the outcomes an answer is."""
    if found is None:
        return "over 60 s"
    said = found["err"].splitlines()
    sentences = [line for line in said if line.startswith("infoprop: ")]
    if found["code"] in (1, 2) and len(sentences) == 1 and "Traceback" not in found["err"]:
        return "refused in one sentence"
    return (
        "worked" if found["code"] == 0 and not sentences and "Traceback" not in found["err"] else "traceback"
    )


def prepared(worker, folder):
    """Make a table, checkpoints and models; everything is compiled when this is done."""
    good = folder / "good.csv"
    good.write_bytes(delimited(rows_of(random.Random(0))))
    lines = [[*search(method, good), "--checkpoint", folder / f"{method}.journal"] for method in SEARCHES]
    for name, more in {
        "model": [],
        "mlp": ["--classifier", "mlp"],
        "pairwise": ["--classifier", "pairwise"],
    }.items():
        lines.append(["classify", good, *more, "--model", folder / f"{name}.skops"])
    lines.append(["shape", good, "--model", folder / "shaped.skops"])
    lines += [["credit", good, "--kernel", kernel] for kernel in ("rbf", "poly", "sigmoid", "anova")]
    lines.append(["compare", good, "--folds", "2", "--sizes", "1,2"])
    for words in lines:
        begun = time.monotonic()
        found = worker.ask([str(word) for word in words], 900.0)
        print(f"made ready in {time.monotonic() - begun:5.1f} s: {' '.join(map(str, words[:5]))}", flush=True)
        if found is None or found["code"] != 0:
            raise SystemExit(f"{words} does not work: {found}")


def run(seed, n_cases, only=None):
    """Run the cases of a seed; return how often each kind had each outcome, and what failed."""
    counts, failures = Counter(), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = folder / "kept"
        kept.mkdir()
        worker = Worker(folder)
        try:
            prepared(worker, kept)
            for number in range(n_cases) if only is None else [only]:
                case = Case(seed, number, folder, kept)
                begun = time.monotonic()
                if number % PROCESS_EVERY == 0:
                    case.kind = "process"
                    found = in_process(case, folder)
                else:
                    found = worker.ask(case.words, LIMIT)
                outcome = outcome_of(found)
                counts[case.kind, outcome] += 1
                if number % 50 == 49:
                    print(f"{number + 1} cases", flush=True)
                if outcome in OUTCOMES[2:] or only is not None:
                    failures.append((number, outcome, case.words, found, time.monotonic() - begun))
                shutil.rmtree(case.folder, ignore_errors=True)
        finally:
            worker.end()
    return counts, failures


def table(counts):
    """The counts as lines of text."""
    kinds = sorted({kind for kind, _ in counts})
    lines = [f"{'':14}" + "".join(f"{outcome:>25}" for outcome in OUTCOMES)]
    for kind in [*kinds, "all"]:
        chosen = kinds if kind == "all" else [kind]
        numbers = [sum(counts[name, outcome] for name in chosen) for outcome in OUTCOMES]
        lines.append(f"{kind:14}" + "".join(f"{number:>25}" for number in numbers))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--only", type=int)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work()
        return 0
    print(f"seed {given.seed}, {given.cases} cases", flush=True)
    counts, failures = run(given.seed, given.cases, given.only)
    for number, outcome, words, found, seconds in failures:
        print(f"\ncase {number}, {outcome}, {seconds:.1f} s: {[word[:200] for word in words]}")
        print("" if found is None else f"exit code {found['code']}\n{found['err'][-3000:]}")
    print(table(counts))
    return int(any(counts[kind, outcome] for kind, outcome in counts if outcome in OUTCOMES[2:]))


if __name__ == "__main__":
    sys.exit(main())
