"""What a user waits for before anything is computed: imports, help, first compilation."""

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

IMPORT = """
import sklearn, time
start = time.perf_counter()
import infoprop
print(time.perf_counter() - start)
"""
FIRST_DEMO = [sys.executable, "-m", "infoprop", "demo", "--report"]


def _seconds(command: list[str], repeats: int = 5, **environment: str) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
        best = min(best, time.perf_counter() - start)
    return best


def _import_seconds() -> float:
    """Seconds that ``import infoprop`` takes in a process that has scikit-learn already."""
    done = subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True)
    return float(done.stdout)


def run() -> list[dict[str, Any]]:
    """Return seconds of each start-up path and the limit it must keep."""
    help_text = _seconds([sys.executable, "-m", "infoprop", "--help"])
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "demo.html")
        cold = _seconds([*FIRST_DEMO, report], repeats=1, NUMBA_CACHE_DIR=folder)
        warm = _seconds([*FIRST_DEMO, report], repeats=3, NUMBA_CACHE_DIR=folder)
    return [
        {"what": "import infoprop after scikit-learn", "seconds": round(_import_seconds(), 3), "limit": 0.3},
        {"what": "infoprop --help", "seconds": round(help_text, 3), "limit": 0.5},
        {"what": "compilation in the first demo", "seconds": round(cold - warm, 2), "limit": 15},
        {"what": "the demo, compiled", "seconds": round(warm, 2), "limit": ""},
    ]
