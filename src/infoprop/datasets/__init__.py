"""Problems whose relevant features are known, and tables read from disk.

The generators return :class:`LabelledData`, :func:`load_table` returns a :class:`Table`.
"""

from infoprop.datasets._boolean import make_corral, make_led24, make_parity
from infoprop.datasets._delimited import DelimitedText
from infoprop.datasets._encoder import TableEncoder
from infoprop.datasets._gaussian import make_graded_noise, make_infoprop_synthetic, make_waveform40
from infoprop.datasets._labelled import LabelledData
from infoprop.datasets._loading import load_table
from infoprop.datasets._table import Table

__all__ = [
    "DelimitedText",
    "LabelledData",
    "Table",
    "TableEncoder",
    "load_table",
    "make_corral",
    "make_graded_noise",
    "make_infoprop_synthetic",
    "make_led24",
    "make_parity",
    "make_waveform40",
]
