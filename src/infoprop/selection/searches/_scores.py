"""What a subset is judged by, from 0 to 1: scores of a confusion table."""

from collections.abc import Callable

import numpy as np

from infoprop._core._typing import FloatArray
from infoprop.selection._evaluation import SubsetEvaluator

ACCURACY, BALANCED, INFORMATION, AREA = "accuracy", "balanced_accuracy", "information", "roc_auc"

Score = Callable[[FloatArray], float]
"""From counts of shape (L, L), rows are true labels, to a number from 0 to 1."""


def accuracy(counts: FloatArray) -> float:
    """Part of the rows named right."""
    return float(np.trace(counts) / counts.sum())


def balanced_accuracy(counts: FloatArray) -> float:
    """Mean over the classes of the part of their rows named right."""
    rows = counts.sum(axis=1)
    return float(np.mean(np.diag(counts)[rows > 0.0] / rows[rows > 0.0]))


def relative_information(counts: FloatArray) -> float:
    """Part of the class entropy that the predictions resolve, ``I(Y;Yf) / H(Y)``."""
    joint = counts / counts.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    seen = joint > 0.0
    entropy = -np.sum(rows[rows > 0.0] * np.log2(rows[rows > 0.0]))
    information = np.sum(joint[seen] * np.log2((joint / np.outer(rows, columns).clip(min=1e-300))[seen]))
    return float(information / entropy) if entropy > 0.0 else 0.0


SCORES: dict[str, Score] = {
    ACCURACY: accuracy,
    BALANCED: balanced_accuracy,
    INFORMATION: relative_information,
}
SCORINGS = (*SCORES, AREA)
"""All that a search may be judged by. The area needs scores of rows and has a judge of its own."""


def score_words(scoring: str, value: float) -> str:
    """A score in a few words."""
    if scoring == ACCURACY:
        return f"{value:.1%} right"
    return f"{'AUC' if scoring == AREA else scoring.replace('_', ' ')} {value:.3f}"


def constant_score(evaluator: SubsetEvaluator, scoring: str) -> float:
    """Score of always naming the heaviest class trained on, the first of equals."""
    if scoring == ACCURACY:
        return evaluator.constant_accuracy()
    counts = [
        np.repeat(named, len(evaluator.test_rows(split, with_X=False).y))
        for split, named in zip(evaluator.plan.splits, evaluator.heaviest_classes(), strict=True)
    ]
    return SCORES[scoring](evaluator.pooled.counts(counts))
