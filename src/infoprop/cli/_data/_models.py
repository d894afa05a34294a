"""Models on disk: a trained classifier with everything it takes to use it on a later table.

A model file is written with skops, which stores plain data and the names of types, never code. It is opened
only if all its types are listed here or are scikit-learn's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile, is_zipfile

import numpy as np
from sklearn.base import BaseEstimator

from infoprop import __version__
from infoprop._core._exceptions import DataError
from infoprop._core._typing import BoolArray, LabelArray
from infoprop.cli._data._files import not_written
from infoprop.cli._data._preparation import Coding, Problem

LAYOUT = 1
"""Number of the layout of a model file; grows when an older infoprop could not read it."""

TRUSTED = (
    "infoprop.kernels._spec.KernelSpec",
    "infoprop.mlp._classifier.MLPClassifier",
    "infoprop.pairwise._classifier.PairwiseClassifier",
    "infoprop.pairwise._pairs.ClassPair",
    "infoprop.pairwise._pairs.ClassPairs",
    "infoprop.shaping._shapers.BNSScaler",
    "infoprop.shaping._shapers.FeatureShaper",
    "infoprop.shaping._shapers.LocalProbabilityShaper",
    "infoprop.shaping._shapes.FeatureShapes",
    "infoprop.shaping._tables.ValueTables",
    "infoprop.svm._calibration.Sigmoid",
    "infoprop.svm._classifier.OneVsRestSVC",
    "infoprop.svm._machine.BinaryMachine",
    "infoprop.svm._shaped.ShapedLinearClassifier",
    "numpy.dtype",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
)
"""Types that a model file may hold besides those that skops knows to be harmless."""


@dataclass(frozen=True)
class SavedModel:
    """A trained classifier, how a table becomes its numbers, and what it was trained on.

    Attributes
    ----------
    classifier : classifier
        Trained, with imputation and scaling before it.
    coding : Coding
        How the columns of a table become numbers: indicators, words, order.
    ignored : tuple of str
        Further columns of the table it was trained on: left out, or not chosen. They may be there or not.
    target : str
        Name of the column that held the classes.
    version : str
        Of the infoprop that trained it.
    """

    classifier: BaseEstimator
    coding: Coding
    ignored: tuple[str, ...]
    target: str
    version: str = __version__

    @classmethod
    def of(
        cls,
        problem: Problem,
        classifier: BaseEstimator,
        selected: BoolArray | None = None,
        left_out: Sequence[str] = (),
    ) -> Self:
        """Return the model that `classifier` is, trained on all columns of `problem` or on a choice of them.

        Parameters
        ----------
        problem : Problem
            Made out of a table.
        classifier : classifier
            Trained on the columns of the chosen features.
        selected : ndarray of bool of shape (n_features,), or None
            The features chosen; None for all.
        left_out : sequence of str
            Columns of the table that were no features.
        """
        assert problem.coding is not None  # models are made of tables
        coding = problem.coding
        if selected is not None:
            names = dict.fromkeys(problem.owners)
            coding = restricted(
                coding, [name for name, chosen in zip(names, selected, strict=True) if chosen]
            )
        unused = [name for name in problem.coding.kinds if name not in coding.kinds]
        return cls(classifier, coding, tuple(dict.fromkeys([*unused, *left_out])), problem.target)

    @property
    def classes(self) -> LabelArray:
        """The classes that it tells apart."""
        classes: LabelArray = self.classifier.classes_
        return classes

    @property
    def kinds(self) -> dict[str, str]:
        """What is known of the columns of a later table; those that are not used may hold anything."""
        return {**dict.fromkeys(self.ignored, "text"), **self.coding.kinds}

    def save(self, path: Path) -> None:
        """Write the model to `path`."""
        from skops.io import dumps  # type: ignore[import-untyped]

        state = {
            "layout": LAYOUT,
            "infoprop": self.version,
            "classifier": self.classifier,
            "classes": self.classes.tolist(),
            "features": list(self.coding.column_names),
            "coding": self.coding.state(),
            "ignored": list(self.ignored),
            "target": self.target,
        }
        try:
            path.write_bytes(dumps(state))
        except OSError as error:
            raise not_written(path, error) from error

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model from `path`; refuse what is none, or what holds types that are not trusted."""
        state = _state(path)
        if not isinstance(state, dict) or "layout" not in state or "infoprop" not in state:
            raise DataError(f"{path} holds no model of infoprop; give a file that was written by --model.")
        if state["layout"] != LAYOUT:
            raise DataError(
                f"{path} was written by infoprop {state['infoprop']}, whose models this version "
                f"({__version__}) cannot read; train it again."
            )
        coding = Coding(**state["coding"])
        return cls(
            state["classifier"], coding, tuple(state["ignored"]), str(state["target"]), str(state["infoprop"])
        )


def restricted(coding: Coding, features: Sequence[str]) -> Coding:
    """Return what `coding` has learned of some features: columns, or words of running text."""
    wanted = set(features)
    kinds: dict[str, str] = {}
    words: dict[str, list[str]] = {}
    start = 0
    for name, kind in coding.kinds.items():
        known = {"nominal": coding.categories, "text": coding.words}.get(kind, {}).get(name, [name])
        is_wanted = np.array([owner in wanted for owner in coding.owners[start : start + len(known)]])
        start += len(known)
        if is_wanted.any():
            kinds[name] = kind
            if kind == "text":
                words[name] = [word for word, kept in zip(known, is_wanted, strict=True) if kept]
    categories = {name: texts for name, texts in coding.categories.items() if name in kinds}
    return Coding(kinds, categories, words, coding.impute, coding.is_sparse)


def _state(path: Path) -> Any:
    from skops.io import get_untrusted_types, load

    if not path.is_file():
        raise DataError(f"There is no file {path}.")
    if not is_zipfile(path):
        raise DataError(f"{path} is no model file; give a file that was written by --model.")
    try:
        strange = sorted(set(get_untrusted_types(file=path)) - set(TRUSTED))
    except (BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{path} cannot be read as a model file; write it again with --model.") from error
    if strange:
        raise DataError(
            f"{path} holds {strange[0]}, which is not among the types that a model of infoprop is made of; "
            "it was not opened. Use models from sources you know, written by --model."
        )
    try:
        return load(path, trusted=list(TRUSTED))
    except Exception as error:
        raise DataError(
            f"{path} cannot be read with the installed packages ({type(error).__name__}); train it again."
        ) from error
