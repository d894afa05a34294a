import numpy as np
from scipy import linalg  # noqa: F401  (brings its own BLAS)
from threadpoolctl import threadpool_info, threadpool_limits

from infoprop._core._blas import one_blas_thread


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_has_one_thread_inside_and_as_many_as_before_outside():
    assert np.eye(2) @ np.eye(2) is not None
    with threadpool_limits(2, user_api="blas"):
        assert set(blas_threads()) == {2}
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {2}
