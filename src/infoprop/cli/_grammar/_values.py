"""Words of the command line read as values; each refuses what it cannot read in a few words."""

import argparse
import csv
from typing import Literal

SPLIT: Literal["split"] = "split"
AUTO = "auto"
HALVING = "halving"


def column_names(text: str) -> list[str]:
    """Names separated by commas; a name with a comma in it stands in double quotes."""
    return [name for row in csv.reader([text], skipinitialspace=True) for name in row if name]


def number(text: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not abs(value) < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a finite number, got {text!r}")
    return value


def positive_number(text: str) -> float:
    """A number > 0."""
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be a number > 0, got {text!r}")
    return value


def part_value(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = number(text)
    except argparse.ArgumentTypeError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {text!r}")
    return value


def natural_number(text: str) -> int:
    """A whole number >= 0."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 0, got {text!r}")
    return value


def fold_count(text: str) -> int:
    """A whole number >= 2."""
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 2, got {text!r}")
    return int(text)


def positive_integer(text: str) -> int:
    """A whole number >= 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, got {text!r}")
    return int(text)


def gamma_value(text: str) -> float | str:
    """A number > 0, scale or auto."""
    if text in ("scale", "auto"):
        return text
    try:
        return positive_number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"must be a number > 0, 'scale' or 'auto', got {text!r}") from None


def degree_value(text: str) -> float:
    """A number > 0, whole where it can be: a polynomial kernel takes no other."""
    value = positive_number(text)
    return int(value) if value.is_integer() else value


def delimiter_value(text: str) -> str:
    """One character, or the name of one that is hard to type."""
    named = {"tab": "\t", "\\t": "\t", "space": " "}
    character = named.get(text, text)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise argparse.ArgumentTypeError(f"must be one character, tab or space, got {text!r}")
    return character


def layer_sizes(text: str) -> tuple[int, ...]:
    """Whole numbers >= 1 separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= 1 for part in parts):
        raise argparse.ArgumentTypeError(f"must be whole numbers >= 1 separated by commas, got {text!r}")
    return tuple(int(part) for part in parts)


def validation_value(text: str) -> float | int | str:
    """A fraction, a number of folds, or the word split."""
    if text == SPLIT:
        return text
    if text.isdecimal() and int(text) >= 2:
        return int(text)
    fraction = _number_or_zero(text)
    if not 0 < fraction < 1:
        raise argparse.ArgumentTypeError(
            f"must be a fraction between 0 and 1, a number of folds >= 2, or 'split', got {text!r}"
        )
    return fraction


def jobs_value(text: str) -> int:
    """A number of threads, or -1 for all."""
    if text != "-1" and (not text.isdecimal() or int(text) < 1):
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, or -1 for all, got {text!r}")
    return int(text)


def count_or_fraction(text: str) -> int | float:
    """How many features: a whole number >= 1, or a fraction of them."""
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    fraction = _number_or_zero(text)
    if text.isdecimal() or not 0 < fraction <= 1:
        raise argparse.ArgumentTypeError(
            f"must be a whole number >= 1 or a fraction between 0 and 1, got {text!r}"
        )
    return fraction


def size_value(text: str) -> int | float | str:
    """How many features: a whole number >= 1, a fraction of them, or the word auto."""
    if text == AUTO:
        return text
    try:
        return count_or_fraction(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(
            str(error).replace("between 0 and 1", "between 0 and 1, or auto")
        ) from None


def step_value(text: str) -> int | float | str:
    """How many features at a time: a whole number >= 1, a fraction of those left, or the word halving."""
    if text == HALVING:
        return text
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    fraction = _number_or_zero(text)
    if text.isdecimal() or not 0 < fraction < 1:
        raise argparse.ArgumentTypeError(
            f"must be a whole number >= 1, a fraction between 0 and 1, or halving, got {text!r}"
        )
    return fraction


def init_value(text: str) -> str | tuple[str, ...]:
    """A single word, or names of features separated by commas."""
    return text if text in ("credits", "random", "forward") else tuple(column_names(text))


def _number_or_zero(text: str) -> float:
    """The number that `text` is, or 0, which is no fraction that anybody may ask for."""
    try:
        return float(text)
    except ValueError:
        return 0.0
