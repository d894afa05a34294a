import numpy as np
import pytest

from infoprop.datasets import make_graded_noise, make_infoprop_synthetic, make_waveform40
from infoprop.exceptions import ParameterError


def test_synthetic_has_the_printed_priors_means_and_variances() -> None:
    data = make_infoprop_synthetic(40_000, random_state=0)
    shares = [(data.y == label).mean() for label in (1, 2, 3)]
    np.testing.assert_allclose(shares, [0.5, 0.3, 0.2], atol=0.01)
    for label in (1, 2, 3):
        rows = data.X[data.y == label]
        expected = np.zeros(9)
        expected[label - 1] = label
        np.testing.assert_allclose(rows.mean(axis=0), expected, atol=0.2)
        np.testing.assert_allclose(rows[:, :3].mean(axis=0), expected[:3], atol=0.02)
        np.testing.assert_allclose(rows[:, :3].var(axis=0), 0.1, rtol=0.06)
        np.testing.assert_allclose(rows[:, 3:].var(axis=0), 20.0, rtol=0.06)
    assert data.relevant == (0, 1, 2)


def test_synthetic_with_equal_means_has_standard_deviation_a_tenth() -> None:
    data = make_infoprop_synthetic(40_000, reading="equal-means", random_state=0)
    for label in (1, 2, 3):
        rows = data.X[data.y == label]
        np.testing.assert_allclose(rows[:, :3].mean(axis=0), np.eye(3)[label - 1], atol=0.01)
        np.testing.assert_allclose(rows[:, :3].std(axis=0), 0.1, rtol=0.03)
        np.testing.assert_allclose(rows[:, 3:].var(axis=0), 20.0, rtol=0.06)


def test_synthetic_readings_are_checked() -> None:
    with pytest.raises(ParameterError, match="'reading' parameter of make_infoprop_synthetic must be one of"):
        make_infoprop_synthetic(reading="guessed")  # type: ignore[call-overload]


def test_waveform_means_are_half_the_sum_of_the_class_s_two_waves() -> None:
    data = make_waveform40(60_000, random_state=0)
    k = np.arange(1, 22)
    waves = [np.maximum(6 - abs(k - peak), 0) for peak in (11, 15, 7)]
    for label, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = data.X[data.y == label]
        np.testing.assert_allclose(rows[:, :21].mean(axis=0), (waves[a] + waves[b]) / 2, atol=0.06)
        np.testing.assert_allclose(rows[:, 21:].mean(axis=0), 0.0, atol=0.04)
        np.testing.assert_allclose(rows[:, 21:].var(axis=0), 1.0, atol=0.05)
        # u is uniform: its variance 1/12 times the squared difference of the waves comes on top of the noise.
        np.testing.assert_allclose(rows[:, :21].var(axis=0), 1.0 + (waves[a] - waves[b]) ** 2 / 12, rtol=0.05)
    np.testing.assert_allclose(np.bincount(data.y) / len(data.y), 1 / 3, atol=0.01)


def test_waveform_calls_relevant_what_differs_between_classes() -> None:
    data = make_waveform40(60_000, random_state=1)
    means = np.array([data.X[data.y == label].mean(axis=0) for label in range(3)])
    assert data.relevant == tuple(np.flatnonzero(np.ptp(means, axis=0) > 0.2))
    assert data.relevant == tuple(range(1, 20))


def test_graded_noise_grows_by_a_fifth_from_feature_to_feature() -> None:
    data = make_graded_noise(20_000, random_state=0)
    assert data.X.shape == (20_000, 20)
    assert data.relevant == tuple(range(20))
    expected = 0.2 * 1.2 ** np.arange(20)
    for label in (-1, 1):
        rows = data.X[data.y == label]
        assert len(rows) == 10_000
        np.testing.assert_allclose(rows.std(axis=0), expected, rtol=0.03)
        np.testing.assert_allclose(rows.mean(axis=0), label, atol=0.25)


def test_graded_noise_gives_the_odd_row_to_the_positive_class_and_can_be_noiseless() -> None:
    X, y = make_graded_noise(5, n_features=2, noise=0.0, random_state=0, return_X_y=True)
    assert sorted(y.tolist()) == [-1, -1, 1, 1, 1]
    np.testing.assert_array_equal(X, np.column_stack([y, y]))


@pytest.mark.parametrize(
    "parameters", [{"n_features": 0}, {"noise": -1.0}, {"growth": 0.0}, {"noise": np.inf}]
)
def test_graded_noise_parameters_are_checked(parameters: dict[str, float]) -> None:
    with pytest.raises(
        ParameterError, match=f"The '{next(iter(parameters))}' parameter of make_graded_noise"
    ):
        make_graded_noise(**parameters)
