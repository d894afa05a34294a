"""Starts: from the parameters of MLPClassifier to random networks, rows held out, and the best network."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from infoprop._core._checks import check_boolean, check_choice, check_integer, check_number, refused
from infoprop._core._exceptions import Parameter, ParameterError
from infoprop._core._memory import fits_in_memory, memory_words
from infoprop._core._typing import IntArray
from infoprop.mlp._network import ACTIVATIONS, LOSSES, OUTPUTS, Network, loss_and_gradient
from infoprop.mlp._rows import Rows
from infoprop.mlp._trainer import Settings, Trained, train

_OWNER = "MLPClassifier"
_VECTORS_IN_TRAINING = 8
"""As long as all weights together: gradients, directions, products with the curvature."""


@dataclass(frozen=True)
class Starts:
    """Parameters of an :class:`MLPClassifier`, and what follows from them for given rows."""

    hidden_layer_sizes: Any
    activation: Any
    loss: Any
    alpha: Any
    n_starts: Any
    max_iter: Any
    tol: Any
    early_stopping: Any
    validation: Any
    warm_start: Any
    retrain: Any
    random_state: Any
    n_jobs: Any
    verbose: Any

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Read the parameters of an estimator."""
        return cls(**{field.name: getattr(estimator, field.name) for field in fields(cls)})

    def check(self) -> None:
        """Refuse parameters that are wrong whatever the rows."""
        self.hidden_sizes()
        check_choice("activation", self.activation, ACTIVATIONS, _OWNER)
        check_choice("loss", self.loss, LOSSES, _OWNER)
        check_number("alpha", self.alpha, _OWNER, low=0)
        check_integer("n_starts", self.n_starts, _OWNER, low=1)
        check_integer("max_iter", self.max_iter, _OWNER, low=1)
        check_number("tol", self.tol, _OWNER, low=0)
        check_boolean("early_stopping", self.early_stopping, _OWNER)
        if self.validation is not None:
            check_number("validation", self.validation, _OWNER, low=0, high=1, low_open=True, high_open=True)
        elif self.early_stopping:
            must = "a fraction of rows to hold out (between 0 and 1) with early_stopping=True"
            raise refused("validation", _OWNER, must, self.validation)
        check_boolean("warm_start", self.warm_start, _OWNER)
        check_choice("retrain", self.retrain, ("warm", "cold"), _OWNER)

    def hidden_sizes(self) -> tuple[int, ...]:
        """Return the widths of the hidden layers."""
        sizes = self.hidden_layer_sizes
        sizes = sizes if isinstance(sizes, Iterable) and not isinstance(sizes, str) else (sizes,)
        sizes = tuple(sizes)
        if not sizes or not all(isinstance(size, Integral) and int(size) >= 1 for size in sizes):
            must = "one or more whole numbers >= 1"
            raise refused("hidden_layer_sizes", _OWNER, must, self.hidden_layer_sizes)
        return tuple(int(size) for size in sizes)

    def settings(self) -> Settings:
        """Return how each network is trained."""
        return Settings(
            loss=self.loss, alpha=self.alpha, tol=self.tol, max_iter=self.max_iter, n_jobs=self.n_jobs
        )

    def train(self, rows: Rows, n_classes: int, previous: Network | None) -> Trained:
        """Train all starts and return the best; `previous` takes the place of the first if it fits."""
        generator = self._generator()
        sizes = (rows.X.shape[1], *self.hidden_sizes(), n_classes)
        self._refuse_large(sizes, rows.X.shape[0])
        networks = [
            Network.random(sizes, self.activation, OUTPUTS[self.loss], generator)
            for _ in range(self.n_starts)
        ]
        if previous is not None and previous.sizes == sizes:
            networks[0] = previous
        held_out = self._held_out(rows.labels, generator)
        if not held_out.size:
            trained = train(networks, rows, self.settings())
            scores = [result.loss for result in trained]
        else:
            kept = np.delete(np.arange(rows.labels.size), held_out)
            validation = rows.take(held_out)
            stopping = validation if self.early_stopping else None
            trained = train(networks, rows.take(kept), self.settings(), stopping)
            scores = [_loss(result.network, validation) for result in trained]
        # Not a number is the worst of all scores.
        best = min(range(len(scores)), key=lambda start: (np.isnan(scores[start]), scores[start]))
        self._report(trained, scores, best)
        return trained[best]

    def _refuse_large(self, sizes: tuple[int, ...], n_rows: int) -> None:
        """Refuse a network that memory cannot hold while it is trained."""
        n_weights = sum((n_in + 1) * n_out for n_in, n_out in pairwise(sizes))
        n_numbers = self.n_starts * (_VECTORS_IN_TRAINING * n_weights + 2 * n_rows * sum(sizes[1:]))
        if not fits_in_memory(8 * n_numbers):
            raise ParameterError(
                Parameter("hidden_layer_sizes", f"The 'hidden_layer_sizes' parameter of {_OWNER}"),
                f" asks for a network of {n_weights:,} weights, and training it takes more than "
                f"{memory_words()}; take fewer units.",
            )

    def _generator(self) -> np.random.Generator:
        seed = self.random_state
        if not isinstance(seed, Integral):
            seed = check_random_state(seed).randint(2**31)
        return np.random.default_rng(int(seed))

    def _held_out(self, labels: IntArray, generator: np.random.Generator) -> IntArray:
        """Draw the rows to hold out, a share of each class, never a whole class."""
        if self.validation is None or (not self.early_stopping and self.n_starts == 1):
            return np.zeros(0, dtype=np.intp)
        parts = [np.zeros(0, dtype=np.intp)]
        for label in range(int(labels.max()) + 1):
            members = generator.permutation(np.flatnonzero(labels == label))
            wanted = round(self.validation * members.size)
            parts.append(members[: min(wanted, members.size - 1)])
        return np.sort(np.concatenate(parts))

    def _report(self, trained: list[Trained], scores: list[float], best: int) -> None:
        if self.verbose:
            for number, (result, score) in enumerate(zip(trained, scores, strict=True)):
                mark = " *" if number == best else ""
                print(
                    f"start {number}: {result.n_iter} steps, loss {result.loss:.6g}, rank {score:.6g}{mark}"
                )


def _loss(network: Network, rows: Rows) -> float:
    with np.errstate(over="ignore"):
        return loss_and_gradient(network, rows.X, rows.labels, rows.weights, 0.0)[0]
