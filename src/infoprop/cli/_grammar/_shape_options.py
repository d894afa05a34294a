"""How values are shaped, as told on the command line."""

import argparse

from infoprop._core._exceptions import ParameterError
from infoprop.cli._grammar._values import positive_number, shown
from infoprop.workflow._options import AUTO, BNS, PROBABILITY, SHAPE, ShapeOptions

METHODS = (SHAPE, PROBABILITY, BNS)
POLICIES = ("all", "auto")
ENDINGS = (".csv", ".parquet", ".npz")


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
