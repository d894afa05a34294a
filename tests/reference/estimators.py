"""Instances of every estimator for scikit-learn's own checks, and the checks as tests."""

import re
from functools import partial

import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import (
    BackwardEliminationSelector,
    CreditSelector,
    DirectedSearchSelector,
    FeatureSelector,
    ForwardBeamSelector,
    GeneticSelector,
    GradientAngleSelector,
    KnockoffSelector,
    ScoreScreen,
    StabilitySelector,
)
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper
from infoprop.svm import BlockwiseLinearSVC, OneVsRestSVC, ShapedLinearClassifier


def logistic():
    """Return a classifier solved so exactly that a row of weight two is two rows to seven digits."""
    with config_context(enable_metadata_routing=True):
        return LogisticRegression(solver="newton-cholesky", tol=1e-12).set_fit_request(sample_weight=True)


def weighted(kernel):
    """Return machines that ask for weights."""
    with config_context(enable_metadata_routing=True):
        return OneVsRestSVC(kernel=kernel).set_fit_request(sample_weight=True)


def scaled(kernel):
    """Return machines behind a scaler to which a row of weight two is the same as two rows."""
    return make_pipeline(MinMaxScaler(), weighted(kernel))


def network(**parameters):
    """Return a network that asks for weights; the penalty lets it converge on noise, too."""
    own = {"hidden_layer_sizes": (3,), "alpha": 1.0, "random_state": 0} | parameters
    with config_context(enable_metadata_routing=True):
        return MLPClassifier(**own).set_fit_request(sample_weight=True)


# The labels that the checks use. Two classes share one machine, and so one kernel.
KERNELS = dict.fromkeys([-1, 0, 1, 2, 3, "one", "two"], "rbf")
KERNELS["three"] = {"kernel": "poly", "degree": 2, "coef0": 1.0}

# One of every estimator, of more than one where another algorithm trains it.
ESTIMATORS = [
    OneVsRestSVC(kernel="linear"),
    OneVsRestSVC(kernel="linear", loss="squared_hinge"),
    BlockwiseLinearSVC(),
    OneVsRestSVC(kernel=KERNELS),
    # Rows of two columns have little left once they are divided by their length.
    ShapedLinearClassifier(FeatureShaper(norm=None), Cs=[0.1, 1.0], validation=2, tol=1e-8),
    MLPClassifier(5, activation="relu", alpha=10.0, warm_start=True),
    CreditSelector(),
    BackwardEliminationSelector(),
    DirectedSearchSelector(),
    ForwardBeamSelector(beam_width=1, n_features_to_select=2, validation=2),
    GradientAngleSelector(),
    GeneticSelector(population_size=3, n_generations=2, validation=2),
    # Nothing found is an answer, but scikit-learn warns where a selector chooses nothing.
    StabilitySelector(weighted("linear"), n_pairs=2, n_features_to_select=0.5),
    KnockoffSelector(weighted("linear"), keep=[0]),
    FeatureSelector(candidates={"credits": CreditSelector()}, validation=2, n_features_to_select=0.5),
    ScoreScreen(2),
    PairwiseClassifier(validation=2),
    LocalProbabilityShaper(),
    BNSScaler(),
    FeatureShaper(),
]

# One of every kind of estimator that hands parameters on to another, for checks with routing: a selector
# whose classifier is trained anew, one whose classifier is updated, and one that trains for each pair.
ROUTERS = [
    # By margin: by covariance a row of weight k is less evidence than k rows, which a check takes for equal.
    CreditSelector(logistic(), threshold=0.05, sharing="margin", validation=0.5),
    BackwardEliminationSelector(weighted("linear"), n_features_to_select="auto", rule="one-se", validation=2),
    PairwiseClassifier(
        weighted("linear"), selector=CreditSelector(weighted("linear"), validation=0.5), validation=2
    ),
]

# Other settings of the same, and what takes long; for soaks.
VARIANTS = [
    ForwardBeamSelector(),
    ForwardBeamSelector(beam_width=1, n_features_to_select=2, validation=3),
    GeneticSelector(population_size=4, n_generations=2),
    PairwiseClassifier(),
    ShapedLinearClassifier(FeatureShaper(norm=None), tol=1e-8),
    BackwardEliminationSelector(logistic(), n_features_to_select="auto", rule="one-se", validation=3),
    DirectedSearchSelector(scaled("rbf"), validation=3),
    ForwardBeamSelector(logistic(), beam_width=1, n_features_to_select=2, validation=3),
    GradientAngleSelector(logistic(), n_features_to_select=0.7, keep=[0], criterion="separation"),
    GeneticSelector(logistic(), population_size=4, n_generations=2, parents="tournament", validation=3),
    OneVsRestSVC(kernel="rbf"),
    OneVsRestSVC(kernel="poly", degree=2, coef0=1.0),
    ShapedLinearClassifier(FeatureShaper(missing="bin", keep_raw=True), Cs=[1.0], calibration=None, tol=1e-8),
    MLPClassifier(alpha=1.0, max_iter=9000),
    MLPClassifier((4, 3), activation="logistic", loss="squared_error", alpha=0.1, tol=1e-6),
    MLPClassifier(4, n_starts=3, validation=None, alpha=1.0, max_iter=9000, n_jobs=2),
    # By margin for the same reason as the router.
    CreditSelector(sharing="margin", validation=3),
    CreditSelector(n_features_to_select=0.7, keep=[0]),
    CreditSelector(logistic(), sharing="margin", validation=3, n_jobs=2),
    BackwardEliminationSelector(logistic(), step=0.3, criterion="margin", validation=None),
    BackwardEliminationSelector(scaled("linear"), n_features_to_select="auto", validation=3),
    BackwardEliminationSelector(weighted("rbf"), step=2, n_jobs=2),
    DirectedSearchSelector(logistic(), validation=3, init="random", n_starts=2),
    BackwardEliminationSelector(network(), validation=3),
    DirectedSearchSelector(make_pipeline(MinMaxScaler(), network(loss="squared_error"))),
    ForwardBeamSelector(beam_width=2, validation=3, keep=[0]),
    GradientAngleSelector(scaled("rbf")),
    PairwiseClassifier(logistic(), voting="weighted", n_jobs=2),
    PairwiseClassifier(selector=GeneticSelector(population_size=4, n_generations=3), validation=3),
    LocalProbabilityShaper(
        probability="log-odds", missing="bin", discrete=[0], zero_bin=True, multiclass="ovr"
    ),
    BNSScaler(scaling="hellinger", norm="l1", zero_bin=True, multiclass="ovr"),
    FeatureShaper(window="auto", policy="auto", keep_raw=True, missing="bin", multiclass="ovr", n_jobs=2),
]


def with_checks(instances):
    """Parametrize a test with all checks of all instances, none of which is expected to fail.

    As ``parametrize_with_checks`` of scikit-learn does, which writes every instance out once for each of its
    checks; that takes seconds before the first test.
    """
    return pytest.mark.parametrize(
        ("estimator", "check"),
        [
            pytest.param(estimator, check, id=f"{name}-{_name_of(check)}")
            for instance, name in [(each, re.sub(r"\s", "", str(each))) for each in instances]
            for estimator, check in estimator_checks_generator(instance)
        ],
    )


def _name_of(check):
    """Name of a check, with the arguments by which it differs from others of that name."""
    arguments = []
    while isinstance(check, partial):
        arguments += [f"{name}={value}" for name, value in check.keywords.items()]
        check = check.func
    return f"{check.__name__}({','.join(arguments)})"
