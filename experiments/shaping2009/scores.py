"""How well the rows of one class are told from the rest: the paper's four measures."""

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

TOP = 20
"""Answers looked at by precision at 20."""


class Score(NamedTuple):
    """What is kept of one test fold; rates of all folds follow from it."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    auc: float
    precision: float
    auc_of_outputs: float
    precision_of_outputs: float

    @classmethod
    def of(cls, outputs: Any, slope: float, offset: float, is_positive: Any) -> "Score":
        """Compare log odds, positive for a row that is called positive, with what the rows are.

        A slope that came out negative turns the ranking round, so that the outputs themselves are judged too.
        """
        log_odds = slope * outputs + offset
        called = log_odds > 0.0
        tp, fp = int((called & is_positive).sum()), int((called & ~is_positive).sum())
        fn, tn = int(is_positive.sum()) - tp, int((~is_positive).sum()) - fp
        ranked = [
            round(measure(values, is_positive), 6)
            for values in (log_odds, outputs)
            for measure in (area_under_curve, precision_at_top)
        ]
        return cls(tp, fp, fn, tn, *ranked)


def area_under_curve(values: Any, is_positive: Any) -> float:
    """Share of pairs, a positive and a negative, that are ranked right; a tie counts half."""
    n_positive = int(is_positive.sum())
    n_negative = len(is_positive) - n_positive
    above = rankdata(values)[is_positive].sum() - n_positive * (n_positive + 1) / 2.0
    return float(above / (n_positive * n_negative))


def precision_at_top(values: Any, is_positive: Any, top: int = TOP) -> float:
    """Share of positives among the `top` highest values, or among all rows if there are fewer.

    Rows that tie for the last places share them evenly, so that the order of the rows does not matter.
    """
    top = min(top, len(values))
    bar = np.partition(values, len(values) - top)[len(values) - top]
    above, tied = values > bar, values == bar
    share = (top - above.sum()) / tied.sum()
    return float((is_positive[above].sum() + share * is_positive[tied].sum()) / top)


def summarised(folds: Any) -> dict[str, float]:
    """The measures of a task, in percent, from the scores of its folds, (n_folds, 8).

    F-measure and accuracy are of the counts of all folds together, as Weka adds them up; the area under the
    curve and precision at 20 are means over folds, since outputs of different folds cannot be compared.
    """
    folds = np.asarray(folds, dtype=np.float64)
    tp, fp, fn, tn = folds[:, :4].sum(axis=0)
    return {
        "f": 100.0 * 2.0 * tp / max(2.0 * tp + fp + fn, 1.0),
        "auc": 100.0 * float(folds[:, 4].mean()),
        "accuracy": 100.0 * (tp + tn) / (tp + fp + fn + tn),
        "precision": 100.0 * float(folds[:, 5].mean()),
        "auc-outputs": 100.0 * float(folds[:, 6].mean()),
        "precision-outputs": 100.0 * float(folds[:, 7].mean()),
    }
