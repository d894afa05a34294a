"""Bits, ranks and q-values beside the genes of AnnData, in memory and on disk."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from infoprop.cli import main
from infoprop.exceptions import InfopropError
from infoprop.selection import StabilitySelector
from infoprop.workflow import analyse

anndata = pytest.importorskip("anndata")
pytestmark = pytest.mark.filterwarnings("ignore:Variable names are not unique", "ignore::FutureWarning")


@pytest.fixture
def cells():
    """Sixty cells of three kinds; two genes of one name, the first two tell the kinds apart."""
    rng = np.random.default_rng(0)
    kinds = np.array(["T", "B", "NK/T"] * 20)
    X = rng.poisson(0.5, size=(60, 6)).astype(np.float32)
    X[:, 0] += 4 * (kinds == "T")
    X[:, 1] += 4 * (kinds == "B")
    # anndata does not write the strings of pandas 3.
    labels = pd.Categorical(kinds, categories=pd.Index(np.unique(kinds), dtype=object))
    obs = pd.DataFrame({"kind": labels}, index=pd.Index([f"cell{k}" for k in range(60)], dtype=object))
    genes = pd.Index(["CD3", "CD19", "CD3", "ACTB", "GAPDH", "ACTA"], dtype=object)
    var = pd.DataFrame({"length": range(6)}, index=genes)
    return anndata.AnnData(sparse.csr_matrix(X), obs=obs, var=var)


def test_a_copy_tells_what_was_found(cells):
    found = analyse(cells, "kind", method=StabilitySelector(n_features_to_select=2), n_null=0)
    told = found.annotate(cells)
    assert list(cells.var.columns) == ["length"]
    assert sparse.issparse(told.X)
    np.testing.assert_allclose(told.var["infoprop_bits"], found.credits.values)
    by_class = told.var[["infoprop_bits_T", "infoprop_bits_B", "infoprop_bits_NK|T"]]
    np.testing.assert_allclose(by_class.sum(axis=1), told.var["infoprop_bits"])
    assert told.var["infoprop_selected"].tolist() == [True, True, False, False, False, False]
    assert sorted(told.var["infoprop_rank"]) == [1, 2, 3, 4, 5, 6]
    assert told.var["infoprop_q_value"].between(0, 1).all()
    # A second run replaces the first.
    assert list(found.annotate(told).var.columns) == list(told.var.columns)


def test_labels_may_be_no_column(cells):
    found = analyse(cells, cells.obs["kind"].to_numpy(), n_null=0)
    assert found.credits.feature_names[:3] == ("CD3", "CD19", "CD3.2")
    with pytest.raises(InfopropError, match="not the genes"):
        found.annotate(anndata.AnnData(cells.X))


def test_the_command_line_writes_a_copy(cells, tmp_path, capsys):
    source, target = tmp_path / "cells.h5ad", tmp_path / "told.h5ad"
    cells.write_h5ad(source)
    words = ["--target", "kind", "--drop", "GAPDH", "--output", str(target), "--quiet"]
    assert main(["credit", str(source), *words, "--null", "0"]) == 0
    told = anndata.read_h5ad(target)
    assert np.isnan(told.var.loc["GAPDH", "infoprop_bits"])
    assert told.var["infoprop_rank"].max() == 5
    np.testing.assert_array_equal(told.X.toarray(), cells.X.toarray())
    assert told.var.columns[0] == "length"
    assert main(["classify", str(source), *words]) == 2
    assert "must end in .csv" in capsys.readouterr().err
