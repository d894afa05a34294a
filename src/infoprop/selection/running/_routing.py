"""What of fit's extra arguments goes to the classifier, and what to the splitter."""

from typing import Any, NamedTuple

from sklearn import get_config
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._row_folds import row_group_parameters


class FitParameters(NamedTuple):
    """Keyword arguments of the classifier's fit and of the splitter's split."""

    estimator: dict[str, Any]
    splitter: dict[str, Any]


def route_fit(selector: Any, estimator: Any, sample_weight: Any, parameters: dict[str, Any]) -> FitParameters:
    """Send `sample_weight` and `parameters` to those who take them.

    With metadata routing, as they have been requested. Without it, ``groups`` goes to the splitter and to
    classifiers that deal rows to folds themselves, weights to the classifier (in a pipeline to its last
    step), and everything else to the classifier. Nearest neighbours are not trained, so weights do nothing
    for them: they count in validation only.
    """
    if get_config()["enable_metadata_routing"]:
        passed = dict(parameters)
        if sample_weight is not None:
            passed["sample_weight"] = sample_weight
        routed = process_routing(selector, "fit", **passed)
        splitter = routed.get("splitter", {}).get("split", {})
        return FitParameters(dict(routed.estimator.fit), dict(splitter))
    to_estimator = dict(parameters)
    to_splitter = {"groups": to_estimator.pop("groups")} if "groups" in to_estimator else {}
    to_estimator |= row_group_parameters(estimator, to_splitter.get("groups"))
    if sample_weight is not None and not _only_remembers(estimator):
        to_estimator[_weight_name(estimator, type(selector).__name__)] = sample_weight
        if getattr(selector, "estimator", None) is None and isinstance(estimator, Pipeline):
            # To scalers of our own choice a row of weight two is two rows, as it is to the classifier.
            to_estimator |= dict.fromkeys(_weighted_scalers(estimator), sample_weight)
    return FitParameters(to_estimator, to_splitter)


def _only_remembers(estimator: Any) -> bool:
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return isinstance(last, KNeighborsClassifier | RadiusNeighborsClassifier)


def _weighted_scalers(pipeline: Pipeline) -> list[str]:
    """Names by which the steps before the classifier are given weights, of those that take them."""
    return [
        f"{name}__sample_weight"
        for name, step in pipeline.steps[:-1]
        if has_fit_parameter(step, "sample_weight")
    ]


def _weight_name(estimator: Any, owner: str) -> str:
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    if isinstance(estimator, Pipeline) and has_fit_parameter(estimator.steps[-1][1], "sample_weight"):
        return f"{estimator.steps[-1][0]}__sample_weight"
    raise UnsupportedEstimatorError(
        f"{owner} was given sample_weight, but fit of {type(estimator).__name__} does not take it. Use a "
        "classifier that does, or sklearn.set_config(enable_metadata_routing=True) and request it where it "
        "goes."
    )
