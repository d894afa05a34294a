"""Genes in rows, and labels in a file of their own."""

import pytest

from infoprop.datasets import DelimitedText, load_table
from infoprop.exceptions import DataError

TURNED = DelimitedText(transpose=True)
GENES = "gene,s1,s2,s3\nTP53,1.5,2,3\nBRCA1,4,5,6\nTP53,7,8,9\n"


@pytest.mark.parametrize("corner", ["gene\t", "\t", ""])
def test_genes_in_rows_become_columns(write, corner: str) -> None:
    path = write("g.tsv", f"{corner}s1\ts2\ts3\nTP53\t1.5\t2\t3\nkind\till\twell\twell\n")
    table = load_table(path, target="kind", format=DelimitedText("\t", transpose=True))
    assert table.frame.to_dict(as_series=False) == {"TP53": [1.5, 2.0, 3.0]}
    assert table.y.tolist() == ["ill", "well", "well"]
    assert table.identifiers.tolist() == ["s1", "s2", "s3"]


def test_labels_are_looked_up_by_name(write) -> None:
    labels = write("l.csv", "sample,kind\ns3,well\ns1,ill\ns2,well\n")
    table = load_table(write("g.csv", GENES), format=TURNED, labels=labels)
    assert table.feature_names == ("TP53", "BRCA1", "TP53.2")
    assert table.y.tolist() == ["ill", "well", "well"]
    assert table.target == "kind"


@pytest.mark.parametrize("labels", ["kind\n1\n2\n2\n", "1\n2\n2\n"])
def test_one_column_of_labels_follows_the_rows(write, labels: str) -> None:
    table = load_table(write("g.csv", GENES), format=TURNED, labels=write("l.txt", labels))
    assert table.y.tolist() == [1, 2, 2]


def test_labels_that_do_not_fit_are_refused(write) -> None:
    path = write("g.csv", GENES)
    with pytest.raises(DataError, match=r"no label for 1 of the 3 rows of .*, such as 's3'"):
        load_table(path, format=TURNED, labels=write("l.csv", "sample,kind\ns1,a\ns2,b\n"))
    with pytest.raises(DataError, match="more than one label for 's1'"):
        load_table(path, format=TURNED, labels=write("l.csv", "sample,kind\ns1,a\ns1,b\ns2,a\ns3,b\n"))
    with pytest.raises(DataError, match="2 labels for the 3 rows"):
        load_table(path, format=TURNED, labels=write("l.txt", "a\nb\n"))
    with pytest.raises(DataError, match="must be delimited text to hold 'labels'; it is parquet"):
        load_table(path, format=TURNED, labels=write("l.parquet", b"PAR1"))
