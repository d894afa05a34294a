"""Re-run the experiments of the MOI paper; see settings.toml for what is run and why."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ledger import Number
from moi2004 import mlp_corral, svm_corral
from moi2004.curves import run_curves
from moi2004.mlp_parity import run_parity
from moi2004.tables import run_table
from running import RunPart, run_experiment

HERE = Path(__file__).resolve().parent

PROTOCOLS: Mapping[str, RunPart] = {
    "corral, SVM": svm_corral.run_corral,
    "corral, MLP": mlp_corral.run_corral,
    "parity, MLP": run_parity,
    "curves": run_curves,
    "table": run_table,
}
"""What the ``protocol`` of a part of the settings stands for."""


def run_part(part: Mapping[str, Any], run: Mapping[str, Any], output: Path) -> dict[str, Number]:
    """Run one part by its protocol."""
    return PROTOCOLS[part["protocol"]](part, run, output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, keep the numbers, write the page."""
    return run_experiment(HERE, run_part, arguments)


if __name__ == "__main__":
    sys.exit(main())
