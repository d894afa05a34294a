"""Features for every pair of classes: the searches of `--classifier pairwise`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from infoprop._core._typing import BoolArray, LabelArray
from infoprop.pairwise import ClassPairs, PairwiseClassifier
from infoprop.selection import GeneticSelector
from infoprop.workflow._preparation import Problem


class KnownColumns(BaseEstimator):
    """A selector that was told which columns each pair of classes has.

    Parameters
    ----------
    by_pair : mapping of (label, label) to ndarray of bool of shape (n_columns,)
        Labels in ascending order.
    """

    def __init__(self, by_pair: Mapping[tuple[Any, Any], BoolArray]) -> None:
        self.by_pair = by_pair

    def fit(self, X: Any, y: LabelArray) -> Self:
        """See which pair it is."""
        first, second = np.unique(y).tolist()
        self.support_ = self.by_pair[first, second]
        return self

    def get_support(self) -> BoolArray:
        """The columns of the pair."""
        return self.support_


def pairs_of(estimator: BaseEstimator) -> PairwiseClassifier:
    """The classifier of pairs, which imputation may come before."""
    return cast(PairwiseClassifier, estimator[-1] if isinstance(estimator, Pipeline) else estimator)


def pair_search(
    selector: Any, problem: Problem, estimator: BaseEstimator, *, n_folds: int = 5, verbose: int = 0
) -> BaseEstimator:
    """Return `estimator`, which is made of pairs, with the search that `selector` does for each; not fitted.

    It counts on `n_folds` folds of the rows it is given, and takes the columns of a nominal feature together.
    """
    searching = clone(estimator)
    pairs = pairs_of(searching)
    pairs.set_params(validation=n_folds, checkpoint=getattr(selector, "checkpoint", None), verbose=verbose)
    told = clone(selector).set_params(groups=list(problem.owners), checkpoint=None)
    if not isinstance(selector, GeneticSelector) and told.time_limit is not None:
        # The searches of all pairs share it; the genetic search is one for all of them.
        n_classes = len(set(problem.y.tolist()))
        told.set_params(time_limit=told.time_limit / (n_classes * (n_classes - 1) / 2))
    pairs.set_params(selector=told.set_params(estimator=None))
    return searching


def with_known_columns(estimator: BaseEstimator, fitted: BaseEstimator) -> BaseEstimator:
    """Return `estimator`, not fitted, with the columns that each pair of `fitted` has."""
    found = pairs_of(fitted).pairs_
    known = {pair.classes: mask for pair, mask in zip(found, found.support, strict=True)}
    again = clone(estimator)
    pairs_of(again).set_params(selector=KnownColumns(known), validation=None)
    return again


def name_columns(fitted: BaseEstimator, names: tuple[str, ...]) -> PairwiseClassifier:
    """Call the columns of fitted pairs by `names` from now on."""
    pairs = pairs_of(fitted)
    pairs.pairs_ = ClassPairs(
        tuple(
            replace(pair, features=tuple(names[column] for column in pair.columns)) for pair in pairs.pairs_
        ),
        names,
    )
    return pairs
