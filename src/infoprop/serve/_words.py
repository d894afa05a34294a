"""From what a page asked for to the words of the command line, and nothing else."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from infoprop._core._exceptions import ParameterError
from infoprop.workflow._choice import ANGLE, COMBINATIONS, CREDIT, METHODS
from infoprop.workflow._classifier_names import CLASSIFIERS, PAIRWISE
from infoprop.workflow._contest_names import METHODS as CONTESTANTS
from infoprop.workflow._options import BNS, PROBABILITY, SHAPE

REPORT = "report.html"
SHAPERS = (SHAPE, PROBABILITY, BNS)
LEARNERS = tuple(name for name in CLASSIFIERS if name != PAIRWISE)
_CHECKPOINT = "--checkpoint=search.journal"


def words_of(asked: Mapping[str, Any], table: str) -> list[str]:
    """The words of the command line that do what a page asked for.

    Parameters
    ----------
    asked : mapping
        `command` ("credit" if not given), `target`, and what belongs to the command: `classifier`, `method`,
        `size` (a number, "auto", for compare several numbers), `nested`, `methods`.
    table : str
        Name of the file.

    Raises
    ------
    ParameterError
        If something else was asked for.
    """
    command = str(asked.get("command", "credit"))
    if command not in _COMMANDS:
        raise ParameterError(f"There is no command {command!r} here.")
    # With the equals sign a value is a value, whatever it begins with.
    target = [f"--target={asked['target']}"] if asked.get("target") else []
    return [command, table, *target, *_COMMANDS[command](asked), f"--report={REPORT}"]


def _one_of(what: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ParameterError(f"There is no {what} {value!r} here.")
    return value


def _classifier(asked: Mapping[str, Any], method: str = "") -> list[str]:
    name = _one_of("classifier", str(asked.get("classifier", "svm")), LEARNERS)
    if method and name not in COMBINATIONS[method]:
        raise ParameterError(f"The method {method} does not go with the classifier {name}.")
    return [f"--classifier={name}"]


def _size(asked: Mapping[str, Any], pattern: str, what: str) -> list[str]:
    size = str(asked.get("size") or "")
    if size and not re.fullmatch(pattern, size):
        raise ParameterError(f"The number of features must be {what}. Got {size!r}.")
    return [f"-k{size}"] if size else []


def _choice(asked: Mapping[str, Any]) -> list[str]:
    method = _one_of("method", str(asked.get("method", CREDIT)), METHODS)
    size = _size(asked, r"[0-9]{1,6}|auto", "a number or 'auto'")
    return [*_classifier(asked, method), f"--method={method}", *size]


def _credit(asked: Mapping[str, Any]) -> list[str]:
    return _classifier(asked, CREDIT)


def _select(asked: Mapping[str, Any]) -> list[str]:
    nested = ["--nested=5"] if asked.get("nested") else []
    is_search = asked.get("method", CREDIT) not in (CREDIT, ANGLE)
    return [*_choice(asked), *nested, *([_CHECKPOINT] if is_search else [])]


def _compare(asked: Mapping[str, Any]) -> list[str]:
    methods = [_one_of("method", str(name), CONTESTANTS) for name in asked.get("methods") or ()]
    named = [f"--methods={','.join(methods)}"] if methods else []
    sizes = _size(asked, r"[0-9]{1,6}(,[0-9]{1,6}){0,19}", "one or more numbers with commas between them")
    return [*_classifier(asked), *named, *sizes, _CHECKPOINT]


def _shape(asked: Mapping[str, Any]) -> list[str]:
    return [f"--method={_one_of('method', str(asked.get('method', SHAPE)), SHAPERS)}"]


def _classify(asked: Mapping[str, Any]) -> list[str]:
    return _choice(asked) if asked.get("method") else _classifier(asked)


_COMMANDS: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "credit": _credit,
    "select": _select,
    "compare": _compare,
    "shape": _shape,
    "classify": _classify,
}
