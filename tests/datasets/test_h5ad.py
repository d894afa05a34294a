"""AnnData, in memory and on disk."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from infoprop.datasets import load_table
from infoprop.exceptions import DataError, ParameterError

anndata = pytest.importorskip("anndata")
pytestmark = pytest.mark.filterwarnings("ignore:Variable names are not unique")


@pytest.fixture
def cells():
    """Twelve cells, five genes of which two have one name, counts in a layer."""
    X = sparse.random(12, 5, density=0.5, format="csr", random_state=0, dtype=np.float32)
    obs = pd.DataFrame(
        {"kind": pd.Categorical(["T", "B", "T"] * 4), "part": ["train", "test"] * 6},
        index=pd.Index([f"cell{number}" for number in range(12)], dtype=object),
    )
    var = pd.DataFrame(index=pd.Index(["CD3", "MS4A1", "CD3", "ACTB", "GAPDH"], dtype=object))
    data = anndata.AnnData(X, obs=obs, var=var)
    data.layers["counts"] = sparse.csc_matrix(np.round(10 * X.toarray()))
    return data


@pytest.fixture
def stored(cells, tmp_path):
    """The same in a file, written as anndata writes it."""
    h5py = pytest.importorskip("h5py")
    from anndata.io import write_elem

    path = tmp_path / "cells.h5ad"
    with h5py.File(path, "w") as file:
        for name in ("X", "layers"):
            write_elem(file, name, getattr(cells, name) if name == "X" else dict(cells.layers))
        for name, frame in (("obs", cells.obs), ("var", cells.var)):
            group = file.create_group(name)
            group.attrs.update(
                {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"}
            )
            group.attrs["column-order"] = np.array(list(frame.columns), dtype=h5py.string_dtype())
            write_elem(group, "_index", frame.index.to_numpy().astype(object))
            for column in frame.columns:
                write_elem(group, column, frame[column].to_numpy().astype(str).astype(object))
    return path


@pytest.mark.parametrize("where", ["memory", "disk"])
@pytest.mark.parametrize("layer", [None, "counts"])
def test_cells_are_rows_and_stay_sparse(cells, stored, where: str, layer: str | None) -> None:
    table = load_table(cells if where == "memory" else stored, target="kind", layer=layer, split="part")
    expected = cells.X if layer is None else cells.layers[layer]
    assert table.format == "h5ad"
    assert isinstance(table.X, sparse.csr_matrix)
    np.testing.assert_array_equal(table.X.toarray(), expected.toarray())
    assert table.feature_names == ("CD3", "MS4A1", "CD3.2", "ACTB", "GAPDH")
    assert table.y.tolist() == ["T", "B", "T"] * 4
    assert table.split.tolist() == ["train", "test"] * 6
    assert table.identifier == "obs_names"
    assert table.identifiers[:2].tolist() == ["cell0", "cell1"]
    assert table.notes == ("more than one column is named 'CD3'; the second 'CD3' is called 'CD3.2'",)


def test_genes_can_be_left_out(cells) -> None:
    table = load_table(cells, target="kind", drop=["CD3.2", "ACTB"])
    assert table.feature_names == ("CD3", "MS4A1", "GAPDH")
    np.testing.assert_array_equal(table.X.toarray(), cells.X.toarray()[:, [0, 1, 4]])


def test_later_cells_need_no_labels(cells) -> None:
    known = load_table(cells, target="kind")
    later = cells.copy()
    del later.obs["kind"]
    assert not load_table(later, target="kind", like=known.columns).is_labelled


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": "kin"}, "no column 'kin' .*; did you mean 'kind'"),
        ({}, "Which column of obs of AnnData holds the classes"),
        ({"target": "kind", "layer": "raw"}, "no layer 'raw'; its layers are 'counts'"),
        ({"target": "kind", "nominal": ["CD3"]}, "holds numbers only; leave out 'nominal'"),
        ({"target": "kind", "drop": ["CD4"]}, "no column 'CD4'"),
    ],
)
def test_what_cannot_be_is_refused(cells, given: dict[str, object], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        load_table(cells, **given)


def test_what_is_no_h5ad_is_refused(write, stored) -> None:
    with pytest.raises(DataError, match="is not a readable"):
        load_table(write("t.h5ad", "x,class\n1,a\n"), target="kind")
    with pytest.raises(ParameterError, match="'layer' parameter of load_table goes with"):
        load_table(write("t.csv", "x,class\n1,a\n"), layer="counts")
    with pytest.raises(DataError, match="has no layer 'raw'"):
        load_table(stored, target="kind", layer="raw")
