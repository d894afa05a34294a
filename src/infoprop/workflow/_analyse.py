"""From a table to an answer, in one call."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from infoprop._core._checks import check_choice
from infoprop._core._typing import IntArray, LabelArray
from infoprop.credit import FeatureCredits, RowCredits
from infoprop.metrics import InformationFlow
from infoprop.report import Report
from infoprop.selection import Comparison
from infoprop.selection.running._interruption import noted_interruptions
from infoprop.workflow._analysis import find, trained_model
from infoprop.workflow._annotating import annotated
from infoprop.workflow._calls import repeating
from infoprop.workflow._consensus import agreed
from infoprop.workflow._explaining import check_rows, explained_rows
from infoprop.workflow._finding import Finding
from infoprop.workflow._judging import Judged, check_folds, count_classes
from infoprop.workflow._models import SavedModel
from infoprop.workflow._nesting import check_nested, nested_validation
from infoprop.workflow._options import MODEL_ROWS, SPLIT
from infoprop.workflow._preparation import Problem
from infoprop.workflow._probabilities import calibrating, is_calibrated, uncalibrated
from infoprop.workflow._problems import problem_of
from infoprop.workflow._reading import identifiers_of
from infoprop.workflow._repeating import find_repeatedly, finding_of_training_rows
from infoprop.workflow._request import Request, Task
from infoprop.workflow._steps import Steps


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """What :func:`analyse` found.

    Attributes
    ----------
    problem : Problem
        The rows as numbers (`X`, `y`), and the feature that each column belongs to (`owners`).
    task : Task
        The classifier and the selector, not fitted.
    finding : Finding
        Everything that was found, as the report takes it.
    judged : Judged or None
        Predictions for the judged rows, with ``repeat_choice=True``.
    nested : Comparison or None
        What the whole selection delivers on rows that took no part in it, with `nested`.
    rows : RowCredits or None
        What every feature adds to the outputs for the rows asked about, with `explain_rows`.
    is_interrupted : bool
        Whether Ctrl-C ended a search or the folds early; what was found until then is here.
    code : str
        Python that makes this analysis again.
    data : str or None
        How the table is called, if there is one.
    left_out : tuple of str
        Columns of the table that were left out when it was read.
    identifiers : tuple of str and ndarray of shape (n_rows,), or None
        Name and cells of the column that identifies the rows, if there is one.

    See Also
    --------
    analyse : Makes one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.workflow import analyse
    >>> analysis = analyse(*load_iris(return_X_y=True, as_frame=True))
    >>> analysis.selector is None, len(analysis.chosen), analysis.credits.n_features
    (True, 4, 4)
    >>> print(analysis.code)
    from infoprop.workflow import analyse
    <BLANKLINE>
    found = analyse(X, y)
    print(found)
    <BLANKLINE>
    """

    problem: Problem
    task: Task
    finding: Finding
    judged: Judged | None
    nested: Comparison | None
    is_interrupted: bool
    code: str
    data: str | None = None
    left_out: tuple[str, ...] = ()
    identifiers: tuple[str, LabelArray] | None = None
    rows: RowCredits | None = None

    @property
    def selector(self) -> Any:
        """The fitted selector; None if nothing was chosen, or every pair of classes has its own features."""
        return self.finding.selector

    @property
    def credits(self) -> FeatureCredits | None:
        """What every feature is worth, in bits, with all features there; None if the classifier has none."""
        return self.finding.credits

    @property
    def markers(self) -> dict[Any, tuple[tuple[str, float], ...]]:
        """Features that tell the most about each class, with their bits; empty without `per_class`."""
        return self.finding.markers

    @property
    def judgement(self) -> InformationFlow:
        """What the classifier delivers on the judging rows, with the chosen features if some were chosen."""
        return self.finding.flow if self.finding.retrained is None else self.finding.retrained

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the features chosen; all of them if there was no choice."""
        names, selected = self.finding.names, self.finding.selected
        if selected is None:
            return names
        return tuple(name for name, is_chosen in zip(names, selected, strict=True) if is_chosen)

    def report(self, **parts: Any) -> Report:
        """Return the page about this analysis.

        Parameters
        ----------
        **parts : dict
            What the page is to say otherwise: `title`, `data`, `settings`, `code`; see
            :meth:`~infoprop.report.Report.from_credits`.

        Returns
        -------
        Report
        """
        found = self.finding
        told: Any = {
            "selected": found.selected,
            "retrained": found.retrained,
            "chosen_credits": found.chosen_credits,
            "judged_on": found.judged_on,
            "auc": found.auc,
            "n_rows": len(self.problem.y),
            "target": self.problem.target,
            "owners": self.problem.owners,
            "rows": self.rows,
            "row_numbers": self.task.request.explain_rows if self.rows is not None else None,
            "row_classes": self._true_classes() if self.rows is not None else None,
            "nested": self.nested,
            "code": self.code,
            "data": self.data,
            **found.searches,
            **parts,
        }
        if found.credits is not None:
            return Report.from_credits(found.credits, **told)
        return Report.from_flow(found.flow, feature_names=found.names, **told)

    def _true_classes(self) -> list[Any]:
        return [self.problem.y[row] for row in self.task.request.explain_rows]

    def model(self, *, rows: str = "all") -> BaseEstimator:
        """Return the classifier with the chosen features, trained on rows as numbers (``problem.X``).

        Parameters
        ----------
        rows : {"all", "train"}, default="all"
            Train on all rows, also on those that judged, or on the training rows alone: then it is the
            classifier that was judged, with the features that were chosen without the judging rows if
            ``repeat_choice=True``.
        """
        return trained_model(self.problem, self.task.estimator, *self._kept(rows))

    def save(self, path: str | os.PathLike[str], *, rows: str = "all", probabilities: bool = True) -> None:
        """Train the classifier with the chosen features, and write it for `infoprop predict`.

        Parameters
        ----------
        path : str or path
            A .skops file. It holds how the columns of a table become numbers, too.
        rows : {"all", "train"}, default="all"
            See :meth:`model`.
        probabilities : bool, default=True
            Whether machines, which have none, are trained five times more to calibrate probabilities. The
            classes that they predict stay the same.
        """
        finding, trained_on = self._kept(rows)
        estimator, calibrated = self.task.estimator, None
        if probabilities:
            estimator = calibrating(estimator)
        model = trained_model(self.problem, estimator, finding, trained_on)
        if probabilities and is_calibrated(estimator, self.task.estimator):
            model, calibrated = uncalibrated(model), model
        left_out = (*self.left_out, SPLIT)
        SavedModel.of(self.problem, model, finding.used, left_out, calibrated).save(Path(path))

    def _kept(self, rows: str) -> tuple[Finding, IntArray | None]:
        """What a kept model is made of: features, and the rows to train on (None: all)."""
        check_choice("rows", rows, MODEL_ROWS, "Analysis.save")
        if rows == "all":
            return self.finding, None
        return finding_of_training_rows(self.problem, self.task, self.finding, self.judged)

    def annotate(self, data: Any) -> Any:
        """Return a copy of AnnData with what was found of every gene in its `var`.

        Parameters
        ----------
        data : AnnData
            That this is the analysis of.

        Returns
        -------
        AnnData
            Its `var` has ``infoprop_bits``, ``infoprop_bits_<class>``, ``infoprop_rank`` (1 is best), and
            after a choice ``infoprop_selected`` and ``infoprop_q_value``, if the method gives it.
        """
        return annotated(self.finding, data)

    def __str__(self) -> str:
        summary = self.report().summary
        return f"{summary.headline}\n{summary.lead}"

    def __repr__(self) -> str:
        return f"<Analysis: {self.report().summary.headline}>"


def analyse(
    data: Any,
    target: Any = None,
    *,
    method: Any = None,
    n_features_to_select: Any = None,
    per_class: int | None = None,
    classifier: Any = "svm",
    validation: Any = 0.25,
    repeat_choice: bool = False,
    nested: int | None = None,
    consensus: int | None = None,
    sharing: str = "covariance",
    n_null: int = 199,
    explain_rows: Sequence[int] = (),
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
) -> Analysis:
    """Credit the features of a table, choose among them, and judge the classifier on rows it has not seen.

    This is what ``infoprop credit``, ``infoprop select`` and ``infoprop classify`` run. Nominal columns are
    one-hot coded and come and go as one feature; columns of running text become one feature per word; every
    column is scaled or weighted, learned on training rows only.

    Parameters
    ----------
    data : Table, data frame, AnnData or {array-like, sparse matrix} of shape (n_samples, n_features)
        What is learned from; a table as :func:`~infoprop.datasets.load_table` gives it knows its classes.
    target : str, array-like of shape (n_samples,) or None, default=None
        Column of a data frame, or of `obs` of AnnData, that holds the classes, or the classes themselves.
        None for a Table.
    method : selector, {"credit", "backward", "directed", "angle", "forward", "genetic"} or None, default=None
        How features are chosen; None leaves it at credits. A selector keeps the settings that it was given,
        and is told of the classifier, the groups, the seed and the threads where it has none of its own.
    n_features_to_select : int, float, "auto" or None, default=None
        With the name of a method: how many features to keep.
    per_class : int or None, default=None
        Without a method, list so many markers of every class (`markers`). With ``method="credit"``, also keep
        them: at least so many features for every class that has them.
    classifier : classifier or {"svm", "mlp", "knn", "logistic", "shaped", "pairwise"}, default="svm"
        Put behind imputation and scaling; a pipeline is taken as it is.
    validation : float, int, "split", splitter or iterable of splits, default=0.25
        Rows that judge: a part held out, all rows in turn in that many folds, or the test rows of the split
        column of a Table. Parts and folds are dealt as by :class:`~infoprop.selection.RowFolds`. A search
        counts on the same rows.
    repeat_choice : bool, default=False
        Choose features anew inside every training part, so that the rows that judge take no part in the
        choice, and keep the predictions (`judged`); there are no credits then.
    nested : int or None, default=None
        Also repeat the whole selection in that many outer folds, judged on the rows left out.
    consensus : int or None, default=None
        With `nested`: keep the features that at least so many of the outer folds chose.
    sharing : {"covariance", "margin"}, default="covariance"
        How bits are divided among features; see :func:`~infoprop.credit.credit_features`.
    n_null : int, default=199
        How often labels are shuffled to see what chance could earn; 0 for not at all.
    explain_rows : sequence of int, default=()
        Rows, numbered from 0, whose outputs are taken apart feature by feature (`rows`, and a waterfall for
        each on the page), by a classifier that is trained on all other rows, with the features chosen.
    impute : {"mean", "median", "most_frequent"} or None, default=None
        What fills missing numbers; None refuses them. A missing text is a category of its own.
    scale : bool, default=True
        Whether columns are scaled: dense ones to mean 0 and standard deviation 1, sparse ones by their
        largest value.
    min_df : int, default=2
        Words of running text that occur in fewer rows are left out.
    ngrams : int, default=1
        Runs of up to that many words are features, too.
    weights : {"count", "binary", "tfidf", "bns", "shaped"} or None, default=None
        What the number of times that a word occurs in a row becomes, learned on training rows only: that
        number divided by its largest; 1 if it occurs; tf-idf, rows of length 1
        (:class:`~sklearn.feature_extraction.text.TfidfTransformer`); 1 if it occurs times its bi-normal
        separation (:class:`~infoprop.shaping.BNSScaler`), rows of length 1; or the local probability of the
        class that the word separates best (:class:`~infoprop.shaping.FeatureShaper`). None is "tfidf" if all
        features are words, `scale` is true and `method` is no search, else "count": a search updates machines
        from subset to subset only if columns are scaled one by one. Other sparse counts can be weighted, too.
    groups : mapping of str to list of str or None, default=None
        Features that are one: the name of the group, and its features. Others are features by themselves.
    row_groups : str, array-like of shape (n_samples,) or None, default=None
        Rows that belong together, such as those of a subject, and are never on both sides of a split: a
        column of the data, which is then no feature, or a label for every row. None: those of a Table, see
        :func:`~infoprop.datasets.load_table`.
    random_state : int, default=0
        Seed of everything drawn at random.
    n_jobs : int or None, default=None
        Threads or processes.
    verbose : int, default=0
        1 shows the progress of a search.

    Returns
    -------
    Analysis

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from infoprop.workflow import analyse
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> analysis = analyse(X, y, method="backward", n_features_to_select=3, validation=5)
    >>> analysis.chosen
    ('flavanoids', 'color_intensity', 'proline')
    >>> round(analysis.judgement.accuracy, 2)
    0.96
    """
    request = Request(
        method=method,
        n_features_to_select=n_features_to_select,
        per_class=per_class,
        classifier=classifier,
        validation=validation,
        repeat_choice=repeat_choice,
        nested=nested,
        consensus=consensus,
        sharing=sharing,
        n_null=n_null,
        explain_rows=tuple(int(number) for number in explain_rows),
        impute=impute,
        scale=scale,
        min_df=min_df,
        ngrams=ngrams,
        weights=weights,
        groups=groups,
        row_groups=row_groups,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return carry_out(data, target, request, Steps())


def carry_out(data: Any, target: Any, request: Request, steps: Steps) -> Analysis:
    """Do what `request` says with the data, and tell `steps` how far it is."""
    check_nested(Task.of(request))
    problem, table = problem_of(data, target, request)
    task = Task.of(request, problem)
    check_folds("nested", request.nested, count_classes(problem))
    check_rows(task, len(problem.y))
    judged = nested = rows = None
    with noted_interruptions() as interruptions:
        if request.repeat_choice:
            judged, finding = find_repeatedly(problem, task, steps)
        else:
            finding = find(problem, task, steps)
        if request.nested is not None and not interruptions:
            nested = nested_validation(problem, task, steps)
        if request.consensus is not None and nested is not None:
            finding = agreed(problem, task, finding, nested, steps)
        if request.explain_rows and not interruptions:
            steps.begin("explaining rows")
            rows = explained_rows(problem, task, finding)
    is_interrupted = bool(interruptions) or (judged is not None and not judged.is_whole)
    return Analysis(
        problem,
        task,
        finding,
        judged,
        nested,
        is_interrupted,
        repeating("analyse", data, target, request) + "print(found)\n",
        None if table is None else table.source,
        () if table is None else tuple(table.arguments.get("drop", ())),
        None if table is None else identifiers_of(table),
        rows,
    )
