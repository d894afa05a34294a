from pathlib import Path

import pytest
from sklearn.base import is_classifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier
from infoprop.workflow._classifier_names import CLASSIFIERS
from infoprop.workflow._classifiers import classifier_for
from infoprop.workflow._options import DataOptions, ModelOptions


def options(impute=None, is_scaled=True):
    return DataOptions(
        path=Path("x"), target=None, format=None, drop=(), nominal=(), impute=impute, is_scaled=is_scaled
    )


def steps_of(model, data=None, is_sparse=False):
    estimator = classifier_for(model, data, is_sparse)
    return [step for _, step in estimator.steps] if hasattr(estimator, "steps") else [estimator]


def test_machines_are_what_was_asked_for():
    model = ModelOptions(kernel="rbf", C=3.0, gamma=0.1)
    (plain,) = steps_of(model, options(is_scaled=False))
    assert isinstance(plain, OneVsRestSVC)
    assert (plain.C, plain.kernel, plain.gamma) == (3.0, "rbf", 0.1)
    full = steps_of(model, options("median"))
    assert [type(step) for step in full] == [SimpleImputer, StandardScaler, OneVsRestSVC]
    assert full[0].strategy == "median"
    assert [type(step) for step in steps_of(model, None, is_sparse=True)] == [MaxAbsScaler, OneVsRestSVC]


@pytest.mark.parametrize(
    ("model", "kind", "expected"),
    [
        (ModelOptions("mlp", hidden=(7, 3), seed=4), MLPClassifier, {"hidden_layer_sizes": (7, 3)}),
        (ModelOptions("knn", neighbors=3), KNeighborsClassifier, {"n_neighbors": 3}),
        (ModelOptions("logistic", C=2.0), LogisticRegression, {"C": 2.0}),
    ],
)
def test_other_learners_stand_behind_a_scaler(model, kind, expected):
    scaler, learner = steps_of(model)
    assert isinstance(scaler, StandardScaler)
    assert isinstance(learner, kind)
    assert {name: getattr(learner, name) for name in expected} == expected


def test_shaped_features_need_no_scaling():
    (learner,) = steps_of(ModelOptions("shaped", seed=2))
    assert isinstance(learner, ShapedLinearClassifier)
    assert learner.random_state == 2


@pytest.mark.parametrize(("member", "kind"), [("svm", OneVsRestSVC), ("knn", KNeighborsClassifier)])
def test_members_scale_for_their_own_pair(member, kind):
    imputer, pairs = steps_of(ModelOptions("pairwise", member=member), options("mean"))
    assert isinstance(imputer, SimpleImputer)
    assert isinstance(pairs, PairwiseClassifier)
    assert [type(step) for _, step in pairs.estimator.steps] == [StandardScaler, kind]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_of_the_grammar_can_be_built(name):
    assert is_classifier(classifier_for(ModelOptions(name), None, is_sparse=False))
