"""Feature shaping against sorting alone, against optbinning's WoE, and against scikit-learn's encoders.

One class against the rest: Pregnancy on ohscal (word counts, CSR), A on letter. infoprop fits and transforms
with FeatureShaper() and all its steps: tables, local probabilities, bi-normal separation, rows of length
one. On text the peer is a floor, not a method: NumPy sorts the non-zero values of each column of a CSC
matrix, and nothing else. On letter, scikit-learn cuts columns into five quantile bins and encodes them by
the target (both as fit then transform, without TargetEncoder's cross-fitting, and as fit_transform, with
it); optbinning fits a BinningProcess and transforms to weights of evidence; it runs in an environment of its
own (`peers/optbinning.txt`), timed by itself. The methods of a row take turns, the best of 25 times counts
(three for optbinning). Ratio = seconds of the peer / seconds of infoprop; "at least" is the ratio that we
want to keep.
"""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _measure import best_times
from _peers import peer_seconds
from _problems import DATA
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, TargetEncoder

from infoprop.datasets import load_table
from infoprop.shaping import FeatureShaper

REPEATS = 25
OPTBINNING_REPEATS = 3


def text_row() -> dict[str, Any]:
    stored = np.load(DATA / "ohscal.npz", allow_pickle=False)
    parts = (stored["data"].astype(np.float64), stored["indices"], stored["indptr"])
    X = sparse.csr_array(parts, shape=tuple(stored["shape"]))
    y = stored["classes"][stored["y"]] == "Pregnancy"
    columns = X.tocsc()

    def sort() -> None:
        for first, last in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
            np.sort(columns.data[first:last])

    return _row("ohscal", X, "np.sort of every column", sort, _ours(X, y), 0.2)


def letter_rows() -> Iterator[dict[str, Any]]:
    data = load_table(DATA / "letter.csv.gz", target="class", split="split")
    X, y = np.ascontiguousarray(data.frame.to_numpy(), dtype=np.float64), data.y == "A"

    def encoders() -> Any:
        return make_pipeline(
            KBinsDiscretizer(encode="ordinal", quantile_method="averaged_inverted_cdf"), TargetEncoder()
        )

    peers = {
        "KBinsDiscretizer + TargetEncoder, fit, transform": lambda: encoders().fit(X, y).transform(X),
        "KBinsDiscretizer + TargetEncoder, fit_transform": lambda: encoders().fit_transform(X, y),
    }
    for name, peer in peers.items():
        yield _row("letter", X, name, peer, _ours(X, y), 3)
    yield _optbinning_row(X, y)


def _ours(X: Any, y: Any) -> Callable[[int | None], Any]:
    return lambda n_jobs: FeatureShaper(n_jobs=n_jobs).fit(X, y).transform(X)


def _optbinning_row(X: Any, y: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.npz"
        np.savez(rows, X=X, y=y.astype(int))
        taken = peer_seconds("optbinning", rows, OPTBINNING_REPEATS)
    return _row("letter", X, "optbinning BinningProcess, WoE", taken, _ours(X, y), 50)


def _row(
    name: str,
    X: Any,
    peer_name: str,
    peer: Callable[[], Any] | float,
    ours: Callable[[int | None], Any],
    least: float,
) -> dict[str, Any]:
    """Measure; a peer that is a number of seconds has been measured already."""
    methods: dict[str, Callable[[], Any]] = {"one": lambda: ours(None), "two": lambda: ours(2)}
    if not isinstance(peer, float):
        methods["peer"] = peer
    with warnings.catch_warnings():
        # Bins of letter's whole numbers coincide.
        warnings.filterwarnings("ignore", message="Bins whose width are too small")
        for method in methods.values():
            method()
        seconds, _ = best_times(methods, REPEATS)
    duration = peer if isinstance(peer, float) else seconds["peer"]
    return {
        "data": name,
        "rows x columns": f"{X.shape[0]} x {X.shape[1]}",
        "peer": peer_name,
        "peer s": f"{duration:.3g}",
        "infoprop s": f"{seconds['one']:.3g}",
        "ratio": f"{duration / seconds['one']:.3g}",
        "with n_jobs=2 s": f"{seconds['two']:.3g}",
        "ratio with n_jobs=2": f"{duration / seconds['two']:.3g}",
        "at least": least,
    }


def run() -> list[dict[str, Any]]:
    """Return one row for each data set and peer."""
    if not DATA.is_dir():
        print(f"skipped: no data at INFOPROP_DATA={DATA}")
        return []
    return [text_row(), *letter_rows()]
