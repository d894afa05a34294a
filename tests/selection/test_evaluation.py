import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from infoprop.credit import credit_features
from infoprop.selection import CreditSelector
from reference.cluster import cluster_of
from reference.evaluators import LabelledRows, Split, SubsetEvaluator, ValidationPlan
from reference.sensitivity import linear_shares

X, Y = load_wine(return_X_y=True)
MODEL = make_pipeline(StandardScaler(), SVC())


def results(selector):
    return selector.credits_.by_class.tobytes(), selector.ranking_.tobytes(), selector.predict(X).tobytes()


@pytest.fixture(scope="module")
def alone():
    return results(CreditSelector(MODEL, validation=4, random_state=0, n_jobs=1).fit(X, Y))


@pytest.mark.parametrize(("backend", "verbose"), [("threading", 0), ("loky", 1), ("multiprocessing", 0)])
def test_any_number_of_workers_gives_the_same_bits(alone, backend, verbose):
    selector = CreditSelector(MODEL, validation=4, random_state=0, n_jobs=2, verbose=verbose)
    with parallel_config(backend=backend):
        assert results(selector.fit(X, Y)) == alone


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_bits(alone):
    pytest.importorskip("distributed")
    columns = {f"column {k}": column for k, column in enumerate(X.T)}
    frames = [pd.DataFrame(columns), pl.DataFrame(columns)]
    # Its worker is a thread; that all of this can be sent to processes is shown with those of joblib.
    with cluster_of(1, processes=False):
        for verbose in (0, 1):
            selector = CreditSelector(MODEL, validation=4, random_state=0, verbose=verbose).fit(X, Y)
            assert results(selector) == alone
        there = [CreditSelector(MODEL, validation=4, random_state=0).fit(frame, Y) for frame in frames]
    for frame, selector in zip(frames, there, strict=True):
        here = CreditSelector(MODEL, validation=4, random_state=0).fit(frame, Y)
        assert selector.credits_.feature_names == tuple(columns)
        assert selector.credits_.by_class.tobytes() == here.credits_.by_class.tobytes()


def test_credits_of_some_columns_are_those_of_a_classifier_that_has_no_others():
    train, test = np.arange(0, 178, 2), np.arange(1, 178, 2)
    columns = np.array([12, 0, 6])
    evaluator = SubsetEvaluator(
        estimator=RidgeClassifier(),
        training=LabelledRows(X, Y),
        fit_parameters={},
        plan=ValidationPlan((Split(train, test),), shares_from_all=False),
        given=None,
        feature_names=tuple(f"x{k}" for k in range(13)),
        n_jobs=None,
    )
    credits = evaluator.credits(columns)
    twin = RidgeClassifier().fit(X[train][:, columns], Y[train])
    np.testing.assert_allclose(
        credits.by_class,
        credit_features(twin, X[test][:, columns], Y[test], sharing="margin").by_class,
        atol=1e-14,
    )
    assert credits.feature_names == ("x12", "x0", "x6")
    assert evaluator.fitted(columns).n_features_in_ == 3
    assert evaluator.n_trainings == 1


def test_answers_come_from_every_split_and_count_in_one_table():
    rows = np.arange(178)
    splits = tuple(Split(rows[rows % 3 != fold], rows[rows % 3 == fold]) for fold in range(3))
    weights = np.ones(178)
    weights[:4] = 0.0
    evaluator = SubsetEvaluator(
        estimator=RidgeClassifier(),
        training=LabelledRows(X, Y, weights),
        fit_parameters={"sample_weight": weights},
        plan=ValidationPlan(splits, shares_from_all=True),
        given=None,
        feature_names=tuple(f"x{k}" for k in range(13)),
        n_jobs=None,
    )
    columns = np.array([0, 6, 12])
    answers = evaluator.answers(columns)
    for answer, split in zip(answers, splits, strict=True):
        twin = RidgeClassifier().fit(
            X[split.train][:, columns], Y[split.train], sample_weight=weights[split.train]
        )
        np.testing.assert_array_equal(answer.predicted, twin.predict(X[split.test][:, columns]))
        np.testing.assert_allclose(answer.shares, linear_shares(twin))
    counts = evaluator.pooled.counts([answer.predicted for answer in answers])
    assert counts.sum() == 174
    assert evaluator.classes.tolist() == [0, 1, 2]
    assert len(evaluator.all_rows()) == 174
    assert evaluator.test_rows(splits[0]).X.shape == (60, 13)
    assert evaluator.test_rows(splits[0], with_X=False).X is None
