"""Evaluators of subsets over given splits: the one place where tests put the pieces together."""

from infoprop.selection._columns import choose_columns
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._moving import moving_model
from infoprop.selection._refit import RefitSubsetModel, subset_model
from infoprop.selection._validation import FoldSplits, Split, ValidationPlan, plan_validation

__all__ = [
    "FoldSplits",
    "LabelledRows",
    "RefitSubsetModel",
    "Split",
    "SubsetEvaluator",
    "ValidationPlan",
    "choose_columns",
    "evaluator_over",
    "moving_model",
    "plan_validation",
    "subset_model",
]


def evaluator_over(splits, estimator, X, y, *, weights=None, given=None, n_jobs=None, shares_from_all=False):
    """An evaluator; `splits` are pairs of rows to train on and rows to count, `given` other rows to count."""
    return SubsetEvaluator(
        estimator=estimator,
        training=LabelledRows(X, y, weights),
        fit_parameters={} if weights is None else {"sample_weight": weights},
        plan=ValidationPlan(tuple(Split(train, test) for train, test in splits), shares_from_all),
        given=None if given is None else LabelledRows(*given),
        feature_names=tuple(f"x{k}" for k in range(X.shape[1])),
        n_jobs=n_jobs,
    )
