"""Scorers: the measures in the form that scikit-learn's searches take."""

from typing import Any

from sklearn.metrics import make_scorer

from infoprop.metrics._scores import output_information, relative_output_information

_SCORED = {
    "output_information_scorer": output_information,
    "relative_output_information_scorer": relative_output_information,
}

_DOCSTRING = """Scorer of `{measure}` for ``scoring=`` of GridSearchCV, cross_val_score and the like.

Higher is better. With metadata routing on, ask for weights by ``.set_score_request(sample_weight=True)``.

Examples
--------
>>> from infoprop.metrics import {scorer}
>>> from sklearn.dummy import DummyClassifier
>>> {scorer}(DummyClassifier().fit([[0], [1]], [0, 1]), [[0], [1]], [0, 1])
0.0
"""


def build_scorer(name: str) -> Any:
    """Make a new scorer; each caller has its own, since a request for metadata is stored in the scorer."""
    measure = _SCORED[name]
    scorer = make_scorer(measure)
    scorer.__doc__ = _DOCSTRING.format(measure=measure.__name__, scorer=name)
    return scorer
