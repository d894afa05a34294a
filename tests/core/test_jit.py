import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from infoprop._core import _jit

SOURCE = """
from infoprop._core._jit import njit

@njit
def doubled(x):
    return 2.0 * x
"""
USE = """
from kept_fast import doubled
assert doubled(1.5) == 3.0
print(sum(doubled.stats.cache_hits.values()), sum(doubled.stats.cache_misses.values()))
"""


def test_compiled_code_is_kept_for_the_next_process(tmp_path, monkeypatch, capsys):
    (tmp_path / "kept_fast.py").write_text(SOURCE)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    exec(USE, {})
    assert capsys.readouterr().out == "0 1\n"
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    there = subprocess.run(
        [sys.executable, "-c", USE], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert there.stdout == "1 0\n", there.stderr


def test_the_cache_folder_follows_the_file_and_its_callees(tmp_path, monkeypatch):
    monkeypatch.setattr(_jit, "_PACKAGE", tmp_path)
    (tmp_path / "part").mkdir()
    caller, callee, other = (tmp_path / "part" / f"_{name}_fast.py" for name in ("caller", "callee", "other"))
    caller.write_text("from infoprop.part._callee_fast import f\n")
    callee.write_text("f = 1\n")
    other.write_text("g = 1\n")

    def names():
        _jit._digest.cache_clear()
        return [_jit.cache_folder(source).name for source in (caller, callee, other)]

    before = names()
    callee.write_text("f = 2\n")
    after = names()
    assert [name.split("-")[0] for name in after] == ["_caller_fast", "_callee_fast", "_other_fast"]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]
    _jit._digest.cache_clear()


@pytest.mark.parametrize("name", ["_jit.py", "_dispatcher.py"])
def test_the_cache_folder_follows_the_decorators(tmp_path, monkeypatch, name):
    source, decorators = tmp_path / "_some_fast.py", tmp_path / name
    source.write_text("f = 1\n")
    decorators.write_text("before")
    others = [file for file in _jit._COMPILERS if file.name != name]
    monkeypatch.setattr(_jit, "_COMPILERS", (*others, decorators))
    assert {file.name for file in _jit._COMPILERS} == {"_jit.py", "_dispatcher.py"}
    _jit._compiler_digest.cache_clear()
    before = _jit.cache_folder(source)
    decorators.write_text("after")
    _jit._digest.cache_clear()
    _jit._compiler_digest.cache_clear()
    assert _jit.cache_folder(source) != before
    _jit._digest.cache_clear()
    _jit._compiler_digest.cache_clear()


@pytest.mark.parametrize("package", ["numba", "llvmlite"])
def test_the_cache_folder_follows_the_version_of_the_compiler(tmp_path, monkeypatch, package):
    source = tmp_path / "_some_fast.py"
    source.write_text("f = 1\n")
    before = _jit.cache_folder(source)
    monkeypatch.setattr(getattr(_jit, package), "__version__", "another")
    _jit._digest.cache_clear()
    _jit._compiler_digest.cache_clear()
    assert _jit.cache_folder(source) != before
    _jit._digest.cache_clear()
    _jit._compiler_digest.cache_clear()


def test_other_packages_keep_their_own_cache_folder(monkeypatch):
    monkeypatch.setattr(_jit.numba.config, "CACHE_DIR", "their own")
    ours = _jit.njit(lambda x: x)
    assert "their own" not in ours._cache.cache_path
    assert _jit.numba.config.CACHE_DIR == "their own"


def test_an_unwritable_home_falls_back_to_the_temporary_folder(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    if sys.platform == "linux":
        assert "infoprop-" in _jit._cache_root().name


class Pair(NamedTuple):
    numbers: Any
    count: Any


@_jit.njit
def fill(pair, value):
    view = _jit.unowned_view(pair)
    for i in range(view.count):
        view.numbers[i] = value
    return _jit.unowned_view(view.numbers).sum()


@_jit.njit_norefcount
def scale(pair, factor):
    for i in range(pair.count):
        pair.numbers[i] *= factor
    return size(pair.numbers[: pair.count])


@_jit.njit_norefcount_sums
def size(numbers):
    total = 0.0
    for i in range(numbers.shape[0]):
        total += abs(numbers[i])
    return total


@_jit.njit
def scaled(pair, factor):
    copied = Pair(pair.numbers.copy(), pair.count)
    return scale(copied, factor), copied.numbers


def test_functions_without_reference_counts_leave_them_alone():
    numbers = np.arange(4.0)
    before = sys.getrefcount(numbers)
    total, copied = scaled(Pair(numbers, 3), -2.0)
    assert total == 6.0
    assert copied.tolist() == [0.0, -2.0, -4.0, 3.0]
    assert scale(Pair(numbers, 4), 0.5) == 3.0
    assert numbers.tolist() == [0.0, 0.5, 1.0, 1.5]
    assert sys.getrefcount(numbers) == before


def test_unowned_views_are_the_same_memory_and_leave_reference_counts_alone():
    numbers = np.zeros(3)
    before = sys.getrefcount(numbers)
    assert fill(Pair(numbers, 2), 1.5) == 3.0
    assert numbers.tolist() == [1.5, 1.5, 0.0]
    assert sys.getrefcount(numbers) == before
