"""Models on disk: a trained classifier with everything it takes to use it on a later table.

A model file is written with skops, which stores plain data and the names of types, never code. It is opened
only if all its types are listed here or are scikit-learn's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from zipfile import BadZipFile, ZipFile

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from infoprop import __version__
from infoprop._core._exceptions import DataError, InfopropError
from infoprop._core._typing import BoolArray, FloatArray, LabelArray, Matrix
from infoprop._core._writing import not_written, whole_file
from infoprop.datasets._encoder import TableEncoder
from infoprop.workflow._preparation import Problem, restricted
from infoprop.workflow._probabilities import class_scores

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
    encoder : TableEncoder
        How the columns of a table become numbers: indicators, words, order.
    impute : str or None
        What fills missing numbers in its pipeline; None: tables with missing numbers are refused.
    ignored : tuple of str
        Further columns of the table it was trained on: left out, or not chosen. They may be there or not.
    target : str
        Name of the column that held the classes.
    version : str
        Of the infoprop that trained it.
    calibrated : classifier or None
        The same classifier with probabilities, if it has none by itself.
    """

    classifier: BaseEstimator
    encoder: TableEncoder
    impute: str | None
    ignored: tuple[str, ...]
    target: str
    version: str = __version__
    calibrated: BaseEstimator | None = None

    @classmethod
    def of(
        cls,
        problem: Problem,
        classifier: BaseEstimator,
        selected: BoolArray | None = None,
        left_out: Sequence[str] = (),
        calibrated: BaseEstimator | None = None,
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
        calibrated : classifier or None
            The same classifier with probabilities, if it has none by itself.
        """
        assert problem.encoder is not None  # models are made of tables
        encoder = problem.encoder
        if selected is not None:
            names = dict.fromkeys(problem.owners)
            chosen = {name for name, is_chosen in zip(names, selected, strict=True) if is_chosen}
            # Features that were named together came and went together.
            features = zip(encoder.groups, problem.owners, strict=True)
            encoder = restricted(encoder, {feature for feature, group in features if group in chosen})
        used = encoder.parts["kinds"]
        unused = [name for name in problem.encoder.parts["kinds"] if name not in used]
        ignored = tuple(dict.fromkeys([*unused, *left_out, *problem.passed_over]))
        return cls(classifier, encoder, problem.impute, ignored, problem.target, calibrated=calibrated)

    @property
    def classes(self) -> LabelArray:
        """The classes that it tells apart."""
        classes: LabelArray = self.classifier.classes_
        return classes

    @property
    def kinds(self) -> dict[str, str]:
        """What is known of the columns of a later table; those that are not used may hold anything."""
        return {**dict.fromkeys(self.ignored, "text"), **self.encoder.parts["kinds"]}

    def save(self, path: Path) -> None:
        """Write the model to `path`."""
        from skops.io import dumps  # type: ignore[import-untyped]

        state = {
            "layout": LAYOUT,
            "infoprop": self.version,
            "classifier": self.classifier,
            "calibrated": self.calibrated,
            "classes": self.classes.tolist(),
            "features": self.encoder.get_feature_names_out().tolist(),
            "encoder": self.encoder.parts,
            "impute": self.impute,
            "ignored": list(self.ignored),
            "target": self.target,
        }
        try:
            with whole_file(path) as file:
                file.write(dumps(state))
        except OSError as error:
            raise not_written(path, error) from error

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model from `path`; refuse what is none, or what holds types that are not trusted."""
        state = _state(path)
        if not isinstance(state, dict) or "layout" not in state or "infoprop" not in state:
            raise DataError(f"{path} holds no model of infoprop; give a file that was written by --model.")
        if not isinstance(state["layout"], int) or state["layout"] != LAYOUT:
            raise DataError(
                f"{path} was written by infoprop {state['infoprop']}, whose models this version "
                f"({__version__}) cannot read; train it again."
            )
        try:
            return cls._from_state(state)
        except Exception as error:
            # Whatever a part is that is not what was written: the file has been changed.
            words = str(error) if isinstance(error, DataError) else f"{type(error).__name__}: {error}"
            raise DataError(f"{path} holds a model that is not whole ({words}); train it again.") from error

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        encoder = _checked_encoder(**state["encoder"])
        classifier, names = state["classifier"], encoder.get_feature_names_out().tolist()
        if not isinstance(classifier, BaseEstimator) or not is_classifier(classifier):
            raise DataError("its classifier is none")
        check_is_fitted(classifier)
        if names != state["features"] or classifier.n_features_in_ != len(names):
            raise DataError("its classifier and its columns are not of the same width")
        if classifier.classes_.tolist() != state["classes"] or len(state["classes"]) < 2:
            raise DataError("its classes are not those of its classifier")
        calibrated = state.get("calibrated")
        if calibrated is not None and not hasattr(calibrated, "predict_proba"):
            raise DataError("its probabilities are none")
        texts = [*state["ignored"], state["target"], state["infoprop"]]
        if not all(isinstance(text, str) for text in texts):
            raise DataError("its names are none")
        if not (state["impute"] is None or isinstance(state["impute"], str)):
            raise DataError("what fills its missing numbers is not a word")
        names = (state["target"], state["infoprop"])
        return cls(classifier, encoder, state["impute"], tuple(state["ignored"]), *names, calibrated)

    def answers(
        self, X: Matrix, *, with_scores: bool = False
    ) -> tuple[LabelArray, FloatArray | None, FloatArray | None]:
        """Return the class of each row, and probabilities and scores of shape (n_rows, n_classes), if any."""
        found = scores = None
        telling = self.classifier if self.calibrated is None else self.calibrated
        try:
            if hasattr(telling, "predict_proba"):
                found = np.asarray(telling.predict_proba(X))
            if with_scores:
                scores = class_scores(self.classifier, X)
            predicted = np.asarray(self.classifier.predict(X))
        except InfopropError:
            raise
        except Exception as error:
            # What a classifier is made of cannot be checked from outside.
            raise DataError(
                f"The model cannot name the classes of these rows ({type(error).__name__}: {error}); train "
                "it again."
            ) from error
        n_rows, n_classes = X.shape[0], len(self.classes)
        tables = [table for table in (found, scores) if table is not None]
        if predicted.shape != (n_rows,) or any(table.shape != (n_rows, n_classes) for table in tables):
            raise DataError("The model names other classes than it was trained on; train it again.")
        return predicted, found, scores


def _checked_encoder(kinds: Any, categories: Any, words: Any, is_sparse: Any, ngrams: Any) -> TableEncoder:
    """Return the encoder of these parts; refuse any that are none, as in a file that somebody changed."""
    is_texts = all(
        isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        for known in (categories, words)
        for texts in known.values()
    )
    is_encoder = (
        bool(kinds)
        and all(isinstance(name, str) for name in kinds)
        and set(kinds.values()) <= {"numeric", "nominal", "text"}
        and set(categories) == {name for name, kind in kinds.items() if kind == "nominal"}
        and set(words) == {name for name, kind in kinds.items() if kind == "text"}
        and isinstance(is_sparse, bool)
        and isinstance(ngrams, int)
        and ngrams >= 1
    )
    if not (is_texts and is_encoder):
        raise DataError("its columns are not coded as a table's are")
    return TableEncoder.from_parts(kinds, categories, words, is_sparse, ngrams)


def _state(path: Path) -> Any:
    from skops.io import get_untrusted_types, load

    if not path.is_file():
        raise DataError(f"There is no file {path}.")
    _check_size(path)
    try:
        strange = sorted(set(get_untrusted_types(file=path)) - set(TRUSTED))
        if not strange:
            return load(path, trusted=list(TRUSTED))
    except Exception as error:
        # A file may be damaged or forged in any part, and then skops fails in any way.
        raise DataError(
            f"{path} cannot be read as a model file ({type(error).__name__}): it is damaged, or from other "
            "versions of the installed packages; train it again."
        ) from error
    raise DataError(
        f"{path} holds {strange[0]}, which is not among the types that a model of infoprop is made of; "
        "it was not opened. Use models from sources you know, written by --model."
    )


def _check_size(path: Path) -> None:
    """Refuse what is no archive, or would be larger in memory than on disk: models are not compressed."""
    try:
        with ZipFile(path) as archive:
            n_bytes = sum(member.file_size for member in archive.infolist())
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise DataError(f"{path} is not a model file; give a file that was written by --model.") from error
    if n_bytes > path.stat().st_size:
        raise DataError(f"{path} is compressed, and models are not; give a file that was written by --model.")
