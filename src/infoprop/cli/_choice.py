"""How features are chosen: which search, how many, and what goes with what."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infoprop._core._exceptions import ParameterError
from infoprop.cli._values import AUTO

CREDIT, BACKWARD, DIRECTED, ANGLE = "credit", "backward", "directed", "angle"
METHODS = (CREDIT, BACKWARD, DIRECTED, ANGLE)
RULES = ("best", "one-se", "tolerance")
INFORMATION, MARGIN, SEPARATION = "information", "margin", "separation"
CRITERIA = {BACKWARD: (INFORMATION, MARGIN), ANGLE: (ANGLE, SEPARATION)}

_TOLERANCE = 0.01
_METHODS_OF = {
    "threshold": (CREDIT,),
    "rule": (BACKWARD,),
    "tolerance": (BACKWARD,),
    "step": (BACKWARD,),
    "criterion": (BACKWARD, ANGLE),
    "init": (DIRECTED,),
    "max_trainings": (DIRECTED,),
    "checkpoint": (BACKWARD, DIRECTED),
}
"""Methods that each option goes with."""


@dataclass(frozen=True)
class Choice:
    """How features are chosen.

    Attributes
    ----------
    count : int, float, "auto" or None
        So many of the best, such a fraction, or as many as `rule` says.
    threshold : float or None
        Instead of `count`: all worth so many bits.
    method : {"credit", "backward", "directed", "angle"}
        One training; elimination one by one; directed search; gradient angles.
    rule, tolerance, step, criterion, init, max_trainings, checkpoint
        As in the selectors; None if not given.
    """

    count: int | float | str | None = None
    threshold: float | None = None
    method: str = CREDIT
    rule: str | None = None
    tolerance: float | None = None
    step: int | float | str | None = None
    criterion: str | None = None
    init: str | tuple[str, ...] | None = None
    max_trainings: int | None = None
    checkpoint: Path | None = None

    @property
    def is_search(self) -> bool:
        """Whether more than one subset is tried."""
        return self.method in (BACKWARD, DIRECTED)

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the options `names` that were given, by name."""
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def check(self) -> None:
        """Refuse options that do not go together."""
        for name, methods in _METHODS_OF.items():
            if getattr(self, name) is not None and self.method not in methods:
                fitting = " or ".join(f"--method {method}" for method in methods)
                raise ParameterError(f"{_option(name)} goes with {fitting}, not with --method {self.method}.")
        self._check_size()
        if self.criterion is not None and self.criterion not in CRITERIA[self.method]:
            words = " or ".join(CRITERIA[self.method])
            raise ParameterError(f"--criterion of --method {self.method} is {words}, not {self.criterion}.")

    def _check_size(self) -> None:
        if self.count == AUTO and self.method != BACKWARD:
            raise ParameterError(
                "-k auto goes with --method backward, which knows what every size delivers; "
                f"--method {self.method} needs a number of features."
            )
        if self.rule is not None and self.count != AUTO:
            raise ParameterError(f"--rule picks a size, so it goes with -k auto, not with -k {self.count}.")
        if self.tolerance is not None and self.rule != "tolerance":
            raise ParameterError("--tolerance goes with --rule tolerance.")

    def __str__(self) -> str:
        if self.method == BACKWARD:
            return f"{self._size_words()}, left by backward elimination{self._elimination_words()}"
        if self.method == DIRECTED:
            start = self.init or "credits"
            words = start if isinstance(start, str) else ", ".join(start)
            return f"{self._size_words()}, found by directed search (start: {words})"
        if self.method == ANGLE:
            by = "average separation" if self.criterion == SEPARATION else "gradient angle"
            return f"{self._size_words()} by {by}"
        return self._size_words()

    def _size_words(self) -> str:
        if self.threshold is not None:
            return f"at least {self.threshold:g} bits"
        if self.count == AUTO:
            more = f" ({self.tolerance or _TOLERANCE:g})" if self.rule == "tolerance" else ""
            return f"as many as the rule {self.rule or RULES[0]}{more} says"
        return (
            f"the best {self.count:.3g} of all" if isinstance(self.count, float) else f"the best {self.count}"
        )

    def _elimination_words(self) -> str:
        words = [f"step {self.step:g}" if isinstance(self.step, int | float) else self.step or ""]
        words.append("by the margin alone" if self.criterion == MARGIN else "")
        told = ", ".join(word for word in words if word)
        return f" ({told})" if told else ""


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
