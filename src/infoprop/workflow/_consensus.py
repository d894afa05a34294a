"""Features on which the outer folds of a nested validation agree."""

from dataclasses import replace

import numpy as np

from infoprop.selection import Comparison
from infoprop.workflow._analysis import chosen_columns, or_constant
from infoprop.workflow._finding import Finding
from infoprop.workflow._judging import judge, judging_rows
from infoprop.workflow._preparation import Problem
from infoprop.workflow._request import Task
from infoprop.workflow._steps import Steps


def agreed(problem: Problem, task: Task, finding: Finding, nested: Comparison, steps: Steps) -> Finding:
    """Return `finding` with the features that enough outer folds chose, judged as any other choice is.

    If no feature was chosen by that many, those that most folds chose are taken.
    """
    supports = nested[0].supports
    counts, n_folds = supports.sum(axis=0), len(supports)
    wanted = min(int(task.request.consensus or 1), n_folds)
    enough = min(wanted, int(counts.max()))
    selected = np.asarray(counts >= enough)
    request = task.request
    steps.begin("training again on the features that folds agree on")
    reduced = problem.X[:, chosen_columns(problem, selected)]
    judging = judging_rows(problem, request.validation, request.random_state)
    judged = judge(
        or_constant(task.estimator, reduced),
        replace(problem, X=reduced),
        judging,
        request.n_jobs,
        steps.watch,
    )
    short = f" No feature was chosen in {wanted}." if enough < wanted else ""
    words = (
        f"{selected.sum():,} features were chosen in at least {enough} of {n_folds} outer folds.{short} "
        "Every row took part in that; the nested figures are for rows that took no part."
    )
    return replace(
        finding,
        selected=selected,
        retrained=judged.flow,
        chosen_credits=None,  # those of another choice
        auc=None,
        judged_on="choice",
        places=None,
        sentence=words,
        n_folds_chosen=np.asarray(counts, dtype=np.int64),
    )
