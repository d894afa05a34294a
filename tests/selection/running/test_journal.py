import os
import shutil
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest

import infoprop
from infoprop.exceptions import ParameterError
from infoprop.selection.running._journal import check_checkpoint, remembered_seed
from reference.damage import opened, race, refused_changes
from reference.running import FORMAT, Journal, make

can_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
# Newer Pythons warn of forks beside threads of others; these children only write and die.
quiet_fork = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def content(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def record(number):
    return {"number": number, "credits": np.random.default_rng(number).normal(size=40)}


def in_child(work):
    """Run `work` in a forked process; return its id."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    finally:
        os._exit(0)


def test_records_and_state_come_back_bit_for_bit(tmp_path):
    path = tmp_path / "journal"
    state = {
        "alpha": np.array([[0.1, np.nan], [-0.0, np.inf]]),
        "active": np.array([True, False]),
        "none": np.empty(0),
    }
    with opened(path) as journal:
        journal.append([record(0), record(1)], {"old": np.zeros(3)})
        journal.append([record(2)], state)
    with opened(path) as journal:
        found = journal.records()
        assert [entry["number"] for entry in found] == [0, 1, 2]
        assert all(
            entry["credits"].tobytes() == record(k)["credits"].tobytes() for k, entry in enumerate(found)
        )
        back = journal.state()
    assert list(back) == list(state)
    for name, array in state.items():
        assert (back[name].dtype, back[name].shape) == (array.dtype, array.shape)
        assert back[name].tobytes() == array.tobytes()


def test_a_new_journal_has_no_state_and_an_empty_state_is_one(tmp_path):
    with opened(tmp_path / "journal") as journal:
        assert journal.records() == []
        assert journal.state() is None
        journal.append([{"number": 0}], {})
        assert journal.state() == {}


def test_without_a_checkpoint_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with opened(None) as journal:
        journal.append([{"number": 0}], {"alpha": np.zeros(2)})
        assert not journal.is_kept
        assert journal.records() == []
        assert journal.state() is None
    assert content(tmp_path) == {}


def test_a_closed_journal_is_one_file(tmp_path):
    with opened(tmp_path / "journal") as journal:
        journal.append([record(0)], {"alpha": np.zeros(1000)})
    assert list(content(tmp_path)) == ["journal"]


def test_a_name_with_odd_characters_is_taken_as_it_is(tmp_path):
    path = tmp_path / "a journal?mode=ro#50%.db"
    for _ in range(2):
        with opened(str(path)) as journal:
            journal.append([{"number": 0}], {})
    assert path.is_file()


def test_an_empty_file_becomes_a_journal(tmp_path):
    path = tmp_path / "journal"
    path.touch()
    with opened(path) as journal:
        journal.append([{"number": 0}], {})
        assert len(journal.records()) == 1


@can_fork
@quiet_fork
def test_what_a_process_killed_at_the_very_beginning_leaves_is_undone(tmp_path):
    path = tmp_path / "journal"

    def die_while_making():
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN EXCLUSIVE")
        make(connection, {"format": FORMAT, "noise": "n" * 100_000})
        os.kill(os.getpid(), signal.SIGKILL)

    os.waitpid(in_child(die_while_making), 0)
    assert path.stat().st_size > 0
    assert remembered_seed(path, 5, "Searcher") == 5
    with opened(path) as journal:
        journal.append([{"number": 0}], {})
    assert list(content(tmp_path)) == ["journal"]


def test_a_file_that_has_the_name_sqlite_needs_is_left_untouched(tmp_path):
    (tmp_path / "journal-journal").write_text("Dear diary")
    with pytest.raises(ParameterError, match=r"needs the name .*journal-journal.*give another path"):
        opened(tmp_path / "journal")
    assert content(tmp_path) == {"journal-journal": b"Dear diary"}


def test_only_a_journal_is_removed_as_one(tmp_path):
    diary, path, empty = tmp_path / "diary", tmp_path / "journal", tmp_path / "empty"
    diary.write_text("mine")
    opened(path).close()
    empty.touch()
    for file in (diary, path, empty, tmp_path / "absent"):
        Journal.remove(file)
    assert content(tmp_path) == {"diary": b"mine"}


def test_an_error_in_a_write_leaves_the_journal_as_it_was(tmp_path):
    with opened(tmp_path / "journal") as journal:
        journal.append([{"number": 0}], {"alpha": np.ones(2)})
        with pytest.raises(TypeError, match="holds objects"):
            journal.append([{"number": 1}], {"alpha": np.array([object()])})
        assert journal.records() == [{"number": 0}]
        assert journal.state()["alpha"].tolist() == [1.0, 1.0]


def test_a_write_that_fails_says_so_and_what_was_written_stays(tmp_path):
    path = tmp_path / "journal"
    with opened(path) as journal:
        journal.append([{"number": 0}], {})
        journal._connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(OSError, match=r"cannot be written .*full"):
            journal.append([record(1)], {"alpha": np.zeros(100_000)})
    with opened(path) as journal:
        assert journal.records() == [{"number": 0}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fingerprint": "data=1 step=3"}, r"other data or settings \(step\)"),
        ({"fingerprint": "data=2 step=3 more=1"}, r"other data or settings \(data, step, more\)"),
        ({"owner": "OtherSearcher"}, "by this OtherSearcher: it was made by Searcher"),
    ],
)
def test_a_journal_of_another_search_is_refused_and_left_untouched(tmp_path, change, message):
    path = tmp_path / "journal"
    with opened(path) as journal:
        journal.append([record(0)], {"alpha": np.zeros(3)})
    before = content(tmp_path)
    with pytest.raises(ParameterError, match=message):
        opened(path, **change)
    assert content(tmp_path) == before


def test_a_journal_of_another_version_is_refused_and_left_untouched(tmp_path, monkeypatch):
    path = tmp_path / "journal"
    with monkeypatch.context() as earlier:
        earlier.setattr(infoprop, "__version__", "0.0.0")
        opened(path).close()
    before = content(tmp_path)
    with pytest.raises(ParameterError, match=r"made by infoprop 0\.0\.0, this is"):
        opened(path)
    assert content(tmp_path) == before


def test_a_file_that_is_no_journal_is_refused_and_left_untouched(tmp_path):
    text = tmp_path / "thesis.txt"
    text.write_text("the only copy" * 1000)
    database = tmp_path / "other.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE header (name, value)")
    connection.close()
    before = content(tmp_path)
    for path in (text, database):
        with pytest.raises(ParameterError, match="exists and is not a checkpoint of infoprop"):
            opened(path)
    assert content(tmp_path) == before


def test_a_journal_of_an_older_format_is_refused_and_left_untouched(tmp_path):
    path = tmp_path / "journal"
    opened(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE header SET value = '1' WHERE name = 'format'")
        connection.execute("DELETE FROM header WHERE name = 'seal'")
        connection.execute("DROP TABLE seal")
    before = content(tmp_path)
    with pytest.raises(ParameterError, match=rf"its format is 1, and this one's is {FORMAT}\. It was left"):
        opened(path)
    assert content(tmp_path) == before


DAMAGES = {
    "a record that is no JSON": "UPDATE steps SET record = '{\"number\": ' WHERE number = 2",
    "a record of another form": "UPDATE steps SET record = '[]' WHERE number = 2",
    "a record of no text": "UPDATE steps SET record = x'ff00' WHERE number = 2",
    "a record that is missing": "DELETE FROM steps WHERE number = 2",
    "a last record that is missing": "DELETE FROM steps WHERE number = 3",
    "records in another order": "UPDATE steps SET number = 9 WHERE number = 1",
    "a record too many": "INSERT INTO steps SELECT 4, record FROM steps WHERE number = 1",
    "no table of records": "DROP TABLE steps",
    "a view for a table": "DROP TABLE steps; CREATE VIEW steps AS SELECT 1 AS number, '{}' AS record",
    "a table too many": "CREATE TABLE more (number)",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON steps BEGIN DELETE FROM state; END",
    "a table made of no text": "PRAGMA writable_schema = ON; "
    "UPDATE sqlite_schema SET sql = CAST(x'4352af' AS TEXT) WHERE name = 'steps'",
    "no state": "DELETE FROM state",
    "a part of the state that is missing": "DELETE FROM state WHERE name = 'active'",
    "a state of another shape": "UPDATE state SET shape = '3 3' WHERE name = 'alpha'",
    "a state of another type": "UPDATE state SET dtype = '|O' WHERE name = 'alpha'",
    "a state of other numbers": "UPDATE state SET data = zeroblob(32) WHERE name = 'alpha'",
    "no table of the state": "DROP TABLE state",
    "no seal": "DELETE FROM seal",
    "two seals": "INSERT INTO seal SELECT * FROM seal",
    "no table of seals": "DROP TABLE seal",
    "no header": "DELETE FROM header",
    "no owner": "DELETE FROM header WHERE name = 'owner'",
    "no format": "DELETE FROM header WHERE name = 'format'",
    "another seed": "UPDATE header SET value = 'many' WHERE name = 'seed'",
    "no table of the header": "DROP TABLE header",
    "nothing at all": "DROP TABLE header; DROP TABLE steps; DROP TABLE state; DROP TABLE seal",
}


@pytest.fixture
def kept(tmp_path):
    """A journal with three records and a state."""
    path = tmp_path / "journal"
    with opened(path, seed=5) as journal:
        state = {"alpha": np.arange(4.0).reshape(2, 2), "active": np.array([True, False])}
        journal.append([record(k) for k in range(3)], state)
    return path


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_journal_is_refused_and_left_untouched(kept, damage):
    with closing(sqlite3.connect(kept)) as connection:
        connection.executescript(DAMAGES[damage])
    before = content(kept.parent)
    with pytest.raises(
        ParameterError, match=r"it is damaged \(.*\)\. It was left as it is\. Give another path"
    ):
        opened(kept)
    assert content(kept.parent) == before


@pytest.mark.parametrize("length", [1, 50, 99, 100, 3000, 4096, 10_000, -4096])
def test_a_journal_cut_short_is_refused_and_left_untouched(kept, length):
    kept.write_bytes(kept.read_bytes()[:length])
    before = content(kept.parent)
    with pytest.raises(ParameterError, match=r"(give Searcher|Give) another path"):
        opened(kept)
    assert content(kept.parent) == before


def test_bytes_that_changed_are_found_or_do_not_matter(kept):
    # Some of the bytes that SQLite itself reads first, and others anywhere.
    n_refused = refused_changes(kept, [*range(0, 100, 5), *range(100, kept.stat().st_size, 1500)], seed=0)
    assert n_refused > 10


@pytest.mark.parametrize("checkpoint", [1, True, "", b"", ["journal"]])
def test_a_checkpoint_is_a_path(checkpoint):
    with pytest.raises(ParameterError, match="'checkpoint' parameter of Searcher must be the path of a file"):
        check_checkpoint(checkpoint, "Searcher")


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(
        ParameterError, match=r"folder of the checkpoint of Searcher does not exist: .*missing"
    ):
        opened(tmp_path / "missing" / "journal")
    assert content(tmp_path) == {}


def test_a_folder_is_no_checkpoint(tmp_path):
    with pytest.raises(ParameterError, match="must be a file"):
        opened(tmp_path)


def test_a_folder_that_cannot_be_written_to_is_refused(powerless):
    powerless.chmod(0o500)
    with pytest.raises(ParameterError, match=r"cannot be read and written at .*Permission denied"):
        opened(powerless / "journal")
    assert content(powerless) == {}


@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o400, 0o700), (0o600, 0o500), (0o000, 0o700)])
def test_a_journal_that_cannot_be_written_is_refused_before_any_work(powerless, file_mode, folder_mode):
    path = powerless / "journal"
    opened(path).close()
    path.chmod(file_mode)
    powerless.chmod(folder_mode)
    with pytest.raises(ParameterError, match="cannot be read and written"):
        opened(path)


def test_one_search_at_a_time_holds_a_journal(tmp_path):
    path = tmp_path / "journal"
    with opened(path) as journal:
        with pytest.raises(ParameterError, match="in use by another search"):
            opened(path)
        journal.append([{"number": 0}], {})
    with opened(path) as journal:
        assert len(journal.records()) == 1


def test_who_waits_for_a_journal_is_not_in_the_way_of_who_holds_it(tmp_path, monkeypatch):
    monkeypatch.setattr("infoprop.selection.running._journal._PATIENCE", 10.0)
    path = tmp_path / "journal"
    opened(path).close()
    with closing(sqlite3.connect(path, timeout=2.0, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        holder.execute("CREATE TABLE other (number)")
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(lambda: opened(path).close())
            time.sleep(0.2)
            assert not waiting.done()
            # Nobody else may be reading now.
            holder.execute("DROP TABLE other")
            holder.execute("COMMIT")
            waiting.result()


@can_fork
@quiet_fork
@pytest.mark.parametrize("is_there", [False, True], ids=["no file", "an empty file"])
def test_of_processes_that_make_a_journal_at_the_same_moment_one_wins(tmp_path, is_there):
    path = tmp_path / "journal"
    if is_there:
        path.touch()
    assert sorted(race(path, 5)) == ["in use"] * 4 + ["wrote"]
    with opened(path) as journal:
        (found,) = journal.records()
        assert journal.state()["number"].tolist() == [found["number"]]
    assert list(content(tmp_path)) == ["journal"]


def test_the_seed_of_the_first_call_is_remembered(tmp_path):
    path = tmp_path / "journal"
    assert remembered_seed(None, 5, "Searcher") == 5
    assert remembered_seed(path, 5, "Searcher") == 5
    opened(path, seed=5).close()
    assert remembered_seed(path, 6, "Searcher") == 5
    with pytest.raises(ParameterError, match="folder of the checkpoint"):
        remembered_seed(path.parent / "missing" / "journal", 6, "Searcher")


@can_fork
@quiet_fork
@pytest.mark.parametrize("milliseconds", [1, 5, 20, 30, 45, 60, 90])
def test_a_killed_process_leaves_a_whole_number_of_writes(tmp_path, milliseconds):
    path = tmp_path / "journal"

    def write_for_ever():
        with opened(path) as journal:
            for number in range(1_000_000):
                state = {"number": np.array([number]), "noise": np.full(3000, number)}
                journal.append([record(2 * number), record(2 * number + 1)], state)

    child = in_child(write_for_ever)
    time.sleep(milliseconds / 1000.0)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with opened(path) as journal:
        found, state = journal.records(), journal.state()
    n_writes = 0 if state is None else int(state["number"][0]) + 1
    assert [entry["number"] for entry in found] == list(range(2 * n_writes))
    assert all(entry["credits"].tobytes() == record(k)["credits"].tobytes() for k, entry in enumerate(found))
    assert state is None or np.all(state["noise"] == n_writes - 1)


@can_fork
@quiet_fork
def test_a_write_cut_short_is_undone_by_its_own_search_only(tmp_path):
    path = tmp_path / "journal"

    def die_while_writing():
        with opened(path) as journal:
            journal.append([{"number": 0}], {"alpha": np.ones(5)})
            # A cache of one page: the unfinished transaction is already in the file when the process dies.
            journal._connection.execute("PRAGMA cache_size = 1")
            journal._connection.execute("BEGIN")
            journal._connection.execute("DELETE FROM steps")
            noise = [(str(number) * 2000,) for number in range(100)]
            journal._connection.executemany("INSERT INTO steps (record) VALUES (?)", noise)
            os.kill(os.getpid(), signal.SIGKILL)

    os.waitpid(in_child(die_while_writing), 0)
    before = content(tmp_path)
    assert path.stat().st_size > 100_000
    assert len(before) == 2
    with pytest.raises(ParameterError, match="other data"):
        opened(path, fingerprint="data=2 step=2")
    assert content(tmp_path) == before
    with opened(path) as journal:
        assert journal.records() == [{"number": 0}]
        assert journal.state()["alpha"].tolist() == [1.0] * 5


def test_a_copy_taken_elsewhere_goes_on_there(tmp_path):
    path, other = tmp_path / "journal", tmp_path / "moved"
    with opened(path) as journal:
        journal.append([{"number": 0}], {})
    shutil.copy(path, other)
    with opened(other) as journal:
        assert journal.records() == [{"number": 0}]
