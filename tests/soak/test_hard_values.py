"""Fits of at most 10,000 cells, whatever their values: done or refused in a sentence within ten seconds.

``python -m pytest tests/soak/test_hard_values.py -m soak -s`` prints the longest of each classifier.
"""

import signal
import time
import warnings

import numpy as np
import pytest
from scipy import sparse

from infoprop.exceptions import InfopropError
from infoprop.mlp import MLPClassifier
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier

pytestmark = pytest.mark.soak

MOST_SECONDS = 10.0  # of processor time
COSTS = (1e-3, 1.0, 1e6)
SCALES = (1e-300, 1e-160, 1e-30, 1e-8, 1e8, 1e30, 1e150, 1e300)


def linear(solver="auto", loss="hinge"):
    return lambda cost: OneVsRestSVC(kernel="linear", C=cost, solver=solver, loss=loss)


def curved(kernel, **more):
    return lambda cost: OneVsRestSVC(kernel=kernel, C=cost, **more)


MACHINES = {
    "linear": linear(),
    "linear, cd": linear("cd"),
    "linear, smo": linear("smo"),
    "linear, primal": linear("primal"),
    "linear, squared hinge": linear(loss="squared_hinge"),
    "rbf": curved("rbf"),
    "rbf, gamma=1": curved("rbf", gamma=1.0),
    "poly": curved("poly", coef0=1.0),
    "anova": curved("anova", degree=2, gamma=0.1),
}
OTHERS = {
    "network": MLPClassifier(random_state=0),
    "network, squared loss": MLPClassifier((20,), loss="squared_error", random_state=0),
    "FeatureShaper": FeatureShaper(),
    "FeatureShaper, window": FeatureShaper(window="auto"),
    "LocalProbabilityShaper": LocalProbabilityShaper(),
    "BNSScaler": BNSScaler(),
    "shaped": ShapedLinearClassifier(random_state=0),
}
MODELS = {f"{name}, C={cost:g}": make(cost) for name, make in MACHINES.items() for cost in COSTS} | OTHERS


def plain(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.argmax(X[:, : min(d, 3)] + rng.standard_normal((n, min(d, 3))), axis=1)


def tables():
    """Rows and classes by what is hard about them."""
    X, y = plain(300, 5)
    first = np.arange(5) == 0
    found = {f"x {scale:g}": (X * scale, y) for scale in SCALES}
    found |= {f"a column x {factor:g}": (np.where(first, X * factor, X), y) for factor in (1e-12, 1e6, 1e12)}
    found |= {f"plus {shift:g}": (X + shift, y) for shift in (1e4, 1e8, 1e12)}
    found |= {f"60 x 2 plus {shift:g}": (Z + shift, c) for shift in (1e4, 1e8) for Z, c in [plain(60, 2)]}
    found["scales from 1e-9 to 1e9"] = (X * np.logspace(-9, 9, 5), y)
    found["a constant column"] = (np.where(first, 3.0, X), y)
    found["constant"] = (np.ones_like(X), y)
    found["a cell of 1e10"] = (np.where(np.arange(X.size).reshape(X.shape) == 7, 1e10, X), y)
    found["the same columns"] = (np.repeat(X[:, :1], 5, axis=1), y)
    found["the same rows, all classes"] = (np.repeat(X[:100], 3, axis=0), np.tile([0, 1, 2], 100))
    found["noise"] = (X, np.random.default_rng(1).integers(3, size=300))
    found["a class of one row"] = (X, (np.arange(300) == 11).astype(int))
    found["binary"] = ((X > 0).astype(float), y)
    found["40 x 250"] = plain(40, 250)
    found["5000 x 2"] = plain(5000, 2)
    found["5000 x 2, x 1e6"] = (plain(5000, 2)[0] * 1e6, plain(5000, 2)[1])
    found["sparse"] = (sparse.csr_array(sparse.random(200, 50, 0.1, random_state=0)), plain(200, 5)[1])
    found["sparse, a column x 1e6"] = (
        sparse.csr_array(found["sparse"][0] @ sparse.diags_array([1e6] + 49 * [1.0])),
        found["sparse"][1],
    )
    assert all(X.shape[0] * X.shape[1] <= 10_000 for X, _ in found.values())
    return found


TABLES = tables()


def interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_every_fit_ends_soon(name):
    model = MODELS[name]
    two_classes = type(model).__module__.startswith("infoprop.shaping")
    seconds, wrong = {}, []
    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        for what in [next(iter(TABLES)), "sparse", *TABLES]:  # compiled with the first two
            X, y = TABLES[what]
            signal.setitimer(signal.ITIMER_PROF, 6 * MOST_SECONDS)
            begin = time.process_time()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model.fit(X, y > 0 if two_classes else y)
            except InfopropError:
                pass
            except (Exception, KeyboardInterrupt) as error:
                wrong.append((what, repr(error)))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
            seconds[what] = time.process_time() - begin
    finally:
        signal.signal(signal.SIGPROF, before)
    longest = max(seconds, key=seconds.get)
    total = sum(seconds.values())
    print(f"{name}: {len(seconds)} fits, {total:.1f} s, longest {seconds[longest]:.2f} s, {longest}")
    assert wrong == []
    assert seconds[longest] < MOST_SECONDS
