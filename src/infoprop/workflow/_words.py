"""Words of running text as numbers: what their counts become before a classifier learns from them."""

from typing import Any

from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import Binarizer

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import Parameter, ParameterError
from infoprop.shaping import BNSScaler, FeatureShaper
from infoprop.workflow._options import WEIGHTS
from infoprop.workflow._preparation import Problem

_OF_WORDS = ("binary", "tfidf")
"""Weights that a column of other numbers than counts would lose its meaning by."""


def word_weights(request: Any, problem: Problem, *, is_searched: bool = False) -> str | None:
    """Return the weights that `problem` gets, or None for columns that are scaled as others are.

    Parameters
    ----------
    request : Request
        `weights` that were asked for, None for the usual ones, and `scale`.
    problem : Problem
        Its columns are words, or not.
    is_searched : bool
        Whether many subsets are tried. Machines are updated from subset to subset if every column is scaled
        by itself; rows of length 1 depend on all columns, so that machines have to be trained anew.
    """
    kinds = set() if problem.encoder is None else set(problem.encoder.parts["kinds"].values())
    given = request.weights
    if given is None:
        return "tfidf" if kinds == {"text"} and request.scale and not is_searched else None
    check_choice("weights", given, WEIGHTS, "analyse")
    weights = Parameter("weights", "weights")
    if not problem.is_sparse:
        raise ParameterError(
            weights, f" {given} is for words; name the columns of running text by ", Parameter("text"), "."
        )
    is_mixed = "text" in kinds and len(kinds) > 1
    if given in _OF_WORDS and (is_mixed or problem.X.data.min(initial=0.0) < 0.0):
        raise ParameterError(
            weights,
            f" {given} goes with columns that are all words or counts; take ",
            *(weights, " count, bns or shaped, or leave the other columns out with "),
            *(Parameter("drop"), "."),
        )
    return None if given == "count" else str(given)


def weighting(weights: str) -> list[Any]:
    """Return the transformers that give columns of counts their `weights`, each learned from training rows.

    Every column stays one column, also with more than two classes, so that it can be credited and chosen.
    """
    steps: dict[str, list[Any]] = {
        "binary": [Binarizer()],
        "tfidf": [TfidfTransformer()],
        "bns": [Binarizer(), BNSScaler(norm="l2")],
        "shaped": [FeatureShaper(multiclass="best")],
    }
    return steps[weights]
