"""FeatureSelector: several searches judged by nested folds, and the best of them on all rows."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state

from infoprop._core._blas import one_blas_thread
from infoprop._core._checks import check_choice, check_number
from infoprop._core._deadline import OutOfTime, check_time
from infoprop._core._deadline import time_limit as limited_to
from infoprop._core._exceptions import ParameterError
from infoprop._core._training_rows import checked_training_rows
from infoprop.credit import FeatureCredits
from infoprop.selection._columns import AUTO, check_size, choose_columns
from infoprop.selection._containers import is_frame
from infoprop.selection._defaults import scaled_machines
from infoprop.selection._prediction import ReducedPrediction
from infoprop.selection._preparation import input_names
from infoprop.selection.comparison._comparison import ComparedChoice, Comparison
from infoprop.selection.comparison._nested import Records, compared
from infoprop.selection.comparison._nested_plan import Settings, plan_nested
from infoprop.selection.front._candidates import candidates_for, sizes_for
from infoprop.selection.front._judging import CandidateJudge
from infoprop.selection.running._journal import check_checkpoint

RULES = ("best", "one-se")
STRATEGIES = ("mean", "median", "most_frequent")
# Folds after which a candidate that is behind is given up, and sizes that are far behind.
RACE_FOLDS = 2
# Standard errors by which a size may be behind the best of the first folds.
FAR_BEHIND = 2.0


class FeatureSelector(ReducedPrediction, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Choose features without choosing a method: try several, and take the one that does best.

    Each candidate, a search with a classifier of its own, chooses from the training rows of every fold, for
    several numbers of features; its classifier is trained on what it chose, and the rows of the fold, which
    had no part in that, are counted. After two folds a candidate that is not ahead of those named before it
    is given up, and so are numbers of features that are two standard errors behind the best. Of the
    candidates within one standard error of the most rows right, the first that is named then chooses from all
    rows, at the size that `rule` says.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        How many features to keep, or which fraction of them; with `groups`, how many groups. "auto" tries
        several numbers.
    candidates : mapping from str to selector, default=None
        What to try, the one to prefer first. None means columns by the product of their places in three
        orders: that of an :func:`interaction_screen`, that of backward elimination of its best with an rbf
        kernel, and that of backward elimination by margin of all columns with linear machines of C = 0.1;
        then each of these eliminations alone. With more than five times as many columns as rows: the product
        of the places in two eliminations by margin, of the columns that a linear machine credits most by
        covariance and of all columns; the second alone; and the screen. Tables that are sparse or too large
        for a screen have linear machines alone.
    rule : {"one-se", "best"}, default="one-se"
        For "auto": of the sizes of the best candidate the smallest within one standard error of its best, or
        the best.
    validation : int, splitter or iterable, default=5
        Folds on which candidates are judged.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together.
    keep : column or list of columns, default=None
        Columns never dropped, by number or name.
    impute : {"mean", "median", "most_frequent"}, default=None
        What takes the place of missing values, learned from the training rows of every fold. None refuses
        them. Candidates of your own impute by themselves.
    time_limit : float, default=None
        Seconds after which no further candidate is tried. A candidate that is not done by then is left out;
        the first is judged by the folds that it is done with. The best is then fitted to all rows.
    checkpoint : str or path, default=None
        File to which a candidate is written when it is done with a fold; those after the first have files
        beside it, with a number at the end. The same call goes on from there; it needs a `random_state`.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the seeds of the candidates.
    n_jobs : int, default=None
        Folds at a time, through joblib. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    selector_ : selector
        The candidate that was taken, fitted to all rows.
    comparison_ : Comparison
        Every candidate and every size that was not given up, judged on rows that took no part in the choice.
    given_up_ : dict from str to float
        Candidates that were behind in the first two folds and not tried in others: what they reached there.
    best_ : ComparedChoice
        The candidate and the size that were taken.
    reason_ : str
        What was taken and why, in one or two sentences.
    support_, ranking_, feature_ranking_, n_features_, estimator_
        Those of `selector_`.
    credits_ : FeatureCredits
        Those of `selector_`, if it has any.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If the data have names.

    Notes
    -----
    The accuracy of `best_` is that of the best of several, and so a little optimistic; for a number to
    publish, give this selector to an outer cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from infoprop.selection import FeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = FeatureSelector(random_state=0).fit(X, y)
    >>> print(selector.reason_)
    9 of 13 features by 'linear, C=0.1': 99.4% of rows right that took no part in the choice. At their best
    the others reach: 'joined, rbf' 98.9%. Not ahead after two folds, and given up: 'screen, rbf', 'joined,
    rbf, C=10'.
    """

    credits_: FeatureCredits

    def __init__(
        self,
        *,
        n_features_to_select: Any = AUTO,
        candidates: Mapping[str, Any] | None = None,
        rule: str = "one-se",
        validation: Any = 5,
        groups: Any = None,
        keep: Any = None,
        impute: str | None = None,
        time_limit: float | None = None,
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.candidates = candidates
        self.rule = rule
        self.validation = validation
        self.groups = groups
        self.keep = keep
        self.impute = impute
        self.time_limit = time_limit
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Try the candidates, and let the best of them choose from all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        groups : array-like of shape (n_samples,), default=None
            Rows that stay together (subjects, donors): a label for every row.

        Returns
        -------
        self
        """
        self._check_parameters()
        checked, labels = checked_training_rows(self, X, y, reset=True, **self._check_options())
        rows = X if is_frame(X) else checked
        choice = choose_columns(self.groups, self.keep, self.n_features_to_select, None, input_names(self))
        n_groups = choice.groups.n_groups
        sizes = sizes_for(n_groups, choice.fewest) if choice.n_select is None else [choice.n_select]
        candidates = self._candidates(checked, labels)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.comparison_ = self._compared(candidates, rows, labels, sizes, groups, seed)
        self.best_ = self._best(self.comparison_)
        taken = clone(candidates[self.best_.method])
        taken.set_params(n_features_to_select=self.best_.size, random_state=seed, groups=self.groups)
        routed = {} if groups is None else {"groups": groups}
        with one_blas_thread():
            self.selector_ = taken.fit(rows, labels, **routed)
        self.__dict__.pop("credits_", None)
        for name in ("support_", "ranking_", "feature_ranking_", "n_features_", "estimator_", "credits_"):
            if hasattr(self.selector_, name):
                setattr(self, name, getattr(self.selector_, name))
        self.reason_ = _reason(self.comparison_, self.best_, n_groups, self.given_up_)
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_size(self.n_features_to_select, None, owner, may_be_auto=True)
        check_choice("rule", self.rule, RULES, owner)
        if self.impute is not None:
            check_choice("impute", self.impute, STRATEGIES, owner)
            if self.candidates is not None:
                raise ParameterError(
                    f"{owner} imputes for its own candidates; put imputers into yours, or leave out 'impute'."
                )
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, owner, low=0.0, low_open=True)
        path = check_checkpoint(self.checkpoint, owner)
        if path is not None and self.random_state is None:
            raise ParameterError(
                f"{owner} goes on from a checkpoint only with the same folds; give it a random_state."
            )
        if self.candidates is None:
            return
        if not isinstance(self.candidates, Mapping) or not self.candidates:
            raise ParameterError(
                f"The 'candidates' parameter of {owner} must be a mapping from names to selectors. Got "
                f"{self.candidates!r}."
            )
        wanted = {"estimator", "n_features_to_select", "groups", "keep", "random_state"}
        for name, selector in self.candidates.items():
            missing = wanted - set(getattr(selector, "get_params", dict)())
            if missing:
                raise ParameterError(
                    f"The candidate {name!r} of {owner} must be a selector of infoprop; it has no parameter "
                    f"{sorted(missing)[0]!r}."
                )

    def _candidates(self, X: Any, y: Any) -> dict[str, Any]:
        if self.candidates is None:
            n_rows, n_features = X.shape
            found = candidates_for(
                n_rows, n_features, len(np.unique(y)), is_sparse=sparse.issparse(X), impute=self.impute
            )
        else:
            found = {name: clone(selector) for name, selector in self.candidates.items()}
        return {name: selector.set_params(keep=self.keep) for name, selector in found.items()}

    def _compared(
        self, candidates: dict[str, Any], X: Any, y: Any, sizes: list[int], row_groups: Any, seed: int
    ) -> Comparison:
        """Judge one candidate after the other on the same folds, as long as there is time."""
        path = check_checkpoint(self.checkpoint, type(self).__name__)
        parts: list[Comparison] = []
        self.given_up_ = {}
        judge = CandidateJudge()
        estimators = {
            name: scaled_machines(sparse.issparse(X)) if selector.estimator is None else selector.estimator
            for name, selector in candidates.items()
        }
        settings = Settings(
            next(iter(estimators.values())), sizes, self.validation, None, self.groups, row_groups, seed, None
        )
        planned = plan_nested(candidates, X, y, settings)
        with limited_to(self.time_limit) as deadline:
            deadline.has_result = lambda: bool(parts)
            try:
                for number, (name, selector) in enumerate(candidates.items()):
                    check_time()
                    own = None if path is None else Path(f"{path}{'' if number == 0 else -number - 1}")
                    race = _Race(name, parts, planned.sizes)
                    found = compared(
                        replace(planned, methods={name: selector}, estimator=estimators[name]),
                        n_jobs=self.n_jobs,
                        verbose=self.verbose,
                        # The first may end with some of its folds; others are done in all, or left out.
                        time_limit=None if parts else self.time_limit,
                        checkpoint=own,
                        judge=judge,
                        race=race,
                    )
                    if found is None:
                        self.given_up_[name] = race.accuracy
                    else:
                        parts.append(found)
            except OutOfTime:
                if not parts or not deadline.is_over:
                    raise
        first = parts[0]
        choices = tuple(choice for part in parts for choice in part.choices)
        return Comparison(choices, first.labels, first.feature_names, first.n_rows, first.n_planned)

    def _best(self, comparison: Comparison) -> ComparedChoice:
        top = comparison.best
        least = top.accuracy - _error(top, comparison.n_rows) - 1e-12
        # Of candidates that cannot be told apart, the one to prefer: they come in that order.
        first = next(choice.method for choice in comparison if choice.accuracy >= least)
        own = [choice for choice in comparison.of(first) if choice.accuracy >= least]
        best = max(own, key=lambda choice: (round(choice.accuracy, 12), -choice.n_features))
        if self.rule == "best":
            return best
        least = best.accuracy - _error(best, comparison.n_rows) - 1e-12
        enough = [choice for choice in own if choice.accuracy >= least]
        return min(enough, key=lambda choice: choice.n_features)

    def _input_names(self) -> tuple[str, ...]:
        return input_names(self)

    def _prototype(self, *, is_sparse: bool = False) -> Any:
        return scaled_machines(is_sparse)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.impute is not None
        # A part of the columns may not be enough to learn from.
        tags.classifier_tags.poor_score = True
        return tags


class _Race:
    """What a candidate need not try any more after the first folds.

    Nothing, if it is not ahead of those before it: it would have to be by more than an error in the end,
    being named later. Else only sizes that are not far behind the best of all.
    """

    n_folds = RACE_FOLDS

    def __init__(self, name: str, before: list[Comparison], sizes: tuple[int, ...] | None) -> None:
        self._name = name
        self._sizes = sizes or ()
        done = [choice.tables[:RACE_FOLDS] for part in before for choice in part.choices]
        done = [tables for tables in done if len(tables) == RACE_FOLDS]
        self._most = max((float(np.trace(tables.sum(axis=0))) for tables in done), default=-1.0)
        self.accuracy = np.nan

    def sizes_left(self, records: Records) -> tuple[int, ...]:
        """All sizes of a candidate that is not done with the first folds."""
        found = [records[fold, self._name] for fold in range(RACE_FOLDS) if (fold, self._name) in records]
        if len(found) < RACE_FOLDS:
            return self._sizes
        tables = np.sum([record["tables"] for record in found], axis=0)
        n_rows, right = float(tables[0].sum()), np.trace(tables, axis1=1, axis2=2)
        self.accuracy = float(right.max()) / n_rows
        if right.max() <= self._most:
            return ()
        # One row that is wrong and one that is right are added: who made no mistake may still make one.
        part = (right.max() + 1.0) / (n_rows + 2.0)
        least = right.max() - FAR_BEHIND * np.sqrt(n_rows * part * (1.0 - part))
        behind = [size for size, own in zip(found[0]["sizes"], right, strict=True) if own < least]
        return tuple(size for size in self._sizes if size not in behind)


def _error(choice: ComparedChoice, n_rows: int) -> float:
    """Standard error of an accuracy: over folds, and no less than that of as many independent rows.

    Who always says the largest class is right equally often in every fold, by which he seems certain.
    """
    over_folds = 0.0 if np.isnan(choice.accuracy_error) else choice.accuracy_error
    return max(over_folds, float(np.sqrt(choice.accuracy * (1.0 - choice.accuracy) / n_rows)))


def _reason(
    comparison: Comparison, taken: ComparedChoice, n_features: int, given_up: Mapping[str, float]
) -> str:
    """What was taken and why, in words."""
    best = comparison.best
    said = (
        f"{taken.size} of {n_features} features by {taken.method!r}: {taken.accuracy:.1%} of rows right that "
        "took no part in the choice"
    )
    if taken is not best:
        said += f", within one standard error of the best ({best.accuracy:.1%} with {best.size})"
    others = {
        name: max(choice.accuracy for choice in comparison.of(name))
        for name in comparison.methods
        if name != taken.method
    }
    if others:
        reached = ", ".join(f"{name!r} {accuracy:.1%}" for name, accuracy in others.items())
        said += f". At their best the others reach: {reached}"
    if given_up:
        said += f". Not ahead after two folds, and given up: {', '.join(map(repr, given_up))}"
    return f"{said}."


def select(X: Any, y: Any, groups: Any = None, **parameters: Any) -> FeatureSelector:
    """Choose features without choosing a method: a :class:`FeatureSelector`, fitted.

    Parameters
    ----------
    X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels.
    groups : array-like of shape (n_samples,), default=None
        Rows that stay together.
    **parameters : dict
        Parameters of :class:`FeatureSelector`.

    Returns
    -------
    FeatureSelector

    Examples
    --------
    >>> import infoprop
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = infoprop.select(X, y, n_features_to_select=2, random_state=0)
    >>> found.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """
    return FeatureSelector(**parameters).fit(X, y, groups)
