"""What comes out of the work, before it is shown or written."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.pairwise import PairwiseClassifier


@dataclass(frozen=True)
class Measure:
    """What a search without credits knows of every feature.

    Attributes
    ----------
    name : str
        What it is: "best with it", the highest validated accuracy of a subset that has the feature; "last
        generation", the part of its subsets that have it; or "pairs", how many pairs of classes use it.
    values : ndarray of shape (n_features,)
        The larger the better.
    is_count : bool
        Whether the values are whole numbers; otherwise they are parts.
    """

    name: str
    values: FloatArray
    is_count: bool = False


@dataclass(frozen=True)
class Finding:
    """What came out: what all features deliver, and after a choice which were chosen and what they deliver.

    Attributes
    ----------
    flow : InformationFlow
        What the classifier with all features delivers.
    names : tuple of str
        The features.
    credits : FeatureCredits or None
        What each is worth, with all features there; None for a classifier that does not tell.
    selected : ndarray of bool of shape (n_features,), or None
        The features chosen; with pairs, those of any pair.
    retrained : InformationFlow or None
        What they deliver alone.
    chosen_credits : FeatureCredits or None
        What each of them is worth then.
    judged_on : {"unseen", "choice"}
        Whether the judging rows took no part, or helped to choose the features.
    auc : float or None
        Area under the ROC curve on the judging rows, of the classifier with the chosen features; the mean
        over folds if there are several; None if the classifier gives no scores.
    places : ndarray of shape (n_features,), or None
        1 for chosen features, then in the order in which the search would have kept them.
    measure : Measure or None
        What the search knows of each feature, if there are no credits.
    searches : dict
        What a search went through, by the name that a report has for it.
    pairs : PairwiseClassifier or None
        Fitted, with the features of every pair of classes.
    q_values : ndarray of shape (n_features,), or None
        False discovery rate at which each feature is just chosen, if the choice controls it.
    sentence : str
        How the choice was made, if folds voted on it.
    selector : selector or None
        Fitted, if there was one choice for all classes.
    markers : dict of label to tuple of (str, float)
        Features that tell the most about each class, with their bits, if they were asked for.
    n_folds_chosen : ndarray of shape (n_features,), or None
        How many outer folds chose each feature, if that decided.
    """

    flow: InformationFlow
    names: tuple[str, ...]
    credits: FeatureCredits | None = None
    selected: BoolArray | None = None
    retrained: InformationFlow | None = None
    places: IntArray | None = None
    measure: Measure | None = None
    searches: dict[str, Any] = field(default_factory=dict)
    pairs: PairwiseClassifier | None = None
    q_values: FloatArray | None = None
    sentence: str = ""
    selector: Any = None
    markers: dict[Any, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    n_folds_chosen: IntArray | None = None
    chosen_credits: FeatureCredits | None = None
    judged_on: str = "unseen"
    auc: float | None = None

    @property
    def order(self) -> IntArray:
        """Numbers of the features: chosen ones first, then by place, then by what the search knows."""
        nothing = np.zeros(len(self.names))
        values = nothing if self.measure is None else self.measure.values
        places = nothing if self.places is None else self.places
        is_left = nothing if self.selected is None else ~self.selected
        order: IntArray = np.lexsort((-np.nan_to_num(values, nan=-1.0), places, is_left))
        return order

    @property
    def used(self) -> BoolArray | None:
        """Features that a classifier is given after the choice; None for all, from which every pair takes."""
        return None if self.pairs is not None else self.selected
