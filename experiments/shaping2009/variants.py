"""Methods: what becomes of the rows before a linear machine sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from infoprop.shaping import ShapingRule, ValueTables


@dataclass(frozen=True)
class Variant:
    """A method of the study, as the settings give it.

    Parameters
    ----------
    key, row : str
        Its name in files and on pages.
    words : {"counts", "binary"}
        Whether word counts are taken as they are, or only whether a word is there.
    window, probability, scaling, policy
        As in :class:`infoprop.shaping.ShapingRule`; "none" for no scaling.
    norm : {"l2", "l1", "none"}
        Length to which rows are brought.
    keep_raw : bool
        Whether the raw columns, stretched to [0, 1], stand beside the shaped ones.
    calibrations : tuple of str
        How outputs become log odds: "folds" (halves of the training rows, each by a machine that has not seen
        it), "train" (the training rows themselves), "shaped" (halves, but of rows shaped with all labels).
        What follows the first is reported as a variant of its own, ``key:calibration``.
    """

    key: str
    row: str
    words: str = "counts"
    window: float | str = 15.0
    probability: str = "local"
    scaling: str = "bns"
    policy: str = "all"
    norm: str = "l2"
    keep_raw: bool = False
    calibrations: tuple[str, ...] = ("folds",)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Variant":
        """Read a table of the settings."""
        lists = {key: tuple(value) for key, value in settings.items() if isinstance(value, list)}
        return cls(**{**settings, **lists})

    @property
    def is_plain(self) -> bool:
        """Whether nothing is learned from the rows: words, there or not, divided by the row's length."""
        return self.words == "binary" and self.policy == "none" and self.scaling == "none"

    def names(self) -> list[str]:
        """What its results are called, one for each calibration."""
        return [self.key, *(f"{self.key}:{calibration}" for calibration in self.calibrations[1:])]


@dataclass(frozen=True, eq=False)
class Part:
    """Rows to learn from and rows to ask about; values are counted once for all classes and methods."""

    X: Any
    codes: Any
    asked: Any
    asked_codes: Any
    n_classes: int

    @cached_property
    def counts(self) -> ValueTables:
        return ValueTables.from_rows(self.X, self.codes, n_classes=self.n_classes)

    @cached_property
    def binary(self) -> tuple[Any, Any]:
        """Both sets of rows with 1 for every word that is there."""
        return _binary(self.X), _binary(self.asked)

    @cached_property
    def binary_counts(self) -> ValueTables:
        return ValueTables.from_rows(self.binary[0], self.codes, n_classes=self.n_classes)

    def signs(self, positive: int) -> Any:
        return np.where(self.codes == positive, 1.0, -1.0)

    def represented(self, variant: Variant, positive: int) -> tuple[Any, Any]:
        """Both sets of rows as the machine for one class sees them."""
        is_binary = variant.words == "binary"
        rows = self.binary if is_binary else (self.X, self.asked)
        if variant.is_plain:
            return _normalised(rows[0], variant.norm), _normalised(rows[1], variant.norm)
        tables = self.binary_counts if is_binary else self.counts
        shapes = self._rule(variant).learn(tables, positive)
        parts = [[_normalised(shapes.apply(part), variant.norm)] for part in rows]
        if variant.keep_raw:
            raw = ShapingRule(policy="none", scaling=None, zero_stays=self.is_text).learn(tables, positive)
            parts = [[*own, raw.apply(part)] for own, part in zip(parts, rows, strict=True)]
        return self._joined(parts[0]), self._joined(parts[1])

    @property
    def is_text(self) -> bool:
        return sparse.issparse(self.X)

    def _rule(self, variant: Variant) -> ShapingRule:
        return ShapingRule(
            window=variant.window,
            probability=variant.probability,
            scaling=None if variant.scaling == "none" else variant.scaling,
            policy=variant.policy,
            zero_bin=self.is_text and variant.policy != "none",
            zero_stays=self.is_text,
        )

    def _joined(self, parts: list[Any]) -> Any:
        if len(parts) == 1:
            return parts[0]
        return sparse.hstack(parts, format="csr") if self.is_text else np.hstack(parts)


def _binary(X: Any) -> Any:
    return sparse.csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)


def _normalised(X: Any, norm: str) -> Any:
    return X if norm == "none" else normalize(X, norm)
