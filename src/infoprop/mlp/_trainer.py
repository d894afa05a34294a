"""train: from initial networks and rows to trained networks, several at once in threads."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from infoprop._core._blas import one_blas_thread
from infoprop._core._stopping import Threads, check_stop
from infoprop._core._threads import native_threads
from infoprop._core._typing import FloatArray
from infoprop.mlp import _minimiser_fast as fast
from infoprop.mlp._curvature import curvature_for
from infoprop.mlp._curvature_fast import Curvature
from infoprop.mlp._network import ACTIVATIONS, LOSSES, Network
from infoprop.mlp._rows import Rows, no_blocks

# Numbers multiplied between two looks for an interrupt: some tenths of a second.
_WORK_BETWEEN_LOOKS = 2e9
# Below this many weights times rows single precision saves less than it costs to change over.
_PRODUCTS_FOR_SINGLE = 20_000
# BLAS does not bother its threads with the products of networks with fewer weights times rows.
_PRODUCTS_FOR_THREADS = 200_000


@dataclass(frozen=True)
class Settings:
    """How networks are trained.

    Parameters
    ----------
    loss : {"squared_error", "cross_entropy"}
    alpha : float
        Penalty; ``alpha / 2`` times the squared weights is divided by the sum of the row weights.
    tol : float
        Training ends when no entry of the gradient is larger, or steps gain less than this part of the loss.
    max_iter : int
        Largest number of steps.
    patience : int
        Steps without a lower loss on the validation rows after which training ends.
    n_jobs : int or None
        Networks trained at once, in threads.

    Examples
    --------
    >>> from infoprop.mlp._trainer import Settings
    >>> Settings(loss="squared_error", alpha=0.1).max_iter
    1000
    """

    loss: str = "cross_entropy"
    alpha: float = 1e-4
    tol: float = 1e-4
    max_iter: int = 1000
    patience: int = 10
    n_jobs: int | None = None


@dataclass(frozen=True, eq=False)
class Trained:
    """A network, and how it came about.

    Parameters
    ----------
    network : Network
        At the lowest loss on the validation rows; without such rows at the end of the training.
    loss : float
        Penalised mean loss on the training rows where the network stands.
    loss_curve : array of shape (n_iter + 1,)
        Penalised mean loss on the training rows, from the start on.
    validation_curve : array of shape (n_iter + 1,)
        Mean loss on the validation rows; empty if there are none.
    n_iter : int
    n_evaluations : int
    converged : bool
        Whether training ended by `tol` or by the validation rows, or because rounding left nothing to gain.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.mlp._network import Network
    >>> from infoprop.mlp._rows import Rows
    >>> from infoprop.mlp._trainer import Settings, train
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> start = Network.random((1, 2, 2), "tanh", "softmax", np.random.default_rng(0))
    >>> (trained,) = train([start], Rows(X, y, np.ones(4)), Settings(alpha=0.1))
    >>> trained.converged, len(trained.loss_curve) == trained.n_iter + 1, trained.validation_curve.size
    (True, True, 0)
    """

    network: Network
    loss: float
    loss_curve: FloatArray
    validation_curve: FloatArray
    n_iter: int
    n_evaluations: int
    converged: bool

    @property
    def validation_loss(self) -> float:
        """Mean loss on the validation rows where the network stands; NaN without such rows."""
        return float(self.validation_curve.min()) if self.validation_curve.size else float("nan")


def train(
    networks: Sequence[Network], rows: Rows, settings: Settings, validation: Rows | None = None
) -> list[Trained]:
    """Train each network from the weights it has; nothing random happens here.

    Parameters
    ----------
    networks : sequence of Network
        All with as many inputs as `rows` has columns.
    rows : Rows
    settings : Settings
    validation : Rows, default=None
        Rows that end a training when the loss on them no longer falls.

    Returns
    -------
    list of Trained
        In the order of `networks`; the same numbers for any number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.mlp._network import Network
    >>> from infoprop.mlp._rows import Rows
    >>> from infoprop.mlp._trainer import Settings, train
    >>> rows = Rows(np.array([[-1.0], [-0.5], [0.5], [1.0]]), np.array([0, 0, 1, 1]), np.ones(4))
    >>> start = Network.random((1, 2, 2), "tanh", "softmax", np.random.default_rng(0))
    >>> (trained,) = train([start], rows, Settings(alpha=0.01))
    >>> trained.converged, bool(trained.loss < trained.loss_curve[0])
    (True, True)
    """
    n_threads = min(native_threads(settings.n_jobs), len(networks)) if len(networks) > 1 else 1
    largest = max((network.n_weights for network in networks), default=0)
    is_small = rows.labels.size * largest <= _PRODUCTS_FOR_THREADS
    with nullcontext() if is_small else one_blas_thread():
        if n_threads == 1:
            return [_train_one(network, rows, settings, validation) for network in networks]
        with Threads(n_threads) as pool:
            return pool.map(lambda network: _train_one(network, rows, settings, validation), networks)


def _train_one(network: Network, rows: Rows, settings: Settings, validation: Rows | None) -> Trained:
    problem = fast.Problem(
        np.array(network.sizes, dtype=np.int64),
        ACTIVATIONS.index(network.activation),
        LOSSES.index(settings.loss),
        float(settings.alpha / rows.weights.sum()),
    )
    state = _start(network.vector(), settings)
    status = _run(state, problem, curvature_for(network.sizes, rows.labels.size), rows, settings, validation)
    n_iter = int(state.counts[2])
    end = n_iter if validation is None else int(state.counts[3])
    return Trained(
        network=network.with_vector(state.w if validation is None else state.best),
        loss=float(state.curve[end]),
        loss_curve=state.curve[: n_iter + 1].copy(),
        validation_curve=state.scores[: 0 if validation is None else n_iter + 1].copy(),
        n_iter=n_iter,
        n_evaluations=int(state.counts[4]),
        converged=status != fast.RUNNING,
    )


def _run(
    state: fast.State,
    problem: fast.Problem,
    curvature: Curvature | None,
    rows: Rows,
    settings: Settings,
    validation: Rows | None,
) -> int:
    """Minimise until it stops, and return why; now and then Python gets to see Ctrl-C."""
    # Single precision first, where that pays; double has the last word.
    is_large = state.w.size * rows.labels.size > _PRODUCTS_FOR_SINGLE
    single = _data(np.float32, rows, validation) if is_large else None
    double = _data(np.float64, rows, validation)
    rules = fast.Rules(float(settings.tol), int(settings.max_iter), int(settings.patience))
    n_steps = max(1, int(_WORK_BETWEEN_LOOKS / (rows.labels.size * state.w.size)))
    while single is not None:
        check_stop()
        status = fast.descend(state, problem, rules, single, curvature, n_steps)
        if status == fast.OVERFITTING:
            return int(status)
        if status != fast.RUNNING or state.counts[2] >= settings.max_iter:
            break
    while True:
        check_stop()
        status = fast.descend(state, problem, rules, double, curvature, n_steps)
        if status != fast.RUNNING or state.counts[2] >= settings.max_iter:
            return int(status)


def _data(precision: type, rows: Rows, validation: Rows | None) -> fast.Data:
    size = rows.block_size
    if validation is None:
        return fast.Data(rows.blocks(precision, size), no_blocks(precision, rows.X.shape[1]))
    return fast.Data(rows.blocks(precision, size), validation.blocks(precision, size))


def _start(w: FloatArray, settings: Settings) -> fast.State:
    n = w.size
    return fast.State(
        w=w,
        gradient=np.zeros(n),
        steps=np.empty((fast.MEMORY, n)),
        changes=np.empty((fast.MEMORY, n)),
        curvatures=np.zeros(fast.MEMORY),
        best=w.copy(),
        curve=np.zeros(settings.max_iter + 1),
        scores=np.zeros(settings.max_iter + 1),
        counts=np.zeros(5, dtype=np.int64),
    )
