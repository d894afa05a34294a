"""Run every experiment that has landed and rewrite the summary page.

``python experiments/reproduce.py`` runs the folders beside this file that have a ``run.py``, each as a
process of its own, and writes ``README.md``. ``--only NAME`` takes one folder, ``--only NAME/PART`` one part
of it; ``--quick`` runs few repetitions on few rows, and writes below ``build/experiments`` so that the real
results stay.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pages import render_summary

HERE = Path(__file__).resolve().parent
QUICK_OUTPUT = HERE.parent / "build" / "experiments"


def landed() -> list[Path]:
    """Folders with an experiment in them, by name."""
    return sorted(path.parent for path in HERE.glob("*/run.py"))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Re-run the papers.")
    parser.add_argument(
        "--quick", action="store_true", help="few repetitions on few rows, to see that it runs"
    )
    parser.add_argument("--only", metavar="NAME[/PART]", help="one experiment, or one part of it")
    parser.add_argument("--output", type=Path, help="folder to write to (default: where the experiments are)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for; 2 for a name that is not there."""
    options = parse(arguments)
    name, _, part = (options.only or "").partition("/")
    folders = [folder for folder in landed() if name in ("", folder.name)]
    if not folders:
        known = ", ".join(folder.name for folder in landed())
        print(f"There is no experiment {name!r}. There are: {known}.", file=sys.stderr)
        return 2
    output = (options.output or (QUICK_OUTPUT if options.quick else HERE)).resolve()
    for folder in folders:
        command = [sys.executable, "-m", f"{folder.name}.run", "--output", str(output / folder.name)]
        command += ["--quick"] * options.quick + (["--part", part] if part else [])
        environment = {**os.environ, "MPLBACKEND": "Agg"}
        finished = subprocess.run(command, cwd=HERE, env=environment, check=False)
        if finished.returncode:
            return finished.returncode
    (output / "README.md").write_text(render_summary(landed(), output), encoding="utf-8")
    print(f"Wrote {output / 'README.md'}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
