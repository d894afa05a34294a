"""Compiled functions that are chosen by the type of their first argument, when their caller is compiled.

An algorithm that is written once over several stores, or for numbers of both precisions, calls such a
function; the code of each is compiled only where it is used, and callers can still be kept on disk: to the
compiler, the call is one of the function chosen.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from numba.core import types
from numba.np.numpy_support import as_dtype


class ChosenByType:
    """What compiled code calls; it hands on to the function for what comes first, a NamedTuple or an array.

    Parameters
    ----------
    stub : callable
        Says what the functions do; never runs.
    functions : mapping
        Compiled function of each NamedTuple class, or of each type of an array's numbers.
    """

    is_compiling = False

    def __init__(self, stub: Callable[..., Any], functions: Mapping[type, Any]) -> None:
        self.py_func = stub
        self.__doc__ = stub.__doc__
        self._functions = dict(functions)

    @cached_property
    def _numba_type_(self) -> Any:
        # Numba asks every value for its type by this name.
        return types.Dispatcher(self)

    def _chosen(self, kind: Any) -> Any:
        if isinstance(kind, types.Array):
            return self._functions[as_dtype(kind.dtype).type]
        return self._functions[kind.instance_class]

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return what types a call; Numba asks for it."""
        return self._chosen(args[0]).get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Return what runs for a typed call; Numba asks for it."""
        return self._chosen(sig[0]).get_overload(sig)


def chosen_by_type(functions: Mapping[type, Any]) -> Callable[[Callable[..., Any]], ChosenByType]:
    """Make a function that stands for `functions`, the compiled function of each type of what comes first."""

    def choose(stub: Callable[..., Any]) -> ChosenByType:
        return ChosenByType(stub, functions)

    return choose
