"""Factors and triangular systems for compiled code, which SciPy's LAPACK and BLAS work out.

NumPy has no triangular systems, and SciPy's own functions for Python hold the interpreter's lock. Matrices
are as LAPACK has them, column by column: seen from here, ``L[j, i]`` is entry (i, j).
"""

import numpy as np

from infoprop._core._jit import njit, scipy_function

_LOWER, _LEFT, _AS_IT_IS, _TURNED = (np.frombuffer(letter, np.uint8) for letter in (b"L", b"L", b"N", b"T"))
_ONE, _ONE_SINGLE = np.ones(1), np.ones(1, np.float32)
_ZERO, _ZERO_SINGLE = np.zeros(1), np.zeros(1, np.float32)

_dpotrf = scipy_function("cython_lapack", "dpotrf", 5)
_dtrsm = scipy_function("cython_blas", "dtrsm", 11)
_dtrsv = scipy_function("cython_blas", "dtrsv", 8)
_dsymm = scipy_function("cython_blas", "dsymm", 12)
_ssymm = scipy_function("cython_blas", "ssymm", 12)
_dgesv = scipy_function("cython_lapack", "dgesv", 8)


@njit
def factor(A):
    """Cholesky factor of a symmetric matrix, in its place; False if there is none."""
    size = np.full(1, A.shape[0], np.int32)
    info = np.zeros(1, np.int32)
    _dpotrf(_LOWER.ctypes, size.ctypes, A.ctypes, size.ctypes, info.ctypes)
    return info[0] == 0


@njit
def solve_lower(L, B, is_turned):
    """Write ``L^-1 b``, or ``L'^-1 b`` if turned, over each row b of B."""
    sizes = np.array([L.shape[0], B.shape[0]], np.int32)
    m, count = sizes[:1].ctypes, sizes[1:].ctypes
    turn = _TURNED.ctypes if is_turned else _AS_IT_IS.ctypes
    side, part, diagonal = _LEFT.ctypes, _LOWER.ctypes, _AS_IT_IS.ctypes
    if B.shape[0] == 1:
        _dtrsv(part, turn, diagonal, m, L.ctypes, m, B.ctypes, count)
    else:
        _dtrsm(side, part, turn, diagonal, m, count, _ONE.ctypes, L.ctypes, m, B.ctypes, m)


@njit
def solve_symmetric(M, b):
    """Write ``M^-1 b`` over b, and its factors over the symmetric M; False if it has no inverse."""
    sizes = np.array([M.shape[0], 1], np.int32)
    order = np.empty(M.shape[0], np.int32)
    info = np.zeros(1, np.int32)
    m = sizes[:1].ctypes
    _dgesv(m, sizes[1:].ctypes, M.ctypes, m, order.ctypes, b.ctypes, m, info.ctypes)
    return info[0] == 0


@njit
def multiply_symmetric(B, A, out):
    """Write ``B A`` for a symmetric A, of which the half right of the diagonal is there.

    All three are of one precision, single or double.
    """
    sizes = np.array([A.shape[0], B.shape[0]], np.int32)
    m, count = sizes[:1].ctypes, sizes[1:].ctypes
    side, part = _LEFT.ctypes, _LOWER.ctypes
    a, b, c = A.ctypes, B.ctypes, out.ctypes
    if A.itemsize == 4:
        _ssymm(side, part, m, count, _ONE_SINGLE.ctypes, a, m, b, m, _ZERO_SINGLE.ctypes, c, m)
    else:
        _dsymm(side, part, m, count, _ONE.ctypes, a, m, b, m, _ZERO.ctypes, c, m)
