"""run_tasks on the workers of joblib; on those of a cluster see test_cluster."""

import warnings

import numpy as np
from joblib import parallel_config

from infoprop._core._cluster import SharedData
from infoprop._core._tasks import run_tasks


def test_a_worker_that_is_replaced_is_no_error_where_warnings_are():
    # joblib warns in its own thread. That thread would end, and all others wait for ever.
    with warnings.catch_warnings(), parallel_config("threading"):
        warnings.simplefilter("error")
        assert dict(run_tasks(np.multiply, SharedData(2), [1, 3], n_jobs=2)) == {0: 2, 1: 6}
        warnings.simplefilter("ignore", DeprecationWarning)
        (action, message, *_) = next(given for given in warnings.filters if given[2] is UserWarning)
    assert action == "default"
    assert message.match("A worker stopped while some jobs were given to the executor.")
