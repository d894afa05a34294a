"""How time and memory grow with rows and columns, against a named peer in the same run, one thread each.

Seconds are of the processor, so that a busy machine does no harm. Text: tf-idf of words in at least two
documents, all documents, C = 1 and tol = 1e-4 as in LinearSVC, which penalises the bias; "excess objective"
is ours less the peer's, relative, of the objective that infoprop minimises (free bias): negative means that
infoprop found the better one. Dense rows: normal columns, half of them decide the class by a noisy sum; the
peer of CreditSelector is one LinearSVC fit of the same rows. Half of the columns are eliminated one by one;
of RFE(LinearSVC()), which refits after each, the first and the last fit are timed, and their mean counts for
all. Linear machines on dense rows: digits, divided by 16, and training rows of usps, one class against the
rest. rbf: two classes of make_classification. Wide rows: 100 x 100,000 normal columns, the first 20 of which
differ between two classes; "halving" is cross-validated by five folds (the peer: RFE(SVC) of step 0.5 in each
fold and once more), "one by one" goes down to one column (the peer: the mean of its first and last fit, times
their number). Word counts: 2,000 documents of 2,000 words in 17 topics, down to 1,000 words. "two
threads" is measured by the clock, everything else by the processor. "growth" is the time over that of the
smallest table of the same job; MiB is what the method added to the memory of the process.
"""
# ``python benchmarks/run.py growth --only NAME`` measures one of the JOBS and keeps the rows of the others.

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from _elimination_data import Rows
from _problems import DATA, dense_problems
from _processes import Measured, measure_here
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFECV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from infoprop.datasets import load_table
from infoprop.selection import BackwardEliminationSelector, CreditSelector
from infoprop.svm import OneVsRestSVC

Method = Callable[[Rows], Any]


def text_rows(name: str) -> Rows:
    """All documents of a collection, tf-idf of words in at least two of them."""
    data = load_table(DATA / f"{name}.csv.gz", target="class", split="split")
    X = TfidfVectorizer(min_df=2).fit_transform(data.frame["text"].to_numpy())
    return Rows(name, X, data.y, X, data.y, "")


def normal_rows(n: int, n_columns: int) -> Rows:
    """Normal columns, of which the first half decides between two classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_columns))
    w = rng.normal(size=n_columns // 2) / np.sqrt(n_columns / 4)
    y = (X[:, : n_columns // 2] @ w + 0.7 * rng.normal(size=n) > 0).astype(int)
    return Rows("normal", X, y, X, y, "", n_columns // 2)


def curved_rows(n: int) -> Rows:
    """Two classes that a curved boundary separates."""
    X, y = make_classification(n, 20, n_informative=10, flip_y=0.05, class_sep=0.8, random_state=0)
    return Rows("make_classification", X, y, X, y, "")


def wide_rows(n_features: int) -> Rows:
    """Far more columns than rows; few of them differ between the classes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 100_000)), np.arange(100) % 2
    X[:, :20] += 0.7 * y[:, None]
    return Rows("wide", X, y, X, y, "", n_features)


def topic_rows() -> Rows:
    """Word counts of documents in 17 topics, each with words of its own."""
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 17
    rates = 0.02 * rng.gamma(0.3, 3.0, size=2000) * np.where(rng.random((17, 2000)) < 0.05, 8.0, 1.0)
    X = sparse.csr_matrix(rng.poisson(rates[y]).astype(float))
    return Rows("topics", X, y, X, y, "", 1000)


def linear_fit(rows: Rows, loss: str, n_jobs: int = 1) -> tuple[Any, Any]:
    model = OneVsRestSVC(kernel="linear", loss=loss, tol=1e-4, n_jobs=n_jobs).fit(rows.X, rows.y)
    return model.coef_, model.intercept_


def linear_peer(rows: Rows, loss: str = "squared_hinge") -> tuple[Any, Any]:
    model = LinearSVC(loss=loss, dual="auto", random_state=0).fit(rows.X, rows.y)
    return model.coef_, model.intercept_


def kernel_fit(rows: Rows) -> None:
    OneVsRestSVC(kernel="rbf").fit(rows.X, rows.y)


def kernel_peer(rows: Rows) -> None:
    SVC().fit(rows.X, rows.y)


def dense_fit(rows: Rows) -> None:
    OneVsRestSVC(kernel="linear").fit(rows.X, rows.y)


def dense_peer(rows: Rows) -> None:
    OneVsRestClassifier(SVC(kernel="linear")).fit(rows.X, rows.y)


def credit(rows: Rows) -> None:
    CreditSelector(OneVsRestSVC(kernel="linear"), random_state=0).fit(rows.X, rows.y)


def eliminate(rows: Rows) -> None:
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear"), n_features_to_select=rows.n_features, random_state=0
    )
    selector.fit(rows.X, rows.y)


def halve(rows: Rows) -> None:
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear"), n_features_to_select=1, step="halving", validation=5, random_state=0
    )
    selector.fit(rows.X, rows.y)


def halve_peer(rows: Rows) -> None:
    """RFECV(SVC): five folds and all rows, half of the columns at a time."""
    RFECV(SVC(kernel="linear"), step=0.5, cv=5).fit(rows.X, rows.y)


def eliminate_words(rows: Rows) -> None:
    selector = BackwardEliminationSelector(
        OneVsRestSVC(kernel="linear"),
        n_features_to_select=rows.n_features,
        criterion="margin",
        validation=None,
    )
    selector.fit(rows.X, rows.y)


def ends_of_rfe(rows: Rows, estimator: Any) -> None:
    """The first and the last of the fits that RFE makes."""
    for n_columns in (rows.n_columns, rows.n_features):
        clone(estimator).fit(rows.X[:, :n_columns], rows.y)


def eliminate_peer(rows: Rows) -> None:
    """The first and the last of the fits that RFE makes."""
    for n_columns in (rows.n_columns, rows.n_features):
        LinearSVC().fit(rows.X[:, :n_columns], rows.y)


def objective(rows: Rows, model: tuple[Any, Any], loss: str) -> float:
    """Sum over the machines of ``1/2 |w|^2`` and the losses; the bias costs nothing."""
    power = 2 if loss == "squared_hinge" else 1
    total = 0.0
    for label, w, b in zip(np.unique(rows.y), *model, strict=True):
        slack = np.maximum(0.0, 1.0 - np.where(rows.y == label, 1.0, -1.0) * (rows.X @ w + b))
        total += 0.5 * float(w @ w) + float((slack**power).sum())
    return total


def table_row(job: str, peer_name: str, theirs: Measured, own: Measured, **more: Any) -> dict[str, Any]:
    row = {
        "job": job,
        "rows x columns": own.shape,
        "peer": peer_name,
        "peer s": round(theirs.processor, 2),
        "infoprop s": round(own.processor, 2),
        "ratio": round(theirs.processor / own.processor, 2),
        "growth": "",
        "peer MiB": round(theirs.growth),
        "infoprop MiB": round(own.growth),
        "excess objective": "",
    }
    return {**row, **more}


def text_fits(name: str) -> Iterator[dict[str, Any]]:
    if not DATA.is_dir():
        return
    rows = text_rows(name)
    for loss in ("squared_hinge", "hinge"):
        fit, peer = partial(linear_fit, loss=loss), partial(linear_peer, loss=loss)
        own, theirs = (measure_here(lambda: rows, method, 2) for method in (fit, peer))
        excess = objective(rows, own.result, loss) / objective(rows, theirs.result, loss) - 1.0
        yield table_row(
            f"fit, {name}, {loss}",
            f"LinearSVC(loss={loss!r})",
            theirs,
            own,
            **{"excess objective": f"{excess:+.0e}"},
        )
        if loss == "squared_hinge":
            both = measure_here(lambda: rows, partial(linear_fit, loss=loss, n_jobs=2), 2)
            by_clock = [replace(one, processor=one.seconds) for one in (theirs, both)]
            yield table_row(f"fit, {name}, {loss}, two threads", "LinearSVC()", *by_clock)


def grown(
    job: str, tables: list[Rows], ours: Method, peer_name: str, peer: Method, share: float = 1.0
) -> Iterator[dict[str, Any]]:
    """Yield one row for each table, smallest first; a run of the peer counts `share` times."""
    first = 0.0
    for rows in tables:
        own, theirs = (measure_here(lambda rows=rows: rows, method, 2) for method in (ours, peer))
        theirs = replace(theirs, processor=share * theirs.processor)
        first = first or own.processor
        yield table_row(job, peer_name, theirs, own, growth=round(own.processor / first, 1))


def halving() -> Iterator[dict[str, Any]]:
    yield from grown("halving, five folds", [wide_rows(1)], halve, "RFECV(SVC(), step=0.5)", halve_peer)


def one_by_one(job: str, rows: Rows) -> Iterator[dict[str, Any]]:
    """Backward elimination against both RFEs, of which two fits are timed."""
    n_fits = rows.n_columns - rows.n_features + 1
    for peer in (SVC(kernel="linear"), LinearSVC(random_state=0)):
        name = f"RFE({type(peer).__name__}), sampled"
        method = partial(ends_of_rfe, estimator=peer)
        yield from grown(f"backward, {job}", [rows], eliminate_words, name, method, share=n_fits / 2)


def credits() -> Iterator[dict[str, Any]]:
    tables = [normal_rows(n, 50) for n in (50_000, 500_000)]
    yield from grown("CreditSelector, hinge", tables, credit, "one fit of LinearSVC()", linear_peer)


def kernel_fits() -> Iterator[dict[str, Any]]:
    tables = [curved_rows(n) for n in (5000, 20_000)]
    yield from grown("fit, rbf", tables, kernel_fit, "SVC()", kernel_peer)


def dense_fits() -> Iterator[dict[str, Any]]:
    for problem in dense_problems():
        if problem.name in ("digits", "usps"):
            rows = Rows(problem.name, problem.X, problem.y, problem.X, problem.y, "")
            job, peer = f"fit, {problem.name}, linear", "OneVsRestClassifier(SVC())"
            yield from grown(job, [rows], dense_fit, peer, dense_peer)


def tall() -> Iterator[dict[str, Any]]:
    tables = [normal_rows(n, 100) for n in (20_000, 200_000)]
    # Two of 51 fits are timed.
    job, peer = "backward elimination, hinge", "RFE(LinearSVC()), sampled"
    yield from grown(job, tables, eliminate, peer, eliminate_peer, share=51 / 2)


JOBS: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
    "halving": halving,
    "one-by-one": lambda: one_by_one("one by one, wide", wide_rows(1)),
    "word-counts": lambda: one_by_one("word counts", topic_rows()),
    "reuters-3": partial(text_fits, "reuters-3"),
    "20newsgroups": partial(text_fits, "20newsgroups"),
    "dense": dense_fits,
    "credits": credits,
    "rbf": kernel_fits,
    "tall": tall,
}


def run(only: str | None = None) -> list[dict[str, Any]]:
    """Return one row for each job and table; ratio = seconds of the peer / seconds of infoprop."""
    # Threads of linear algebra that wait for each other would count as work.
    with threadpool_limits(1, "blas"):
        return [row for name, job in JOBS.items() if only in (None, name) for row in job()]
