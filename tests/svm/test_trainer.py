import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.class_weight import compute_sample_weight

from infoprop.exceptions import ParameterError
from infoprop.kernels import KernelSpec
from infoprop.kernels._spec import Moments
from infoprop.svm import OneVsRestSVC
from reference.engine import Trainer

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 4)), np.arange(30) % 3
CLASSES = np.array([0, 1, 2])
ONES = np.ones(30)
MOMENTS = Moments.of(X)


def trainer(**parameters):
    return Trainer.of(OneVsRestSVC(**parameters))


def test_it_holds_the_parameters_of_the_classifier():
    given = {"C": 3.0, "kernel": "poly", "degree": 2, "tol": 1e-5}
    parameters = OneVsRestSVC(**given).get_params()
    # Sigmoids are fitted afterwards, to what it has trained.
    parameters.pop("calibration")
    assert vars(trainer(**given)) == parameters


@pytest.mark.parametrize(
    "wrong",
    [
        {"C": 0.0},
        {"tol": 0.0},
        {"solver": "newton"},
        {"max_iter": -2},
        {"cache_size": 0},
        {"warm_start": 1},
        {"normalize_margin": "yes"},
        {"kernel": "laplace"},
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_by_name(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        trainer(**wrong).check()


def test_the_budget_is_counted_in_megabytes():
    assert trainer(cache_size=1).fits(2**17)
    assert not trainer(cache_size=1).fits(2**17 + 1)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0, 1: 1.0, 2: 0.5}])
def test_class_weights_are_those_of_scikit_learn(class_weight):
    y = np.where(np.arange(30) < 20, 0, Y)
    found = trainer(class_weight=class_weight).class_weights(CLASSES, y)
    np.testing.assert_allclose(found, compute_sample_weight(class_weight, y))


def test_there_is_a_problem_for_every_machine():
    weights = RNG.uniform(1, 2, 30)
    problems = trainer(C=2.0).problems(CLASSES, Y, weights)
    assert len(problems) == 3
    for label, problem in enumerate(problems):
        np.testing.assert_array_equal(problem.y, np.where(label == Y, 1.0, -1.0))
        np.testing.assert_array_equal(problem.upper, 2.0 * weights)
    (only,) = trainer().problems(np.array([4, 7]), np.array([4, 7, 7]), np.ones(3))
    assert only.y.tolist() == [-1.0, 1.0, 1.0]


def test_kernels_are_resolved_on_the_rows():
    specs = trainer(kernel="rbf").kernels(CLASSES, MOMENTS)
    assert specs == [KernelSpec("rbf", gamma=1 / (4 * X.var()))] * 3
    assert trainer(kernel="rbf", gamma=0.5).kernels(CLASSES[:2], MOMENTS) == [KernelSpec("rbf", gamma=0.5)]
    named = {0: "linear", 1: {"kernel": "poly", "degree": 2}, 2: {"kernel": "rbf", "gamma": 3.0}}
    kinds = [(spec.kind, spec.degree) for spec in trainer(kernel=named).kernels(CLASSES, MOMENTS)]
    assert [kind for kind, _ in kinds] == ["linear", "poly", "rbf"]
    assert kinds[1][1] == 2


@pytest.mark.parametrize(
    ("kernel", "classes", "words"),
    [
        ({0: "linear", 1: "rbf"}, CLASSES, "every class"),
        ({0: "linear", 1: {"width": 1}, 2: "rbf"}, CLASSES, "must be a name or a dict"),
        ({0: "linear", 1: "rbf"}, CLASSES[:2], "one machine"),
    ],
)
def test_kernels_that_do_not_fit_the_classes_are_refused(kernel, classes, words):
    with pytest.raises(ParameterError, match=words):
        trainer(kernel=kernel).kernels(classes, MOMENTS)


@pytest.mark.parametrize(
    ("parameters", "rows", "expected"),
    [
        ({}, X, "primal"),
        ({}, X.T, "smo"),
        ({"cache_size": 1e-6}, X.T, "cd"),
        ({"solver": "cd"}, X, "cd"),
        ({"solver": "primal"}, X, "primal"),
        ({"solver": "smo", "cache_size": 1e-4}, X, "smo"),
        ({}, sparse.csr_array(X), "smo"),
        ({}, sparse.csr_array((3000, 4)), "cd"),
    ],
)
def test_the_solver_suits_the_rows(parameters, rows, expected):
    assert trainer(kernel="linear", **parameters).solver_for(KernelSpec("linear"), rows) == expected


def test_descent_on_the_primal_needs_dense_rows():
    with pytest.raises(ParameterError, match="dense rows"):
        trainer(kernel="linear", solver="primal").solver_for(KernelSpec("linear"), sparse.csr_array(X))


def test_coordinate_descent_needs_linear_machines():
    with pytest.raises(ParameterError, match="linear"):
        trainer(solver="cd").solver_for(KernelSpec("rbf", gamma=1.0), X)


@pytest.mark.parametrize("solver", ["smo", "cd", "primal"])
def test_solutions_are_those_of_the_classifier_in_the_order_of_the_machines(solver):
    parameters = {"kernel": "linear", "tol": 1e-8, "solver": solver}
    own = trainer(**parameters)
    specs, problems = own.kernels(CLASSES, MOMENTS), own.problems(CLASSES, Y, ONES)
    cold = own.solve(X, specs, problems, [None] * 3)
    model = OneVsRestSVC(**parameters).fit(X, Y)
    for solution, problem, machine in zip(cold, problems, model.machines_, strict=True):
        assert solution.bias(problem) == machine.bias
        assert solution.objective(problem) == machine.objective
    warm = own.solve(X, specs, problems, [solution.beta for solution in cold])
    for first, second, problem in zip(cold, warm, problems, strict=True):
        assert second.objective(problem) == pytest.approx(first.objective(problem), abs=1e-8)
    assert sum(solution.n_iter for solution in warm) < sum(solution.n_iter for solution in cold)
