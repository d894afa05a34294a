"""Runs as the Python that repeats them: a call, with the imports it needs."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from infoprop.datasets import Table
from infoprop.workflow._script import Script, assigned, call, quoted

# How a run is watched, and by how many threads, changes nothing in what it finds.
NEUTRAL = ("n_jobs", "verbose", "checkpoint")


def repeating(function: str, data: Any, target: Any, request: Any, **known: Any) -> str:
    """Return Python that calls a `function` of :mod:`infoprop.workflow` as it was called.

    `X` and `y` are the data where they came from no file. The result is called `found`.

    Parameters
    ----------
    function : str
        Its name.
    data, target, request
        What it was told; of the fields of `request`, a dataclass, those that are no defaults are written.
    **known : dict
        What a field has become by now, where that says more than what was told.
    """
    script = Script()
    script.imported("infoprop.workflow", function)
    told = {
        field.name: known.get(field.name, getattr(request, field.name))
        for field in fields(request)
        if field.name not in NEUTRAL and not _is_default(getattr(request, field.name), field.default)
    }
    # Labels of all rows come from where the rows come from.
    labels = told.pop("row_groups", None)
    words = [*data_words(script, data, target), *given(script, told)]
    if labels is not None:
        words.append(f"row_groups={quoted(labels) if isinstance(labels, str) else 'row_groups'}")
    script.add(*assigned("found", call(function, words)))
    return script.text()


def _is_default(value: Any, default: Any) -> bool:
    """Whether a field was left as it is; arrays are never a default."""
    return value is default or (not hasattr(value, "shape") and bool(value == default))


def data_words(script: Script, data: Any, target: Any) -> list[str]:
    """The arguments that the data is given by."""
    if isinstance(data, Table):
        return [loading(script, data)]
    return ["X", quoted(target) if isinstance(target, str) else "y"]


def loading(script: Script, table: Table) -> str:
    """The call that reads `table`."""
    told = dict(table.arguments)
    path = Path(str(told.pop("path", table.source))).name
    dropped = [name for name in table.left_out if name not in told.get("drop", ())]
    if dropped:
        told["drop"] = [*told.get("drop", ()), *dropped]
    return call(
        script.imported("infoprop.datasets", "load_table"), [script.written(path), *given(script, told)]
    )


def given(script: Script, told: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as they are written."""
    return [f"{name}={script.written(_plain(value))}" for name, value in told.items()]


def _plain(value: Any) -> Any:
    """What is written: an estimator without its checkpoint, a list for any other collection of names."""
    if isinstance(value, BaseEstimator) and "checkpoint" in value.get_params(deep=False):
        return clone(value).set_params(checkpoint=None)
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple | set | frozenset) else value
