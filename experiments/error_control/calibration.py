"""How exponent and cutoff of the stability estimate were chosen: on designs that no result is reported on.

``python -m error_control.calibration --draws 12`` from ``experiments`` prints a table.
"""

import argparse
import sys
from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
from error_control.designs import CALIBRATION

from infoprop.selection import RankStability, StabilitySelector
from infoprop.selection.control import _rank_path


def main(arguments: Sequence[str] | None = None) -> int:
    """Rank once in every draw, then estimate by each rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=12)
    options = parser.parse_args(arguments)
    plain = _rank_path.size_weights
    for name, design in CALIBRATION.items():
        fitted = []
        for seed in range(options.draws):
            problem = design(seed)
            selector = StabilitySelector(n_pairs=25, random_state=seed).fit(problem.X, problem.y)
            fitted.append((selector.stability_, problem.real))
        for power in (3, 4, 5, 6):
            for cutoff in (0.05, 0.1):
                with (
                    patch.object(_rank_path, "POWER", power),
                    patch.object(_rank_path, "size_weights", lambda p, B, cutoff=cutoff: plain(p, B, cutoff)),
                ):
                    found = [RankStability(known.names, known.ranks).q_values for known, _ in fitted]
                shares = [
                    _shares(np.flatnonzero(values <= level), real)
                    for level in (0.1, 0.2)
                    for values, (_, real) in zip(found, fitted, strict=True)
                ]
                means = np.reshape(shares, (2, options.draws, 2)).mean(axis=1)
                written = "; ".join(
                    f"q={level}: power {power_:.2f}, FDR {rate:.2f}"
                    for level, (power_, rate) in zip((0.1, 0.2), means, strict=True)
                )
                print(f"{name}, exponent {power}, cutoff {cutoff}: {written}", flush=True)
    return 0


def _shares(chosen: np.ndarray, real: np.ndarray) -> tuple[float, float]:
    hits = len(np.intersect1d(chosen, real))
    return hits / len(real), (len(chosen) - hits) / max(1, len(chosen))


if __name__ == "__main__":
    sys.exit(main())
