from itertools import product

import numpy as np
import pytest

from infoprop.datasets import make_corral, make_led24, make_parity
from infoprop.exceptions import ParameterError


def mutual_information(a: np.ndarray, b: np.ndarray) -> float:
    """I(A;B) in bits from its definition, for two binary arrays."""
    total = 0.0
    for u, v in product((0, 1), repeat=2):
        joint = np.mean((a == u) & (b == v))
        if joint:
            total += joint * np.log2(joint / (np.mean(a == u) * np.mean(b == v)))
    return float(total)


def test_led_without_inversion_shows_ten_different_digits() -> None:
    data = make_led24(2_000, inversion=0.0, random_state=0)
    shapes = {digit: np.unique(data.X[data.y == digit][:, :7], axis=0) for digit in range(10)}
    assert all(len(rows) == 1 for rows in shapes.values())
    lit = {digit: int(rows.sum()) for digit, rows in shapes.items()}
    assert lit == {0: 6, 1: 2, 2: 5, 3: 5, 4: 4, 5: 5, 6: 6, 7: 3, 8: 7, 9: 6}
    assert len({tuple(rows[0]) for rows in shapes.values()}) == 10
    one = dict(zip(data.feature_names, shapes[1][0], strict=False))
    assert [name for name, on in one.items() if on] == ["upper right", "lower right"]


def test_led_inverts_a_tenth_of_the_segments_and_the_rest_are_coins() -> None:
    noisy = make_led24(20_000, random_state=0)
    clean = make_led24(20_000, inversion=0.0, random_state=0)
    np.testing.assert_array_equal(noisy.y, clean.y)
    np.testing.assert_allclose((noisy.X != clean.X)[:, :7].mean(axis=0), 0.1, atol=0.01)
    np.testing.assert_allclose(noisy.X[:, 7:].mean(axis=0), 0.5, atol=0.015)
    np.testing.assert_allclose(np.bincount(noisy.y) / 20_000, 0.1, atol=0.01)
    assert set(np.unique(noisy.X)) == {0.0, 1.0}
    assert noisy.X.shape == (20_000, 24)
    assert noisy.relevant == tuple(range(7))


def test_led_with_certain_inversion_shows_the_negative() -> None:
    clean, negative = (make_led24(50, inversion=p, random_state=0) for p in (0.0, 1.0))
    np.testing.assert_array_equal(negative.X[:, :7], 1 - clean.X[:, :7])


@pytest.mark.parametrize("inversion", [-0.1, 1.1, np.nan, "0.1"])
def test_led_inversion_is_a_probability(inversion: float) -> None:
    with pytest.raises(ParameterError, match="'inversion' parameter of make_led24"):
        make_led24(inversion=inversion)


@pytest.mark.parametrize("complete", [True, False])
def test_corral_class_is_its_formula(complete: bool) -> None:
    data = make_corral(complete=complete, random_state=0)
    a0, a1, b0, b1 = data.X[:, :4].astype(bool).T
    np.testing.assert_array_equal(data.y, (a0 & a1) | (b0 & b1))
    assert data.relevant == (0, 1, 2, 3)
    assert data.feature_names[4:] == ("irrelevant", "correlated")


def test_complete_corral_has_every_setting_and_the_exact_probabilities() -> None:
    data = make_corral(complete=True)
    settings, counts = np.unique(data.X[:, :5], axis=0, return_counts=True)
    assert len(settings) == 32
    assert set(counts) == {4}
    assert data.y.mean() == 7 / 16
    for rows in (data.y == 0, data.y == 1):
        assert (data.X[rows, 5] == data.y[rows]).mean() == 0.75


def test_complete_corral_gives_the_published_information_of_single_features() -> None:
    data = make_corral(complete=True)
    bits = [mutual_information(column, data.y) for column in data.X.T]
    np.testing.assert_allclose(bits[:4], 0.1058, atol=5e-5)
    assert bits[4] == pytest.approx(0.0, abs=1e-12)
    assert bits[5] == pytest.approx(0.186, abs=5e-4)


def test_complete_corral_repeats_itself_in_multiples_of_128() -> None:
    once, thrice = make_corral(complete=True), make_corral(384, complete=True, random_state=5)
    np.testing.assert_array_equal(np.tile(once.X, (3, 1)), thrice.X)
    with pytest.raises(
        ParameterError, match="'n_samples' parameter of make_corral must be a multiple of 128"
    ):
        make_corral(100, complete=True)
    with pytest.raises(ParameterError, match=r"'match' parameter of make_corral must be 0\.75"):
        make_corral(match=0.8, complete=True)


def test_random_corral_matches_as_often_as_asked() -> None:
    for match in (0.75, 0.9, 1.0):
        data = make_corral(20_000, match=match, random_state=0)
        assert (data.X[:, 5] == data.y).mean() == pytest.approx(match, abs=0.01)
        assert data.y.mean() == pytest.approx(7 / 16, abs=0.015)
        np.testing.assert_allclose(data.X[:, :5].mean(axis=0), 0.5, atol=0.015)


@pytest.mark.parametrize("parameters", [{"match": 1.5}, {"complete": 1}])
def test_corral_parameters_are_checked(parameters: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=f"The '{next(iter(parameters))}' parameter of make_corral"):
        make_corral(**parameters)


def test_parity_has_five_bits_five_copies_and_five_idle_ones() -> None:
    data = make_parity(20_000, random_state=0)
    assert data.X.shape == (20_000, 15)
    assert data.relevant == (0, 1, 2, 3, 4)
    np.testing.assert_array_equal(data.y, data.X[:, :5].sum(axis=1) % 2)
    np.testing.assert_array_equal(data.X[:, 5:10], data.X[:, :5])
    np.testing.assert_allclose(data.X.mean(axis=0), 0.5, atol=0.015)
    assert data.y.mean() == pytest.approx(0.5, abs=0.015)


def test_parity_of_fewer_bits_says_nothing() -> None:
    data = make_parity(50_000, random_state=0)
    assert mutual_information(data.X[:, :4].sum(axis=1) % 2, data.y) < 1e-3
    assert mutual_information(data.X[:, :5].sum(axis=1) % 2, data.y) == pytest.approx(1.0, abs=1e-3)


def test_parity_takes_other_sizes() -> None:
    data = make_parity(10, n_relevant=3, n_redundant=1, n_irrelevant=0, random_state=0)
    assert data.feature_names == ("bit 1", "bit 2", "bit 3", "copy of bit 1")
    with pytest.raises(
        ParameterError, match=r"'n_redundant' parameter of make_parity must be .* <= 3. Got 4"
    ):
        make_parity(n_relevant=3, n_redundant=4)
    with pytest.raises(ParameterError, match="'n_relevant' parameter of make_parity"):
        make_parity(n_relevant=0)
    with pytest.raises(ParameterError, match="'n_irrelevant' parameter of make_parity"):
        make_parity(n_irrelevant=-1)
