"""PairRecords: what is on disk of a search for each pair by itself, so that it can go on."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from infoprop._core._typing import BoolArray
from infoprop.selection import Work


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
    >>> from infoprop.selection import Work
    >>> records = PairRecords(Work(), 3)
    >>> records.append(np.array([True, False, True]))
    >>> records.masks()
    []
    """

    def __init__(self, work: Work, n_columns: int) -> None:
        self._journal = work.journal
        self._n_columns = n_columns
        self._n_pairs = len(self._done())
        # A process that died between the two steps of `append` has left one.
        if self._n_pairs:
            self._forget(self._n_pairs - 1)

    def masks(self) -> list[BoolArray]:
        """Columns of the pairs that are done, first pair first: shape (n_columns,) each."""
        masks = []
        for record in self._done():
            mask = np.zeros(self._n_columns, dtype=bool)
            mask[record["columns"]] = True
            masks.append(mask)
        return masks

    def append(self, mask: BoolArray) -> None:
        """Write down the columns of the next pair."""
        self._journal.append([{"columns": np.flatnonzero(mask)}], {})
        self._forget(self._n_pairs)
        self._n_pairs += 1

    def selector(self, selector: Any, pair: int) -> Any:
        """Return a clone of `selector` that writes down its search for a pair, if it can."""
        selector, path = clone(selector), self._beside(pair)
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
