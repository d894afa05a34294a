"""From the options of the command line to what `analyse` is told."""

from typing import Any

from infoprop._core._exceptions import ParameterError
from infoprop.workflow._choice import FRONT, Choice
from infoprop.workflow._classifier_names import OPTIONS_OF
from infoprop.workflow._classifiers import learner_for
from infoprop.workflow._feature_groups import read_feature_groups
from infoprop.workflow._options import DataOptions, ModelOptions
from infoprop.workflow._request import Request
from infoprop.workflow._selectors import selector_for


def request_for(
    data: DataOptions | None, model: ModelOptions, choice: Choice | None = None, **more: Any
) -> Request:
    """Return what `analyse` is told; `more` are further parameters of it.

    Parameters
    ----------
    data : DataOptions or None
        How columns become numbers; None for the data of the demo.
    model : ModelOptions
        The classifier, and which rows judge it.
    choice : Choice or None
        How features are chosen.
    """
    if choice is not None and choice.method == FRONT and (given := _given(model)):
        options = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ParameterError(
            "infoprop select without --method finds kernel and C by itself; leave out "
            f"{options}, or name a --method."
        )
    classifier = classifier_of(model)
    how: dict[str, Any] = {}
    if data is not None:
        how = {"impute": data.impute, "scale": data.is_scaled, "min_df": data.min_df}
        how |= {"ngrams": data.ngrams, "weights": data.weights}
        if data.groups is not None:
            how["groups"] = read_feature_groups(data.groups)
    return Request(
        method=None if choice is None else selector_for(choice, model.sharing),
        classifier=classifier,
        validation=model.validation,
        sharing=model.credit_sharing,
        n_null=model.n_null,
        random_state=model.seed,
        n_jobs=model.jobs,
        **how,
        **more,
    )


def classifier_of(model: ModelOptions) -> Any:
    """The classifier, by name where nothing more was said of it."""
    return learner_for(model) if _given(model) else model.classifier


def _given(model: ModelOptions) -> list[str]:
    """Names of the settings of the classifier that are not its defaults."""
    default = ModelOptions(classifier=model.classifier)
    names = dict.fromkeys((*OPTIONS_OF[model.classifier], *OPTIONS_OF[model.learner]))
    return [name for name in names if getattr(model, name) != getattr(default, name)]
