"""MovingMLP: MLPClassifier as a model that is moved between subsets of the columns."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from infoprop._core._blas import one_blas_thread
from infoprop._core._matrices import taken_columns
from infoprop._core._stopping import Threads
from infoprop._core._threads import native_threads
from infoprop._core._typing import FloatArray, IntArray, LabelArray, Matrix
from infoprop.mlp._network import OUTPUTS, Network, class_outputs, forward
from infoprop.mlp._propagation import Layer, propagated_shares
from infoprop.mlp._rows import Rows
from infoprop.mlp._starts import Starts
from infoprop.mlp._transplant import Columns, calmed, transplanted

# Steps of a retraining. A network that is trained again and again in a search never needs many at once.
_STEPS_AFTER_A_MOVE = 50
_MOVES_BETWEEN_SNAPSHOTS = 16

T = TypeVar("T")


class SplitRows(Protocol):
    """Rows of one split; see `infoprop.svm.subset._model.SplitRows`."""

    @property
    def X(self) -> Matrix: ...
    @property
    def y(self) -> LabelArray: ...
    @property
    def weights(self) -> FloatArray: ...
    @property
    def X_test(self) -> Matrix: ...
    @property
    def test_weights(self) -> FloatArray: ...


class MovingMLP:
    """A subset model: networks that keep their weights when columns come and go.

    The first training is that of :class:`MLPClassifier` itself. After a move, a network keeps the weights of
    the columns that stay; what a column that goes contributed on average is added to the intercepts; a column
    that comes begins with small random weights. Units that have saturated are made responsive again, see
    :func:`~infoprop.mlp._transplant.calmed`, and at most 50 steps of training follow. If more columns have
    come and gone than stand, a training starts anew.

    So the answers depend on the way that led to a subset, as those of networks from other random starts do.

    Parameters
    ----------
    estimator : MLPClassifier
    splits : sequence of SplitRows
        All dense or all CSR; CSR rows become dense for the columns that are trained on.
    classes : array of shape (n_classes,)
        Labels of all splits' training rows, ascending.
    n_jobs : int or None
        Splits trained at once, in threads; None means the estimator's. Results do not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from infoprop.datasets import make_corral
    >>> from infoprop.mlp import MLPClassifier
    >>> from infoprop.mlp._moving import MovingMLP
    >>> from infoprop.svm.subset._model import SplitRows
    >>> data = make_corral(200, random_state=0)
    >>> rows = SplitRows(data.X[:100], data.y[:100], np.ones(100), data.X[100:], data.y[100:], np.ones(100))
    >>> model = MovingMLP(MLPClassifier((3,), alpha=0.01, random_state=0), [rows], np.array([0, 1]))
    >>> model.fit()
    >>> model.credit_shares().shape
    (2, 6)
    >>> model.drop(np.array([4, 5]))
    >>> model.fit()
    >>> model.columns, bool((model.predict()[0] == data.y[100:]).mean() > 0.95)
    (array([0, 1, 2, 3]), True)
    """

    moves_between_snapshots = _MOVES_BETWEEN_SNAPSHOTS

    def __init__(
        self,
        estimator: Any,
        splits: Sequence[SplitRows],
        classes: LabelArray,
        n_jobs: int | None = None,
    ) -> None:
        n_threads = native_threads(estimator.n_jobs if n_jobs is None else n_jobs)
        starts = Starts.of(estimator)
        starts.check()
        # A single split leaves the threads to its starts.
        self._starts = replace(starts, verbose=0, n_jobs=n_threads if len(splits) == 1 else 1)
        self._n_threads = min(n_threads, len(splits))
        self._seed = _seed(starts.random_state)
        self._classes = classes
        self._splits = [_Split.of(rows) for rows in splits]
        self._is_wanted = np.ones(splits[0].X.shape[1], dtype=bool)
        self._trained_on = np.empty(0, dtype=np.intp)
        self._networks: list[Network] = []
        self._n_trainings = 0

    @property
    def columns(self) -> IntArray:
        """Numbers of the columns it stands on, ascending."""
        return np.flatnonzero(self._is_wanted)

    @property
    def classes(self) -> LabelArray:
        """Labels of all classes that occur in the training rows, ascending."""
        return self._classes

    def add(self, columns: IntArray) -> None:
        """Take columns in."""
        self._is_wanted[columns] = True

    def drop(self, columns: IntArray) -> None:
        """Leave columns out."""
        self._is_wanted[columns] = False

    def fit(self) -> None:
        """Train on the columns wanted, in every split, from the weights that fit there."""
        columns = self.columns
        moved = len(np.setxor1d(columns, self._trained_on))
        if not self._networks or moved > len(columns):
            starts = replace(self._starts, random_state=self._seed)
            networks = self._each(lambda s: self._splits[s].trained(starts, columns, None))
        else:
            n_steps = min(_STEPS_AFTER_A_MOVE, self._starts.max_iter)
            starts = replace(self._starts, random_state=self._seed, max_iter=n_steps, n_starts=1)
            networks = self._each(lambda s: self._retrained(s, starts, columns))
        self._networks, self._trained_on = networks, columns
        self._n_trainings += 1

    def _retrained(self, s: int, starts: Starts, columns: IntArray) -> Network:
        split = self._splits[s]
        seeds = self._seed, self._n_trainings, s
        moved = transplanted(self._networks[s], self._trained_on, columns, split.columns, seeds)
        return split.trained(starts, columns, moved)

    def credit_shares(self) -> FloatArray:
        """Shares of the columns in each class indicator, mean over the splits: (n_classes, n_columns)."""
        total = np.zeros((len(self._classes), len(self._trained_on)))
        found = self._each(lambda s: self._splits[s].shares(self._networks[s], self._trained_on))
        for split, shares in zip(self._splits, found, strict=True):
            total[np.searchsorted(self._classes, split.classes)] += shares
        return total / len(self._splits)

    def predict(self) -> tuple[LabelArray, ...]:
        """Labels of the rows that each split tests, one array per split."""
        return tuple(self._each(lambda s: self._splits[s].predicted(self._networks[s], self._trained_on)))

    def snapshot(self) -> Mapping[str, Any]:
        """Return the weights, the columns they were trained on, and what random numbers are drawn from."""
        weights = {f"weights_{s}": network.vector() for s, network in enumerate(self._networks)}
        counts = np.array([self._seed, self._n_trainings])
        return {"trained_on": self._trained_on.copy(), "counts": counts} | weights

    def restore(self, columns: IntArray, snapshot: Mapping[str, Any]) -> None:
        """Stand on `columns` as after a `snapshot` taken there."""
        self._is_wanted[:] = False
        self._is_wanted[columns] = True
        self._trained_on = np.array(snapshot["trained_on"], dtype=np.intp)
        self._seed, self._n_trainings = (int(count) for count in snapshot["counts"])
        n_columns = len(self._trained_on)
        self._networks = [
            split.empty_network(self._starts, n_columns).with_vector(np.array(snapshot[f"weights_{s}"]))
            for s, split in enumerate(self._splits)
        ]

    def _each(self, work: Callable[[int], T]) -> list[T]:
        """Do the same in every split, in threads. Products are taken by one thread each: same bits always."""
        numbers = range(len(self._splits))
        with one_blas_thread(), np.errstate(over="ignore"):
            if self._n_threads <= 1:
                return [work(s) for s in numbers]
            with Threads(self._n_threads) as pool:
                return pool.map(work, numbers)


@dataclass(frozen=True, eq=False)
class _Split:
    """Rows of one split, and what can be done with a network there."""

    rows: SplitRows
    classes: LabelArray
    labels: IntArray
    columns: Columns

    @classmethod
    def of(cls, rows: SplitRows) -> "_Split":
        classes, labels = np.unique(rows.y, return_inverse=True)
        return cls(rows, classes, labels, Columns.of(rows.X, rows.weights))

    def trained(self, starts: Starts, columns: IntArray, start: Network | None) -> Network:
        """Train on `columns`, from a network that is made responsive first, or anew."""
        X = taken_columns(self.rows.X, columns)
        X = X if isinstance(X, np.ndarray) else X.toarray()
        if start is not None:
            start = calmed(start, X, self.rows.weights)
        return starts.train(Rows(X, self.labels, self.rows.weights), len(self.classes), start).network

    def shares(self, network: Network, columns: IntArray) -> FloatArray:
        """Shares over the rows that are tested; over the training rows if there are none that count."""
        X, weights = self.rows.X_test, self.rows.test_weights
        if not weights.any():
            X, weights = self.rows.X, self.rows.weights
        activations = [network.activation] * (len(network.coefs) - 1) + [network.output]
        parts = zip(network.coefs, network.intercepts, activations, strict=True)
        return propagated_shares([Layer(*part) for part in parts], taken_columns(X, columns), weights)

    def predicted(self, network: Network, columns: IntArray) -> LabelArray:
        """Labels of the rows that are tested, as :meth:`MLPClassifier.predict` gives them."""
        if not self.rows.X_test.shape[0]:
            return self.classes[:0]
        outputs = class_outputs(network, forward(network, taken_columns(self.rows.X_test, columns))[-1])
        return np.asarray(self.classes[outputs.argmax(axis=1)])

    def empty_network(self, starts: Starts, n_columns: int) -> Network:
        """Return a network of the shape that is trained here."""
        sizes = (n_columns, *starts.hidden_sizes(), len(self.classes))
        return Network.random(sizes, starts.activation, OUTPUTS[starts.loss], np.random.default_rng(0))


def _seed(random_state: Any) -> int:
    """Return a whole number as it is; otherwise one that is drawn, and the given state is left untouched."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(deepcopy(random_state)).randint(2**31))
