"""Machines of several splits, numbered, without anything learned."""

import numpy as np

from infoprop.svm.active_set._machines_fast import Machines, SplitIndex
from infoprop.svm.subset._splits import MachineIndex


def index_of(*label_sets):
    """Numbers of the machines of splits that have learned these labels, and how splits are numbered."""
    numbers = [np.array(labels) for labels in label_sets]
    sizes = np.array([len(own) if len(own) > 2 else 1 for own in numbers])
    last = np.cumsum(sizes)
    index = MachineIndex(
        np.unique(np.concatenate(numbers)),
        np.repeat(np.arange(len(numbers)), sizes),
        np.concatenate([own[-size:] for own, size in zip(numbers, sizes, strict=True)]),
        np.array([own[0] for own in numbers]),
        last - sizes,
        last,
    )
    machines = Machines(*[None] * 11, index.split, index.positive)
    n_labels = int(index.classes.max()) + 1
    splits = SplitIndex(
        *[np.zeros(len(numbers), dtype=np.int64)] * 3,
        index.first,
        index.last,
        index.negative,
        None,
        None,
        index.label_scale(n_labels),
        len(index.classes),
    )
    return machines, splits, n_labels
