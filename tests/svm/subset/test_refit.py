import numpy as np
import pytest
from scipy import sparse

from infoprop.svm import OneVsRestSVC
from infoprop.svm.subset._refit import WarmMachines
from reference.engine import moving, split_rows
from reference.moving import cold

TINY = 1e-4


def splits_of(as_rows=np.asarray):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(60) % 3)
    X = rng.normal(size=(60, 5)) + (y[:, None] == np.arange(5))
    X[np.abs(X) < 0.5] = 0.0
    rows = np.arange(60)
    return [split_rows(as_rows(X), y, rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(2)]


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear"},
        {"kernel": "rbf"},
        {"kernel": "poly", "coef0": 1.0, "degree": 2},
        {"kernel": "anova"},
    ],
    ids=lambda parameters: parameters["kernel"],
)
def test_a_tiny_budget_gives_the_same_results(parameters, as_rows):
    estimator = OneVsRestSVC(tol=1e-9, cache_size=TINY, **parameters)
    splits = splits_of(as_rows)
    model = moving(estimator, splits)
    assert isinstance(model.machines, WarmMachines)
    assert model.eliminating_machines is None
    for columns in ([0, 1, 2, 3, 4], [0, 1, 3], [0, 1, 2, 3], [4]):
        model.drop(np.arange(5))
        model.add(np.array(columns))
        model.fit()
        models = [cold(estimator, split, columns, tol=1e-9) for split in splits]
        shares = np.mean([twin.credit_shares() for twin in models], axis=0)
        np.testing.assert_allclose(model.credit_shares(), shares, atol=1e-6)
        for twin, split, outputs, labels in zip(
            models, splits, model.machines.outputs(), model.predict(), strict=True
        ):
            rows = split.X_test[:, columns]
            np.testing.assert_allclose(outputs, twin.decision_function(rows), atol=1e-5)
            np.testing.assert_array_equal(labels, twin.predict(rows))


def test_dual_variables_of_all_splits_are_handed_over():
    estimator = OneVsRestSVC(kernel="rbf", tol=1e-6, cache_size=TINY)
    model = moving(estimator, splits_of())
    model.fit()
    beta = model.machines.beta
    assert beta.shape == (6, 40)
    twin = moving(estimator, splits_of())
    twin.machines.set_columns(np.arange(5), beta)
    np.testing.assert_allclose(twin.machines.beta, beta, atol=1e-4)
    np.testing.assert_allclose(twin.machines.sensitivities(), model.machines.sensitivities(), rtol=1e-3)
