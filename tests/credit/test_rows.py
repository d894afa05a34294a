import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier as PeerMLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from infoprop.credit import credit_rows
from infoprop.exceptions import ParameterError
from infoprop.mlp import MLPClassifier
from infoprop.selection import CreditSelector
from infoprop.svm import OneVsRestSVC

X, Y = load_wine(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        OneVsRestSVC(kernel="linear"),
        OneVsRestSVC(),
        OneVsRestSVC(kernel="poly", degree=2, coef0=1.0),
        LogisticRegression(),
        LinearSVC(),
    ],
    ids=str,
)
def test_contributions_and_base_add_up_to_the_decision_values(model, n_classes):
    rows = n_classes > Y
    pipeline = make_pipeline(StandardScaler(), model).fit(X[rows], Y[rows])
    credits = credit_rows(pipeline, X[:7])
    decided = np.asarray(pipeline.decision_function(X[:7])).reshape(7, -1)
    np.testing.assert_allclose(credits.outputs, decided, atol=1e-9)
    np.testing.assert_allclose(credits.remainder, 0.0, atol=1e-9)
    assert credits.labels.tolist() == ([1] if n_classes == 2 else [0, 1, 2])
    assert credits.feature_names == tuple(X.columns)


def test_an_output_of_a_one_vs_one_machine_is_the_sum_over_its_pairs():
    model = SVC(decision_function_shape="ovo").fit(StandardScaler().fit_transform(X), Y)
    rows = StandardScaler().fit_transform(X)[:5]
    credits = credit_rows(model, rows)
    pairs = model.decision_function(rows)
    np.testing.assert_allclose(credits.outputs[:, 0], pairs[:, 0] + pairs[:, 1], atol=1e-9)
    np.testing.assert_allclose(credits.outputs[:, 2], -pairs[:, 1] - pairs[:, 2], atol=1e-9)
    np.testing.assert_allclose(credits.remainder, 0.0, atol=1e-9)


@pytest.mark.parametrize(
    "network",
    [MLPClassifier((5,), random_state=0), PeerMLPClassifier((5, 4), max_iter=20, random_state=0)],
    ids=["ours", "scikit-learn"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_contributions_in_a_network_add_up_and_order_the_classes(network):
    pipeline = make_pipeline(StandardScaler(), network).fit(X, Y)
    credits = credit_rows(pipeline, X)
    np.testing.assert_allclose(credits.remainder, 0.0, atol=1e-9)
    assert (credits.labels[credits.outputs.argmax(axis=1)] == pipeline.predict(X)).all()


def test_the_background_is_where_contributions_start_from():
    model = LogisticRegression(max_iter=5000).fit(X, Y)
    credits = credit_rows(model, X[:3], background=X[10:20])
    expected = (X[:3] - X[10:20].mean()).to_numpy()[:, None, :] * model.coef_
    np.testing.assert_allclose(credits.contributions, expected)


def test_sparse_and_dense_rows_have_the_same_contributions():
    rows = X.to_numpy()
    dense = credit_rows(OneVsRestSVC().fit(rows / 100.0, Y), rows[:4] / 100.0)
    thin = sparse.csr_matrix(rows / 100.0)
    np.testing.assert_allclose(
        credit_rows(OneVsRestSVC().fit(thin, Y), thin[:4]).contributions, dense.contributions, atol=1e-8
    )


def test_groups_selected_columns_and_encoders_are_followed_back():
    frame = pd.DataFrame({"size": [1.0, 2, 3, 4] * 5, "noise": np.arange(20) % 3, "colour": ["r", "g"] * 10})
    y = np.array([0, 0, 1, 1] * 5)
    coded = make_column_transformer((OneHotEncoder(), ["colour"]), remainder=StandardScaler())
    credits = credit_rows(make_pipeline(coded, LinearSVC()).fit(frame, y), frame[:6])
    assert credits.feature_names == ("size", "noise", "colour")
    np.testing.assert_allclose(credits.remainder, 0.0, atol=1e-12)
    grouped = credit_rows(make_pipeline(coded, LinearSVC()).fit(frame, y), frame[:6], groups={"rest": [1, 2]})
    np.testing.assert_allclose(grouped.contributions[..., 1], credits.contributions[..., 1:].sum(axis=2))
    chosen = CreditSelector(LinearSVC(), n_features_to_select=4, random_state=0).fit(X, Y)
    left_out = credit_rows(chosen, X[:2]).contributions[..., ~chosen.support_]
    assert not left_out.any()


def test_top_names_what_moves_an_output_most():
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(X, Y)
    credits = credit_rows(model, X[:1])
    values = credits.contributions[0, 0]
    assert credits.top(0, 1, label=0) == (
        (X.columns[np.abs(values).argmax()], values[np.abs(values).argmax()]),
    )
    assert credits.top(0, 2) == credits.top(0, 2, label=0)
    with pytest.raises(ParameterError, match="label"):
        credits.top(0, 1, label=7)
