"""Products with symmetric matrices for compiled code, which SciPy's BLAS works out.

SciPy's own functions for Python hold the interpreter's lock. Matrices are as BLAS has them, column by column:
seen from here, ``A[j, i]`` is entry (i, j).
"""

import numpy as np

from infoprop._core._jit import njit, scipy_function

_LOWER = _LEFT = np.frombuffer(b"L", np.uint8)
_ONE, _ONE_SINGLE = np.ones(1), np.ones(1, np.float32)
_ZERO, _ZERO_SINGLE = np.zeros(1), np.zeros(1, np.float32)

_dsymm = scipy_function("cython_blas", "dsymm", 12)
_ssymm = scipy_function("cython_blas", "ssymm", 12)


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
