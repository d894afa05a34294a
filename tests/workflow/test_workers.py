"""Worker processes leave Ctrl-C to their master."""

import signal

from joblib import Parallel, delayed

from infoprop.workflow._workers import quiet_workers


def test_workers_go_on_when_they_are_interrupted():
    with quiet_workers():
        done = Parallel(n_jobs=2)(delayed(signal.raise_signal)(signal.SIGINT) for _ in range(2))
    assert done == [None, None]
