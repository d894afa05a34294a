from typing import ClassVar

import numpy as np
import pytest
from sklearn import config_context
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from infoprop.exceptions import UnsupportedEstimatorError
from infoprop.selection import CreditSelector, ForwardBeamSelector
from reference.wine import X, Y

WEIGHTS = np.random.default_rng(0).uniform(0.1, 5, len(Y))
ROW_GROUPS = np.arange(len(Y)) % 5


class Recorder(RidgeClassifier):
    """Remembers what each training was given."""

    seen: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None, marks=None):
        type(self).seen.append((sample_weight, marks))
        return super().fit(X, y, sample_weight=sample_weight)


@pytest.fixture(autouse=True)
def _forget():
    Recorder.seen = []


def test_weights_reach_every_training_and_the_table():
    chosen = CreditSelector(Recorder(), sharing="margin", validation=KFold(2))
    chosen.fit(X, Y, sample_weight=WEIGHTS)
    assert [len(weights) for weights, _ in Recorder.seen] == [89, 89, 178, 178]
    np.testing.assert_array_equal(Recorder.seen[0][0], WEIGHTS[89:])
    assert chosen.credits_.flow.counts.sum() == pytest.approx(WEIGHTS.sum())


def test_in_a_pipeline_weights_go_to_the_classifier():
    CreditSelector(make_pipeline(StandardScaler(), Recorder())).fit(X, Y, sample_weight=WEIGHTS)
    assert all(weights is not None for weights, _ in Recorder.seen)


def test_without_routing_other_arguments_go_to_the_classifier_and_row_groups_to_the_splitter():
    CreditSelector(Recorder(), validation=GroupKFold(5)).fit(X, Y, marks=np.arange(178), groups=ROW_GROUPS)
    for marks, left_out in zip((marks for _, marks in Recorder.seen[:5]), range(5), strict=True):
        assert len(set(ROW_GROUPS[marks])) == 4, left_out


@pytest.mark.parametrize("is_routed", [False, True])
def test_weights_of_nearest_neighbors_count_in_validation_only(is_routed):
    held = np.arange(len(Y)) % 3 == 0
    search = ForwardBeamSelector(beam_width=1, validation=[(np.flatnonzero(~held), np.flatnonzero(held))])
    with config_context(enable_metadata_routing=is_routed):
        search.fit(X, Y, sample_weight=WEIGHTS)
    twin = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)).fit(X[~held][:, search.support_], Y[~held])
    expected = twin.score(X[held][:, search.support_], Y[held], WEIGHTS[held])
    assert search.validated_accuracy_ == pytest.approx(expected)


def test_a_classifier_that_takes_no_weights_says_so():
    chosen = CreditSelector(LinearDiscriminantAnalysis())
    with pytest.raises(UnsupportedEstimatorError, match="does not take it"):
        chosen.fit(X, Y, sample_weight=WEIGHTS)
    assert chosen.fit(X, Y).n_features_ == 6


def test_with_routing_only_what_is_requested_goes_out():
    with config_context(enable_metadata_routing=True):
        inner = Recorder().set_fit_request(sample_weight=True, marks=True)
        splitter = GroupKFold(5)
        chosen = CreditSelector(inner, sharing="margin", validation=splitter)
        chosen.fit(X, Y, sample_weight=WEIGHTS, marks=np.arange(178), groups=ROW_GROUPS)
        assert len(Recorder.seen) == 7
        for weights, marks in Recorder.seen:
            np.testing.assert_array_equal(weights, WEIGHTS[marks])


def test_with_routing_weights_may_be_for_the_table_only():
    with config_context(enable_metadata_routing=True):
        inner = Recorder().set_fit_request(sample_weight=False, marks=False)
        chosen = CreditSelector(inner, validation=KFold(2)).fit(X, Y, sample_weight=WEIGHTS)
    assert all(weights is None for weights, _ in Recorder.seen)
    assert chosen.credits_.flow.counts.sum() == pytest.approx(WEIGHTS.sum())


def test_with_routing_what_nobody_asked_for_is_refused():
    with config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            CreditSelector(Recorder()).fit(X, Y, sample_weight=WEIGHTS)
        with pytest.raises(TypeError, match="unexpected"):
            CreditSelector(Recorder()).fit(X, Y, nobody=WEIGHTS)


def test_with_routing_weights_pass_through_cross_validation():
    with config_context(enable_metadata_routing=True):
        inner = Recorder().set_fit_request(sample_weight=True, marks=False)
        chosen = (
            CreditSelector(inner).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        )
        cross_validate(chosen, X, Y, cv=2, params={"sample_weight": WEIGHTS}, error_score="raise")
    assert all(weights is not None for weights, _ in Recorder.seen)


def test_with_routing_the_default_classifier_takes_weights():
    with config_context(enable_metadata_routing=True):
        chosen = CreditSelector(random_state=0).fit(X, Y, sample_weight=WEIGHTS)
    unweighted = CreditSelector(random_state=0).fit(X, Y)
    assert not np.array_equal(chosen.credits_.values, unweighted.credits_.values)


def test_given_rows_can_be_routed_through_a_pipeline_that_transforms_them():
    with config_context(enable_metadata_routing=True):
        chosen = CreditSelector(RidgeClassifier(), validation="given")
        chosen.set_fit_request(X_val=True, y_val=True)
        pipeline = make_pipeline(StandardScaler(), chosen, transform_input=["X_val"])
        pipeline.fit(X * 9, Y, X_val=X[:60] * 9, y_val=Y[:60])
    assert pipeline[-1].credits_.flow.counts.sum() == 60
    assert pipeline[-1].credits_.information > 0
