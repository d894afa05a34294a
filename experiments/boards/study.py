"""Three boards of selection quality, cell by cell; what is done is kept, and not done again.

``python -m boards.study recovery`` (``noise``, ``wide``) from ``experiments`` goes on with that board,
``--quick`` sees that it runs (below ``build``), ``--minutes`` stops it, and without a board only the page is
written. Seeds are done in turn for all problems, so that a run that is stopped has some of each. Each cell,
with its seed, is a line of ``BOARD.jsonl``.
"""

import argparse
import json
import math
import os
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

HERE = Path(__file__).resolve().parent
QUICK_OUTPUT = HERE.parent.parent / "build" / "experiments" / HERE.name
BOARDS = ("recovery", "noise", "wide", "published")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do the cells that are missing, then write the page."""
    options = _parse(arguments)
    # One core for every method; libraries read this when they are loaded, so the others come after it.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    from boards.page import write_page

    settings = read_settings()
    output = options.output or (QUICK_OUTPUT if options.quick else HERE)
    output.mkdir(parents=True, exist_ok=True)
    if options.board is not None:
        _run(options, settings[options.board], output)
    write_page(settings, output)
    return 0


def read_settings() -> dict[str, Any]:
    """What is run."""
    return tomllib.loads((HERE / "settings.toml").read_text(encoding="utf-8"))


def _run(options: argparse.Namespace, settings: dict[str, Any], output: Path) -> None:
    from boards.cells import Spent, Worker, end_last_line, read_journal, too_slow
    from boards.methods import OURS, methods_of
    from boards.problems import problems_of

    path = output / f"{options.board}.jsonl"
    end_last_line(path)
    journal = read_journal(path)
    spent = Spent(journal.values(), settings["budget"])
    until = monotonic() + 60.0 * options.minutes
    planned = [
        (round_, place, problem, seed)
        for place, (problem, seeds) in enumerate(problems_of(options.board, settings))
        for round_, seed in enumerate(seeds)
        if options.half in (None, problem.half) and options.only in (None, problem.name, problem.data_set)
    ]
    if options.quick:
        planned = [cell for cell in planned if cell[2].half == "report" and cell[2].name in settings["quick"]]
    planned = [cell for cell in planned if cell[0] < (1 if options.quick else options.seeds)]
    worker = Worker(options.board, settings["limit"])
    with path.open("a", encoding="utf-8") as file:
        for _, _, problem, seed in sorted(planned, key=lambda cell: cell[:2]):
            for method in methods_of(settings):
                if options.whose not in (None, "ours" if method in OURS else "others"):
                    continue
                if options.method not in (None, method):
                    continue
                if (problem.name, seed, method) in journal or spent.all(problem.name, method):
                    continue
                if monotonic() > until:
                    print("Out of time; the same command goes on.", file=sys.stderr)
                    worker.close()
                    return
                before = too_slow(journal, problem.name, method, settings["limit"])
                line = {"problem": problem.name, "seed": seed, "method": method, "status": "timeout"}
                if before is None:
                    print(f"{problem.name}, seed {seed}, {method} ...", file=sys.stderr, flush=True)
                    line = worker.do(problem, seed, method)
                else:
                    line["not_tried"] = f"{before['problem']}, seed {before['seed']}"
                journal[problem.name, seed, method] = line
                spent.add(line)
                file.write(json.dumps(line) + "\n")
                file.flush()
    worker.close()


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="boards.study", description="Boards of selection quality.")
    parser.add_argument(
        "board", nargs="?", choices=BOARDS, help="what to go on with; without it, the page only"
    )
    parser.add_argument("--quick", action="store_true", help="a seed of a few problems, to see that it runs")
    parser.add_argument("--half", choices=("choose", "report"), help="one half of the problems only")
    parser.add_argument("--whose", choices=("ours", "others"), help="our methods or those of others only")
    parser.add_argument("--method", metavar="NAME", help="one method only, by its name on the page")
    parser.add_argument("--only", metavar="PROBLEM", help="one problem or data set only")
    parser.add_argument("--seeds", type=float, default=math.inf, help="so many of each problem only")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no cell after so many")
    parser.add_argument("--output", type=Path, help="folder to write to")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
