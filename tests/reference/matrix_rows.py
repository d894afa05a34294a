"""A matrix as the arrays that compiled row loops take."""

import numpy as np
from scipy import sparse


def dense_parts(X):
    n, d = X.shape
    return X.ravel(), np.arange(d, dtype=np.int32), np.arange(n + 1) * d, d


def csr_parts(X):
    X = sparse.csr_array(X)
    return X.data, X.indices.astype(np.int32), X.indptr.astype(np.int64), 0
