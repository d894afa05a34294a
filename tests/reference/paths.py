"""Paths of eliminations made of tables, without any search."""

import numpy as np

from infoprop.selection import SelectionPath
from infoprop.selection.elimination._step_tables import StepTables


def tables_of(counts, n_samples):
    """What was counted at every step: (n_steps, n_classes, n_classes)."""
    return StepTables.from_counts(np.asarray(counts, dtype=float), float(n_samples))


def path_of(counts, n_samples, sizes, names=None, order=None, credits=None):
    """A path over columns of their own, from all of them down to the last of `sizes`."""
    n_features = int(sizes[0])
    n_dropped = n_features - int(sizes[-1])
    return SelectionPath(
        n_columns=np.asarray(sizes),
        order=np.arange(n_dropped) if order is None else order,
        credits=np.zeros(n_dropped) if credits is None else credits,
        starts=np.append(n_features - sizes, n_dropped),
        names=names or tuple(f"x{number}" for number in range(n_features)),
        group_of_column=np.arange(n_features),
        tables=tables_of(counts, n_samples),
    )
