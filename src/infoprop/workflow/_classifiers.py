"""From options to the classifier they name."""

from typing import TYPE_CHECKING, Any

from infoprop.workflow._classifier_names import PAIRWISE
from infoprop.workflow._options import DataOptions, ModelOptions

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def classifier_for(model: ModelOptions, data: DataOptions | None, is_sparse: bool) -> "BaseEstimator":
    """Return the classifier that `model` names, behind imputation and scaling, not yet trained.

    Everything is learned from the training rows alone. Dense columns are scaled to mean 0 and standard
    deviation 1, sparse ones divided by their largest value; `shaped` scales by itself. Members of `pairwise`
    scale for their own pairs.

    Parameters
    ----------
    model : ModelOptions
        Which classifier, and its options.
    data : DataOptions or None
        Whether to impute and to scale; None scales only.
    is_sparse : bool
        Whether the columns are sparse.
    """
    is_scaled = data is None or data.is_scaled
    impute = None if data is None else data.impute
    steps: list[Any] = []
    if impute is not None:
        from sklearn.impute import SimpleImputer

        steps.append(SimpleImputer(strategy=impute, keep_empty_features=True))
    if model.classifier == PAIRWISE:
        from infoprop.pairwise import PairwiseClassifier

        member = _piped(_scaling(model.member, is_scaled, is_sparse), _MAKERS[model.member](model))
        return _piped(steps, PairwiseClassifier(member, random_state=model.seed, n_jobs=model.jobs))
    return _piped(
        [*steps, *_scaling(model.classifier, is_scaled, is_sparse)], _MAKERS[model.classifier](model)
    )


def _scaling(learner: str, is_scaled: bool, is_sparse: bool) -> list[Any]:
    if not is_scaled or learner == "shaped":
        return []
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    return [MaxAbsScaler() if is_sparse else StandardScaler()]


def _piped(steps: list[Any], learner: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps, learner) if steps else learner


def _machines(model: ModelOptions) -> Any:
    from infoprop.svm import OneVsRestSVC

    return OneVsRestSVC(
        C=model.C,
        kernel=model.kernel,
        gamma=model.gamma,
        degree=model.degree,
        coef0=model.coef0,
        class_weight=model.class_weight,
        n_jobs=model.jobs,
    )


def _network(model: ModelOptions) -> Any:
    from infoprop.mlp import MLPClassifier

    return MLPClassifier(model.hidden, random_state=model.seed, n_jobs=model.jobs)


def _neighbors(model: ModelOptions) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(model.neighbors)


def _logistic(model: ModelOptions) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=model.C, class_weight=model.class_weight, max_iter=1000)


def _shaped(model: ModelOptions) -> Any:
    from infoprop.svm import ShapedLinearClassifier

    return ShapedLinearClassifier(random_state=model.seed, n_jobs=model.jobs)


_MAKERS = {"svm": _machines, "mlp": _network, "knn": _neighbors, "logistic": _logistic, "shaped": _shaped}
