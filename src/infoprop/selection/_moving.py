"""Which classifiers can be moved instead of being trained anew, and how their rows get there."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_array

from infoprop._core._matrices import canonical
from infoprop._core._typing import FloatArray, IntArray, Matrix
from infoprop.mlp import MLPClassifier
from infoprop.mlp._moving import MovingMLP
from infoprop.selection._containers import take_rows
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.svm import OneVsRestSVC
from infoprop.svm.subset._model import MovingSVC, SplitRows

# Steps that treat every column by itself: a subset of what they give is what they give for the subset.
COLUMNWISE = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)


def moving_model(evaluator: SubsetEvaluator) -> MovingSVC | MovingMLP | None:
    """Return a model that moves the evaluator's classifier; None if it has to be trained anew.

    It can be moved if it is an :class:`OneVsRestSVC` or an :class:`MLPClassifier`, alone or behind imputers
    and scalers in a pipeline, trained with no other fit parameter than weights. Whatever its own fit would
    refuse is left to its own fit.
    """
    scalers, classifier = parts_of(evaluator.estimator)
    if type(classifier) is OneVsRestSVC and _is_movable_machine(classifier):
        build: Any = _moving_machine
    elif type(classifier) is MLPClassifier and _is_movable_network(classifier):
        build = _moving_network
    else:
        return None
    splits = evaluator.known_rows
    if splits is None:
        splits = split_rows(evaluator, scalers) if _only_weights(evaluator) else None
    return None if splits is None else build(classifier, splits, evaluator)


def _moving_machine(
    machine: OneVsRestSVC, splits: Sequence[SplitRows], evaluator: SubsetEvaluator
) -> MovingSVC:
    return MovingSVC(machine, splits, evaluator.classes, len(evaluator.pooled.labels), evaluator.n_jobs)


def _moving_network(
    network: MLPClassifier, splits: Sequence[SplitRows], evaluator: SubsetEvaluator
) -> MovingMLP:
    return MovingMLP(network, splits, evaluator.classes, evaluator.n_jobs)


def split_rows(evaluator: SubsetEvaluator, scalers: list[Any]) -> list[SplitRows] | None:
    """Rows of every split as the classifier sees them; None if it could not be trained on them."""
    X = numbers_before(scalers, evaluator.training.X)
    if X is None or any(len(np.unique(evaluator.training.y[s.train])) < 2 for s in evaluator.plan.splits):
        return None
    splits = []
    done = 0
    table = evaluator.pooled
    for split in evaluator.plan.splits:
        rows = evaluator.test_rows(split)
        scaled = scaled_rows(
            scalers,
            take_rows(X, split.train),
            X[:0] if rows.X is None else numbers_before(scalers, rows.X),
            _scaler_weights(evaluator, split.train),
        )
        if scaled is None:
            return None
        X_train, X_test = scaled
        watched = slice(done, done + X_test.shape[0])
        done = watched.stop
        splits.append(
            SplitRows(
                X_train,
                evaluator.training.y[split.train],
                _weights(evaluator.training.sample_weight, split.train),
                X_test,
                table.truth[watched],
                np.ones(X_test.shape[0]) if table.weights is None else table.weights[watched],
            )
        )
    return splits


def scaled_rows(
    scalers: list[Any], X_train: Any, X_test: Any, weights: Mapping[int, FloatArray] | None = None
) -> tuple[Matrix, Matrix] | None:
    """Rows as scalers, trained on the first of them, give them; None if they are no numbers any more.

    `weights` are those of the training rows, by the number of the scaler that takes them. It is None, too, if
    an imputer has left out a column that holds nothing, so that columns are not the same before and after.
    """
    for number, scaler in enumerate(scalers):
        if X_train is None or X_test is None:
            return None
        own = {} if weights is None or number not in weights else {"sample_weight": weights[number]}
        fitted = clone(scaler).fit(X_train, **own)
        filled = fitted.transform(X_train)
        if filled.shape != X_train.shape:
            return None
        later = scalers[number + 1 :]
        X_train = numbers_before(later, filled)
        X_test = numbers_before(later, fitted.transform(X_test)) if X_test.shape[0] else X_test
    if X_train is None or X_test is None:
        return None
    return canonical(X_train), canonical(X_test)


def parts_of(estimator: Any) -> tuple[list[Any], Any]:
    """Scalers and classifier of an estimator that is made of these; no classifier if it is anything else.

    An imputer that only fills in counts as a scaler.
    """
    steps = [step for _, step in estimator.steps] if type(estimator) is Pipeline else [estimator]
    scalers = [step for step in steps[:-1] if step is not None and step != "passthrough"]
    return (scalers, steps[-1]) if all(_is_columnwise(step) for step in scalers) else ([], None)


def fills_gaps(scaler: Any) -> bool:
    """Whether values may be missing before it."""
    return type(scaler) is SimpleImputer


def _is_columnwise(step: Any) -> bool:
    """Indicators of missing values are columns of their own."""
    return type(step) in COLUMNWISE or (fills_gaps(step) and not step.add_indicator)


def _is_movable_machine(machine: OneVsRestSVC) -> bool:
    """Outputs must be as the machines give them, trained without a limit."""
    speaks_plainly = machine.normalize_margin is False or (
        machine.normalize_margin == "auto" and not isinstance(machine.kernel, Mapping)
    )
    # That solver refuses all other kernels.
    suits = machine.solver != "cd" or machine.kernel == "linear"
    is_plain = speaks_plainly and machine.calibration is None
    return bool(is_plain and suits and machine.max_iter == -1 and not machine.warm_start)


def _is_movable_network(network: MLPClassifier) -> bool:
    """Whether moves are to be followed by short trainings; "cold" means anew, as does whatever is wrong."""
    return isinstance(network.retrain, str) and network.retrain == "warm" and network.warm_start is False


def _only_weights(evaluator: SubsetEvaluator) -> bool:
    """Whether weights of the rows, for the classifier and for scalers, are all that fit is given."""
    *scalers, own = _weight_names(evaluator.estimator)
    weights = evaluator.training.sample_weight
    given = {name: value for name, value in evaluator.fit_parameters.items() if value is not None}
    if weights is None:
        return not given
    # Routing may send other numbers under that name.
    are_ours = all(value is weights for value in given.values())
    return own in given and set(given) <= {own, *scalers} and are_ours


def _weight_names(estimator: Any) -> list[str]:
    """Names by which fit takes weights for each step that does something; the classifier is the last."""
    if not isinstance(estimator, Pipeline):
        return ["sample_weight"]
    steps = [name for name, step in estimator.steps if step is not None and step != "passthrough"]
    return [f"{name}__sample_weight" for name in steps]


def _scaler_weights(evaluator: SubsetEvaluator, rows: IntArray) -> dict[int, FloatArray]:
    """Weights of `rows` for the scalers that are given them, by number."""
    names = _weight_names(evaluator.estimator)[:-1]
    given = {number: evaluator.fit_parameters.get(name) for number, name in enumerate(names)}
    return {number: weights[rows] for number, weights in given.items() if weights is not None}


def numbers_before(scalers: Sequence[Any], X: Any) -> Any:
    """Rows as floats, dense or CSR; None if they are no numbers, or miss some that no scaler will fill in."""
    return finite_numbers(X, may_miss=any(fills_gaps(scaler) for scaler in scalers))


def finite_numbers(X: Any, *, may_miss: bool = False) -> Any:
    """Rows as floats, dense or CSR; None if they are not all finite numbers, or missing where they may be."""
    is_plain = type(X) is np.ndarray and X.dtype == np.float64 and X.flags.c_contiguous
    if is_plain and X.ndim == 2 and X.shape[1] and np.isfinite(X).all():
        return X
    try:
        return check_array(
            X,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan" if may_miss else True,
            ensure_min_samples=0,
        )
    except (ValueError, TypeError):
        return None


def _weights(weights: FloatArray | None, rows: Any) -> FloatArray:
    return np.ones(len(rows)) if weights is None else np.asarray(weights[rows], dtype=np.float64)
