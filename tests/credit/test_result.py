import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from infoprop.credit import FeatureCredits
from infoprop.exceptions import ParameterError
from infoprop.metrics import InformationFlow

SHARES = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.25, 0.5]])


def credits_of(shares=SHARES, names=("a", "b", "c", "d"), labels=("no", "yes")):
    flow = InformationFlow.from_confusion([[8, 2], [1, 9]], labels=list(labels))
    return FeatureCredits.from_shares(flow, shares, names)


def test_each_class_pays_its_features_by_their_shares():
    credits = credits_of()
    np.testing.assert_allclose(credits.by_class, credits.flow.indicator_credits[:, None] * SHARES)
    np.testing.assert_allclose(credits.values.sum(), credits.information, atol=1e-12)
    np.testing.assert_allclose(credits.shares.sum(), 1)
    assert credits.n_features == 4


def test_ranking_breaks_ties_by_the_lower_number():
    assert credits_of(np.tile([0.3, 0.2, 0.3, 0.2], (2, 1))).ranking.tolist() == [0, 2, 1, 3]


def test_rounding_in_the_last_bits_makes_no_rank():
    assert credits_of(np.tile([0.25, 0.25 + 1e-15, 0.25, 0.25], (2, 1))).ranking.tolist() == [0, 1, 2, 3]


def test_top_names_the_best():
    credits = credits_of()
    assert [name for name, _ in credits.top(2)] == [credits.feature_names[k] for k in credits.ranking[:2]]
    assert credits.top(1)[0][1] == credits.values.max()
    assert len(credits.top(99)) == 4
    assert credits.top(0) == ()
    with pytest.raises(ParameterError):
        credits.top(-1)


def test_groups_earn_the_sum_of_their_columns():
    credits = credits_of()
    grouped = credits.grouped({"outer": ["a", "d"]})
    assert grouped.feature_names == ("outer", "b", "c")
    np.testing.assert_allclose(grouped.values, [credits.values[[0, 3]].sum(), *credits.values[1:3]])
    np.testing.assert_allclose(grouped.by_class[:, 0], credits.by_class[:, [0, 3]].sum(axis=1))
    assert grouped.information == credits.information


@pytest.mark.parametrize("backend", ["pandas", "polars", None])
def test_frames_have_one_row_per_feature(backend):
    credits = credits_of()
    frame = credits.to_frame(backend)
    assert type(frame).__module__.startswith(backend or "pandas")
    assert list(frame.columns) == ["feature", "credit", "share", "class_no", "class_yes", "rank"]
    assert list(frame["feature"]) == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(frame["credit"].to_numpy(), credits.values)
    np.testing.assert_array_equal(frame["class_yes"].to_numpy(), credits.by_class[1])
    assert np.argsort(frame["rank"].to_numpy()).tolist() == credits.ranking.tolist()


def test_a_frame_of_an_unknown_kind_is_refused():
    with pytest.raises(ParameterError, match=r"'backend' parameter of FeatureCredits\.to_frame"):
        credits_of().to_frame("excel")


def test_results_are_frozen_and_travel():
    credits = credits_of()
    with pytest.raises(FrozenInstanceError):
        credits.values = np.zeros(4)
    with pytest.raises(ValueError):
        credits.values[0] = 1.0
    again = pickle.loads(pickle.dumps(credits))
    np.testing.assert_array_equal(again.by_class, credits.by_class)
    assert again.feature_names == credits.feature_names
    assert not again.values.flags.writeable


def test_shares_of_the_wrong_shape_are_refused():
    with pytest.raises(ParameterError, match="shares"):
        credits_of(SHARES[:, :3])
    with pytest.raises(ParameterError, match="shares"):
        credits_of(np.tile(SHARES, (2, 1)))


def test_labels_never_learned_are_appended_in_order():
    credits = FeatureCredits.from_predictions(
        np.array([3, 0, 1, 2, 0]),
        np.array([1, 0, 1, 0, 0]),
        classes=np.array([0, 1]),
        shares=SHARES,
        feature_names=("a", "b", "c", "d"),
    )
    assert credits.classes.tolist() == [0, 1, 2, 3]
    assert not credits.by_class[2:].any()
