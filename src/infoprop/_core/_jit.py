"""How compiled loops are compiled: in one place, cached on disk, without the GIL.

Numba stamps a cached function with the date of its own file only, so an edit in a callee of another
file goes unseen. The cache folder of a ``*_fast.py`` file is therefore named after its content and that of
every ``*_fast.py`` file it imports from, directly or not, of the files that say how they are compiled, and
after the versions of Numba and llvmlite.

"""

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import get_cython_function_address, intrinsic

from infoprop._core._dispatcher import Dispatcher

_PACKAGE = Path(__file__).resolve().parent.parent
_COMPILERS = (Path(__file__), Path(__file__).with_name("_dispatcher.py"))
_CALLEES = re.compile(r"^from infoprop\.([\w.]+_fast) import", re.MULTILINE)


def cache_folder(source: Path) -> Path:
    """Folder of the compiled code of a file as it and its callees now are (not created here)."""
    return _cache_root() / f"{source.stem}-{_digest(source)}"


@cache
def _digest(source: Path) -> str:
    text = source.read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode() + _compiler_digest())
    for callee in sorted(set(_CALLEES.findall(text))):
        digest.update(_digest(_PACKAGE / f"{callee.replace('.', '/')}.py").encode())
    return digest.hexdigest()[:16]


@cache
def _compiler_digest() -> bytes:
    """What compiled code depends on besides its source."""
    versions = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}"
    return hashlib.sha256(b"".join(file.read_bytes() for file in _COMPILERS) + versions.encode()).digest()


def _cache_root() -> Path:
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given) / "infoprop"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = base / "infoprop"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / f"infoprop-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    return root


def njit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on first call; keep the result on disk; release the GIL while it runs."""
    return _compiled(function, set())


def njit_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as :func:`njit` does, and let sums be taken in any order, so that they run on vectors.

    The order is fixed when the function is compiled: the same numbers give the same sum every time.
    """
    return _compiled(function, {"reassoc", "contract"})


def njit_products(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as :func:`njit` does, and let a product and the sum it goes into be rounded once, together."""
    return _compiled(function, {"contract"})


def njit_norefcount(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as :func:`njit` does what makes no array and returns none, without counting references.

    Numba counts the references of every array in a tuple of arguments, call by call. Where machines are
    handed from function to function, that is a good part of a microsecond each time.
    """
    return _compiled(function, set(), counts_references=False)


def njit_norefcount_sums(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as :func:`njit_norefcount` does, with sums in any order as in :func:`njit_sums`."""
    return _compiled(function, {"reassoc", "contract"}, counts_references=False)


def _compiled(
    function: Callable[..., Any], freedoms: set[str], counts_references: bool = True
) -> Callable[..., Any]:
    """Compile into the cache folder of the function's file.

    The folder is handed to Numba for the moment of decoration only, so that other packages that use
    Numba in the same process keep their own.
    """
    config: Any = numba.config
    configured = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder(Path(function.__code__.co_filename)))
    try:
        options: dict[str, Any] = {
            "nopython": True,
            "boundscheck": None,
            "nogil": True,
            "error_model": "numpy",
            "fastmath": freedoms,
            # Said in both cases, as it would be inherited from the caller that is compiled first.
            "_nrt": counts_references,
        }
        compiled = Dispatcher(function, {}, options)
        compiled.enable_caching()
    finally:
        config.CACHE_DIR = configured
    return compiled


def scipy_function(module: str, name: str, n_arguments: int) -> Any:
    """A function of BLAS or LAPACK that compiled code may call; all its arguments are addresses.

    It is found by name when compiled code is loaded, so the code can be kept on disk.
    """
    symbol = f"infoprop_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{module}", name))
    return types.ExternalFunction(symbol, types.void(*[types.voidptr] * n_arguments))


@intrinsic
def unowned_view(_: Any, given: Any) -> Any:
    """Return the same array, or tuple of arrays, without its reference counts; for compiled code only.

    Numba counts references at every call, with atomic operations, array by array: for a function of a dozen
    arrays that works for a microsecond, half of the time. The owner of the arrays must outlive the view.
    """

    helpers: Any = cgutils

    def without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.BaseTuple):
            kinds: Any = kind
            members = helpers.unpack_tuple(builder, value, len(kinds))
            views = [without_owner(context, builder, *part) for part in zip(kinds, members, strict=True)]
            return context.make_tuple(builder, kind, views)
        if not isinstance(kind, types.Array):
            return value
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = helpers.get_null_value(array.meminfo.type)
        array.parent = helpers.get_null_value(array.parent.type)
        return array._getvalue()

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return without_owner(context, builder, signature.args[0], arguments[0])

    return given(given), codegen


@intrinsic
def prefetch(_: Any, array: Any, index: Any) -> Any:
    """Ask for an entry of an array to be in the cache soon; for compiled code only."""
    helpers: Any = cgutils

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(builder.gep(view.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        hint = helpers.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # To be read, as near as possible, as data.
        builder.call(hint, [address, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen
