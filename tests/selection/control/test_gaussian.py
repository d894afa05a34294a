import numpy as np
import pytest
from scipy.optimize import minimize

from infoprop.selection import GaussianKnockoffs
from infoprop.selection.control import _gaussian
from infoprop.selection.control._copula import CopulaKnockoffs, normal_scores
from infoprop.selection.control._gaussian import diagonal_separation, separation


def correlations(n_columns, seed=0, n_rows=30):
    return np.corrcoef(np.random.default_rng(seed).normal(size=(n_rows, n_columns)).T)


def test_separation_is_what_a_general_optimiser_finds():
    known = correlations(4)

    def objective(s):
        sign, logarithm = np.linalg.slogdet(2.0 * known - np.diag(s))
        return np.inf if sign <= 0 else -(s.sum() + _gaussian._BARRIERS[-1] * logarithm)

    best = minimize(objective, np.full(4, 0.1), bounds=[(0.0, 1.0)] * 4, method="Nelder-Mead")
    assert objective(diagonal_separation(known)) <= best.fun + 1e-3


@pytest.mark.parametrize("n_knockoffs", [1, 4])
@pytest.mark.parametrize("n_columns", [1, 5, 40])
def test_columns_and_knockoffs_have_a_covariance_together(n_columns, n_knockoffs, monkeypatch):
    known = correlations(n_columns, n_rows=60) if n_columns > 1 else np.eye(1)
    for most in (1000, 0):
        monkeypatch.setattr(_gaussian, "_MOST_COLUMNS", most)
        s = diagonal_separation(known, n_knockoffs)
        assert (s >= 0.0).all()
        assert (s <= 1.0).all()
        assert np.linalg.eigvalsh((1.0 + 1.0 / n_knockoffs) * known - np.diag(s))[0] > -1e-9


def test_groups_are_separated_as_a_whole():
    known, labels = correlations(6), np.array([0, 1, 0, 2, 1, 1])
    S = separation(known, labels)
    assert (S[labels[:, None] != labels] == 0.0).all()
    np.testing.assert_allclose(S, S.T, atol=1e-12)
    assert np.linalg.eigvalsh(2.0 * known - S)[0] > -1e-9
    assert np.linalg.eigvalsh(S)[0] > -1e-9
    np.testing.assert_allclose(np.diag(separation(known, np.arange(6))), diagonal_separation(known))


@pytest.mark.parametrize("labels", [np.arange(4), np.array([0, 0, 1, 2])])
def test_moments_do_not_change_when_groups_are_swapped(labels):
    covariance = 4.0 * correlations(4, seed=3)
    generator = np.random.default_rng(0)
    X = generator.multivariate_normal([1.0, -2.0, 0.0, 5.0], covariance, size=40000)
    sampler = GaussianKnockoffs.from_covariance(X.mean(axis=0), covariance, labels)
    both = np.hstack([X, sampler.sample(X, generator)])
    found = np.cov(both.T)
    for group in np.unique(labels):
        columns = np.arange(8)
        own = np.flatnonzero(labels == group)
        columns[own], columns[own + 4] = own + 4, own
        np.testing.assert_allclose(found[np.ix_(columns, columns)], found, atol=0.12)
    np.testing.assert_allclose(both[:, 4:].mean(axis=0), X.mean(axis=0), atol=0.05)


@pytest.mark.parametrize("labels", [np.arange(3), np.array([0, 0, 1])])
def test_several_knockoffs_are_alike_and_related_to_others_as_their_column_is(labels):
    covariance = correlations(3, seed=4)
    generator = np.random.default_rng(0)
    X = generator.multivariate_normal(np.zeros(3), covariance, size=40000)
    made = GaussianKnockoffs.from_covariance(np.zeros(3), covariance, labels, 3).sample(X, generator)
    assert made.shape == (3, 40000, 3)
    versions = [X, *made]
    S = separation(covariance, labels, 3)
    for first, one in enumerate(versions):
        for second, other in enumerate(versions):
            expected = covariance if first == second else covariance - S
            np.testing.assert_allclose(one.T @ other / len(X), expected, atol=0.04)


def test_constant_and_repeated_columns():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(50, 3))
    X = np.column_stack([X, np.full(50, 7.0), X[:, 0]])
    made = GaussianKnockoffs.from_rows(X, np.arange(5)).sample(X, generator)
    assert np.isfinite(made).all()
    np.testing.assert_array_equal(made[:, 3], X[:, 3])


def test_scores_know_ranks_only_and_values_come_back():
    generator = np.random.default_rng(0)
    X = np.exp(generator.normal(size=(200, 3)))
    scores = normal_scores(X, np.random.default_rng(1))
    np.testing.assert_allclose(scores, normal_scores(np.log(X), np.random.default_rng(2)))
    assert abs(scores.std() - 1.0) < 0.02
    counts = generator.poisson(0.5, size=(300, 4)).astype(float)
    made = CopulaKnockoffs.from_rows(counts, np.arange(4), generator).sample(counts, generator)
    assert set(np.unique(made)) <= set(np.unique(counts))
    np.testing.assert_allclose(made.mean(axis=0), counts.mean(axis=0), atol=0.15)
