import pytest
from sklearn.base import is_classifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier
from infoprop.workflow._classifiers import learner_for, name_of_classifier, named_classifier, prepared
from infoprop.workflow._options import ModelOptions
from reference.command_line import CLASSIFIERS


def steps_of(model, **how):
    estimator = prepared(learner_for(model), random_state=model.seed, **how)
    return [step for _, step in estimator.steps] if hasattr(estimator, "steps") else [estimator]


def test_machines_are_what_was_asked_for():
    model = ModelOptions(kernel="rbf", C=3.0, gamma=0.1)
    (plain,) = steps_of(model, is_scaled=False)
    assert isinstance(plain, OneVsRestSVC)
    assert (plain.C, plain.kernel, plain.gamma) == (3.0, "rbf", 0.1)
    full = steps_of(model, impute="median")
    assert [type(step) for step in full] == [SimpleImputer, StandardScaler, OneVsRestSVC]
    assert full[0].strategy == "median"
    assert [type(step) for step in steps_of(model, is_sparse=True)] == [MaxAbsScaler, OneVsRestSVC]


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
    imputer, pairs = steps_of(ModelOptions("pairwise", member=member), impute="mean")
    assert isinstance(imputer, SimpleImputer)
    assert isinstance(pairs, PairwiseClassifier)
    assert [type(step) for _, step in pairs.estimator.steps] == [StandardScaler, kind]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_classifier_of_the_grammar_can_be_built(name):
    assert is_classifier(named_classifier(name))
    assert name_of_classifier(named_classifier(name)) == name


def test_a_pipeline_is_taken_as_it_is_and_seeds_fill_what_is_open():
    given = make_pipeline(StandardScaler(), MLPClassifier())
    made = prepared(given, impute="mean", random_state=7, n_jobs=2)
    assert [type(step) for _, step in made.steps] == [StandardScaler, MLPClassifier]
    assert (made[-1].random_state, made[-1].n_jobs) == (7, 2)
    assert given[-1].random_state is None
    assert prepared(MLPClassifier(random_state=3))[-1].random_state == 3
