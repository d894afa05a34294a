"""The encoder of a table is a scikit-learn transformer that knows whose its columns are."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.credit import credit_features
from infoprop.datasets import load_table
from infoprop.exceptions import DataError
from infoprop.selection import BackwardEliminationSelector, RowFolds
from infoprop.svm import OneVsRestSVC
from infoprop.workflow import analyse


@pytest.fixture
def table(tmp_path):
    """Sixty rows: a colour that tells the class, a number that helps, a town and a number that do not."""
    random = np.random.default_rng(0)
    lines = ["size,colour,weight,town,class"]
    for row in range(60):
        label = "xyz"[row % 3]
        colour = {"x": "red", "y": "blue", "z": ""}[label] if random.random() < 0.95 else "green"
        town = random.choice(["A", "B"])
        lines.append(f"{2 * (row % 3) + random.normal():.3f},{colour},{random.normal():.3f},{town},{label}")
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return load_table(path)


def test_encoder_is_an_unfitted_column_transformer_with_groups(table):
    encoder = table.encoder()
    assert isinstance(encoder, ColumnTransformer)
    assert not hasattr(encoder, "transformers_")
    assert encoder.groups == ["size"] + ["colour"] * 4 + ["weight"] + ["town"] * 2
    assert clone(encoder).groups == encoder.groups
    X = encoder.fit_transform(table.frame)
    assert X.shape == (60, 8)
    np.testing.assert_array_equal(X[:, 1:5].sum(axis=1), 1.0)
    # A part of the rows has the same columns.
    np.testing.assert_array_equal(clone(encoder).fit(table.frame[:3]).transform(table.frame), X)
    np.testing.assert_array_equal(X, analyse(table, impute="mean", n_null=0).problem.X)


def test_frames_of_pandas_are_coded_alike(table):
    encoder = table.encoder().fit(table.frame)
    frame = table.frame.to_pandas()
    np.testing.assert_array_equal(table.encoder().fit_transform(frame), encoder.transform(table.frame))
    named = table.encoder().set_output(transform="pandas").fit_transform(frame)
    assert named.columns.tolist() == encoder.get_feature_names_out().tolist()


def test_one_hot_pipeline_in_python_chooses_what_the_workflow_chooses(table):
    encoder, machines = table.encoder(), make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))
    search = BackwardEliminationSelector(
        machines, n_features_to_select=2, validation=RowFolds(5), groups=encoder.groups, random_state=0
    )
    pipeline = make_pipeline(encoder, search).fit(table.frame, table.y)
    chosen = {encoder.groups[column] for column in np.flatnonzero(pipeline[-1].support_)}
    assert "colour" in chosen
    # A missing colour is a colour, but only for those who say that values may be missing.
    found = analyse(table, method="backward", n_features_to_select=2, validation=5, impute="mean", n_null=0)
    assert set(found.chosen) == chosen
    assert (cross_val_predict(pipeline, table.frame, table.y, cv=3) == table.y).mean() > 0.6


def test_credits_go_back_to_the_columns_of_the_table(table):
    pipeline = make_pipeline(table.encoder(), StandardScaler(), OneVsRestSVC()).fit(table.frame, table.y)
    credits = credit_features(pipeline, table.frame, table.y)
    assert credits.feature_names == table.feature_names
    assert credits.values.argmax() in (0, 1)


def test_words_are_counted(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("note,class\ngood red wine,x\ngood beer,y\nred red,x\n")
    table = load_table(path, text=["note"])
    encoder = table.encoder()
    X = encoder.fit_transform(table.frame)
    assert sparse.issparse(X)
    assert encoder.groups == ["good", "red"]
    np.testing.assert_array_equal(X.toarray(), [[1, 1], [1, 0], [0, 2]])


def test_columns_of_a_sparse_table_are_taken_by_number(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("0 1:1 3:2\n1 2:5\n")
    table = load_table(path)
    encoder = table.encoder()
    assert encoder.groups == [0, 1, 2]
    np.testing.assert_array_equal(encoder.fit_transform(table.X).toarray(), table.X.toarray())


def test_many_numbers_with_units_are_refused_with_the_way_to_read_them(tmp_path):
    path = tmp_path / "fees.csv"
    path.write_text(
        "\n".join(["fee,class", *(f"€ {k}.50,{'ab'[k % 2]}" for k in range(300))]), encoding="utf-8"
    )
    with pytest.raises(DataError, match="read it as numbers with numeric 'fee', count its words with text"):
        load_table(path, "class").encoder()
