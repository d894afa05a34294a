"""All pairs of columns against the class: interaction_screen against products of columns and an F-test.

The peer is what scikit-learn offers: PolynomialFeatures(interaction_only=True) makes the product of every
pair, f_classif tests them. It needs memory for all products at once, so it is measured up to 1,000
columns. One round of the screen tries two products for each pair and six shapes for each column. Rows are
uniform random numbers, the class is the XOR of the first two columns. "seconds" and "peak_mib" are those of
one round, in a process of its own with two threads of linear algebra.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from _measure import best_times
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import PolynomialFeatures

from infoprop.selection import interaction_screen

PEER = "f_classif(PolynomialFeatures(interaction_only=True))"
ALONE = """
import json, time
from pathlib import Path
from screening import problem
from infoprop.selection import interaction_screen
X, y = problem({rows}, {columns})
begin = time.perf_counter()
screen = interaction_screen(X, y, n_rounds=1)
seconds = time.perf_counter() - begin
found = sorted(screen.feature_ranking[:2].tolist()) == [0, 1]
# The peak of this program alone: what getrusage tells begins with the peak of its parent.
peak = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line)
print(json.dumps([seconds, int(peak) / 1024, found]))
"""


def problem(rows: int, columns: int) -> tuple[Any, Any]:
    """XOR of the first two of many columns."""
    X = np.random.default_rng(0).random((rows, columns))
    return X, (X[:, 0] - 0.5) * (X[:, 1] - 0.5) > 0


def alone(rows: int, columns: int) -> tuple[float, float, bool]:
    """Seconds, memory and success of one round in a process of its own."""
    code = ALONE.format(rows=rows, columns=columns)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    seconds, memory, found = json.loads(done.stdout)
    return seconds, memory, found


def run() -> list[dict[str, Any]]:
    """Return the rows of the table."""
    rows = []
    for n, p in ((200, 500), (200, 1000), (72, 7129), (200, 20_000), (1000, 2048)):
        X, y = problem(n, p)
        row: dict[str, Any] = {"rows": n, "columns": p, "pairs": p * (p - 1) // 2}
        seconds, memory, row["pair_found"] = alone(n, p)
        row |= {"seconds": round(seconds, 2), "peak_mib": round(memory), "peer": "–", "ratio": "–"}
        if p <= 1000:
            times, _ = best_times(
                {
                    "infoprop": lambda X=X, y=y: interaction_screen(X, y, n_rounds=1),
                    "peer": lambda X=X, y=y: f_classif(
                        PolynomialFeatures(interaction_only=True, include_bias=False).fit_transform(X), y
                    ),
                },
                repeats=2,
            )
            row |= {"peer": PEER, "ratio": round(times["peer"] / times["infoprop"], 1)}
        rows.append(row)
    return rows
