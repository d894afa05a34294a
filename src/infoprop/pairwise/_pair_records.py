"""PairRecords: what is on disk of a search for each pair by itself, so that it can go on."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from infoprop._core._cluster import cluster_client
from infoprop._core._typing import BoolArray
from infoprop.selection.running._work import Work


class PairRecords:
    """Columns of the pairs that are done, in the journal of the fit; nothing is kept without a checkpoint.

    The search of a pair that is under way has a journal of its own beside that one, if its selector can keep
    one. It goes as soon as the pair is done.

    Parameters
    ----------
    work : Work
    n_columns : int

    Examples
    --------
    >>> from infoprop.selection.running._work import Work
    >>> records = PairRecords(Work(), 3)
    >>> records.append(0, np.array([True, False, True]))
    >>> records.masks()
    {}
    """

    def __init__(self, work: Work, n_columns: int) -> None:
        self._journal = work.journal
        self._n_columns = n_columns
        # A process that died between the two steps of `append` has left one.
        for record in self._done()[-1:]:
            self._forget(record["pair"])

    def masks(self) -> dict[int, BoolArray]:
        """Columns of the pairs that are done, in the order that they were: shape (n_columns,) each."""
        masks = {}
        for record in self._done():
            masks[record["pair"]] = np.zeros(self._n_columns, dtype=bool)
            masks[record["pair"]][record["columns"]] = True
        return masks

    def append(self, pair: int, mask: BoolArray) -> None:
        """Write down the columns of a pair."""
        self._journal.append([{"pair": pair, "columns": np.flatnonzero(mask)}], {})
        self._forget(pair)

    def selector(self, selector: Any, pair: int) -> Any:
        """Return a clone of `selector` that writes down its search for a pair, if it can."""
        # Workers of a cluster may not see the file, and one that is lost may still hold it.
        selector, path = clone(selector), None if cluster_client() else self._beside(pair)
        if path is not None and selector.get_params(deep=False).get("checkpoint", path) is None:
            selector.set_params(checkpoint=path)
        return selector

    def _done(self) -> list[dict[str, Any]]:
        return [record for record in self._journal.records() if "columns" in record]

    def _beside(self, pair: int) -> Path | None:
        path = self._journal.path
        return None if path is None else path.with_name(f"{path.name}.pair{pair}")

    def _forget(self, pair: int) -> None:
        path = self._beside(pair)
        if path is not None:
            self._journal.remove(path)
