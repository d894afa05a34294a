"""Classifiers by name, and what is put before them."""

from functools import partial
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from infoprop._core._checks import check_choice
from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier
from infoprop.workflow._classifier_names import CLASSIFIERS, PAIRWISE
from infoprop.workflow._options import ModelOptions
from infoprop.workflow._words import weighting


def learner_for(model: ModelOptions) -> BaseEstimator:
    """Return the classifier that `model` names, not yet trained, with nothing before it."""
    if model.classifier == PAIRWISE:
        return PairwiseClassifier(_MAKERS[model.member](model))
    return _MAKERS[model.classifier](model)


def named_classifier(classifier: Any) -> BaseEstimator:
    """Return `classifier`, or the one that it is the name of."""
    if not isinstance(classifier, str):
        return classifier
    check_choice("classifier", classifier, CLASSIFIERS, "analyse")
    return learner_for(ModelOptions(classifier=classifier))


def name_of_classifier(classifier: Any) -> str | None:
    """The name of a classifier among :data:`CLASSIFIERS`; None for any other."""
    kinds = {
        "svm": OneVsRestSVC,
        "mlp": MLPClassifier,
        "knn": KNeighborsClassifier,
        "logistic": LogisticRegression,
        "shaped": ShapedLinearClassifier,
        PAIRWISE: PairwiseClassifier,
    }
    return next((name for name, kind in kinds.items() if isinstance(last_step(classifier), kind)), None)


def prepared(
    classifier: BaseEstimator,
    *,
    impute: str | None = None,
    is_scaled: bool = True,
    is_sparse: bool = False,
    weights: str | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> BaseEstimator:
    """Return `classifier` behind imputation and scaling, not yet trained.

    Everything is learned from the training rows alone. Dense columns are scaled to mean 0 and standard
    deviation 1, sparse ones divided by their largest value; a shaped classifier scales by itself. Members of
    pairs scale for their own pairs. A pipeline is taken as it is.

    Parameters
    ----------
    classifier : classifier
    impute : str or None
        What fills missing numbers; None: there are none.
    is_scaled, is_sparse : bool
        Whether columns are scaled, and whether they are sparse.
    weights : str or None
        What takes the place of scaling for words, see `analyse`; None: they are scaled as other columns.
    random_state, n_jobs : int
        For every part of infoprop that has none of its own.
    """
    estimator = clone(classifier)
    if not isinstance(estimator, Pipeline):
        scaling = partial(_scaling, is_scaled=is_scaled, is_sparse=is_sparse, weights=weights)
        steps = [] if impute is None else [SimpleImputer(strategy=impute, keep_empty_features=True)]
        if isinstance(estimator, PairwiseClassifier):
            member = estimator.estimator
            if member is not None:
                estimator.set_params(estimator=_piped(scaling(member), member))
            estimator = _piped(steps, estimator)
        else:
            estimator = _piped([*steps, *scaling(estimator)], estimator)
    return seeded(estimator, random_state, n_jobs)


def seeded(estimator: Any, random_state: int, n_jobs: int | None) -> Any:
    """Give all parts of `estimator` that come from infoprop a seed and threads, where they have none."""
    for part in [estimator, *estimator.get_params().values()]:
        if type(part).__module__.startswith("infoprop.") and hasattr(part, "get_params"):
            own = part.get_params(deep=False)
            given = {"random_state": random_state, "n_jobs": n_jobs}
            part.set_params(**{name: given[name] for name in given if name in own and own[name] is None})
    return estimator


def last_step(estimator: Any) -> Any:
    """The classifier behind whatever is put before it."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def tells_row_terms(estimator: Any) -> bool:
    """Whether labels can be shuffled for it: shaped classifiers do not tell what a feature adds to a row."""
    return not isinstance(last_step(estimator), ShapedLinearClassifier)


def explains_rows(estimator: Any) -> bool:
    """Whether it may tell what a feature adds to a row; neighbours and pairs of classes do not either."""
    is_silent = isinstance(last_step(estimator), KNeighborsClassifier | PairwiseClassifier)
    return tells_row_terms(estimator) and not is_silent


def n_neighbors_of(estimator: Any) -> int | None:
    """Rows that are asked for their class, or None if that is not how `estimator` works."""
    last = last_step(estimator)
    if isinstance(last, PairwiseClassifier):
        return n_neighbors_of(last.estimator)
    return int(last.n_neighbors) if isinstance(last, KNeighborsClassifier) else None


def _scaling(learner: Any, is_scaled: bool, is_sparse: bool, weights: str | None) -> list[Any]:
    if weights is not None and not isinstance(learner, Pipeline):
        return weighting(weights)
    if not is_scaled or isinstance(learner, ShapedLinearClassifier | Pipeline):
        return []
    return [MaxAbsScaler() if is_sparse else StandardScaler()]


def _piped(steps: list[Any], learner: Any) -> Any:
    return make_pipeline(*steps, learner) if steps else learner


def _machines(model: ModelOptions) -> Any:
    return OneVsRestSVC(
        C=model.C,
        kernel=model.kernel,
        gamma=model.gamma,
        degree=model.degree,
        coef0=model.coef0,
        class_weight=model.class_weight,
    )


_MAKERS: dict[str, Any] = {
    "svm": _machines,
    "mlp": lambda model: MLPClassifier(model.hidden),
    "knn": lambda model: KNeighborsClassifier(model.neighbors),
    "logistic": lambda model: LogisticRegression(C=model.C, class_weight=model.class_weight, max_iter=1000),
    "shaped": lambda model: ShapedLinearClassifier(),
}
