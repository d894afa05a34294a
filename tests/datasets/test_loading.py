"""The real data sets have the shapes their own README states."""

import contextlib
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infoprop.datasets import Table, load_table
from infoprop.datasets._source import FORMATS
from infoprop.exceptions import DataError, InfopropError

# file: rows, features, nominal among them, classes, missing cells, parts of the split column
TABLES = {
    "arcene": (200, 10000, 0, 2, 0, {"train": 100, "test": 100}),
    "automobile": (205, 25, 10, 6, 59, None),
    "breast-w": (699, 9, 0, 2, 16, None),
    "brown-selected": (186, 79, 0, 3, 214, None),
    "brown-yeast5": (216, 79, 0, 5, 248, None),
    "colon": (62, 2000, 0, 2, 0, None),
    "credit-g": (1000, 20, 13, 2, 0, None),
    "diabetes": (768, 8, 0, 2, 0, None),
    "dna": (3186, 180, 0, 3, 0, {"train": 2000, "test": 1186}),
    "ecoli": (336, 7, 0, 8, 0, None),
    "glass": (214, 9, 0, 6, 0, None),
    "glioma": (50, 4434, 0, 4, 0, None),
    "iris": (150, 4, 0, 3, 0, None),
    "isolet-1560": (1560, 617, 0, 26, 0, None),
    "letter": (20000, 16, 0, 26, 0, {"train": 16000, "test": 4000}),
    "leukemia": (72, 7129, 0, 2, 0, {"train": 38, "test": 34}),
    "lymphoma": (96, 4026, 0, 9, 0, None),
    "madelon": (2600, 500, 0, 2, 0, {"train": 2000, "test": 600}),
    "meta-data": (528, 21, 2, 5, 504, None),
    "nakayama-sarcoma": (105, 22283, 0, 10, 0, None),
    "nci60": (64, 6830, 0, 14, 0, None),
    "optdigits": (5620, 64, 0, 10, 0, {"train": 3823, "test": 1797}),
    "satimage": (6435, 36, 0, 6, 0, {"train": 4435, "test": 2000}),
    "sonar": (208, 60, 0, 2, 0, {"train": 104, "test": 104}),
    "sorlie-breast": (85, 456, 0, 5, 0, None),
    "spambase": (4601, 57, 0, 2, 0, None),
    "srbct": (83, 2308, 0, 4, 0, {"train": 63, "test": 20}),
    "su-tissue": (102, 5565, 0, 4, 0, None),
    "usps": (9298, 256, 0, 10, 0, {"train": 7291, "test": 2007}),
    "vehicle": (846, 18, 0, 4, 0, None),
    "vote": (435, 16, 16, 2, 392, None),
    "vowel": (990, 13, 3, 11, 0, {"train": 528, "test": 462}),
    "wdbc": (569, 30, 0, 2, 0, None),
    "wine": (178, 13, 0, 3, 0, None),
    "yeast": (1484, 8, 0, 10, 0, None),
    "zoo": (101, 16, 0, 7, 0, None),
}
# file: documents, classes, parts
TEXTS = {
    "20newsgroups": (18821, 20, {"train": 11293, "test": 7528}),
    "reuters-1": (322, 3, {"train": 222, "test": 66, "unused": 34}),
    "reuters-2": (370, 3, {"train": 240, "test": 83, "unused": 47}),
    "reuters-3": (8367, 5, {"train": 5787, "test": 2298, "unused": 282}),
    "reuters-r8": (7674, 8, {"train": 5485, "test": 2189}),
    "reuters-r52": (9100, 52, {"train": 6532, "test": 2568}),
}
# file: documents, words, classes
WORD_COUNTS = {
    "dorothea": (800, 88119, 2),
    "la1s": (3204, 13195, 6),
    "la2s": (3075, 12432, 6),
    "oh0": (1003, 3182, 10),
    "oh10": (1050, 3238, 10),
    "oh15": (913, 3100, 10),
    "oh5": (918, 3012, 10),
    "ohscal": (11162, 11465, 10),
    "re0": (1504, 2886, 13),
    "re1": (1657, 3758, 25),
    "tr11": (414, 6429, 9),
    "tr12": (313, 5804, 8),
    "tr21": (336, 7902, 6),
    "tr23": (204, 5832, 6),
    "tr41": (878, 7454, 10),
    "tr45": (690, 8261, 10),
    "wap": (1560, 8460, 20),
}


# A second or so each to read; their like are among the smaller ones.
LARGE = {
    "20newsgroups",
    "arcene",
    "dorothea",
    "isolet-1560",
    "madelon",
    "nakayama-sarcoma",
    "nci60",
    "su-tissue",
    "usps",
}


def large_ones_in_soaks(names):
    """Cases of a test, of which the large ones wait for a soak."""
    return [pytest.param(name, marks=pytest.mark.soak) if name in LARGE else name for name in names]


def parts_of(split: np.ndarray) -> dict[str, int]:
    names, counts = np.unique(split, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


@pytest.mark.parametrize("name", large_ones_in_soaks(TABLES))
def test_tables_have_their_documented_shape(shared_data: Path, name: str) -> None:
    n_rows, n_features, n_nominal, n_classes, n_missing, parts = TABLES[name]
    table = load_table(shared_data / f"{name}.csv.gz", split="split" if parts else None)
    assert table.frame.shape == (n_rows, n_features)
    assert len(table.nominal) == n_nominal
    assert len(np.unique(table.y)) == n_classes
    assert sum(table.missing.values()) == n_missing
    assert (parts_of(table.split) if parts else table.split) == parts


@pytest.mark.parametrize("name", large_ones_in_soaks(TEXTS))
def test_texts_are_one_nominal_column_of_high_cardinality(shared_data: Path, name: str) -> None:
    n_rows, n_classes, parts = TEXTS[name]
    table = load_table(shared_data / f"{name}.csv.gz", split="split")
    assert table.nominal == table.feature_names == ("text",)
    assert table.n_rows == n_rows
    assert table.cardinality["text"] > 0.9 * n_rows
    assert len(np.unique(table.y)) == n_classes
    assert parts_of(table.split) == parts


@pytest.mark.parametrize("name", large_ones_in_soaks(WORD_COUNTS))
def test_word_counts_have_their_documented_shape(shared_data: Path, name: str) -> None:
    n_rows, n_words, n_classes = WORD_COUNTS[name]
    table = load_table(shared_data / f"{name}.npz")
    assert table.X.shape == (n_rows, n_words)
    assert len(np.unique(table.y)) == n_classes
    assert len(set(table.feature_names)) == n_words


def test_a_numeric_target_is_kept_numeric(shared_data: Path) -> None:
    assert load_table(shared_data / "meta-data-raw.csv.gz").y.dtype == np.float64


def test_documents_without_a_topic_are_refused(shared_data: Path) -> None:
    with pytest.raises(DataError, match=r"target 'class' .* is missing in 10211 of 21578 rows"):
        load_table(shared_data / "reuters21578.csv.gz")


def test_every_real_data_set_is_covered(shared_data: Path) -> None:
    files = {path.name.split(".")[0] for path in shared_data.iterdir() if path.suffix in (".gz", ".npz")}
    assert files == {*TABLES, *TEXTS, *WORD_COUNTS, "meta-data-raw", "reuters21578"}


def test_values_arrive_unchanged(shared_data: Path) -> None:
    table = load_table(shared_data / "iris.csv.gz")
    assert table.frame.row(0) == (5.1, 3.5, 1.4, 0.2)
    assert table.y[0] == "Iris-setosa"
    assert table.feature_names == ("sepallength", "sepalwidth", "petallength", "petalwidth")


def test_one_table_is_the_same_in_every_format(write) -> None:
    frame = pl.DataFrame({"x": [1.5, 2.0, 0.0], "y": [0.0, 3.25, 1.0], "label": [1, 2, 1]})
    rows = [",".join(map(str, row)) for row in frame.rows()]
    parquet = io.BytesIO()
    frame.write_parquet(parquet)
    header = "@relation t\n@attribute x real\n@attribute y real\n@attribute label integer\n@data\n"
    files = {
        "t.csv": "x,y,label\n" + "\n".join(rows),
        "t.tsv": "\n".join(["x,y,label", *rows]).replace(",", "\t"),
        "t.parquet": parquet.getvalue(),
        "t.arff": header + "\n".join(rows),
        "t.svm": "".join(f"{label} 1:{x} 2:{y}\n" for x, y, label in frame.rows()),
    }
    for name, content in files.items():
        table = load_table(write(name, content))
        values = table.X.toarray() if table.is_sparse else table.frame.to_numpy()
        np.testing.assert_array_equal(values, frame.select("x", "y").to_numpy())
        assert table.y.tolist() == [1, 2, 1]
        assert table.y.dtype == np.int64


fragments = st.sampled_from(
    [
        "a,b,class",
        "1,2,x",
        "\n",
        ",",
        '"',
        "'",
        " ",
        "\t",
        "?",
        "{",
        "}",
        "{0 1, 1 a}",
        "@relation t",
        "@data",
    ]
    + [
        "@attribute a real",
        "@attribute class {a,b}",
        "1 1:2",
        "nan",
        "inf",
        "true",
        "2020-01-01",
        "PAR1",
        "é",
    ]
)
contents = st.binary(max_size=60) | st.lists(fragments, max_size=12).map(
    lambda parts: "".join(parts).encode()
)
lines = st.lists(fragments, max_size=8).map(lambda parts: "\n".join(parts).encode())


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=contents | lines, format=st.sampled_from(FORMATS))
def test_any_bytes_give_a_table_or_one_clear_sentence(tmp_path: Path, content: bytes, format: str) -> None:
    path = tmp_path / "t"
    path.write_bytes(content)
    with contextlib.suppress(InfopropError):
        assert isinstance(load_table(path, format=format), Table)
