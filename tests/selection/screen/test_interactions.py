"""The screen of columns and pairs: against a slow twin, on problems whose answer is known, and on noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse, stats

from infoprop.exceptions import DataError, ParameterError
from infoprop.selection import interaction_screen
from infoprop.selection.screen import _pairs, _shapes
from infoprop.selection.screen._chance import log_bennett, log_chance, log_sum_tail, log_tail
from infoprop.selection.screen._evidence import Evidences
from infoprop.selection.screen._interactions import _indicators
from infoprop.selection.screen._pairs import PairShapes, best_pairs
from infoprop.selection.screen._shapes import RankFractions, shape


def uniform(n_rows, n_columns, seed):
    return np.random.default_rng(seed).random((n_rows, n_columns))


def ring(X, width):
    return np.abs(np.hypot(X[:, 0] - 0.5, X[:, 1] - 0.5) - 0.35) <= width


def standardised(t):
    return (t - t.mean()) / t.std()


def slow_pairs(X, targets):
    """Squared correlation of every product of two columns with every indicator, one at a time."""
    n, p = X.shape
    result = np.zeros((p, p, len(_pairs.ORDERS), len(targets)))
    u = (np.column_stack([stats.rankdata(X[:, k]) for k in range(p)]) - 0.5) / n
    for i in range(p):
        for j in range(i):
            for number, q in enumerate(_pairs.ORDERS):
                waves = np.cos(np.pi * q * u[:, [i, j]])
                waves = (waves - waves.mean(axis=0)) / waves.std(axis=0)
                product = waves.prod(axis=1)
                for r, target in enumerate(targets):
                    result[i, j, number, r] = result[j, i, number, r] = (
                        np.corrcoef(product, target)[0, 1] ** 2
                    )
    return result


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(_shapes, "BLOCK", 5)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("memory", [0, _pairs.MEMORY])
def test_best_pairs_are_those_of_the_slow_twin(memory, monkeypatch):
    monkeypatch.setattr(_pairs, "MEMORY", memory)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 13)).round(1)
    targets = np.array([standardised(rng.integers(0, 2, 60).astype(float)) for _ in range(2)])
    found, slow = best_pairs(PairShapes(RankFractions(X)), targets, 4), slow_pairs(X, targets)
    assert_allclose(found.r_squared, slow.max(axis=(1, 2, 3)), rtol=1e-4)
    for k in range(13):
        best = slow[k, found.partner[k], found.order[k], found.indicator[k]]
        assert_allclose(best, found.r_squared[k], rtol=1e-4)
    by_pair = np.tril(slow.max(axis=(2, 3)))
    assert_allclose(
        [by_pair[max(i, j), min(i, j)] for i, j, _, _ in found.pairs],
        np.sort(by_pair, axis=None)[::-1][:4],
        rtol=1e-4,
    )


def test_shapes_are_standardised_and_constant_columns_are_zero():
    X = np.column_stack([np.arange(40.0), np.repeat([0.0, 1.0], 20), np.full(40, 7.0)])
    for order in (1, 2, 5):
        z = shape(RankFractions(X).of(slice(None)), order)
        assert_allclose(z.mean(axis=0), 0.0, atol=1e-6)
        assert z[:, 2].tolist() == [0.0] * 40
        assert_allclose(z[:, 0].std(), 1.0, atol=1e-5)


@pytest.mark.parametrize("n_irrelevant", [4, 250])
def test_xor_ring_and_sum_are_found_among_noise(n_irrelevant):
    X = uniform(830, 6 + n_irrelevant, 1)
    c = X - 0.5
    noise = np.random.default_rng(2).normal(0.0, 0.2, len(X))
    y = ring(X, 0.0479) | (-c[:, 2] * c[:, 3] >= 0.0598) | (X[:, 4] + X[:, 5] + noise >= 1.4074)
    screen = interaction_screen(X, y)
    assert set(screen.feature_ranking[:6].tolist()) == set(range(6))
    assert {2, 3} in [set(pair.columns) for pair in screen.pairs[:3]]


def test_monotone_changes_of_columns_change_nothing():
    X = uniform(120, 8, 3)
    y = X[:, 0] + X[:, 1] * X[:, 2] > 0.8
    assert interaction_screen(np.exp(9.0 * X) * 1e9, y) == interaction_screen(X, y)


def test_sparse_rows_give_the_same_bits():
    rng = np.random.default_rng(4)
    X = rng.poisson(0.4, size=(150, 30)).astype(float)
    y = rng.integers(0, 3, 150)
    dense = interaction_screen(X, y)
    for form in (sparse.csr_array, sparse.csc_matrix):
        assert interaction_screen(form(X), y) == dense


def test_noise_is_found_no_more_often_than_said():
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(60):
        X, y = rng.standard_t(2, size=(60, 12)), rng.random(60) < 0.15
        found += interaction_screen(X, y, n_rounds=1).support.any()
    # A column and a pair each have 0.05 false ones expected: 6 in 60 screens; 12 is two standard errors more.
    assert found <= 12


def test_a_rare_word_and_a_rare_class_are_no_miracle():
    """One row alone cannot tell anything, however large the correlation."""
    X = np.zeros((400, 60))
    X[np.arange(60), np.arange(60)] = 1.0
    y = np.zeros(400, dtype=int)
    y[:3] = 1
    assert not interaction_screen(X, y).support.any()


def test_later_rounds_see_what_strong_columns_hide():
    X = uniform(500, 40, 6)
    y = X[:, 0] + 0.25 * (X[:, 1] > 0.5) + 0.15 * (X[:, 2] > 0.5) > 0.7
    one, three = interaction_screen(X, y, n_rounds=1), interaction_screen(X, y, n_rounds=3)
    assert one.support.sum() <= three.support.sum()
    assert set(three.feature_ranking[:3].tolist()) == {0, 1, 2}
    assert three.found_in.max() > 1


def test_several_classes_name_the_class_that_a_pair_tells():
    X = uniform(600, 12, 7)
    y = np.where((X[:, 4] - 0.5) * (X[:, 9] - 0.5) > 0, "both", np.where(X[:, 0] > 0.5, "high", "low"))
    screen = interaction_screen(X, y)
    assert screen.pairs[0].columns == (4, 9)
    assert screen.pairs[0].indicator == "both"
    assert set(screen.feature_ranking[:3].tolist()) == {0, 4, 9}


def test_the_frame_has_names_and_words():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(uniform(200, 4, 8), columns=list("abcd"))
    y = (X["b"] - 0.5) * (X["d"] - 0.5) > 0
    frame = interaction_screen(X, y).to_frame()
    assert set(frame["feature"][:2]) == {"b", "d"}
    assert frame["shape"][0] == "pair"
    assert (frame["expected_by_chance"][:2] < 1e-6).all()


@pytest.mark.parametrize("columns", [1, 2])
def test_few_and_constant_columns_are_no_trouble(columns):
    X = np.zeros((20, columns))
    X[:, 0] = np.arange(20)
    screen = interaction_screen(X, np.arange(20) > 9)
    assert screen.feature_ranking[0] == 0
    assert screen.pairs == ()
    assert np.isfinite(screen.log_expected).all()


def test_what_cannot_be_screened_is_refused():
    X = uniform(20, 3, 9)
    with pytest.raises(DataError, match="at least two classes"):
        interaction_screen(X, np.zeros(20, dtype=int))
    with pytest.raises(ParameterError, match="n_pairs"):
        interaction_screen(X, np.arange(20) % 2, n_pairs=0)
    with pytest.raises(ParameterError, match="n_rounds"):
        interaction_screen(X, np.arange(20) % 2, n_rounds=0)
    with pytest.raises(ValueError, match="NaN"):
        interaction_screen(np.full((4, 2), np.nan), [0, 1, 0, 1])


def test_tails_of_correlations():
    rng = np.random.default_rng(10)
    x, t = rng.normal(size=30), rng.normal(size=30)
    r, p = stats.pearsonr(x, t)
    assert_allclose(np.exp(log_tail(np.array([r**2]), 30)), p, rtol=1e-10)
    # Beyond what floating-point numbers hold, the tail goes on falling.
    far = log_tail(np.array([0.9, 0.95, 0.99]), 4000)
    assert (np.diff(far) < 0).all()
    assert_allclose(far[0], 1999.0 * np.log(0.1), rtol=1e-2)


def test_heavy_tails_get_a_bound():
    rare = standardised((np.arange(500) < 2).astype(float))
    r_squared = np.array([1.0])
    bounded = log_chance(r_squared, 500, rare[:, np.newaxis], rare)
    assert bounded[0] == log_bennett(r_squared, 500, np.array([rare.max() ** 2]))[0]
    # Both rare rows in both: one in 500 * 499 / 2 permutations.
    assert bounded[0] >= -np.log(500 * 499 / 2)


def test_shapes_and_classes_together_are_an_analysis_of_variance():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(90, 3)), rng.integers(0, 2, 90), rng.integers(0, 3, 90)])
    y = np.repeat([0, 1, 2], 30)
    _, targets, shares = _indicators(y)
    evidences = Evidences(RankFractions(X), shares, 1)
    waves = evidences._waves.of(slice(0, 5))
    assert waves.is_new.sum(axis=0).tolist() == [6, 6, 6, 1, 2]
    r_squared = np.array([targets @ z / len(z) for z in waves.values]) ** 2
    found = evidences._together(waves, r_squared, 90)
    u = (np.array([stats.rankdata(column) for column in X.T]).T - 0.5) / 90
    for k in range(5):
        basis, total, best = [np.ones(90)], 0.0, 0.0
        for q in range(1, 7):
            wave = np.cos(np.pi * q * u[:, k])
            known = np.column_stack(basis)
            rest = wave - known @ np.linalg.lstsq(known, wave, rcond=None)[0]
            if wave.std() > 1e-9 and rest.std() > 0.05 * wave.std():
                basis.append(rest)
                between = sum(30 * rest[y == c].mean() ** 2 for c in range(3)) / (90 * rest.var())
                total -= (90 - 3.0) * np.log1p(-between)
                best = min(best, stats.chi2.logsf(total, 2 * (len(basis) - 1)))
        np.testing.assert_allclose(found[k], best, rtol=1e-3)


def test_tails_of_sums_go_on_where_the_integral_ends():
    values = np.array([0.5, 30.0, 1200.0, 1340.0])
    np.testing.assert_allclose(log_sum_tail(values, np.full(4, 6.0)), stats.chi2.logsf(values, 6), rtol=1e-2)
    assert log_sum_tail(np.array([4000.0]), np.array([6.0]))[0] < -1900
