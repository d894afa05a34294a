"""The rows of the table: what is run in one draw, how often, and what is wanted of the means."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
from error_control import designs
from error_control.designs import Problem
from infoprop2001.problems import DataNotHereError
from sklearn.feature_selection import RFE
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler
from sklearn.svm import LinearSVC

from infoprop.datasets import load_table
from infoprop.selection import KnockoffSelector, StabilitySelector
from infoprop.svm import OneVsRestSVC

HERE = Path(__file__).resolve().parent

Outcome = Mapping[str, float]
"""What one draw gives: power and share of false features in percent, or what a row measures instead."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    key, title : str
    draw : callable
        Does one draw, given its seed.
    n_draws, n_quick : int
        Number of draws in a full run and in a quick one.
    wanted : mapping from measure to (sign, bound)
        For instance ``{"false": ("<=", 10.0)}``, in percent.
    """

    key: str
    title: str
    draw: Callable[[int], Outcome]
    n_draws: int
    n_quick: int
    wanted: Mapping[str, tuple[str, float]]


def judged(selector: Any, problem: Problem) -> Outcome:
    """Fit, and compare what was chosen with what is real; groups count as features."""
    begun = process_time()
    if problem.groups is not None:
        selector.set_params(groups=problem.groups.tolist())
    chosen = np.flatnonzero(selector.fit(problem.X, problem.y).support_)
    if problem.groups is not None:
        chosen = np.unique(problem.groups[chosen])
    return counted(chosen, problem, process_time() - begun)


def counted(chosen: Any, problem: Problem, seconds: float) -> Outcome:
    """Power and share of false features in percent; seconds are those of a processor."""
    hits = len(np.intersect1d(chosen, problem.real))
    return {
        "power": 100.0 * hits / len(problem.real),
        "false": 100.0 * (len(chosen) - hits) / max(1, len(chosen)),
        "chosen": len(chosen),
        "seconds": seconds,
    }


def _peer(method: str, design: Callable[[int], Problem], seed: int) -> Outcome:
    """What another package chooses, in the environment of ``peers.txt``."""
    interpreter = os.environ.get("INFOPROP_PEERS")
    if interpreter is None:
        raise DataNotHereError("INFOPROP_PEERS names no interpreter that has what peers.txt lists")
    problem = design(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, X=problem.X, y=problem.y)
        begun = getrusage(RUSAGE_CHILDREN)
        command = [interpreter, str(HERE / "peer.py"), method, str(path), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        ended = getrusage(RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime
    return counted(json.loads(done.stdout.splitlines()[-1]), problem, seconds)


def _known(amplitude: int, n_draws: int, seed: int) -> Outcome:
    selector = KnockoffSelector(knockoffs=designs.known_law(600).sample, n_draws=n_draws, random_state=seed)
    return judged(selector, designs.logistic(seed, amplitude))


def _estimated(amplitude: int, seed: int) -> Outcome:
    return judged(KnockoffSelector(random_state=seed), designs.logistic(seed, amplitude))


def tents(C: float) -> Any:
    """Linear machines on three tents of each column, at its ends and its median: they see even functions."""
    machines = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C)
    made = SplineTransformer(n_knots=3, degree=1, knots="quantile")
    return make_pipeline(made, StandardScaler(with_mean=False), machines)


def _bumps_stability(seed: int) -> Outcome:
    selector = StabilitySelector(tents(0.001), n_pairs=25, random_state=seed)
    return judged(selector, designs.bumps(seed))


def _bumps_knockoffs(seed: int) -> Outcome:
    law = designs.known_law(500, 5).sample
    selector = KnockoffSelector(tents(0.006), knockoffs=law, n_knockoffs=5, random_state=seed)
    return judged(selector, designs.bumps(seed))


def _stability(design: Callable[[int], Problem], estimator: Any, n_pairs: int, seed: int) -> Outcome:
    return judged(StabilitySelector(estimator, n_pairs=n_pairs, random_state=seed), design(seed))


def _knockoffs(design: Callable[[int], Problem], law: str, n_knockoffs: int, seed: int) -> Outcome:
    selector = KnockoffSelector(knockoffs=law, n_knockoffs=n_knockoffs, random_state=seed)
    return judged(selector, design(seed))


def real_data(folder: Path, name: str) -> tuple[Any, Any]:
    """Rows and labels of a data set of numbers, columns that are constant left out."""
    path = folder / f"{name}.csv.gz"
    if not path.exists():
        raise DataNotHereError(f"{path.name} is not in the folder that INFOPROP_DATA names")
    table = load_table(path, target="class")
    X = np.asarray(table.frame[list(table.numeric)].to_numpy(), dtype=np.float64)
    return X[:, X.std(axis=0) > 0.0], np.asarray(table.y)


def _permuted(folder: Path, name: str, method: str, seed: int) -> Outcome:
    X, y = real_data(folder, name)
    labels = np.random.default_rng([seed, 10]).permutation(y)
    selector = KnockoffSelector() if method == "knockoffs" else StabilitySelector(n_pairs=10)
    return {"some": 100.0 * (selector.set_params(random_state=seed).fit(X, labels).n_features_ > 0)}


def _copies(folder: Path, name: str, seed: int) -> Outcome:
    """Beside every column a shuffled copy of it, which cannot be real."""
    X, y = real_data(folder, name)
    copies = np.random.default_rng([seed, 11]).permuted(X, axis=0)
    begun = perf_counter()
    selector = StabilitySelector(n_pairs=25, random_state=seed).fit(np.hstack([X, copies]), y)
    chosen = np.flatnonzero(selector.support_)
    n_false = int((chosen >= X.shape[1]).sum())
    rate = 100.0 * n_false / max(1, len(chosen))
    return {"false": rate, "chosen": len(chosen), "seconds": perf_counter() - begun}


def _leukemia(folder: Path, seed: int) -> Outcome:
    X, y = real_data(folder, "leukemia")
    begun = perf_counter()
    selector = StabilitySelector(n_pairs=50, n_jobs=2, random_state=seed).fit(X, y)
    return {"chosen": selector.n_features_, "seconds": perf_counter() - begun}


def _rfe(folder: Path, seed: int) -> Outcome:
    """Processor seconds of scikit-learn's RFE on a hundred halves, from a few trainings on one half.

    With its default step it trains once for every number of columns; ``coarse`` is for ``step=0.2``, which
    drops a fifth of all columns at a time.
    """
    X, y = real_data(folder, "leukemia")
    half = np.random.default_rng([seed, 12]).permutation(len(y))[: len(y) // 2]
    X, y = StandardScaler().fit_transform(X[half]), y[half]
    machine = LinearSVC(C=0.01, random_state=0)
    sizes = np.unique(np.geomspace(1, X.shape[1], 12).astype(int))
    seconds = []
    for size in sizes:
        begun = process_time()
        machine.fit(X[:, :size], y)
        seconds.append(process_time() - begun)
    begun = process_time()
    RFE(machine, n_features_to_select=1, step=0.2).fit(X, y)
    coarse = process_time() - begun
    each = np.interp(np.arange(1, X.shape[1] + 1), sizes, seconds)
    return {"seconds": 100.0 * each.sum(), "coarse": 100.0 * coarse}


LEVEL, SOME = {"false": ("<=", 10.0)}, {"false": ("<=", 12.0)}


def all_rows(folder: Path) -> list[Row]:
    """Return the table of what is wanted; `folder` holds the real data."""
    return [*_logistic_rows(), *_bump_rows(), *_other_rows(), *_real_rows(folder)]


def _known_row(
    key: str, how: str, amplitude: int, power: float, n_draws: int, planned: tuple[int, int]
) -> Row:
    """Knockoffs on the logistic design with its law known; how many draws are planned, all and quick."""
    title = f"Logistic, amplitude {amplitude}, law known: knockoffs, {how}"
    return Row(key, title, partial(_known, amplitude, n_draws), *planned, LEVEL | {"power": (">=", power)})


def _logistic_rows() -> list[Row]:
    wanted = {10: 38.0, 15: 75.0, 20: 90.0, 25: 94.0}
    rows = []
    for amplitude, power in wanted.items():
        rows.append(_known_row(f"known-{amplitude}", "one draw", amplitude, power, 1, (100, 1)))
        design = partial(designs.logistic, amplitude=amplitude)
        name = f"Logistic, amplitude {amplitude}: lasso knockoffs of hidimstat"
        rows.append(Row(f"hidimstat-{amplitude}", name, partial(_peer, "hidimstat", design), 20, 0, {}))
    rows += [
        _known_row(f"e-values-{amplitude}", "e-values of 20 draws", amplitude, power, 20, (20, 0))
        for amplitude, power in ((15, 65.0), (20, 85.0))
    ]
    name = "Logistic, amplitude 15, covariance estimated: knockoffs"
    return [*rows, Row("estimated-15", name, partial(_estimated, 15), 20, 1, SOME)]


def _bump_rows() -> list[Row]:
    knockoffs = "Even bumps, tents, law known: five knockoffs of each"
    return [
        Row(
            "bumps-stability",
            "Even bumps, tents: stability",
            _bumps_stability,
            50,
            0,
            LEVEL | {"power": (">=", 50.0)},
        ),
        Row("bumps-knockoffs", knockoffs, _bumps_knockoffs, 50, 1, LEVEL | {"power": (">=", 20.0)}),
        Row("ipss", "Even bumps: ipss with boosting", partial(_peer, "ipss", designs.bumps), 20, 0, {}),
        Row("boruta", "Even bumps: Boruta", partial(_peer, "boruta", designs.bumps), 10, 0, {}),
    ]


def _other_rows() -> list[Row]:
    square = OneVsRestSVC(kernel="poly", degree=2, coef0=1.0)
    tests = {
        "three-stability": ("Three classes: stability", partial(_stability, designs.three_classes, None, 50)),
        "three-knockoffs": (
            "Three classes, covariance estimated: knockoffs",
            partial(_knockoffs, designs.three_classes, "gaussian", 1),
        ),
        "parity-stability": (
            "Product of 2 in 50, kernel (1 + u·v)²: stability",
            partial(_stability, designs.parity, square, 20),
        ),
        "nominal-stability": ("Nominal columns: stability", partial(_stability, designs.nominal, None, 50)),
        "nominal-knockoffs": (
            "Nominal columns: five knockoffs of each, gaussian",
            partial(_knockoffs, designs.nominal, "gaussian", 5),
        ),
        "words-stability": (
            "Counts of words, sparse: stability",
            partial(_stability, designs.words, None, 50),
        ),
        "words-knockoffs": (
            "Counts of words, sparse: knockoffs, copula",
            partial(_knockoffs, designs.words, "copula", 1),
        ),
    }
    n_quick = {"parity-stability": 0}
    return [Row(key, title, draw, 20, n_quick.get(key, 1), SOME) for key, (title, draw) in tests.items()]


def _real_rows(folder: Path) -> list[Row]:
    rows = [
        Row(
            f"permuted-{name}-{method}",
            f"{name}, labels permuted: {method}",
            partial(_permuted, folder, name, method),
            50,
            1,
            {"some": ("<=", 10.0)},
        )
        for name in ("wine", "wdbc", "sonar", "vehicle", "glass", "colon")
        for method in ("stability", "knockoffs")
    ]
    rows += [
        Row(
            f"copies-{name}",
            f"{name} and shuffled copies of its columns: stability",
            partial(_copies, folder, name),
            5,
            0,
            LEVEL,
        )
        for name in ("colon", "leukemia", "srbct")
    ]
    title = "leukemia, 72 × 7,129, 50 pairs of halves, two processes"
    rows.append(Row("leukemia", title, partial(_leukemia, folder), 1, 0, {"seconds": ("<=", 30.0)}))
    title = "leukemia, 100 halves, RFE of scikit-learn, one column at a time, extrapolated"
    rows.append(Row("rfe", title, partial(_rfe, folder), 1, 1, {}))
    return rows
