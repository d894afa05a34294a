"""Figures of the page on speed."""

from typing import Any


def ratios() -> Any:
    """Every ratio of every benchmark."""
    import json
    from pathlib import Path

    import matplotlib.pyplot as plt
    import numpy as np

    results = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
    names = {
        "svm_cold_fit": "fitting SVMs",
        "growth": "larger tables",
        "elimination_wide": "elimination, wide tables",
        "elimination_tall": "elimination, tall tables",
        "elimination_text": "elimination, words",
        "elimination_kernel": "elimination, rbf machines",
        "elimination_sequential": "elimination, against sequential",
        "mlp_fit": "fitting networks",
        "mlp_search": "search with networks",
        "pairwise_forward": "forward search for pairs",
        "pairwise_genetic": "genetic search and votes of pairs",
        "shaping": "shaping",
    }
    figure, ax = plt.subplots(figsize=(7.0, 3.8), layout="constrained")
    rng = np.random.default_rng(0)
    for place, name in enumerate(names):
        rows = json.loads((results / f"{name}.json").read_text(encoding="utf-8"))["rows"]
        values = [float(row["ratio"]) for row in rows if row["ratio"] != ""]
        ax.plot(values, place + rng.uniform(-0.22, 0.22, len(values)), ".", color="C0", alpha=0.7)
    ax.axvline(1.0, color="C1", linestyle="--")
    ax.set(xscale="log", xlabel="seconds of the peer / seconds of infoprop", yticks=range(len(names)))
    ax.set_yticklabels(names.values())
    ax.invert_yaxis()
    ax.grid(axis="x", alpha=0.4)
    return figure
