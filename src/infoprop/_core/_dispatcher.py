"""How a compiled function is put together: its callees are linked in and optimised once, with it.

By default Numba makes a Python wrapper and machine code of every function, and optimises it again with all
its callees at each level of the call tree, for every way in which arrays may be typed. Here

- a function that is called by compiled code is only translated; one that is called from Python is optimised
  with all it calls, turned into machine code, and kept on disk;
- read-only arrays share the code of writable ones, and constants that of variables.

None of this is public in Numba. All of it is in this file and in `_jit`; ``tests/core/test_dispatcher.py``
says what broke, and ``pyproject.toml`` bounds Numba by the last version that was tried.
"""
# Numba says of few of its functions what they take.
# mypy: disable-error-code="attr-defined, misc, no-untyped-call"

import gc
import hashlib
from collections.abc import Callable
from typing import Any

from numba.core import codegen, compiler, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import CPUDispatcher

from infoprop._core._compiling import announced, count_function
from infoprop._core._stopping import stoppable


class _LinkedLibrary(codegen.JITCodeLibrary):
    """Code of a function that compiled code calls: linked into its callers, never machine code itself."""

    def _optimize_final_module(self) -> None:
        """Leave it to the function called from Python, which is optimised with all that it calls."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _LinkedSumsLibrary(_LinkedLibrary):
    """The same of a function whose sums may be taken in any order: optimised on its own first.

    The order is settled then and there, and is the same in all callers.
    """

    def _optimize_final_module(self) -> None:
        codegen.JITCodeLibrary._optimize_final_module(self)


class _LinkedCompiler(compiler.Compiler):
    """Compiles what is linked into its callers."""

    def _compile_core(self) -> Any:
        state = self.state
        library = _LinkedSumsLibrary if state.flags.fastmath else _LinkedLibrary
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        result = super()._compile_core()
        count_function()
        # Callers look their callee up by its entry point. There is none, so any object of its own does.
        key = object()
        state.targetctx.insert_user_function(key, result.fndesc, [result.library])
        return result._replace(entry_point=key)


class _Flags(compiler.Flags):
    """Options of a compilation that are quick to compare.

    Numba looks up every operator by them, ten thousand times for a fit, and builds a dictionary of all
    options each time: a third of the time that compiling takes.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is _Flags:
            return bool(self._values == other._values)
        return bool(super().__eq__(other))

    def __hash__(self) -> int:
        return _HASH


# The hash of Numba's flags is that of the names of all options, whatever their values.
_HASH = hash(compiler.Flags())


class _LinkedFunctionCompiler(_FunctionCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        flags = _Flags(flags)
        flags.no_compile = True
        return flags


class _EntryFunctionCompiler(_FunctionCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        return _Flags(flags)

    def compile(self, args: Any, return_type: Any) -> Any:
        # The compiler makes and keeps millions of objects; looking through all of them time and again for
        # garbage takes a good part of its time.
        was_on = gc.isenabled()
        gc.disable()
        try:
            with announced(self.py_func):
                return super().compile(args, return_type)
        finally:
            if was_on:
                gc.enable()


class _LinkedDispatcher(CPUDispatcher):
    """A function as compiled code calls it."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        options = {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(function, {}, options, _LinkedCompiler)
        self._compiler = _LinkedFunctionCompiler(function, self.targetdescr, options, {}, _LinkedCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        # Numba would compile f(x, 0) and f(x, n) separately.
        args = tuple(map(types.unliteral, args))
        return super().get_call_template(args, {name: types.unliteral(kind) for name, kind in kws.items()})

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres


class _CacheFile(IndexDataCacheFile):
    """Compiled code on disk, in a file named after its signature.

    Numba numbers the files of a function: two processes that compile it for different arguments at the same
    moment would give both the same number, and one would run the other's code. As it is, the worst that can
    happen is that one of them is forgotten and compiled again, to the same file; every file is written aside
    and renamed.
    """

    def save(self, key: Any, data: Any) -> None:
        # What pickle makes of equal keys depends on which of their parts are the same objects.
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        name = self._data_name_pattern.format(number=int(digest[:15], 16))
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


class Dispatcher(CPUDispatcher):
    """A function as Python calls it, which hands compiled callers the linked one."""

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: dict[str, Any] | None = None,
        targetoptions: dict[str, Any] | None = None,
        pipeline_class: Any = compiler.Compiler,
    ) -> None:
        options = targetoptions or {}
        super().__init__(py_func, locals, {**options, "no_cfunc_wrapper": True}, pipeline_class)
        self._compiler = _EntryFunctionCompiler(
            py_func, self.targetdescr, self.targetoptions, self.locals, pipeline_class
        )
        self._linked = _LinkedDispatcher(py_func, options)

    def enable_caching(self) -> None:
        cache = FunctionCache(self.py_func)
        cache._cache_file.__class__ = _CacheFile
        self._cache = cache

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self._linked.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self._linked.get_overload(sig)

    def compile(self, sig: Any) -> Any:
        """Compile where Ctrl-C ends the waiting at once.

        LLVM works for seconds without looking, and then calls llvmlite: an interrupt that is raised there,
        inside a callback of ctypes, is printed and forgotten.
        """
        return stoppable(lambda: super(Dispatcher, self).compile(sig))

    @property
    def is_compiling(self) -> Any:
        """Asked by the compiler when a function calls itself."""
        return self._compiling_counter or self._linked.is_compiling

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Give arrays that may not be written the code of those that may.

        Compiled code writes to no array that comes from a user; scikit-learn's checks hand every estimator
        memory that cannot be written.
        """
        kinds = tuple(self.typeof_pyval(argument) for argument in args)
        plain = tuple(_as_writable(kind) for kind in kinds)
        if plain == kinds:
            return super()._compile_for_args(*args, **kws)
        entry = self.compile(plain)
        self._insert([kind._code for kind in kinds], entry, False)
        return entry


def _as_writable(kind: Any) -> Any:
    if isinstance(kind, types.Array) and not kind.mutable:
        return kind.copy(readonly=False)
    if isinstance(kind, types.BaseTuple) and len(kind):
        members = [_as_writable(member) for member in kind]
        return types.BaseTuple.from_types(members, getattr(kind, "instance_class", None))
    return kind
