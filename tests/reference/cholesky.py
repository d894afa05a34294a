"""Cholesky factors made from nothing, as often as one likes."""

import numpy as np


def factor(A):
    """Upper U with ``U' U = A``, and the solution of ``U' ones = (1, ..., 1)``."""
    U = np.linalg.cholesky(A).T
    return U, np.linalg.solve(U.T, np.ones(len(A)))


def without(A, position):
    """A without one row and column."""
    kept = np.delete(np.arange(len(A)), position)
    return A[np.ix_(kept, kept)]
