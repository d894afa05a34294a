import numpy as np
import pytest

from infoprop.svm import OneVsRestSVC
from infoprop.svm.subset import _wide_squared_hinge
from infoprop.svm.subset._wide_squared_hinge import WideNewtonMachines, newton_optimum
from reference.machines import DualProblem, MovingSVC, SplitRows


def labelled(n=24, p=60, n_classes=3, seed=0):
    generator = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = generator.normal(size=(n, p)) + 5.0
    X[:, :3] += generator.normal(size=(n_classes, 3))[y]
    return X, y


def moving(machine, X, y, weights):
    rows = SplitRows(X[4:], y[4:], weights[4:], X[:4], y[:4], np.ones(4))
    return MovingSVC(machine, [rows], np.unique(y), len(np.unique(y)))


@pytest.mark.parametrize("C", [0.01, 10.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_moved_machines_are_those_trained_anew(C, n_classes):
    X, y = labelled(n_classes=n_classes)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    machine = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C)
    model = moving(machine, X, y, weights)
    assert type(model.machines) is WideNewtonMachines
    order = np.random.default_rng(2).permutation(60)
    for gone in (order[:20], order[20:50], order[50:57]):
        model.fit()
        columns = model.columns
        alone = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=C)
        alone.fit(X[4:][:, columns], y[4:], weights[4:])
        sizes = np.abs(alone.coef_)
        np.testing.assert_allclose(
            model.machines.sensitivities(), sizes, rtol=1e-6, atol=1e-8 * np.abs(sizes).max()
        )
        expected = alone.decision_function(X[:4][:, columns]).reshape(4, -1)
        np.testing.assert_allclose(model.machines.outputs()[0], expected, rtol=1e-6, atol=1e-8)
        model.drop(gone)
    model.add(order[:30])
    model.fit()
    assert set(order[:30]) <= set(model.columns)


def test_a_solver_helps_where_steps_find_no_optimum(monkeypatch):
    X, y = labelled()
    machine = OneVsRestSVC(kernel="linear", loss="squared_hinge", C=0.1)
    found = []
    for most in (50, 0):
        monkeypatch.setattr(_wide_squared_hinge, "_MOST_STEPS", most)
        model = moving(machine, X, y, np.ones(len(y)))
        model.fit()
        found.append((model.machines.sensitivities(), model.machines.outputs()[0]))
    for first, second in zip(*found, strict=True):
        np.testing.assert_allclose(second, first, rtol=1e-6, atol=1e-9)


def test_a_start_of_one_class_or_of_no_row_is_no_hindrance():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(20, 30)), np.where(np.arange(20) < 5, 1.0, -1.0)
    problem = DualProblem.of_squared_hinge(y, np.full(20, 0.1))
    whole = newton_optimum(X @ X.T, problem, np.ones(20, dtype=bool))
    for start in (np.zeros(20, dtype=bool), y > 0.0, np.arange(20) % 2 == 0):
        beta, bias = newton_optimum(X @ X.T, problem, start)
        np.testing.assert_allclose(beta, whole[0], rtol=1e-9, atol=1e-12)
        assert bias == pytest.approx(whole[1])
