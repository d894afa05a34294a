"""How values are shaped, as told on the command line."""

import argparse
from dataclasses import dataclass
from typing import Any

from infoprop._core._exceptions import ParameterError
from infoprop.cli._grammar._values import AUTO, positive_number, shown

SHAPE, PROBABILITY, BNS = "shape", "probability", "bns"
METHODS = (SHAPE, PROBABILITY, BNS)
POLICIES = ("all", "auto")
ENDINGS = (".csv", ".parquet", ".npz")
APART = "a value of its own"
"""What fills a missing number if --missing-apart is given: nothing."""


@dataclass(frozen=True)
class ShapeOptions:
    """How values are shaped.

    Attributes
    ----------
    method : {"shape", "probability", "bns"}
    positive : str or None
        The class that is told from the rest; None for each of them.
    window : float or "auto"
        Rows on each side that a probability is estimated from.
    policy : {"all", "auto"}
        Shape all columns, or only those that gain.
    """

    method: str = SHAPE
    positive: str | None = None
    window: Any = 15
    policy: Any = "all"


def shape_options(arguments: argparse.Namespace) -> ShapeOptions:
    """Typed options out of the parsed words; those that do not belong to the method are refused."""
    method = arguments.method
    fitting = {"window": (SHAPE, PROBABILITY), "policy": (SHAPE,), "missing_apart": (SHAPE, PROBABILITY)}
    given = {name: getattr(arguments, name) for name in fitting if getattr(arguments, name)}
    for name in given:
        if method not in fitting[name]:
            words = " or ".join(f"--method {fit}" for fit in fitting[name])
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} goes with {words}, not with --method {method}; leave it out.")
    if arguments.missing_apart and arguments.impute is not None:
        raise ParameterError("--missing-apart leaves nothing to fill; leave out --impute or it.")
    given.pop("missing_apart", None)
    return ShapeOptions(method, arguments.positive, **given)


def window_value(text: str) -> float | str:
    """A number > 0, or the word auto."""
    if text == AUTO:
        return text
    try:
        return positive_number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"must be a number > 0 or auto, got {shown(text)}") from None
