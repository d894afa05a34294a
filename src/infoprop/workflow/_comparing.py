"""Several ways to choose features of one table, judged on rows that took no part in the choice."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from infoprop._core._exceptions import Parameter, ParameterError
from infoprop.report import Report
from infoprop.report._comparison_report import ComparisonReport
from infoprop.selection import Comparison, compare_selectors
from infoprop.selection.comparison._nested_plan import automatic_sizes
from infoprop.selection.running._interruption import noted_interruptions
from infoprop.workflow._calls import repeating
from infoprop.workflow._classifiers import name_of_classifier, named_classifier, prepared
from infoprop.workflow._contenders import contenders
from infoprop.workflow._contest_names import methods_to_compare
from infoprop.workflow._judging import check_classes, check_folds
from infoprop.workflow._options import AUTO
from infoprop.workflow._problems import problem_of
from infoprop.workflow._steps import Steps
from infoprop.workflow._words import word_weights
from infoprop.workflow._workers import quiet_workers


@dataclass(frozen=True)
class ComparisonRequest:
    """The parameters of :func:`compare_table`, which explains them."""

    methods: tuple[str, ...] | None = None
    sizes: tuple[int, ...] | str = AUTO
    classifier: Any = "svm"
    validation: int = 5
    inner_validation: int | None = 5
    method_validation: Any = 5
    impute: str | None = None
    scale: bool = True
    min_df: int = 2
    ngrams: int = 1
    weights: str | None = None
    groups: Any = None
    row_groups: Any = None
    random_state: int = 0
    n_jobs: int | None = None
    verbose: int = 0
    time_limit: float | None = None
    checkpoint: Any = None

    split = None


@dataclass(frozen=True, eq=False)
class TableComparison:
    """What :func:`compare_table` found.

    Attributes
    ----------
    comparison : Comparison
        What every method delivers at every size.
    target : str
        Name of the column that holds the classes.
    is_interrupted : bool
        Whether Ctrl-C ended it early; the folds in which all methods were done are here.
    code : str
        Python that makes it again.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.workflow import compare_table
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare_table(X, y, methods=["anova-f"], sizes=[1, 2], inner_validation=None)
    >>> found.is_interrupted, len(found.comparison)
    (False, 2)
    """

    comparison: Comparison
    target: str
    is_interrupted: bool
    code: str

    def report(self, **parts: Any) -> ComparisonReport:
        """Return the page about it; `parts` are those of :meth:`~infoprop.report.Report.from_comparison`."""
        told: Any = {"target": self.target, "n_rows": self.comparison.n_rows, "code": self.code, **parts}
        return Report.from_comparison(self.comparison, **told)


def compare_table(
    data: Any,
    target: Any = None,
    *,
    methods: Sequence[str] | None = None,
    sizes: Sequence[int] | str = AUTO,
    classifier: Any = "svm",
    validation: int = 5,
    inner_validation: int | None = 5,
    method_validation: Any = 5,
    impute: str | None = None,
    scale: bool = True,
    min_df: int = 2,
    ngrams: int = 1,
    weights: str | None = None,
    groups: Any = None,
    row_groups: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    time_limit: float | None = None,
    checkpoint: Any = None,
) -> TableComparison:
    """Compare ways to choose features of a table, by name, as ``infoprop compare`` does.

    Parameters
    ----------
    data, target
        As in :func:`analyse`.
    methods : sequence of str or None, default=None
        Names, as ``infoprop compare --help`` lists them; None takes those that are done in seconds.
    sizes : sequence of int or "auto", default="auto"
        Numbers of features to choose.
    classifier
        As in :func:`analyse`; trained on what each method chose.
    validation : int, default=5
        Outer folds, whose rows only judge.
    inner_validation : int or None, default=5
        Folds of the training rows for the optimistic estimate; None saves its time.
    method_validation : int or float, default=5
        How methods that count rows judge inside the folds.
    impute, scale, min_df, ngrams, weights, groups, row_groups, random_state, n_jobs, verbose
        As in :func:`analyse`.
    time_limit : float or None, default=None
        Seconds after which it ends, with the folds in which all methods are done.
    checkpoint : path or None, default=None
        Where what is done is written; the same call goes on from there.

    Returns
    -------
    TableComparison

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.workflow import compare_table
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = compare_table(X, y, methods=["credit", "anova-f"], sizes=[2], inner_validation=None)
    >>> [(choice.method, round(choice.accuracy, 2)) for choice in found.comparison]
    [('credit', 0.87), ('anova-f', 0.91)]
    """
    request = ComparisonRequest(
        None if methods is None else tuple(methods),
        sizes if isinstance(sizes, str) else tuple(sizes),
        classifier,
        validation,
        inner_validation,
        method_validation,
        impute,
        scale,
        min_df,
        ngrams,
        weights,
        groups,
        row_groups,
        random_state,
        n_jobs,
        verbose,
        time_limit,
        checkpoint,
    )
    return carry_out_comparison(data, target, request, Steps(), lambda _: None)


def carry_out_comparison(
    data: Any, target: Any, request: ComparisonRequest, steps: Steps, say: Callable[[str], None]
) -> TableComparison:
    """Compare what `request` names; `say` is told which methods are skipped."""
    problem, _ = problem_of(data, target, request)
    learner = named_classifier(request.classifier)
    how: dict[str, Any] = {
        "impute": request.impute,
        "is_scaled": request.scale,
        "is_sparse": problem.is_sparse,
        "weights": word_weights(request, problem, is_searched=True),
    }
    # Threads are shared out among methods and folds, not inside them.
    estimator = prepared(learner, **how, random_state=request.random_state)
    check_classes(problem, request.method_validation, estimator)
    counts = Counter(problem.y.tolist())
    check_folds("folds", request.validation, counts)
    check_folds("inner_validation", request.inner_validation, counts)
    sizes = sizes_for(request.sizes, problem.n_features)
    names = methods_to_compare(
        request.methods, name_of_classifier(learner), is_sparse=problem.is_sparse, say=say
    )
    methods = contenders(names, estimator, request.method_validation, how, largest=max(sizes))
    steps.begin_aside(f"comparing {len(methods)} methods in {request.validation} folds")
    with noted_interruptions() as interruptions, quiet_workers():
        comparison = compare_selectors(
            methods,
            problem.X,
            problem.y,
            estimator=estimator,
            sizes=sizes,
            validation=request.validation,
            inner_validation=request.inner_validation,
            groups=list(problem.owners),
            row_groups=problem.row_groups,
            random_state=request.random_state,
            n_jobs=request.n_jobs,
            verbose=request.verbose or int(steps.is_shown),
            time_limit=request.time_limit,
            checkpoint=request.checkpoint,
        )
    code = repeating("compare_table", data, target, request, methods=names)
    more = (
        "for choice in found.comparison:",
        '    print(f"{choice.method:20} {choice.n_features:7.1f} {choice.accuracy:7.1%}")\n',
    )
    return TableComparison(comparison, problem.target, bool(interruptions), code + "\n".join(more))


def sizes_for(sizes: Sequence[int] | str, n_features: int) -> tuple[int, ...]:
    """Numbers of features to choose; ``auto`` means 1, 2, 5, ... below the number there is."""
    if isinstance(sizes, str):
        return automatic_sizes(n_features)
    if max(sizes) > n_features:
        raise ParameterError(
            Parameter("sizes", "sizes"),
            f" {max(sizes)} asks for more features than the {n_features} there are.",
        )
    return tuple(sizes)
