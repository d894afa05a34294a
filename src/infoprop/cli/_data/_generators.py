"""The problems that `infoprop datasets` can make."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from infoprop._core._exceptions import ParameterError
from infoprop._core._memory import fits_in_memory, memory_words
from infoprop.datasets import (
    LabelledData,
    make_corral,
    make_graded_noise,
    make_infoprop_synthetic,
    make_led24,
    make_parity,
    make_waveform40,
)


@dataclass(frozen=True)
class Generator:
    """A problem whose relevant features are known.

    Attributes
    ----------
    make : callable
        Returns LabelledData for a number of rows and a seed.
    summary : str
        What it is, in one line.
    """

    make: Callable[..., LabelledData]
    summary: str

    @property
    def n_rows(self) -> int:
        """Number of rows if none is given."""
        n_rows: int = inspect.signature(self.make).parameters["n_samples"].default
        return n_rows

    def check_rows(self, n_rows: int) -> None:
        """Refuse more rows than memory can hold."""
        n_columns = self.make(self.n_rows, random_state=0).X.shape[1] + 1
        # Drawn, put together, and once more as a table.
        size = 3 * 8 * n_rows * n_columns
        if not fits_in_memory(size):
            raise ParameterError(
                f"--rows {n_rows} asks for a table that takes {size / 1e9:,.3g} GB to make, more than the "
                f"{memory_words()} that may be used; ask for fewer."
            )


GENERATORS = {
    "corral": Generator(
        make_corral, "2 classes by 4 bits, beside an idle one and one that is best alone and no use with them"
    ),
    "graded-noise": Generator(make_graded_noise, "2 classes, 20 columns, each noisier than the one before"),
    "infoprop-synthetic": Generator(
        make_infoprop_synthetic, "3 classes, 3 columns that tell them apart and 6 of loud noise"
    ),
    "led24": Generator(make_led24, "10 digits on a faulty display: 7 segments and 17 random bits"),
    "parity": Generator(
        make_parity,
        "2 classes by the parity of 5 bits, beside copies and idle bits; none is worth anything alone",
    ),
    "waveform40": Generator(make_waveform40, "3 mixtures of waves: 21 points of the wave and 19 of noise"),
}


def frame_of(data: LabelledData) -> pl.DataFrame:
    """The features under their names, whole numbers as such, and the classes in the column class."""
    columns = []
    for name, values in zip(data.feature_names, data.X.T, strict=True):
        column = pl.Series(name, values)
        columns.append(column.cast(pl.Int64) if (column == column.round(0)).all() else column)
    return pl.DataFrame([*columns, pl.Series("class", data.y)])
