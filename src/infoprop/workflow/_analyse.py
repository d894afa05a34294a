"""From a table to an answer, in one call."""

from collections.abc import Sequence
from typing import Any

from infoprop.selection.running._interruption import noted_interruptions
from infoprop.workflow._analysis import find
from infoprop.workflow._calls import repeating
from infoprop.workflow._consensus import agreed
from infoprop.workflow._explaining import check_rows, explained_rows
from infoprop.workflow._judging import check_folds, count_classes
from infoprop.workflow._nesting import check_nested, nested_validation
from infoprop.workflow._problems import problem_of
from infoprop.workflow._reading import identifiers_of
from infoprop.workflow._repeating import find_repeatedly
from infoprop.workflow._request import Request, Task
from infoprop.workflow._result import Analysis
from infoprop.workflow._screening import check_screen, screened
from infoprop.workflow._steps import Steps


def analyse(
    data: Any,
    target: Any = None,
    *,
    method: Any = None,
    n_features_to_select: Any = None,
    per_class: int | None = None,
    screen: int | None = None,
    classifier: Any = "svm",
    validation: Any = 0.25,
    repeat_choice: bool = False,
    probabilities: bool = False,
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
        Without a method, list that number of markers of every class (`markers`). With ``method="credit"``,
        also keep them: at least that number of features for every class that has them.
    screen : int or None, default=None
        Before anything is searched, keep that number of features: those that tell the most about the class by
        themselves (:class:`~infoprop.selection.ScoreScreen`, by information gain), on the training rows only.
        Needs rows that only judge, so no folds.
    classifier : classifier or {"svm", "mlp", "knn", "logistic", "shaped", "pairwise"}, default="svm"
        Put behind imputation and scaling; a pipeline is taken as it is.
    validation : float, int, "split", splitter or iterable of splits, default=0.25
        Rows that judge: a part held out, all rows in turn in that many folds, or the test rows of the split
        column of a Table. Parts and folds are dealt as by :class:`~infoprop.selection.RowFolds`. A search
        counts on the same rows.
    repeat_choice : bool, default=False
        Choose features anew inside every training part, so that the rows that judge take no part in the
        choice, and keep the predictions (`judged`); there are no credits then.
    probabilities : bool, default=False
        With `repeat_choice`: also train machines, which give no probabilities, five times more inside every
        training part to calibrate some (``judged.probabilities``). Predictions stay the same.
    nested : int or None, default=None
        Also repeat the whole selection in that many outer folds, judged on the rows left out.
    consensus : int or None, default=None
        With `nested`: keep the features that at least that number of outer folds chose.
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
        features are words, `scale` is true and no subsets are searched, else "count": a search updates
        machines from subset to subset only if columns are scaled one by one. Other sparse counts can be
        weighted, too.
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
    0.95
    """
    request = Request(
        method=method,
        n_features_to_select=n_features_to_select,
        per_class=per_class,
        screen=screen,
        classifier=classifier,
        validation=validation,
        repeat_choice=repeat_choice,
        probabilities=probabilities,
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
    check_screen(request)
    problem, table = problem_of(data, target, request)
    if request.screen is not None:
        steps.begin(f"screening {problem.n_features:,} features")
        problem = screened(problem, Task.of(request, problem))
    task = Task.of(request, problem)
    check_folds("nested", request.nested, count_classes(problem))
    check_rows(task, len(problem.y))
    judged = nested = rows = None
    with noted_interruptions() as interruptions:
        if request.repeat_choice:
            judged, finding = find_repeatedly(problem, task, steps)
        else:
            finding = find(problem, task, steps)
            task = task.with_classifier_of(finding.selector)
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
