"""Credits of networks: scikit-learn's, and those of torch if it is installed."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

from infoprop.credit import credit_features, credit_importance, credit_rows, gradient_angles
from infoprop.credit._shares import credit_shares
from infoprop.datasets import make_corral
from infoprop.exceptions import DataError, ParameterError, UnsupportedEstimatorError
from infoprop.mlp import MLPClassifier as OwnClassifier
from reference.networks import Layer
from reference.propagation import propagated_shares

RAW, Y = load_wine(return_X_y=True)
X = (RAW - RAW.mean(axis=0)) / RAW.std(axis=0)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def perceptron(**parameters):
    own = {"hidden_layer_sizes": (5,), "solver": "lbfgs", "max_iter": 60, "random_state": 0}
    return MLPClassifier(**(own | parameters))


def layers_of(model):
    activations = [model.activation] * (len(model.coefs_) - 1) + [model.out_activation_]
    return [Layer(*parts) for parts in zip(model.coefs_, model.intercepts_, activations, strict=True)]


@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("hidden", [(), (5,), (6, 4)], ids=str)
def test_networks_of_scikit_learn_share_by_the_equation(activation, hidden):
    model = perceptron(activation=activation, hidden_layer_sizes=hidden).fit(X, Y)
    expected = propagated_shares(layers_of(model), X)
    np.testing.assert_allclose(credit_shares(model, X), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("loss", ["cross_entropy", "squared_error"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_own_networks_share_by_the_equation(loss, n_classes):
    rows = n_classes > Y
    model = OwnClassifier((5, 3), loss=loss, alpha=0.1, random_state=0).fit(X[rows], Y[rows])
    weights = np.random.default_rng(0).integers(0, 3, rows.sum()).astype(float)
    expected = propagated_shares(layers_of(model), X[rows], weights)
    shares = credit_shares(model, X[rows], weights)
    assert shares.shape == (n_classes, 13)
    np.testing.assert_allclose(shares, expected, rtol=1e-8, atol=1e-12)
    credits = credit_features(model, X[rows], Y[rows], weights, sharing="margin")
    assert credits.values.sum() == pytest.approx(credits.information, rel=1e-12)


def test_one_output_serves_two_classes():
    two = Y < 2
    model = perceptron(activation="tanh").fit(X[two], Y[two])
    assert len(model.intercepts_[-1]) == 1
    expected = propagated_shares(layers_of(model), X[two])
    shares = credit_shares(model, X[two])
    np.testing.assert_allclose(shares, np.repeat(expected, 2, axis=0), rtol=1e-8)


@pytest.mark.parametrize("sharing", ["covariance", "margin"])
def test_credits_of_a_network_sum_to_its_information(sharing):
    model = perceptron().fit(X[::2], Y[::2])
    weights = np.random.default_rng(0).integers(0, 3, len(Y[1::2])).astype(float)
    credits = credit_features(model, X[1::2], Y[1::2], sample_weight=weights, sharing=sharing)
    assert credits.information > 1.0
    assert credits.values.sum() == pytest.approx(credits.information, rel=1e-13)
    repeated = np.repeat(np.arange(1, len(Y), 2), weights.astype(int))
    again = credit_features(model, X[repeated], Y[repeated], sharing=sharing)
    if sharing == "margin":
        np.testing.assert_allclose(again.by_class, credits.by_class, rtol=1e-9, atol=1e-13)
    else:
        # Rows that are there twice are more rows, so that less is in doubt; contributions are the same.
        np.testing.assert_allclose(again.contributions, credits.contributions, rtol=1e-9, atol=1e-13)


def test_sparse_rows_and_single_precision_are_taken():
    model = perceptron(solver="adam").fit(X.astype(np.float32), Y)
    assert model.coefs_[0].dtype == np.float32
    dense = credit_shares(model, X)
    np.testing.assert_allclose(credit_shares(model, sparse.csr_array(X)), dense, rtol=1e-9)
    assert dense.dtype == np.float64


def test_networks_are_found_behind_scalers_searches_and_one_vs_rest():
    scaled = make_pipeline(StandardScaler(), perceptron()).fit(RAW, Y)
    np.testing.assert_allclose(credit_shares(scaled, RAW), credit_shares(scaled[-1], X), rtol=1e-9)
    searched = GridSearchCV(perceptron(), {"alpha": [0.1]}, cv=2).fit(X, Y)
    np.testing.assert_array_equal(credit_shares(searched, X), credit_shares(searched.best_estimator_, X))
    rest = OneVsRestClassifier(perceptron()).fit(X, Y)
    expected = [credit_shares(machine, X)[0] for machine in rest.estimators_]
    np.testing.assert_allclose(credit_shares(rest, X), expected, rtol=1e-12)


def test_the_relevant_inputs_of_corral_earn_the_most():
    data = make_corral(256, random_state=0)
    model = perceptron(activation="tanh", max_iter=300).fit(data.X[:128], data.y[:128])
    credits = credit_features(model, data.X[128:], data.y[128:], sharing="margin")
    assert set(credits.ranking[:4].tolist()) == {0, 1, 2, 3}
    assert credits.values[4] < 0.05


def test_a_network_that_says_nothing_credits_nothing():
    model = perceptron().fit(X, Y)
    for W in model.coefs_:
        W[:] = 0.0
    credits = credit_features(model, X, Y)
    assert credits.information == 0.0
    np.testing.assert_array_equal(credits.by_class, np.zeros((3, 13)))


def test_the_class_of_an_output_that_never_changes_loses_what_it_earns():
    model = perceptron(activation="tanh").fit(X, Y)
    model.out_activation_ = "logistic"
    model.coefs_[-1][:, 1] = 0.0
    for sharing in ("margin", "covariance"):
        with pytest.raises(UnsupportedEstimatorError, match="several labels per row"):
            credit_features(model, X, Y, sharing=sharing)
    model.out_activation_ = "identity"
    credits = credit_features(model, X, Y, sharing="margin")
    assert credits.flow.indicator_credits[1] > 0.0
    assert not credits.by_class[1].any()
    np.testing.assert_allclose(
        credits.by_class[[0, 2]].sum(axis=1), credits.flow.indicator_credits[[0, 2]], rtol=1e-12
    )


@pytest.mark.parametrize("ask", [credit_shares, credit_importance])
@pytest.mark.parametrize("model", [perceptron(), OwnClassifier((3,), alpha=1.0)], ids=["peer", "own"])
def test_networks_need_rows(ask, model):
    with pytest.raises(ParameterError, match=r"covariances over rows: X must be given.*credit_features"):
        ask(model.fit(X, Y))


def test_networks_of_several_labels_per_row_are_refused():
    points, labels = make_multilabel_classification(40, 5, n_classes=3, random_state=0)
    with pytest.raises(UnsupportedEstimatorError, match="several labels per row"):
        credit_shares(perceptron().fit(points, labels), points)


def test_rows_of_other_columns_are_refused():
    with pytest.raises(ValueError, match="features"):
        credit_shares(perceptron().fit(X, Y), X[:, :5])


def labelled(model, rows=X, y=Y, **options):
    return credit_shares(model, rows, y=y, sharing="covariance", **options)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [perceptron(activation="tanh"), OwnClassifier((4,), alpha=0.1, loss="squared_error", random_state=0)],
    ids=["peer", "own"],
)
def test_contributions_of_a_network_are_covariances_of_terms_that_add_up(model, n_classes):
    rows, y = X[n_classes > Y], Y[n_classes > Y]
    model = clone(model).fit(rows[::2], y[::2])
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y[1::2]))
    credits = credit_features(model, rows[1::2], y[1::2], weights)
    mean = np.average(rows[1::2], axis=0, weights=weights)
    found = credit_rows(model, rows[1::2], background=mean[None])
    assert np.abs(found.remainder).max() < 1e-9
    for r in range(found.outputs.shape[1]):
        f, terms = found.outputs[:, r], found.contributions[:, r]
        centred = weights / weights.sum() * (f - np.average(f, weights=weights))
        np.testing.assert_allclose(credits.contributions[r], centred @ terms / (centred @ f), atol=1e-9)
        assert credits.contributions[r].sum() == pytest.approx(1.0, abs=1e-9)
    assert credits.values.sum() == pytest.approx(credits.information, rel=1e-12)
    np.testing.assert_allclose(credits.by_class.sum(axis=1), credits.flow.indicator_credits, atol=1e-12)


def test_a_network_without_hidden_layers_has_the_credits_of_its_linear_machine():
    two = Y < 2
    model = perceptron(hidden_layer_sizes=()).fit(X[two], Y[two])
    linear = LogisticRegression().fit(X[two], Y[two])
    linear.coef_, linear.intercept_ = model.coefs_[0].T, model.intercepts_[0]
    own, other = (
        credit_features(m, X[two], Y[two], null="shuffled", random_state=0) for m in (model, linear)
    )
    np.testing.assert_allclose(own.by_class, other.by_class, atol=1e-9)
    np.testing.assert_allclose(own.standard_errors, other.standard_errors, atol=1e-9)
    np.testing.assert_array_equal(own.noise.p_values, other.noise.p_values)


def test_noise_earns_little_in_a_network():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    rows = rng.normal(size=(400, 20))
    rows[:, :3] += y[:, None]
    model = OwnClassifier((10,), random_state=0).fit(rows[::2], y[::2])
    by_rule = {
        sharing: credit_features(model, rows[1::2], y[1::2], sharing=sharing).shares[3:].sum()
        for sharing in ("covariance", "margin")
    }
    assert by_rule["covariance"] < 0.05
    assert by_rule["margin"] > 0.5


def test_a_column_that_takes_noise_off_another_is_a_suppressor():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    common = rng.normal(size=400)
    rows = np.column_stack([2 * y + common, 0.7 * y + common, rng.normal(size=400)])
    model = OwnClassifier((4,), alpha=0.1, random_state=0).fit(rows[::2], y[::2])
    credits = credit_features(model, rows[1::2], y[1::2])
    assert (credits.contributions[:, 1] < 0.0).all()
    assert credits.is_suppressor.tolist() == [False, True, False]


def test_a_group_is_one_contribution_of_a_network():
    model = perceptron(activation="tanh").fit(X[::2], Y[::2])
    groups = [0, 0, 1, 1, 1, *range(2, 10)]
    every = credit_features(model, X[1::2], Y[1::2])
    grouped = credit_features(model, X[1::2], Y[1::2], groups=groups)
    sums = np.add.reduceat(every.contributions, [0, 2, *range(5, 13)], axis=1)
    np.testing.assert_allclose(grouped.contributions, sums, atol=1e-9)
    assert grouped.values.sum() == pytest.approx(grouped.information, rel=1e-12)


def test_networks_follow_the_columns_of_a_pipeline_by_covariance():
    scaled = make_pipeline(StandardScaler(), perceptron()).fit(RAW, Y)
    np.testing.assert_allclose(labelled(scaled, RAW), labelled(scaled[-1]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        labelled(scaled[-1], sparse.csr_array(X)), labelled(scaled[-1]), rtol=1e-9, atol=1e-12
    )
    bent = make_pipeline(SplineTransformer(n_knots=3, degree=1), perceptron()).fit(X, Y)
    groups = np.repeat(np.arange(13), 3)
    expected = labelled(bent[-1], bent[:-1].transform(X), groups=groups)
    np.testing.assert_allclose(labelled(bent), expected, rtol=1e-9, atol=1e-12)
    rest = OneVsRestClassifier(perceptron()).fit(X, Y)
    expected = [labelled(machine, y=k == Y)[0] for k, machine in enumerate(rest.estimators_)]
    np.testing.assert_allclose(labelled(rest), expected, rtol=1e-9, atol=1e-12)


def test_networks_need_rows_by_covariance_and_have_no_angles():
    model = perceptron().fit(X, Y)
    with pytest.raises(ParameterError, match="looks at rows: X must be given"):
        credit_shares(model, sharing="covariance")
    with pytest.raises(UnsupportedEstimatorError, match="not of networks"):
        gradient_angles(model, X, Y)


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed")


def copied(torch, model, *modules):
    """Return a Sequential of these modules with the weights of a network of scikit-learn."""
    sequential = torch.nn.Sequential(*modules).double()
    linear = [module for module in sequential.modules() if isinstance(module, torch.nn.Linear)]
    for module, W, b in zip(linear, model.coefs_, model.intercepts_, strict=True):
        module.weight.data = torch.from_numpy(W.T.copy())
        module.bias.data = torch.from_numpy(b.copy())
    return sequential


def test_a_sequential_has_the_credits_of_the_same_network_in_scikit_learn(torch):
    nn = torch.nn
    model = perceptron(activation="tanh").fit(X[::2], Y[::2])
    sequential = copied(torch, model, nn.Linear(13, 5), nn.Tanh(), nn.Linear(5, 3), nn.Softmax(dim=1))
    taken = (X[1::2], Y[1::2]), (torch.from_numpy(X[1::2]), torch.from_numpy(Y[1::2]))
    for sharing, (rows, labels) in product(("covariance", "margin"), taken):
        expected = credit_features(model, X[1::2], Y[1::2], sharing=sharing)
        credits = credit_features(sequential, rows, labels, sharing=sharing)
        np.testing.assert_allclose(credits.by_class, expected.by_class, rtol=1e-9, atol=1e-13)
        assert credits.classes.tolist() == [0, 1, 2]
        assert credits.feature_names == expected.feature_names
    np.testing.assert_allclose(
        credit_shares(sequential, sparse.csr_array(X)), credit_shares(model, X), rtol=1e-9
    )


def test_modules_that_rest_after_training_and_inner_sequentials_are_looked_through(torch):
    nn = torch.nn
    model = perceptron(activation="relu", hidden_layer_sizes=(5, 4)).fit(X, Y)
    plain = [nn.Linear(13, 5), nn.ReLU(), nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3), nn.Softmax(dim=-1)]
    inner = nn.Sequential(nn.Linear(5, 4), nn.ReLU())
    busy = [nn.Flatten(), nn.Linear(13, 5), nn.Dropout(0.5), nn.ReLU(), inner, nn.Identity()]
    busy += [nn.Linear(4, 3), nn.Softmax(dim=1)]
    shares = [credit_shares(copied(torch, model, *modules), X) for modules in (plain, busy)]
    np.testing.assert_allclose(shares[0], credit_shares(model, X), rtol=1e-9)
    np.testing.assert_array_equal(shares[1], shares[0])


def test_an_activation_after_another_mixes_nothing(torch):
    nn = torch.nn
    torch.manual_seed(0)
    first, last = nn.Linear(13, 4), nn.Linear(4, 3)
    with torch.no_grad():
        W, b = first.weight.double().numpy().T, first.bias.double().numpy()
    sequential = nn.Sequential(first, nn.ReLU(), nn.Tanh(), last)
    eye = Layer(np.eye(4), np.zeros(4), "tanh")
    V, c = last.weight.detach().double().numpy().T, last.bias.detach().double().numpy()
    expected = propagated_shares([Layer(W, b, "relu"), eye, Layer(V, c, "identity")], X)
    np.testing.assert_allclose(credit_shares(sequential, X), expected, rtol=1e-9)


@pytest.mark.parametrize("last", ["Sigmoid", "Tanh", None])
def test_a_single_output_parts_two_classes(torch, last):
    nn = torch.nn
    two = Y < 2
    model = perceptron(activation="tanh").fit(X[two], Y[two])
    modules = [nn.Linear(13, 5), nn.Tanh(), nn.Linear(5, 1), *([getattr(nn, last)()] if last else [])]
    labels = np.where(Y[two] == 0, "no", "yes")
    credits = credit_features(copied(torch, model, *modules), X[two], labels)
    assert credits.classes.tolist() == ["no", "yes"]
    expected = credit_features(model, X[two], Y[two])
    np.testing.assert_array_equal(credits.flow.counts, expected.flow.counts)
    np.testing.assert_allclose(credits.by_class.sum(), credits.information, rtol=1e-12)


def test_classes_are_counted_listed_or_given(torch):
    nn = torch.nn
    torch.manual_seed(0)
    sequential = nn.Sequential(nn.Linear(13, 3))
    assert credit_features(sequential, X, np.where(Y == 1, 2, Y)).classes.tolist() == [0, 1, 2]
    assert credit_features(sequential, X, Y + 5).classes.tolist() == [5, 6, 7]
    with pytest.raises(DataError, match=r"3 classes apart, but there are 2 labels in y.*classes_ ="):
        credit_features(sequential, X, np.where(Y == 1, "b", "a"))
    sequential.classes_ = ["b", "a", "c"]
    assert credit_features(sequential, X, np.where(Y == 1, "b", "a")).classes.tolist() == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda nn: nn.Sequential(nn.Linear(13, 4), nn.GELU()), "module GELU.*Linear, Tanh, Sigmoid"),
        (lambda nn: nn.Sequential(nn.Tanh(), nn.Linear(13, 4)), "begin with a Linear"),
        (lambda nn: nn.Sequential(nn.Dropout()), "no Linear"),
        (lambda nn: nn.Sequential(nn.Linear(13, 4), nn.Softmax(dim=0)), "dim=1. Got dim=0"),
        (lambda nn: nn.Linear(13, 4), "fitted classifier is needed"),
    ],
)
def test_other_modules_are_refused(torch, build, message):
    with pytest.raises(UnsupportedEstimatorError, match=message):
        credit_features(build(torch.nn), X, Y)


def test_a_sequential_for_other_columns_is_refused(torch):
    with pytest.raises(DataError, match="X has 5 columns, but the network was made for 13"):
        credit_shares(torch.nn.Sequential(torch.nn.Linear(13, 3)), X[:, :5])
