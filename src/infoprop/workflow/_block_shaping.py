"""Columns of several Parquet files shaped file by file, so that never all rows are in memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from infoprop._core._exceptions import DataError, Parameter, ParameterError
from infoprop._core._typing import FloatArray
from infoprop.shaping import BNSScaler, FeatureShaper
from infoprop.shaping._blocks import ParquetBlock
from infoprop.workflow._options import BNS, PROBABILITY
from infoprop.workflow._shaping import ShapingRequest


@dataclass(frozen=True)
class BlockShapes:
    """What shaping made of the columns of several files.

    Attributes
    ----------
    shaper : FeatureShaper or BNSScaler
        Learned from all rows.
    labels : tuple of str
        Classes that the columns are shaped for.
    names : tuple of str
        The columns.
    raw_scores, shaped_scores : ndarray of shape (n_labels, n_columns)
        Bi-normal separation by the best threshold, on values as they are and as they are shaped.
    n_rows : int
        Of all files together.
    target : str
        Column that holds the classes.
    blocks : tuple of ParquetBlock
        The files.
    """

    shaper: Any
    labels: tuple[str, ...]
    names: tuple[str, ...]
    raw_scores: FloatArray
    shaped_scores: FloatArray
    n_rows: int
    target: str
    blocks: tuple[ParquetBlock, ...]

    @property
    def ranking(self) -> FloatArray:
        """The scores that the columns are ranked by."""
        return self.raw_scores if isinstance(self.shaper, BNSScaler) else self.shaped_scores

    def shaped_files(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Yield the name of each file, and its rows as they are shaped, with their classes."""
        names = [str(name) for name in self.shaper.get_feature_names_out()]
        if self.target in names:
            raise DataError(
                f"A shaped column would be called {self.target!r}, as the classes are; rename it."
            )
        for block in self.blocks:
            X, y = block()
            columns = [
                pl.Series(name, column)
                for name, column in zip(names, self.shaper.transform(X).T, strict=True)
            ]
            yield Path(block.path).name, pl.DataFrame([*columns, pl.Series(self.target, y)])


def check_parquet_files(paths: Sequence[Path], target: str | None, drop: Sequence[str]) -> None:
    """Refuse files that cannot be shaped together, by their schemas, before any row is read."""
    if target is None:
        raise ParameterError(
            "Several files need ", Parameter("target", "target"), ", the column of the classes."
        )
    first: dict[str, Any] = {}
    for path in paths:
        try:
            columns = pl.read_parquet_schema(path)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            words = str(error).splitlines()[0]
            raise DataError(
                f"{path} is not a readable Parquet file: {words}. Several files must be."
            ) from error
        if target not in columns:
            raise DataError(f"{path} has no column {target!r} for the classes.")
        kinds = {name: kind for name, kind in columns.items() if name not in (target, *drop)}
        texts = [name for name, kind in kinds.items() if not (kind.is_numeric() or kind == pl.Boolean)]
        if texts:
            raise DataError(
                f"Column {texts[0]!r} of {path} holds no numbers; leave it out with ",
                *(Parameter("drop"), ", or code it as numbers before."),
            )
        first = first or kinds
        if list(kinds) != list(first):
            raise DataError(f"{path} has other columns than {paths[0]}, or in another order.")


def shape_blocks(
    paths: Sequence[Path], target: str, drop: Sequence[str], request: ShapingRequest
) -> BlockShapes:
    """Count the values of all files in one pass, and learn the shapes from that.

    Parameters
    ----------
    paths : sequence of Path
        Parquet files with the same columns, all numbers, as :func:`check_parquet_files` has found.
    target : str
        Column that holds the classes.
    drop : sequence of str
        Columns that are left out.
    request : ShapingRequest
        `method`, `positive`, `window`, `policy`, `missing_apart` and `n_jobs` are heeded.
    """
    blocks = tuple(ParquetBlock(str(path), target, tuple(drop)) for path in paths)
    local: dict[str, Any] = {"window": request.window, "missing": request.missing}
    common: dict[str, Any] = {"multiclass": "ovr", "n_jobs": request.n_jobs}
    counted = FeatureShaper(**local, **common).fit_blocks(list(blocks))
    tables, classes, names = counted.tables_, counted.classes_, counted.feature_names_in_
    labels = {str(label): label for label in classes.tolist()}
    if request.positive is not None:
        if request.positive not in labels:
            raise ParameterError(
                Parameter("positive", "positive"),
                f" {request.positive} is not among the classes of {target!r}: {', '.join(labels)}.",
            )
        common["positive_label"] = labels[request.positive]
    whole = FeatureShaper(policy=request.policy, **local, **common).fit_tables(tables, classes, names)
    # Which side of a threshold a gap is on, nobody knows.
    scaler = None if tables.is_missing.any() else BNSScaler(**common).fit_tables(tables, classes, names)
    shaper: Any = whole
    if request.method == BNS and scaler is not None:
        shaper = scaler
    if request.method == PROBABILITY:
        shaper = FeatureShaper(scaling=None, norm=None, **local, **common).fit_tables(tables, classes, names)
    shaped = np.atleast_2d(whole.scores_)
    one = request.positive or (list(labels)[1] if len(labels) == 2 else None)
    return BlockShapes(
        shaper,
        tuple(labels) if one is None else (one,),
        tuple(str(name) for name in names),
        np.full_like(shaped, np.nan) if scaler is None else np.atleast_2d(scaler.scores_),
        shaped,
        int(tables.of_column(0)[1].sum()),
        target,
        blocks,
    )
