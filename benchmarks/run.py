"""Run the benchmarks and write their results: ``python benchmarks/run.py [NAME ...] [--only JOB]``.

Each benchmark is a module here with a function ``run`` that returns the rows of a table. Results go to
``results/NAME.json``, and ``README.md`` is written anew from all result files. Speed is stated as a ratio
between methods that took turns in the same run, so it can be compared between machines; seconds cannot.
"""

import argparse
import importlib
import json
import os
import platform
from pathlib import Path
from typing import Any

import numba
import numpy
import scipy
import sklearn

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER / "results"
NAMES = (
    "startup",
    "svm_cold_fit",
    "growth",
    "mlp_fit",
    "elimination_wide",
    "elimination_tall",
    "elimination_text",
    "elimination_kernel",
    "elimination_sequential",
    "mlp_search",
    "pairwise_forward",
    "pairwise_genetic",
    "shaping",
    "cluster",
    "screening",
    "credit_floor",
    "credit_intervals",
    "credit_rows",
    "credit_quality",
    "search_sharing",
    "front_door",
)


# Benchmarks whose jobs can be done one at a time.
ONE_JOB = (
    ["growth"],
    ["cluster"],
    ["svm_cold_fit"],
    ["front_door"],
    ["credit_floor"],
    ["elimination_wide"],
    ["elimination_tall"],
    ["elimination_kernel"],
)
# Columns that tell the rows of a table from each other.
TOLD_BY = (
    *("job", "data", "rows x columns", "kernel", "tol", "loss", "criterion"),
    *("peer", "workers", "columns", "rows"),
)


def environment() -> dict[str, Any]:
    """Return what the numbers depend on, besides the code."""
    versions = {module.__name__: module.__version__ for module in (numpy, scipy, sklearn, numba)}
    return {"python": platform.python_version(), "cores": os.cpu_count(), **versions}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], help="benchmarks to run; all by default")
    parser.add_argument(
        "--only", metavar="JOB", help="one job of a benchmark that has some; rows of others stay"
    )
    options = parser.parse_args()
    if options.only is not None and options.names not in ONE_JOB:
        named = ", ".join(name for (name,) in ONE_JOB)
        parser.error(f"--only takes a job of one of {named}: run.py growth --only JOB")
    for name in options.names or NAMES:
        print(f"running {name} ...", flush=True)
        module = importlib.import_module(name)
        if options.only is not None and options.only not in module.JOBS:
            parser.error(f"{name} has no job {options.only!r}; it has {', '.join(module.JOBS)}")
        rows = module.run() if options.only is None else merged(name, module.run(options.only))
        if not rows:
            continue
        result = {"benchmark": name, "about": module.__doc__, "environment": environment(), "rows": rows}
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        print(markdown_table(result["rows"]))
    write_readme()


def merged(name: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of the result file, those of the same job, table and peer replaced, new ones last."""
    path = RESULTS / f"{name}.json"
    known = json.loads(path.read_text())["rows"] if path.exists() else []
    by_key = {tuple(row.get(column) for column in TOLD_BY): row for row in [*known, *rows]}
    return list(by_key.values())


def write_readme() -> None:
    """Make the page of all results from the result files alone."""
    parts = [
        "# Benchmarks\n\nWritten by `make bench` from `results/*.json`. "
        "Ratios above 1 mean that infoprop is faster.\n"
    ]
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text())
        machine = ", ".join(f"{key} {value}" for key, value in result["environment"].items())
        parts += [f"## {result['benchmark']}\n", result["about"].strip() + "\n"]
        parts += [markdown_table(result["rows"]) + "\n", machine + "\n"]
    (FOLDER / "README.md").write_text("\n".join(parts))


def markdown_table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(str(row[column]) for column in columns) + " |" for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
