"""What every test may ask for, and how tests are run: the same inputs every time, or new ones in a soak."""

import ctypes
import gc
import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest
from hypothesis import is_hypothesis_test

try:
    import resource
except ImportError:
    # As on Windows.
    resource = None

# What is imported and collected stays until the end: to look through it for garbage is time lost.
gc.disable()

# What a script starts in the background does not hear Ctrl-C, nor do its children; tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test pulls the plug of the machine, so nothing has to wait until the disk has it.
os.fsync = lambda descriptor: None

# As many processes test as there are cores; threads of linear algebra would only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The first example of a test may have to compile; how long an example takes says nothing about its result.
hypothesis.settings.register_profile("test", max_examples=50, derandomize=True, database=None, deadline=None)
hypothesis.settings.register_profile("soak", print_blob=True, database=None, deadline=None)
hypothesis.settings.load_profile("test")

PROJECT = Path(__file__).resolve().parent.parent
SOAK = PROJECT / "tests" / "soak"
SUMMARY = pytest.StashKey[list[str]]()
MUCH = 32 * 2**20
"""Bytes by which a process may grow before it looks for what it can give back."""


def pytest_addoption(parser):
    parser.addoption("--seed", type=int, default=0, help="where what a soak tries at random begins")
    parser.addoption("--rounds", type=int, default=0, help="try every property with so many seeds")


def pytest_configure(config):
    config.stash[SUMMARY] = []


def pytest_report_header(config):
    return f"--seed={config.getoption('seed')} --rounds={config.getoption('rounds')}"


def pytest_ignore_collect(collection_path, config):
    """Do not even look at what only a soak runs: to list its tests takes seconds."""
    return True if collection_path == SOAK and config.option.markexpr == "not soak" else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Leave out the examples in docstrings of tests: there are none, and to look for them takes seconds."""
    found = yield
    return [collector for collector in found if type(collector).__name__ != "DoctestModule"]


def pytest_collection_finish(session):
    gc.freeze()
    gc.enable()
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
        session.config.pluginmanager.register(Thrift())


def resident() -> int:
    """Bytes that this process holds now, where the system says it in a file."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Thrift:
    """After a test that took much, give memory back to the system: what is free, the allocator keeps."""

    def __init__(self) -> None:
        self.before = resident()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self):
        done = yield
        if resident() > self.before + MUCH:
            gc.collect()
            ctypes.CDLL(None).malloc_trim(0)
            self.before = resident()
        return done


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    folder = str(SOAK)
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker(pytest.mark.soak)


def pytest_make_parametrize_id(val, argname):
    """No bytes in names: packed ones hold the second, and workers must name their tests alike."""
    return argname if isinstance(val, bytes) else None


def pytest_generate_tests(metafunc):
    """Repeat every property with as many seeds as there are to be rounds."""
    rounds = metafunc.config.getoption("rounds")
    if rounds and is_hypothesis_test(metafunc.function):
        first = metafunc.config.getoption("seed")
        metafunc.fixturenames.append("seed_of_the_round")
        metafunc.parametrize(
            "seed_of_the_round", range(first, first + rounds), indirect=True, ids="seed={}".format
        )


@pytest.fixture
def seed_of_the_round(request):
    """Let a property draw its examples from the seed of this round."""
    hypothesis.seed(request.param)(request.function)


@pytest.fixture(scope="session")
def soak_seed(request) -> int:
    """Seed of all that a soak tries at random; `make soak SEED=...` gives it, and a failure names it."""
    return request.config.getoption("seed")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real data sets; a test that asks for it skips by name where there is none."""
    folder = Path(os.environ.get("INFOPROP_DATA", "../shared/data"))
    if not folder.is_absolute():
        folder = PROJECT / folder
    if not folder.is_dir():
        pytest.skip(f"real data sets not found: INFOPROP_DATA={folder}")
    return folder


def cost() -> str:
    """Memory and processor time that this process and its children took up to now."""
    if resource is None:
        return "not known on this system"
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = sum(usage.ru_utime + usage.ru_stime for usage in (own, children))
    peaks = (f"{usage.ru_maxrss / 1024:.0f} MiB" for usage in (own, children))
    return "{} at most, its children {}; {:.0f} s of processor time".format(*peaks, seconds)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["cost"] = cost()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    if said := getattr(node, "workeroutput", {}).get("cost"):
        node.config.stash[SUMMARY].append(f"{node.gateway.id}: {said}")


def pytest_terminal_summary(terminalreporter, config):
    terminalreporter.section("memory and processor time")
    for line in config.stash[SUMMARY] or [f"tests: {cost()}"]:
        terminalreporter.line(line)


@pytest.fixture
def small_memory(monkeypatch):
    """From a call on, so many bytes are all the memory there is."""
    from infoprop._core import _memory

    return lambda n_bytes: monkeypatch.setattr(_memory, "memory_limit", lambda: n_bytes)


@pytest.fixture
def small_files():
    """A block in which no file can grow beyond so many bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource", reason="no such limit here")

    @contextmanager
    def limited(n_bytes):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limited
