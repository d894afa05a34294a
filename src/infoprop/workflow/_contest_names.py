"""Names of the methods that can be compared, and what each needs; light enough for the parser."""

from collections.abc import Callable
from importlib.util import find_spec

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop.workflow._choice import (
    ANGLE,
    BACKWARD,
    COMBINATIONS,
    CREDIT,
    DIRECTED,
    FORWARD,
    FRONT,
    GENETIC,
    KNOCKOFFS,
    STABILITY,
    check_combination,
)

RFE, INFORMATION, VARIANCE, PENALTY = "rfe", "mutual-information", "anova-f", "l1"
RELIEF, REDUNDANCY, BORUTA, ALL = "relieff", "mrmr", "boruta", "all-features"
SCREEN, FOREST = "screen", "forest"
OWN = (CREDIT, BACKWARD, DIRECTED, ANGLE, FORWARD, GENETIC, STABILITY, KNOCKOFFS)
METHODS = (*OWN, FRONT, SCREEN, RFE, INFORMATION, VARIANCE, PENALTY, FOREST, RELIEF, REDUNDANCY, BORUTA, ALL)
DEFAULT_METHODS = (CREDIT, BACKWARD, ANGLE, RFE, INFORMATION, VARIANCE, PENALTY, ALL)
"""Methods that are done in seconds on tables of thousands of features."""

_PACKAGES = {
    RELIEF: ("skrebate", "skrebate"),
    REDUNDANCY: ("mrmr", "mrmr-selection"),
    BORUTA: ("boruta",) * 2,
}
"""Module and package that a method needs."""

_DENSE = (RELIEF, REDUNDANCY, BORUTA)
"""Methods that cannot read sparse rows."""


def methods_to_compare(
    named: tuple[str, ...] | None, classifier: str | None, *, is_sparse: bool, say: Callable[[str], None]
) -> tuple[str, ...]:
    """Return the methods that can be compared here; the others are named and left out, or refused.

    A package that is not installed is not a mistake if all are asked for; a method that cannot go with the
    classifier, or with sparse rows, is one if it was named.

    Parameters
    ----------
    named : tuple of str or None
        Methods asked for; None means those of :data:`DEFAULT_METHODS`.
    classifier : str or None
        Classifier to be trained on what they choose.
    is_sparse : bool
        Whether the rows are sparse.
    say : callable
        Told what is left out, and why.
    """
    unknown = sorted(set(named or ()) - set(METHODS))
    if unknown:
        raise ParameterError(
            Parameter("methods", "methods"), f" must be some of {', '.join(METHODS)}. Got {unknown[0]!r}."
        )
    kept = []
    is_chosen = named is not None and named != METHODS
    for method in DEFAULT_METHODS if named is None else named:
        module, package = _PACKAGES.get(method, ("", ""))
        if is_chosen and method in OWN and classifier is not None:
            check_combination(method, classifier)
        if module and find_spec(module) is None:
            say(f"note: {method} is skipped, for it needs {package}: pip install {package}")
        elif method in OWN and classifier is not None and classifier not in COMBINATIONS[method]:
            say(f"note: {method} is skipped, for it does not go with --classifier {classifier}")
        elif is_sparse and method in _DENSE:
            if is_chosen:
                raise ParameterError(
                    Parameter("methods", "methods"), f" {method} cannot read sparse rows; leave it out."
                )
            say(f"note: {method} is skipped, for it cannot read sparse rows")
        else:
            kept.append(method)
    if not kept:
        raise ParameterError(
            "Of the ", Parameter("methods", "methods"), " named none can be compared here; name others."
        )
    return tuple(kept)
