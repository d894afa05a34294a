"""How features are chosen and judged: the paper's way, an honest way, and by mutual information."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from infoprop2001.problems import Split
from scipy.special import xlogy
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.credit import FeatureCredits, credit_features
from infoprop.metrics import InformationFlow
from infoprop.selection import CreditSelector
from infoprop.svm import OneVsRestSVC


@dataclass(frozen=True, eq=False)
class PaperOutcome:
    """What the paper's protocol gives on one split.

    Attributes
    ----------
    full : InformationFlow
        All features, on the test rows.
    best : dict of int to InformationFlow
        So many best features, on the same test rows.
    credits : FeatureCredits
        Of all features, on the test rows.
    support_vectors : float
        Mean number of support vectors of a machine.
    """

    full: InformationFlow
    best: Mapping[int, InformationFlow]
    credits: FeatureCredits
    support_vectors: float


def build_machine(settings: Mapping[str, Any], run: Mapping[str, Any], *, scaled: bool) -> Any:
    """The paper's multiclass machine, behind a z-score if `scaled`."""
    machine = OneVsRestSVC(**{"tol": run["tol"], **settings})
    return make_pipeline(StandardScaler(), machine) if scaled else machine


def judged(machine: Any, split: Split) -> InformationFlow:
    """Train on the training rows, measure the information on the test rows."""
    fitted = clone(machine).fit(split.X_train, split.y_train)
    return InformationFlow.from_predictions(split.y_test, fitted.predict(split.X_test))


def run_paper(
    machine: Any, split: Split, subsets: Sequence[int], feature_names: Sequence[str]
) -> PaperOutcome:
    """SVM-Infoprop as printed: the test rows give the credits, and then judge the subsets as well."""
    fitted = clone(machine).fit(split.X_train, split.y_train)
    credits = credit_features(fitted, split.X_test, split.y_test, sharing="margin")
    best = {size: judged(machine, split.restricted(credits.ranking[:size])) for size in subsets}
    last_step = fitted[-1] if hasattr(fitted, "steps") else fitted
    support = float(np.mean([len(each.support) for each in last_step.machines_]))
    return PaperOutcome(credits.flow, best, replace(credits, feature_names=tuple(feature_names)), support)


def run_held_out(
    machine: Any, split: Split, subsets: Sequence[int], *, validation: float, seed: int
) -> dict[int, InformationFlow]:
    """The honest twin: a part of the training rows gives the credits, the test rows only judge."""
    flows = {}
    for size in subsets:
        selector = CreditSelector(
            clone(machine),
            n_features_to_select=size,
            sharing="margin",
            validation=validation,
            random_state=seed,
        ).fit(split.X_train, split.y_train)
        flows[size] = InformationFlow.from_predictions(split.y_test, selector.predict(split.X_test))
    return flows


def run_mutual_information(machine: Any, split: Split, subsets: Sequence[int]) -> dict[int, InformationFlow]:
    """The paper's rival: the words that tell most about the class of a training row, one by one."""
    bits = word_information(split.X_train, split.y_train)
    ranking = np.argsort(-bits.round(12), kind="stable")
    return {size: judged(machine, split.restricted(ranking[:size])) for size in subsets}


def word_information(X: Any, y: Any) -> Any:
    """Mutual information of each binary column with the class, ``sum p(x,c) log2 p(x,c)/(p(x)p(c))`` bits.

    Parameters
    ----------
    X : csr_matrix of shape (n_samples, n_words)
        Zeros and ones.
    y : array of shape (n_samples,)

    Returns
    -------
    array of shape (n_words,)
    """
    classes, members = np.unique(y, return_inverse=True)
    indicators = np.eye(len(classes))[members]
    present = np.asarray(X.T @ indicators) / len(y)
    prior = indicators.mean(axis=0)
    bits = np.zeros(X.shape[1])
    for joint in (present, prior - present):
        independent = joint.sum(axis=1, keepdims=True) * prior
        bits += (xlogy(joint, joint) - xlogy(joint, np.where(joint > 0, independent, 1.0))).sum(axis=1)
    return bits / np.log(2.0)
