"""How features are chosen: which search, how many, and what goes with what."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infoprop._core._exceptions import ParameterError
from infoprop.workflow._classifier_names import CLASSIFIERS, PAIRWISE
from infoprop.workflow._options import AUTO

CREDIT, BACKWARD, DIRECTED, ANGLE = "credit", "backward", "directed", "angle"
FORWARD, GENETIC = "forward", "genetic"
STABILITY, KNOCKOFFS = "stability", "knockoffs"
FRONT = "auto"
"""The method that is taken where nothing is said: the best of several, by validation."""
METHODS = (CREDIT, BACKWARD, DIRECTED, ANGLE, FORWARD, GENETIC, STABILITY, KNOCKOFFS)
RULES = ("best", "one-se", "tolerance")
INFORMATION, MARGIN, SEPARATION = "information", "margin", "separation"
CRITERIA = {BACKWARD: (INFORMATION, MARGIN), ANGLE: (ANGLE, SEPARATION)}
INITS = {DIRECTED: ("credits", "random"), GENETIC: ("random", FORWARD)}

CREDITED = ("svm", "mlp", "logistic", "shaped")
"""Classifiers whose features have shares in what they deliver."""

COMBINATIONS = {
    CREDIT: CREDITED,
    BACKWARD: CREDITED,
    DIRECTED: CREDITED,
    ANGLE: ("svm", "logistic"),
    FORWARD: CLASSIFIERS,
    GENETIC: CLASSIFIERS,
    STABILITY: CREDITED,
    KNOCKOFFS: CREDITED,
}
"""Classifiers that each method goes with."""

_REASONS = {
    ANGLE: "needs the slope of a decision function",
    **dict.fromkeys((CREDIT, BACKWARD, DIRECTED, STABILITY, KNOCKOFFS), "needs the credit of every feature"),
}
_TOLERANCE = 0.01
SCORINGS = ("accuracy", "balanced_accuracy", "information", "roc_auc")
"""What a search by accuracy may be judged by; the first is the default."""

METHODS_OF = {
    "threshold": (CREDIT,),
    "per_class": (CREDIT,),
    "rule": (BACKWARD,),
    "tolerance": (BACKWARD,),
    "step": (BACKWARD, STABILITY, KNOCKOFFS),
    "criterion": (BACKWARD, ANGLE),
    "init": (DIRECTED, GENETIC),
    "max_trainings": (DIRECTED,),
    "beam": (FORWARD,),
    "scoring": (FORWARD, GENETIC),
    "population": (GENETIC,),
    "generations": (GENETIC,),
    "time_limit": (BACKWARD, DIRECTED, FORWARD, GENETIC, STABILITY, KNOCKOFFS, FRONT),
    "fdr": (STABILITY, KNOCKOFFS),
    "checkpoint": (BACKWARD, DIRECTED, FORWARD, GENETIC, STABILITY, KNOCKOFFS, FRONT),
}
"""Methods that each option goes with."""


def combinations_help() -> str:
    """Which method goes with which classifier, as a table."""
    widths = [max(len(method) for method in METHODS), *(len(name) for name in CLASSIFIERS)]
    rows = [["", *CLASSIFIERS]]
    rows += [
        [method, *("yes" if name in COMBINATIONS[method] else "-" for name in CLASSIFIERS)]
        for method in METHODS
    ]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "What goes together:\n" + "\n".join(f"  {line}".rstrip() for line in lines)


def check_combination(method: str, classifier: str) -> None:
    """Refuse a method that the classifier does not go with."""
    if method == FRONT:
        if classifier != "svm":
            raise ParameterError(
                "infoprop select without --method tries support vector machines; for --classifier "
                f"{classifier} name a --method."
            )
        return
    fitting = COMBINATIONS[method]
    if classifier not in fitting:
        raise ParameterError(
            f"--method {method} {_REASONS[method]}, which --classifier {classifier} does not have; take "
            f"--classifier {', '.join(fitting[:-1])} or {fitting[-1]}, or --method {FORWARD} or {GENETIC}."
        )


def check_credited(classifier: str, member: str | None = None) -> None:
    """Refuse a classifier whose features have no credits; pairs have those of their member."""
    learner = (member or "svm") if classifier == PAIRWISE else classifier
    if learner not in CREDITED:
        told = f"{classifier} --member {learner}" if classifier == PAIRWISE else classifier
        raise ParameterError(
            f"--classifier {told} does not tell what a feature contributes, and so has no credits; "
            f"take --classifier {', '.join(CREDITED[:-1])} or {CREDITED[-1]}, or see infoprop classify."
        )


@dataclass(frozen=True)
class Choice:
    """How features are chosen.

    Attributes
    ----------
    count : int, float, "auto" or None
        The number of the best, a fraction, or as many as `rule` says; with "forward" at most that number.
    threshold : float or None
        Instead of `count`: all worth that number of bits.
    per_class : int or None
        Also that number of the best of every class.
    method : str
        "credit", "backward", "directed", "angle", "forward", "genetic", "stability", "knockoffs" or "auto":
        one training; elimination one by one; directed search; gradient angles; adding one by one; breeding;
        agreement of halves of the rows; features that outlive their knockoffs; the best of several.
    fdr : float or None
        Level of the false discovery rate, for the last two.
    rule, tolerance, step, criterion, init, max_trainings, time_limit, checkpoint
        As in the selectors; None if not given.
    keep : tuple of str
        Names of features that are always kept.
    scoring : {"accuracy", "balanced_accuracy", "information", "roc_auc"} or None
        What "forward" and "genetic" judge subsets by.
    beam, population, generations : int or None
        `beam_width`, `population_size` and `n_generations` of the selectors.
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
    beam: int | None = None
    scoring: str | None = None
    population: int | None = None
    generations: int | None = None
    time_limit: float | None = None
    fdr: float | None = None
    checkpoint: Path | None = None
    keep: tuple[str, ...] = ()
    per_class: int | None = None

    @property
    def is_search(self) -> bool:
        """Whether more than one subset is tried."""
        return self.method not in (CREDIT, ANGLE)

    @property
    def is_open(self) -> bool:
        """Whether nothing was said of how many."""
        return self.count is None and self.threshold is None and self.per_class is None

    @property
    def counts_apart(self) -> bool:
        """Whether rows held out take no part in the search: it counts on training rows, or not at all."""
        return self.method in (FORWARD, GENETIC, FRONT) or self.counts_nothing

    @property
    def counts_nothing(self) -> bool:
        """Whether the method chooses without counting errors, so that it has no validation."""
        return self.method in (ANGLE, STABILITY, KNOCKOFFS)

    def given(self, *names: str, **renamed: str) -> dict[str, Any]:
        """Those of the options `names` that were given, by name, or by the name that `renamed` gives them."""
        wanted = {name: name for name in names} | renamed
        return {
            parameter: getattr(self, name)
            for parameter, name in wanted.items()
            if getattr(self, name) is not None
        }

    def check(self, classifier: str = "svm") -> None:
        """Refuse options that do not go together, or not with the classifier."""
        check_combination(self.method, classifier)
        if self.keep and classifier == PAIRWISE:
            raise ParameterError(
                "--keep does not go with --classifier pairwise, whose pairs have features of their own."
            )
        for name, methods in METHODS_OF.items():
            if getattr(self, name) is not None and self.method not in methods:
                fitting = " or ".join(f"--method {method}" for method in methods if method != FRONT)
                raise ParameterError(f"{_option(name)} goes with {fitting}, not with --method {self.method}.")
        self._check_size()
        self._check_words()

    def _check_words(self) -> None:
        if self.criterion is not None and self.criterion not in CRITERIA[self.method]:
            words = " or ".join(CRITERIA[self.method])
            raise ParameterError(f"--criterion of --method {self.method} is {words}, not {self.criterion}.")
        names_features = isinstance(self.init, tuple) and self.method == DIRECTED
        if self.init is not None and not names_features and self.init not in INITS[self.method]:
            told = self.init if isinstance(self.init, str) else ",".join(self.init)
            words = " or ".join(INITS[self.method])
            raise ParameterError(f"--init of --method {self.method} is {words}, not {told!r}.")

    def _check_size(self) -> None:
        if self.method == GENETIC and self.count not in (None, AUTO):
            raise ParameterError(
                f"--method genetic finds the number of features itself; leave out -k {self.count}."
            )
        if self.method in (STABILITY, KNOCKOFFS):
            if self.fdr is not None and self.count is not None:
                raise ParameterError(f"--fdr says how many; leave out -k {self.count}, or --fdr.")
        elif self.is_open and self.method not in (FORWARD, GENETIC, FRONT):
            also = ", --threshold BITS or --per-class N" if self.method == CREDIT else ""
            auto = ", or -k auto" if self.method == BACKWARD else ""
            raise ParameterError(f"--method {self.method} must be told how many: give -k N{also}{auto}.")
        if self.count == AUTO and self.method not in (BACKWARD, FORWARD, GENETIC, FRONT):
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
        if self.method in (STABILITY, KNOCKOFFS):
            return self._control_words()
        if self.method == FRONT:
            size = "as many as do best" if self.count in (None, AUTO) else self._size_words()
            return f"{size}, by the method that does best"
        if self.method == ANGLE:
            by = "average separation" if self.criterion == SEPARATION else "gradient angle"
            return f"{self._size_words()} by {by}"
        if self.method == FORWARD:
            most = "" if self.count in (None, AUTO) else f", at most {_number_words(self.count)}"
            return f"as many as make it right more often{most}, added one by one (beam {self.beam or 5})"
        if self.method == GENETIC:
            return (
                f"as many as the fittest of {self.generations or 30} generations of {self.population or 30} "
                f"subsets has (start: {self.init or 'random'})"
            )
        return self._size_words()

    def _control_words(self) -> str:
        by = "stability" if self.method == STABILITY else "knockoffs"
        if self.count is not None:
            return f"{self._size_words()} by {by}"
        # Of knockoffs the law of the columns is estimated, too.
        return f"as many as there are at an estimated false discovery rate of {100 * self.level:g} % ({by})"

    @property
    def level(self) -> float:
        """Level of the false discovery rate, the usual one if none was given."""
        return 0.1 if self.fdr is None else self.fdr

    def _size_words(self) -> str:
        best = "" if self.per_class is None else f"the best {self.per_class} of every class"
        if best and self.count is None and self.threshold is None:
            return best
        return f"{self._plain_size_words()}, and {best}" if best else self._plain_size_words()

    def _plain_size_words(self) -> str:
        if self.threshold is not None:
            return f"at least {self.threshold:g} bits"
        if self.count == AUTO:
            more = f" ({self.tolerance or _TOLERANCE:g})" if self.rule == "tolerance" else ""
            return f"as many as the rule {self.rule or RULES[0]}{more} says"
        return f"the best {_number_words(self.count)}"

    def _elimination_words(self) -> str:
        words = [f"step {self.step:g}" if isinstance(self.step, int | float) else self.step or ""]
        words.append("by the margin alone" if self.criterion == MARGIN else "")
        told = ", ".join(word for word in words if word)
        return f" ({told})" if told else ""


def _number_words(count: int | float | str | None) -> str:
    return f"{count:.3g} of all" if isinstance(count, float) else str(count)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
