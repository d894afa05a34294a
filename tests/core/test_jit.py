import os
import subprocess
import sys

from infoprop._core import _jit

FIT = """
import time, numpy as np
from infoprop.svm import OneVsRestSVC
from infoprop._core import _jit
print(_jit.is_compiled())
OneVsRestSVC(kernel="linear").fit(np.eye(4), [0, 0, 1, 1])
print(_jit.is_compiled())
from infoprop.svm._smo_fast import advance
print(sum(advance.stats.cache_hits.values()), sum(advance.stats.cache_misses.values()))
"""


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_compiled_code_is_kept_for_the_next_process(tmp_path):
    first = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert first == ["False", "True", "0", "1"]
    second = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert second == ["True", "True", "1", "0"]


def test_the_cache_folder_follows_the_sources():
    assert _jit.cache_folder().name.startswith("compiled-")


def test_other_packages_keep_their_own_cache_folder():
    code = """
import numba
before = numba.config.CACHE_DIR
import infoprop.svm
print(numba.config.CACHE_DIR == before)
"""
    assert run(code) == ["True"]


def test_an_unwritable_home_falls_back_to_the_temporary_folder(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    if sys.platform == "linux":
        assert "infoprop-" in _jit._cache_root().name
