import errno
import os
import signal
import stat
import threading

import pytest

from infoprop._core._writing import whole_file, write_text

can_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
# Newer Pythons warn of forks beside threads of others; these children only write and die.
quiet_fork = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def content(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def in_child(work):
    """Run `work` in a forked process; return how that ended."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "result.csv"
    path.write_bytes(b"old")
    return path


def test_text_is_utf8_with_its_own_line_ends(tmp_path):
    write_text(str(tmp_path / "page"), "ä\nb\r\n")
    assert content(tmp_path) == {"page": b"\xc3\xa4\nb\r\n"}


def test_until_the_end_the_old_file_is_there(old):
    with whole_file(old) as file:
        file.write(b"new")
        file.flush()
        assert old.read_bytes() == b"old"
    assert content(old.parent) == {"result.csv": b"new"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_an_error_leaves_the_old_file_and_nothing_else(old, error):
    def fail():
        with whole_file(old) as file:
            file.write(b"new")
            raise error

    with pytest.raises(error):
        fail()
    assert content(old.parent) == {"result.csv": b"old"}


def test_a_disk_that_is_full_at_the_very_end_leaves_the_old_file(old, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(old, "new")
    assert content(old.parent) == {"result.csv": b"old"}


def test_a_file_that_grows_too_large_leaves_the_old_one(old, small_files):
    with small_files(5000), pytest.raises(OSError, match="File too large"):
        write_text(old, "new" * 10_000)
    assert content(old.parent) == {"result.csv": b"old"}


@can_fork
@quiet_fork
def test_a_kill_in_the_middle_leaves_the_old_file(old):
    def die_while_writing():
        with whole_file(old) as file:
            file.write(b"new" * 10_000)
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(die_while_writing) == -signal.SIGKILL
    assert old.read_bytes() == b"old"
    write_text(old, "new")
    assert old.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="no such modes")
def test_modes_are_those_of_the_old_file_or_of_any_new_one(old):
    old.chmod(0o640)
    write_text(old, "new")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    plain, ours = old.with_name("plain"), old.with_name("ours")
    plain.touch()
    write_text(ours, "new")
    assert ours.stat().st_mode == plain.stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_is_followed_even_to_where_nothing_is_yet(old, tmp_path):
    link, dangling = tmp_path / "link", tmp_path / "dangling"
    link.symlink_to(old.name)
    dangling.symlink_to("later.csv")
    write_text(link, "new")
    write_text(dangling, "later")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert old.read_bytes() == b"new"
    assert (tmp_path / "later.csv").read_bytes() == b"later"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such pipes")
def test_a_pipe_is_written_directly(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_one():
    write_text(os.devnull, "nowhere")
    with open(os.devnull, "rb") as file:
        assert file.read() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_device_is_an_error():
    with pytest.raises(OSError, match="No space left"):
        write_text("/dev/full", "x")


def test_the_longest_name_can_be_written(tmp_path):
    name = "n" * 255
    write_text(tmp_path / name, "x")
    assert content(tmp_path) == {name: b"x"}


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_text(tmp_path / "absent" / "x", "x")
