import sqlite3
from contextlib import closing

import pytest

from infoprop.selection.running._seal import DamagedError, digest_of, make, read_header, read_seal

ROWS = [("a", 1), ("b", b"\x00\xff"), ("ü", 2.5)]


def test_a_digest_goes_on_from_the_one_before():
    assert digest_of(ROWS[2:], digest_of(ROWS[:2])) == digest_of(ROWS)
    assert digest_of([], digest_of(ROWS)) == digest_of(ROWS)


@pytest.mark.parametrize(
    "other",
    [
        ROWS[:2],
        ROWS[::-1],
        [("a", "1"), *ROWS[1:]],
        [("a1",), *ROWS[1:]],
        [("a", 1, "b", b"\x00\xff"), ROWS[2]],
        [*ROWS, ("", "")],
    ],
)
def test_other_rows_have_another_digest(other):
    assert digest_of(other) != digest_of(ROWS)


def test_an_empty_journal_is_whole():
    with closing(sqlite3.connect(":memory:")) as connection:
        make(connection, {"owner": "Searcher", "fingerprint": "data=1"})
        assert read_header(connection) == {"owner": "Searcher", "fingerprint": "data=1"}
        assert read_seal(connection) == (0, "")


def test_a_journal_with_a_step_that_nobody_sealed_is_not_whole():
    with closing(sqlite3.connect(":memory:")) as connection:
        make(connection, {})
        connection.execute("INSERT INTO steps VALUES (1, '{}')")
        with pytest.raises(DamagedError, match="records are missing or too many"):
            read_seal(connection)
