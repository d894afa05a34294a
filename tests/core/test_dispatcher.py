"""What infoprop takes from inside Numba: a test that fails after an upgrade says what has moved."""

import inspect
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import codegen, compiler, dispatcher
from numba.core.caching import IndexDataCacheFile
from numba.core.options import DefaultOptions

from infoprop._core import _dispatcher
from infoprop._core._jit import njit, njit_sums


class Given(NamedTuple):
    numbers: Any
    count: Any


@njit
def doubled(x):
    return 2.0 * x


@njit
def shifted(x, by):
    return doubled(x) + by


@njit_sums
def total(values):
    result = 0.0
    for i in range(values.shape[0]):
        result += shifted(values[i], 1) - shifted(values[i], values.shape[0])
    return result


@njit
def summed(given):
    result = 0.0
    for i in range(given.count):
        result += shifted(given.numbers[i], 0)
    return result + total(given.numbers)


@njit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@njit
def sum_of_factorials(n):
    result = 0
    for k in range(n):
        result += factorial(k)
    return result


@njit
def refused(x):
    return shifted(x, "text")


def uncached(function):
    return _dispatcher.Dispatcher(function.py_func, {}, function.targetoptions)


EXPECTED = {
    codegen.JITCodeLibrary: ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals"),
    compiler.Compiler: ("_compile_core",),
    dispatcher._FunctionCompiler: ("_customize_flags", "compile"),
    dispatcher.Dispatcher: (
        "_compile_for_args",
        "add_overload",
        "compile",
        "enable_caching",
        "get_call_template",
        "get_overload",
        "is_compiling",
        "typeof_pyval",
    ),
    IndexDataCacheFile: ("_dump", "_load_index", "_save_data", "_save_index", "save"),
    DefaultOptions: ("_nrt", "no_cfunc_wrapper", "no_cpython_wrapper"),
}


@pytest.mark.parametrize(
    ("owner", "name"), [(owner, name) for owner, names in EXPECTED.items() for name in names]
)
def test_numba_still_has_what_is_built_upon(owner, name):
    assert hasattr(owner, name), (
        f"Numba {numba.__version__} has no {owner.__name__}.{name}, which _core/_dispatcher.py needs: "
        "adapt it, or lower the upper bound of numba in pyproject.toml."
    )


def test_the_intrinsic_finds_the_parts_of_numba_that_it_is_made_of():
    from numba.core import cgutils
    from numba.extending import get_cython_function_address

    for name in ("unpack_tuple", "get_null_value"):
        assert hasattr(cgutils, name), (
            f"Numba {numba.__version__} has no cgutils.{name}: see unowned_view in _jit.py"
        )
    assert get_cython_function_address("scipy.linalg.cython_blas", "ddot"), (
        "SciPy hides BLAS: see scipy_function"
    )


def test_flags_are_still_hashed_by_their_names_alone():
    flags = compiler.Flags()
    flags.fastmath = True
    assert hash(flags) == hash(compiler.Flags()) == hash(_dispatcher._Flags(flags)), (
        f"Numba {numba.__version__} hashes flags by values: _Flags in _dispatcher.py has to do the same."
    )
    assert _dispatcher._Flags(flags) == flags == _dispatcher._Flags(flags) != _dispatcher._Flags()


def test_the_upper_bound_names_a_version_that_these_tests_have_seen():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (numba_line,) = [line for line in project["dependencies"] if line.startswith("numba")]
    assert "<" in numba_line


def test_another_thread_compiles_so_that_the_main_one_hears_of_an_interrupt(monkeypatch):
    compiled_by = []

    @contextmanager
    def noted(_):
        compiled_by.append(threading.current_thread())
        yield

    monkeypatch.setattr(_dispatcher, "announced", noted)
    assert uncached(doubled)(2.0) == 4.0
    assert len(compiled_by) == 1
    assert compiled_by[0] is not threading.main_thread()


def test_compiled_functions_give_what_python_gives():
    numbers = np.arange(5.0)
    assert summed(Given(numbers, 3)) == summed.py_func(Given(numbers, 3)) == 6.0 - 20.0
    assert sum_of_factorials(6) == 1 + 1 + 2 + 6 + 24 + 120
    assert factorial(5) == 120


def test_what_only_compiled_code_calls_has_no_code_of_its_own():
    entry = uncached(summed)
    assert entry(Given(np.arange(5.0), 3)) == -14.0
    assert len(entry.signatures) == 1
    assert len(doubled._linked.signatures) == 1
    assert not doubled.signatures
    # Constants are no type of their own: shifted(x, 0), shifted(x, 1) and shifted(x, n) are the same code.
    assert [str(kinds) for kinds in shifted._linked.signatures] == ["(float64, int64)"]


def test_an_array_that_may_not_be_written_shares_the_code_of_one_that_may():
    numbers = np.arange(4.0)
    frozen = numbers.copy()
    frozen.flags.writeable = False
    entry, simple = uncached(summed), uncached(total)
    assert simple(frozen) == simple(numbers)
    assert entry(Given(frozen, 2)) == entry(Given(numbers, 2))
    assert len(simple.signatures) == len(entry.signatures) == 1
    assert simple(numbers[::2]) == total.py_func(numbers[::2])
    assert len(simple.signatures) == 2


def test_an_argument_of_the_wrong_kind_is_an_error_of_types():
    with pytest.raises(numba.TypingError):
        refused(1.0)


def test_threads_that_call_at_once_get_one_answer():
    @njit
    def tripled(x):
        return 3.0 * x

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(tripled, np.arange(8.0))) == [3.0 * x for x in range(8)]


RACE = """
import sys
import numpy as np
from infoprop._core._jit import njit

@njit
def total_of(values):
    total = values[0]
    for i in range(1, values.shape[0]):
        total += values[i]
    return total

for kind in sys.argv[1:]:
    print(total_of(np.arange(4, dtype=kind)))
"""


def test_processes_that_compile_one_function_for_different_arguments_do_not_mix_them_up(tmp_path):
    program = tmp_path / "race_fast.py"
    program.write_text(RACE)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def started(*kinds):
        command = [sys.executable, program, *kinds]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    processes = [started(kind) for kind in ("float64", "int64")]
    assert [process.communicate()[0].split()[0] for process in processes] == ["6.0", "6"]
    # What a race has lost from the index is compiled again, to the same file.
    for index in tmp_path.rglob("*.nbi"):
        index.unlink()
    found, _ = started("float64", "int64").communicate()
    assert found.split() == ["6.0", "6"]
    names = [path.name for path in tmp_path.rglob("*.nbc")]
    assert len(names) == len(set(names)) == 2


def test_every_entry_is_a_dispatcher_with_a_signature_in_python():
    assert list(inspect.signature(summed).parameters) == ["given"]
    assert isinstance(summed, _dispatcher.Dispatcher)
