"""Eliminations behind splines: each column's splines are made once, and come and go as one group."""

from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import SplineTransformer

from infoprop._core._typing import IntArray
from infoprop.credit._groups import ColumnGroups
from infoprop.selection._columns import ColumnChoice
from infoprop.selection._evaluation import LabelledRows, SubsetEvaluator
from infoprop.selection._moving import finite_numbers


def with_splines(
    evaluator: SubsetEvaluator, choice: ColumnChoice, rows: IntArray
) -> tuple[SubsetEvaluator, ColumnChoice]:
    """Return what eliminates the same groups without making the splines of a pipeline in every step.

    A :class:`~sklearn.preprocessing.SplineTransformer` treats every column by itself, so what it gives for
    some columns is a part of what it gives for all. If a pipeline begins with one, its splines are made here,
    as `rows` have them, and the rest of the pipeline is trained on groups of them. Anything else is returned
    as it is.
    """
    steps = evaluator.estimator.steps if type(evaluator.estimator) is Pipeline else []
    if len(steps) < 2 or type(steps[0][1]) is not SplineTransformer:
        return evaluator, choice
    given = {name for name, value in evaluator.fit_parameters.items() if value is not None}
    X = finite_numbers(evaluator.training.X)
    if X is None or sparse.issparse(X) or any(name.startswith(f"{steps[0][0]}__") for name in given):
        return evaluator, choice
    # Other rows are not looked at, and may lie where splines that do not extrapolate refuse them.
    made = clone(steps[0][1]).set_params(sparse_output=False).fit_transform(X[rows])
    splines = np.zeros((len(X), made.shape[1]))
    splines[rows] = made
    names = tuple(f"x{k}" for k in range(made.shape[1]))
    labels = np.repeat(choice.groups.labels, made.shape[1] // X.shape[1])
    training = evaluator.training
    alone = replace(
        evaluator,
        estimator=Pipeline(steps[1:]),
        training=LabelledRows(splines, training.y, training.sample_weight),
        feature_names=names,
        given=None,
    )
    return alone, replace(choice, groups=ColumnGroups(choice.groups.names, labels, names))
