"""Who shares the work: processes that leave Ctrl-C to the one that started them, or a Dask cluster."""

import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from infoprop._core._cluster import cluster_client
from infoprop._core._exceptions import ParameterError
from infoprop._core._optional import require

_TIMEOUT = 10
"""Seconds in which a scheduler must answer."""


def quiet_workers() -> AbstractContextManager[Any]:
    """Return a block whose worker processes are not told of Ctrl-C: they end when their master does.

    The terminal sends it to all of them, and each would print where it was. Where a cluster or another
    backend of joblib was asked for, that does the work.
    """
    import joblib
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    if cluster_client() is not None or not isinstance(backend, joblib.parallel.LokyBackend):
        return nullcontext()
    block: AbstractContextManager[Any] = joblib.parallel_config("loky", initializer=ignore_interrupts)
    return block


def ignore_interrupts() -> None:
    """Go on when Ctrl-C is pressed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Let the workers of a Dask cluster do what is done inside; None changes nothing.

    Parameters
    ----------
    address : str or None
        Where the scheduler listens, such as ``tcp://10.0.0.1:8786``.
    """
    if address is None:
        yield
        return
    require(["distributed"], "dask", f"--scheduler {address}")
    import distributed
    import joblib

    connect: Any = distributed.Client  # carries no types
    try:
        client = connect(address, timeout=_TIMEOUT)
    except (OSError, ValueError) as error:
        raise ParameterError(
            f"No Dask scheduler answers at {address}, which --scheduler names. Start one with "
            "`dask scheduler`, or give the address that it printed."
        ) from error
    with client, joblib.parallel_config("dask", client=client):
        yield
