from itertools import combinations
from math import factorial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from infoprop.credit._machines import machines_of
from infoprop.credit._networks import SequentialClassifier
from infoprop.credit._row_terms import function_terms, network_terms, product_terms
from reference.networks import Layer

RNG = np.random.default_rng(0)


def shapley_values(worth, n_players):
    """The definition: the mean over all orders of what a player adds to those before him."""
    values = np.zeros(n_players)
    for k in range(n_players):
        others = [player for player in range(n_players) if player != k]
        for size in range(n_players):
            weight = factorial(size) * factorial(n_players - 1 - size) / factorial(n_players)
            for before in combinations(others, size):
                values[k] += weight * (worth((*before, k)) - worth(before))
    return values


@pytest.mark.parametrize("n_columns", [1, 2, 5, 6])
def test_terms_of_an_rbf_machine_are_shapley_values(n_columns):
    X, vectors = RNG.normal(size=(3, n_columns)), RNG.normal(size=(7, n_columns))
    coefficients = RNG.normal(size=7)
    found = product_terms(X, vectors, coefficients, 0.3)
    for row, terms in zip(X, found, strict=True):

        def worth(present, row=row):
            distances = ((row - vectors) ** 2)[:, list(present)].sum(axis=1)
            return coefficients @ np.exp(-0.3 * distances)

        np.testing.assert_allclose(terms, shapley_values(worth, n_columns), rtol=1e-10, atol=1e-13)


def test_rows_one_at_a_time_and_all_at_once_have_the_same_terms(monkeypatch):
    X, vectors, coefficients = RNG.normal(size=(9, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=5)
    whole = product_terms(X, vectors, coefficients, 0.5)
    monkeypatch.setattr("infoprop.credit._row_terms._BLOCK_ENTRIES", 40)
    np.testing.assert_array_equal(product_terms(X, vectors, coefficients, 0.5), whole)


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel="linear"),
        SVC(kernel="rbf"),
        SVC(kernel="poly", degree=3, coef0=1.0),
        SVC(kernel="sigmoid", gamma=0.01),
    ],
    ids=lambda model: model.kernel,
)
def test_terms_add_up_to_the_output(model):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    (machine,) = machines_of(model.fit(X, y), X[:20])
    terms, base = function_terms(machine.function, machine.rows, np.full(X.shape[1], 0.1))
    np.testing.assert_allclose(terms.sum(axis=1) + base, model.decision_function(X[:20]), atol=1e-9)


@pytest.mark.parametrize("activation", ["tanh", "relu", "logistic"])
@pytest.mark.parametrize("last", ["softmax", "logistic", "identity"])
def test_terms_of_a_network_add_up_layer_by_layer(activation, last):
    widths = [6, 5, 4, 3]
    layers = [
        Layer(RNG.normal(size=(a, b)), RNG.normal(size=b), kind)
        for a, b, kind in zip(widths, widths[1:], [activation, activation, last], strict=False)
    ]
    X, reference = RNG.normal(size=(8, 6)), RNG.normal(size=6)
    X[0] = reference
    hidden = layers[1].outputs(layers[0].outputs(X)) @ layers[2].weights + layers[2].intercepts
    # A softmax does not see what its units have in common.
    expected = hidden - (hidden.mean(axis=1, keepdims=True) if last == "softmax" else 0.0)
    for k, machine in enumerate(machines_of(SequentialClassifier(tuple(layers), np.arange(3)), X)):
        assert machine.positive == k
        np.testing.assert_allclose(machine.outputs(), expected[:, k], atol=1e-12)
        terms, base = function_terms(machine.function, X, reference)
        np.testing.assert_allclose(terms.sum(axis=1) + base, expected[:, k], atol=1e-12)
        np.testing.assert_allclose(terms[0], 0.0)


@pytest.mark.parametrize("activation", ["tanh", "relu", "logistic"])
def test_terms_of_a_network_are_handed_back_unit_by_unit(activation):
    first = Layer(RNG.normal(size=(4, 3)), RNG.normal(size=3), activation)
    last = Layer(RNG.normal(size=(3, 1)), RNG.normal(size=1), "identity")
    X, reference = RNG.normal(size=(6, 4)), RNG.normal(size=4)
    expected = np.zeros_like(X)
    for i, row in enumerate(X):
        gained = (first.outputs(row[None]) - first.outputs(reference[None]))[0]
        for j in range(3):
            parts = (row - reference) * first.weights[:, j]
            expected[i] += last.weights[j, 0] * gained[j] * parts / parts.sum()
    np.testing.assert_allclose(network_terms([first, last], X, reference), expected, rtol=1e-9)


def test_a_network_without_hidden_layers_is_a_linear_machine():
    layer = Layer(RNG.normal(size=(4, 1)), RNG.normal(size=1), "identity")
    X, reference = RNG.normal(size=(5, 4)), RNG.normal(size=4)
    np.testing.assert_allclose(network_terms([layer], X, reference), (X - reference) * layer.weights[:, 0])
