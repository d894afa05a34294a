from functools import partial

import numpy as np
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse

from infoprop.exceptions import DataError, ParameterError
from infoprop.shaping import BNSScaler, FeatureShaper
from reference.cluster import cluster_of

RANDOM = np.random.default_rng(0)
X = RANDOM.poisson(0.7, size=(300, 6)).astype(float)
Y = np.where(X[:, 0] + RANDOM.normal(size=300) > 0.7, "yes", "no")
NAMES = [f"c{k}" for k in range(6)]
# Labels come in this order, so that the first blocks have one class only.
ORDER = np.argsort(Y, kind="stable")
PARTS = np.array_split(ORDER, 5)


def block(rows, is_sparse=False):
    return (sparse.csr_matrix(X[rows]) if is_sparse else X[rows]), Y[rows]


def bits(shaper, rows):
    return shaper.scores_.tobytes(), shaper.tables_.counts.tobytes(), shaper.transform(rows).tobytes()


@pytest.mark.parametrize("shaper", [FeatureShaper(norm=None), BNSScaler(scaling="information_gain")])
@pytest.mark.parametrize("backend", ["sequential", "threading"])
def test_blocks_give_the_bits_of_all_rows_together(shaper, backend):
    blocks = [partial(block, rows) for rows in PARTS]
    with parallel_config(backend=backend, n_jobs=2):
        found = shaper.fit_blocks(blocks)
    assert found is shaper
    assert found.n_features_in_ == 6
    in_blocks = bits(found, X)
    assert in_blocks == bits(shaper.fit(X, Y), X)


def test_sparse_blocks_give_the_bits_of_all_sparse_rows_together():
    found = FeatureShaper(norm=None).fit_blocks([partial(block, rows, True) for rows in PARTS])
    rows = sparse.csr_matrix(X)
    expected = FeatureShaper(norm=None).fit(rows, Y)
    assert found.scores_.tobytes() == expected.scores_.tobytes()
    assert found.transform(rows).data.tobytes() == expected.transform(rows).data.tobytes()


@pytest.fixture
def files(tmp_path):
    paths = []
    for number, rows in enumerate(PARTS):
        paths.append(tmp_path / f"part{number}.parquet")
        frame = pl.DataFrame({**dict(zip(NAMES, X[rows].T, strict=True)), "label": Y[rows]})
        frame.write_parquet(paths[-1])
    return paths


def test_files_and_dask_collections_are_read_block_by_block(files):
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    expected = bits(BNSScaler().fit(X[ORDER], Y[ORDER]), X)
    frame = pl.DataFrame(X, schema=NAMES)
    found = BNSScaler().fit_blocks(files, target="label")
    assert found.feature_names_in_.tolist() == NAMES
    assert bits(found, frame)[:2] == expected[:2]
    arrays = da.from_array(X[ORDER], chunks=(70, 6)), da.from_array(Y[ORDER], chunks=70)
    assert bits(BNSScaler().fit_blocks(*arrays), X) == expected
    table = dd.from_pandas(frame.to_pandas().iloc[ORDER].assign(label=Y[ORDER]), npartitions=4, sort=False)
    assert bits(BNSScaler().fit_blocks(table, target="label"), frame)[:2] == expected[:2]


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_bits(files):
    pytest.importorskip("distributed")
    expected = bits(BNSScaler().fit_blocks(files, target="label"), pl.DataFrame(X, schema=NAMES))
    with cluster_of(2, processes=False):
        found = BNSScaler().fit_blocks(files, target="label")
    assert bits(found, pl.DataFrame(X, schema=NAMES)) == expected


def test_what_cannot_be_blocks_is_refused(files, tmp_path):
    da = pytest.importorskip("dask.array")
    with pytest.raises(ParameterError, match="Files need 'target'"):
        BNSScaler().fit_blocks(files)
    with pytest.raises(ParameterError, match=r"Blocks must be paths .* Got ndarray"):
        BNSScaler().fit_blocks(X)
    with pytest.raises(ParameterError, match="Blocks must be paths"):
        BNSScaler().fit_blocks([])
    with pytest.raises(DataError, match=r"part0.parquet has no column 'class'"):
        BNSScaler().fit_blocks(files, target="class")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        BNSScaler().fit_blocks([tmp_path / "absent.parquet"], target="label")
    with pytest.raises(ParameterError, match="must hold whole rows"):
        BNSScaler().fit_blocks(da.from_array(X, chunks=(70, 3)), da.from_array(Y, chunks=70))
    with pytest.raises(ParameterError, match="Labels are either"):
        BNSScaler().fit_blocks(da.from_array(X, chunks=(70, 6)))
    with pytest.raises(ParameterError, match=r"y must have the chunks of the rows: 5. Got 1"):
        BNSScaler().fit_blocks(da.from_array(X, chunks=(70, 6)), da.from_array(Y, chunks=300))
    with pytest.raises(DataError, match=r"same columns. Got 6 columns in one and 3 columns"):
        BNSScaler().fit_blocks([lambda: (X, Y), lambda: (X[:, :3], Y)])
    with pytest.raises(DataError, match="at least two classes; the blocks have 1"):
        BNSScaler().fit_blocks([partial(block, PARTS[0])])
