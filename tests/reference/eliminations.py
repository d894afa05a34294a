"""Eliminations as the selectors run them: over any subset model, or over machines that are moved."""

from infoprop.selection.elimination._moved import elimination_for
from infoprop.selection.elimination._schedule import Schedule
from infoprop.selection.elimination._search import drop_step_by_step, drop_worst
from infoprop.selection.elimination._stepwise import CRITERIA, EliminationStep, StepBatch, StepwiseElimination

__all__ = [
    "CRITERIA",
    "EliminationStep",
    "Schedule",
    "StepBatch",
    "StepwiseElimination",
    "drop_step_by_step",
    "drop_worst",
    "elimination_for",
]
