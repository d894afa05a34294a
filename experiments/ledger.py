"""Published numbers beside ours: the files that every experiment keeps.

An experiment is a folder with

``expected.json``
    what the paper printed: ``{"paper": {...}, "numbers": {id: {"printed", "unit", "source"}},
    "not_rerun": [...]}``;
``results.json``
    what we got: ``{"numbers": {id: {"part", "table", "row", "measure", "unit", "mean", "sd", "n"}}}``;
``settings.toml``
    what was run, and the sentences of the page: ``title``, ``intro``, ``[[part]]`` with ``name``, ``title``,
    ``text``, and ``[[difference]]`` with the ids it ``covers`` (shell patterns) and a ``sentence``;
``run.py``
    writes ``results.json``, ``figures/`` and, through ``pages.py``, ``README.md``.

The same id in both JSON files means the same quantity. Every number of ours that is not the published one,
to a unit of its last printed place, needs a sentence.
"""

import json
import statistics
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

DECIMALS = {
    "%": 2,
    "% of draws": 0,
    "% of folds": 0,
    "bits": 4,
    "features": 1,
    "rows": 0,
    "words": 0,
    "vectors": 1,
    "trainings": 1,
    "p": 4,
}
"""Places kept of each unit: enough to compare, too few to tell one machine's arithmetic from another's."""


@dataclass(frozen=True)
class Published:
    """A number as the paper printed it; a claim, held to in every draw, is printed as "yes"."""

    printed: str
    unit: str
    source: str

    @property
    def value(self) -> float:
        return 100.0 if self.printed == "yes" else float(self.printed)

    @property
    def last_place(self) -> float:
        """One unit of the last printed place: some published figures are cut off, not rounded."""
        _, _, places = self.printed.partition(".")
        return 10.0 ** -len(places)

    def agrees_with(self, mean: float) -> bool:
        if self.printed == "yes":
            return mean >= 100.0
        return abs(mean - self.value) <= self.last_place * (1.0 + 1e-9)

    def __str__(self) -> str:
        return "yes" if self.printed == "yes" else with_unit(self.printed, self.unit)


@dataclass(frozen=True)
class Number:
    """Mean, spread and count of one quantity, and where on the page it stands."""

    part: str
    table: str
    row: str
    measure: str
    unit: str
    mean: float
    sd: float | None
    n: int

    @classmethod
    def of(
        cls, values: Sequence[float], *, part: str, table: str, row: str, measure: str, unit: str
    ) -> "Number":
        """Summarise `values`, one per draw; a single one has no spread."""
        places = DECIMALS[unit]
        spread = round(statistics.stdev(values), places) if len(values) > 1 else None
        return cls(
            part, table, row, measure, unit, round(statistics.fmean(values), places), spread, len(values)
        )

    def __str__(self) -> str:
        places = DECIMALS[self.unit]
        if self.unit.startswith("% of "):
            return f"{round(self.mean * self.n / 100.0)} of {self.n} {self.unit.removeprefix('% of ')}"
        spread = "" if self.sd is None else f" ± {self.sd:.{places}f}"
        return with_unit(f"{self.mean:.{places}f}{spread}", self.unit)


@dataclass(frozen=True)
class Expected:
    """The paper: who wrote it and what it printed."""

    paper: Mapping[str, str]
    numbers: Mapping[str, Published]
    not_rerun: Sequence[Mapping[str, str]]


def with_unit(text: str, unit: str) -> str:
    """`text` with its unit, for units that are written."""
    return f"{text} {unit}" if unit in ("%", "bits") else text


def read_settings(folder: Path) -> dict[str, Any]:
    """Settings of an experiment."""
    return tomllib.loads((folder / "settings.toml").read_text(encoding="utf-8"))


def read_expected(folder: Path) -> Expected:
    """Published numbers of an experiment."""
    stored = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    numbers = {key: Published(**entry) for key, entry in stored["numbers"].items()}
    return Expected(stored["paper"], numbers, stored["not_rerun"])


def read_results(folder: Path) -> dict[str, Number]:
    """Our numbers of an experiment; none if it has not been run."""
    path = folder / "results.json"
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {key: Number(**entry) for key, entry in stored["numbers"].items()}


def write_results(folder: Path, numbers: Mapping[str, Number]) -> None:
    """Keep our numbers, in the order given."""
    content = {"numbers": {key: asdict(number) for key, number in numbers.items()}}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")


def differing(expected: Expected, results: Mapping[str, Number]) -> list[str]:
    """Ids whose number is not the published one."""
    return [
        key
        for key, published in expected.numbers.items()
        if key in results and not published.agrees_with(results[key].mean)
    ]


def unexplained(expected: Expected, results: Mapping[str, Number], settings: Mapping[str, Any]) -> list[str]:
    """Ids that differ from what was published and have no sentence that says why."""
    return [key for key in differing(expected, results) if not reasons(key, settings)]


def reasons(key: str, settings: Mapping[str, Any]) -> list[str]:
    """Sentences of the settings on why the number `key` is not the published one."""
    return [
        entry["sentence"]
        for entry in settings.get("difference", [])
        if any(fnmatchcase(key, pattern) for pattern in entry["covers"])
    ]
