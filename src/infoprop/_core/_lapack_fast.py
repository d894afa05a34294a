"""Factors and triangular systems for compiled code, which SciPy's LAPACK and BLAS work out.

NumPy has no triangular systems, and SciPy's own functions for Python hold the interpreter's lock. Matrices are
as LAPACK has them, column by column: seen from here, ``L[j, i]`` is entry (i, j).
"""

import llvmlite.binding as llvm
import numpy as np
from numba import types
from numba.extending import get_cython_function_address

from infoprop._core._jit import njit

_LOWER, _LEFT, _AS_IT_IS, _TURNED, _PLAIN = (
    np.frombuffer(c, np.uint8) for c in (b"L", b"L", b"N", b"T", b"N")
)
_ONE = np.ones(1)


def _external(module: str, name: str, n_arguments: int) -> types.ExternalFunction:
    """A function of one of SciPy's modules, which compiled code finds by its name."""
    symbol = f"infoprop_{name}"
    llvm.add_symbol(symbol, get_cython_function_address(f"scipy.linalg.{module}", name))
    return types.ExternalFunction(symbol, types.void(*[types.voidptr] * n_arguments))


_potrf = _external("cython_lapack", "dpotrf", 5)
_gesv = _external("cython_lapack", "dgesv", 8)
_trsm = _external("cython_blas", "dtrsm", 11)


@njit
def factor(A):
    """Cholesky factor of a symmetric matrix, in its place; False if there is none."""
    sizes = np.full(1, A.shape[0], np.int32)
    info = np.zeros(1, np.int32)
    _potrf(_LOWER.ctypes, sizes.ctypes, A.ctypes, sizes.ctypes, info.ctypes)
    return info[0] == 0


@njit
def solve_lower(L, B, turned):
    """Write ``L^-1 b``, or ``L'^-1 b`` if turned, over each row b of B."""
    sizes = np.array([L.shape[0], B.shape[0]], np.int32)
    turn = _TURNED if turned else _AS_IT_IS
    size, count = sizes[:1].ctypes, sizes[1:].ctypes
    _trsm(
        _LEFT.ctypes,
        _LOWER.ctypes,
        turn.ctypes,
        _PLAIN.ctypes,
        size,
        count,
        _ONE.ctypes,
        L.ctypes,
        size,
        B.ctypes,
        size,
    )


@njit
def solve_symmetric(M, b):
    """Write ``M^-1 b`` over b, and its factors over the symmetric M; False if it has no inverse."""
    sizes = np.array([M.shape[0], 1], np.int32)
    order = np.empty(M.shape[0], np.int32)
    info = np.zeros(1, np.int32)
    size = sizes[:1].ctypes
    _gesv(size, sizes[1:].ctypes, M.ctypes, size, order.ctypes, b.ctypes, size, info.ctypes)
    return info[0] == 0
