"""Probabilities of classifiers that have none: calibrated beside them, so that they predict as before."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from infoprop._core._typing import FloatArray
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import BaseFeatureSelector
from infoprop.svm import OneVsRestSVC
from infoprop.workflow._classifiers import last_step
from infoprop.workflow._pair_selectors import with_known_columns


def calibrating(estimator: BaseEstimator) -> BaseEstimator:
    """Return `estimator`, not fitted, with machines that calibrate their outputs on rows not seen."""
    told = clone(estimator)
    for part in [told, *told.get_params().values()]:
        if isinstance(part, OneVsRestSVC) and part.calibration is None:
            part.set_params(calibration="validation")
            if get_config()["enable_metadata_routing"]:
                part.set_fit_request(groups=True)
    return told


def is_calibrated(estimator: BaseEstimator, given: BaseEstimator) -> bool:
    """Whether :func:`calibrating` has changed the estimator that it was given."""
    return _calibrations(estimator) != _calibrations(given)


def _calibrations(estimator: BaseEstimator) -> list[Any]:
    parts = [estimator, *estimator.get_params().values()]
    return [part.calibration for part in parts if isinstance(part, OneVsRestSVC)]


def to_calibrate(estimator: BaseEstimator, fitted: Any) -> tuple[Any, Any]:
    """Return a classifier that will have probabilities, and the columns to train it on as `fitted` was.

    Features that `fitted` chose are not searched again. None for a classifier without machines to calibrate.

    Parameters
    ----------
    estimator : classifier
        Not fitted.
    fitted : classifier
        The same, fitted.
    """
    alone: BaseEstimator = estimator
    columns: Any = slice(None)
    if isinstance(fitted, BaseFeatureSelector):
        alone, columns = fitted.estimator, np.flatnonzero(fitted.support_)
    elif isinstance(last_step(fitted), PairwiseClassifier):
        alone = with_known_columns(estimator, fitted)
    told = calibrating(alone)
    return (told if is_calibrated(told, alone) else None), columns


def uncalibrated(fitted: Any) -> Any:
    """Return a fitted classifier that predicts by the outputs of its machines, as if never calibrated.

    Machines are trained alike with calibration and without; it only puts sigmoids behind them, by which other
    classes could win. The arrays are shared with `fitted`.
    """
    if isinstance(fitted, Pipeline):
        name, last = fitted.steps[-1]
        return Pipeline([*fitted.steps[:-1], (name, uncalibrated(last))])
    if isinstance(fitted, PairwiseClassifier):
        told = copy(fitted)
        pairs = [replace(pair, estimator=uncalibrated(pair.estimator)) for pair in fitted.pairs_]
        told.pairs_ = replace(fitted.pairs_, pairs=tuple(pairs))
        return told
    if isinstance(fitted, OneVsRestSVC) and fitted.calibration is not None:
        told = copy(fitted)
        told.calibration = None
        return told
    return fitted


def class_scores(fitted: Any, X: Any) -> FloatArray | None:
    """Scores of shape (n_rows, n_classes): outputs, of two classes with either sign, or votes of pairs.

    None for classifiers that know probabilities only.
    """
    if hasattr(fitted, "decision_function"):
        outputs = np.asarray(fitted.decision_function(X))
        return np.column_stack([-outputs, outputs]) if outputs.ndim == 1 else outputs
    before, last = (fitted[:-1], fitted[-1]) if isinstance(fitted, Pipeline) else (None, fitted)
    if isinstance(last, PairwiseClassifier):
        return last.votes(X if before is None else before.transform(X))
    return None
