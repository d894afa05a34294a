"""All training sets of the study, each done once and kept in a journal, so that a stopped run goes on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config
from shaping2009.problems import load
from shaping2009.trial import Unit, run_unit
from shaping2009.variants import Variant

DECISIVE = ("seed", "n_folds", "n_inner_folds", "costs", "start", "tol", "inner_tol")
"""Settings of a run that its numbers depend on."""


class Journal:
    """Lines of finished units in a file, one JSON object each; a line that was cut off is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[str, dict[str, Any]] = {}
        if path.exists():
            for text in path.read_text(encoding="utf-8").splitlines():
                try:
                    line = json.loads(text)
                except json.JSONDecodeError:
                    continue
                self.lines[line["key"]] = line

    def add(self, line: dict[str, Any]) -> None:
        """Keep a line, at once also on disk."""
        self.lines[line["key"]] = line
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            # Begun on a line of its own, whatever a killed run has left behind.
            file.write("\n" + json.dumps(line, separators=(",", ":")))


class Study:
    """What is to be done according to the settings, and what has been done.

    Parameters
    ----------
    run : mapping
        Settings of the run.
    output : Path
        Folder whose ``journal`` holds what is done.
    """

    def __init__(self, run: Mapping[str, Any], output: Path) -> None:
        self.run = run
        self.journal = Journal(output / "journal" / "units.jsonl")

    def variants(self, bundle: str) -> list[Variant]:
        """Methods of a bundle."""
        return [Variant.of(settings) for settings in self.run["bundle"][bundle]["variants"]]

    def units(self, bundle: str) -> list[Unit]:
        """All training sets of a bundle, those that take longest first."""
        told = self.run["bundle"][bundle]
        return [
            Unit(bundle, name, fold, size, told.get("loss", "hinge"), told.get("search", "quick"))
            for size in reversed(self.sizes(bundle))
            for name in self.names(bundle)
            for fold in range(self.n_folds(bundle))
        ]

    def sizes(self, bundle: str) -> list[int]:
        """Sizes of the training sets of a bundle, in percent of all rows, ascending."""
        told = self.run["bundle"][bundle]["sizes"]
        return sorted(set(told) & set(self.run.get("only_sizes", told)))

    def n_folds(self, bundle: str) -> int:
        """How many of the ten folds are run."""
        return int(
            min(self.run["most_folds"], self.run["bundle"][bundle].get("most_folds", self.run["n_folds"]))
        )

    def names(self, bundle: str) -> list[str]:
        """Data sets of a bundle."""
        return list(self.run[self.run["bundle"][bundle]["data"]])

    def key(self, unit: Unit) -> str:
        """Name of a unit's line: what it is, and a digest of all that its numbers depend on."""
        return f"{unit.key}#{self._digests[unit.bundle]}"

    @cached_property
    def _digests(self) -> dict[str, str]:
        numbers = self._numbers()
        texts = {
            bundle: json.dumps({**numbers, "variants": told["variants"]}, sort_keys=True)
            for bundle, told in self.run["bundle"].items()
        }
        return {bundle: sha256(text.encode()).hexdigest()[:12] for bundle, text in texts.items()}

    def complete(self, bundles: Iterable[str]) -> None:
        """Do what is not done yet; `n_jobs` processes, which change nothing but the time."""
        units = [unit for bundle in bundles for unit in self.units(bundle)]
        missing = [unit for unit in units if self.key(unit) not in self.journal.lines]
        for name in dict.fromkeys(unit.name for unit in missing):
            load(name)
        with parallel_config(backend="loky", inner_max_num_threads=1):
            done = Parallel(n_jobs=self.run["n_jobs"], return_as="generator_unordered", batch_size=1)(
                delayed(_line)(self.key(unit), unit, self.variants(unit.bundle), self._numbers())
                for unit in missing
            )
            for line in done:
                self.journal.add(line)

    def _numbers(self) -> dict[str, Any]:
        return {name: self.run[name] for name in DECISIVE}

    def results(self, unit: Unit) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """What a finished unit has found, by variant and class."""
        found: Mapping[str, Mapping[str, Sequence[float]]] = self.journal.lines[self.key(unit)]["results"]
        return found

    def seconds(self, bundles: Iterable[str]) -> float:
        """Time that the processes took for finished units, together."""
        lines = self.journal.lines
        keys = (self.key(unit) for bundle in bundles for unit in self.units(bundle))
        return float(sum(lines[key]["seconds"] for key in keys if key in lines))


def _line(key: str, unit: Unit, variants: Sequence[Variant], numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {**run_unit(unit, variants, numbers), "key": key}
