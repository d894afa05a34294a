"""Words of the command line read as values; each refuses what it cannot read in a few words.

Sizes have a largest value each: far above what anybody needs, and small enough to be tried.
"""

import argparse
import csv
import os
from collections.abc import Callable
from pathlib import Path

from infoprop.workflow._options import AUTO, HALVING, SPLIT

LARGEST_SEED = 2**32 - 1
"""NumPy takes no larger one."""
MOST_JOBS = 1024
MOST_UNITS = 1_000_000
MOST_SUBSETS = 10_000
MOST_GENERATIONS = 1_000_000

_LARGEST = 2**63 - 1
_LONGEST_SHOWN = 40


def whole_number(low: int, high: int = _LARGEST) -> Callable[[str], int]:
    """Return what reads a whole number from `low` to `high`."""
    bounds = f">= {low}" if high == _LARGEST else f"from {low} to {high}"

    def read(text: str) -> int:
        value = _whole(text)
        if value is None or value < low:
            raise argparse.ArgumentTypeError(f"must be a whole number {bounds}, got {shown(text)}")
        if value > high:
            most = f"at most {high}" if high == _LARGEST else bounds
            raise argparse.ArgumentTypeError(f"must be a whole number {most}, got {shown(text)}")
        return value

    return read


def shown(text: str) -> str:
    """What was typed, as part of a sentence."""
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}...")


def _whole(text: str) -> int | None:
    """The whole number >= 0 that `text` is; None if it is none."""
    # Python refuses to read numbers of thousands of digits; all of them are too large.
    return int(text[:_LONGEST_SHOWN]) if text.isdecimal() else None


natural_number = whole_number(0)
"""A whole number >= 0."""
positive_integer = whole_number(1)
"""A whole number >= 1."""
fold_count = whole_number(2)
"""A whole number >= 2."""
seed_value = whole_number(0, LARGEST_SEED)
"""Where random numbers begin."""
subset_count = whole_number(1, MOST_SUBSETS)
"""How many subsets are held at a time."""
generation_count = whole_number(1, MOST_GENERATIONS)
"""How many generations are bred."""


def path_value(text: str) -> Path:
    """A path that this system can have, whether there is a file or not."""
    try:
        os.stat(text)
    except (FileNotFoundError, NotADirectoryError):
        pass  # the code that reads or writes it says so
    except ValueError:  # a null character
        raise argparse.ArgumentTypeError(f"must be the name of a file, got {shown(text)}") from None
    except OSError as error:  # a name that is too long, a folder that may not be entered
        raise argparse.ArgumentTypeError(
            f"must be the name of a file that can be reached, got {shown(text)} ({error.strerror})"
        ) from None
    return Path(text)


def column_names(text: str) -> list[str]:
    """Names separated by commas; a name with a comma in it is put in double quotes."""
    try:
        return [name for row in csv.reader([text], skipinitialspace=True) for name in row if name]
    except csv.Error as error:
        raise argparse.ArgumentTypeError(f"must be names of columns, got {shown(text)} ({error})") from None


def number(text: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {shown(text)}") from None
    if not abs(value) < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a finite number, got {shown(text)}")
    return value


def positive_number(text: str) -> float:
    """A number > 0."""
    value = number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be a number > 0, got {shown(text)}")
    return value


def part_value(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = number(text)
    except argparse.ArgumentTypeError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {shown(text)}")
    return value


def gamma_value(text: str) -> float | str:
    """A number > 0, scale or auto."""
    if text in ("scale", "auto"):
        return text
    try:
        return positive_number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"must be a number > 0, 'scale' or 'auto', got {shown(text)}"
        ) from None


def degree_value(text: str) -> float:
    """A number > 0, whole where it can be: a polynomial kernel takes no other."""
    value = positive_number(text)
    return int(value) if value.is_integer() else value


def delimiter_value(text: str) -> str:
    """One character, or the name of one that is hard to type."""
    named = {"tab": "\t", "\\t": "\t", "space": " "}
    character = named.get(text, text)
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise argparse.ArgumentTypeError(f"must be one character, tab or space, got {shown(text)}")
    return character


def layer_sizes(text: str) -> tuple[int, ...]:
    """Whole numbers >= 1 separated by commas."""
    try:
        return tuple(whole_number(1, MOST_UNITS)(part.strip()) for part in text.split(","))
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"must be whole numbers from 1 to {MOST_UNITS} separated by commas, got {shown(text)}"
        ) from None


def validation_value(text: str) -> float | int | str:
    """A fraction, a number of folds, or the word split."""
    if text == SPLIT:
        return text
    folds = _whole(text)
    if folds is not None and folds >= 2:
        return fold_count(text)
    fraction = _number_or_zero(text)
    if not 0 < fraction < 1:
        raise argparse.ArgumentTypeError(
            f"must be a fraction between 0 and 1, a number of folds >= 2, or 'split', got {shown(text)}"
        )
    return fraction


def jobs_value(text: str) -> int:
    """A number of threads, or -1 for all."""
    if text == "-1":
        return -1
    try:
        return whole_number(1, MOST_JOBS)(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"must be a whole number from 1 to {MOST_JOBS}, or -1 for all, got {shown(text)}"
        ) from None


def count_or_fraction(text: str) -> int | float:
    """How many features: a whole number >= 1, or a fraction of them."""
    if _whole(text):
        return positive_integer(text)
    fraction = _number_or_zero(text)
    if not 0 < fraction <= 1:
        raise argparse.ArgumentTypeError(
            f"must be a whole number >= 1 or a fraction between 0 and 1, got {shown(text)}"
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
    if _whole(text):
        return positive_integer(text)
    fraction = _number_or_zero(text)
    if not 0 < fraction < 1:
        raise argparse.ArgumentTypeError(
            f"must be a whole number >= 1, a fraction between 0 and 1, or halving, got {shown(text)}"
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


def null_count(text: str) -> int:
    """0, or enough draws to tell one in twenty."""
    draws = int(natural_number(text))
    if 0 < draws < 19:
        raise argparse.ArgumentTypeError(f"{text!r} must be 0 or at least 19, to tell one in twenty")
    return draws


def row_numbers(text: str) -> tuple[int, ...]:
    """Numbers of rows from 1, separated by commas, as numbers from 0."""
    return tuple(positive_integer(word.strip()) - 1 for word in text.split(","))
