"""PairwiseClassifier: a classifier for every pair of classes, each with features of its own."""

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray
from infoprop.credit._groups import ColumnGroups
from infoprop.pairwise._choice import forward_start, global_search, local_masks
from infoprop.pairwise._neighbor_voter import fastest_voter
from infoprop.pairwise._pair_votes import PairVotes
from infoprop.pairwise._prediction import PairwisePrediction
from infoprop.pairwise._training import trained_pairs
from infoprop.pairwise._voters import PairRows
from infoprop.selection import BaseFeatureSelector, ForwardBeamSelector, GeneticSelector, GeneticTrace
from infoprop.selection._preparation import prepared_rows, searching
from infoprop.selection._validation import LEAVE_ONE_OUT, check_validation
from infoprop.selection.running._callbacks import CallbackSupportMixin, with_callbacks
from infoprop.selection.running._journal import check_checkpoint
from infoprop.selection.running._work import Work
from infoprop.selection.searches._scores import ACCURACY

VOTINGS = ("majority", "weighted")


class PairwiseClassifier(CallbackSupportMixin, MetaEstimatorMixin, ClassifierMixin, PairwisePrediction):
    """Tell every two classes apart with a classifier and features of their own, then vote (n² classifier).

    For n classes there are ``(n^2 - n) / 2`` classifiers, each trained on the rows of its two classes only
    and on the columns that suit these two. A new row is shown to all of them and goes to the class that wins
    most of its pairs.

    Parameters
    ----------
    estimator : classifier, default=None
        Trained for every pair. None means the nearest neighbour, on columns scaled to [0, 1]:
        ``make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))``.
    selector : selector or None, default=None
        Chooses the columns; None: every pair has all. A selector with `fit` and `get_support`, of infoprop or
        scikit-learn: a clone of it for each pair by itself, judged on the rows of the pair alone. A selector
        of infoprop without an estimator of its own searches with `estimator`, and counts on the rows that
        `validation` names. So does :class:`~infoprop.selection.GeneticSelector`, but for all pairs together:
        a genome has one string of bits per pair, and is judged by the whole vote on the rows of all classes;
        ``init="forward"`` begins with what :class:`~infoprop.selection.ForwardBeamSelector` finds for each
        pair. With an estimator of its own it searches for each pair by itself, as any other.
    voting : {"majority", "weighted"}, default="majority"
        Whether every vote counts one, or the credibility of its pair.
    validation : int, float, "loo", splitter, iterable or None, default=5
        Rows on which pairs are judged: a number of folds, a fraction to hold out, "loo" to leave out one row
        at a time (which costs nearest neighbours no more than folds), a cross-validation splitter or an
        iterable of splits. None judges nothing; then there is neither credibility nor a genetic search for
        all pairs together, and every other selector keeps a `validation` of its own.
    checkpoint : str or path, default=None
        File that every generation, or every pair that has its columns, is written to; searches for pairs
        that are under way have files of their own beside it. The same call goes on from it, after whatever
        ended the first, and ends with the same result.
    random_state : int, RandomState instance or None, default=None
        Draws folds, what the genetic search draws, and the seed of a selector that has none.
    n_jobs : int, default=None
        Pairs at a time, through joblib. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    pairs_ : ClassPairs
        Classes, features, credibility and classifier of every pair. The credibility is the part of the
        validation rows of its two classes that a pair names right, by classifiers trained without them.
    validated_accuracy_ : float
        Part of all validation rows that the vote names right; NaN without validation.
    trace_ : GeneticTrace
        Generations of the genetic search; only of a search for all pairs together.
    priority_ : ndarray of shape (n_classes,)
        Class numbers in the order in which they win ties: larger in training first, then lower number.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If the data have names.

    Notes
    -----
    Columns are chosen, and credibilities and `validated_accuracy_` measured, on the same rows, which flatters
    the columns found: measure the classifier on rows that `fit` has not seen.

    To judge takes longer than to train: with very many rows, and neither a search nor weighted votes, set
    `validation` to None.

    Genomes are long: with 15 pairs of 43 features they have 645 bits, and 900 genomes drawn at random do not
    get far. ``GeneticSelector(init="forward")`` begins where the forward search ends; otherwise allow for
    many generations.

    Ctrl-C ends the genetic search with the best genome so far, and a search for each pair by itself with the
    pairs that are done, while the others keep all columns; both with a
    :class:`~infoprop.selection.SearchInterruptedWarning`.

    References
    ----------
    J. Jelonek and J. Stefanowski, "Feature selection in the n²-classifier applied for multiclass problems",
    2002. T.-F. Wu, C.-J. Lin and R. C. Weng, "Probability estimates for multi-class classification
    by pairwise coupling", JMLR 5, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from infoprop.pairwise import PairwiseClassifier
    >>> from infoprop.selection import ForwardBeamSelector
    >>> data = load_wine(as_frame=True)
    >>> model = PairwiseClassifier(selector=ForwardBeamSelector(), random_state=0)
    >>> model = model.fit(data.data, data.target)
    >>> model.pairs_.of(0, 2).features
    ('flavanoids',)
    >>> model.predict_proba(data.data).shape
    (178, 3)
    """

    validated_accuracy_: float
    trace_: GeneticTrace

    def __init__(
        self,
        estimator: Any = None,
        *,
        selector: Any = None,
        voting: str = "majority",
        validation: Any = 5,
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.selector = selector
        self.voting = voting
        self.validation = validation
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Choose columns for every pair of classes, and train its classifier on them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, in training and in validation; a row of weight zero is left out. The
            classifier has to take them, unless it is the default: a nearest neighbour is the same however
            often a row is repeated.
        **fit_params : dict
            ``groups`` (of rows) for a splitter, and further arguments for the classifier's fit; with metadata
            routing, whatever has been requested.

        Returns
        -------
        self
        """
        self._check_parameters()
        evaluator, seed = prepared_rows(
            self,
            self._prototype(),
            X,
            y,
            sample_weight,
            fit_params,
            trains_with_weights=self.estimator is not None,
            **self._check_options(),
        )
        rows = PairRows.from_evaluator(evaluator)
        pair_votes = PairVotes(rows, fastest_voter(rows), self.voting)
        self.__dict__.pop("trace_", None)
        seconds = self.selector.time_limit if self._searches_together else None
        with searching(self, evaluator, seed, self._n_steps(rows), seconds=seconds) as work:
            for name, value in self._learned(rows, pair_votes, work).items():
                setattr(self, name, value)
            sizes = self.pairs_.support.sum(axis=1)
            work.progress.say(
                f"{sizes.mean():.1f} of {self.n_features_in_} features on average in each of {rows.n_pairs} "
                f"pairs; {self.validated_accuracy_:.1%} right in validation."
            )
        return self

    def _learned(self, rows: PairRows, pair_votes: PairVotes, work: Work) -> dict[str, Any]:
        """Search, and return everything that fit learns, by name."""

        def trained(masks: BoolArray) -> dict[str, Any]:
            return trained_pairs(rows, pair_votes, masks)

        if self.selector is None:
            return trained(np.ones((rows.n_pairs, self.n_features_in_), dtype=bool))
        if not self._searches_together:
            selector, shares_splits = self._for_each_pair(self.selector)
            return trained(local_masks(rows, selector, work, shares_splits=shares_splits))
        settings = self.selector
        groups = ColumnGroups.from_specification(settings.groups, rows.evaluator.feature_names)
        start = None
        if settings.init == "forward":
            forward = ForwardBeamSelector(groups=groups.labels.tolist(), keep=settings.keep)
            selector, shares_splits = self._for_each_pair(forward)
            start = forward_start(rows, selector, work, shares_splits=shares_splits)

        def searched(trace: GeneticTrace) -> dict[str, Any]:
            return trained(trace.best[:, groups.labels]) | {"trace_": trace}

        return searched(global_search(rows, pair_votes, groups, settings, start, work, searched))

    @property
    def _searches_together(self) -> bool:
        """Whether one genetic search chooses the columns of all pairs."""
        return isinstance(self.selector, GeneticSelector) and self.selector.estimator is None

    def _for_each_pair(self, selector: Any) -> tuple[Any, bool]:
        """Return the selector of each pair, and whether it counts on what the splits have of the pair."""
        if not isinstance(selector, BaseFeatureSelector) or selector.estimator is not None:
            return selector, False
        told = clone(selector).set_params(estimator=self.estimator)
        if self.validation is None or "validation" not in told.get_params(deep=False):
            return told, False
        # A number of folds, or rows one by one, can be drawn for each pair; splits of all rows cannot.
        if isinstance(self.validation, Real | str):
            return told.set_params(validation=self.validation), False
        return told, True

    def _n_steps(self, rows: PairRows) -> int:
        if self.selector is None:
            return 0
        if not self._searches_together:
            return rows.n_pairs
        n_generations: int = self.selector.n_generations
        return n_generations + (rows.n_pairs if self.selector.init == "forward" else 0)

    def _prototype(self) -> Any:
        """Return the classifier to train, untrained."""
        if self.estimator is not None:
            return self.estimator
        return make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))

    def get_metadata_routing(self) -> MetadataRouter:
        """Say who takes which arguments of fit: the classifier, the splitter."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self._prototype(), method_mapping=to_fit)
        if hasattr(self.validation, "get_metadata_routing"):
            to_split = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=self.validation, method_mapping=to_split)
        return router

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._prototype())
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        if tags.classifier_tags is not None:
            # A part of the columns may not be enough to learn from.
            tags.classifier_tags.poor_score = self.selector is not None
        return tags

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_choice("voting", self.voting, VOTINGS, owner)
        check_integer(
            "verbose", int(self.verbose) if isinstance(self.verbose, bool) else self.verbose, owner, low=0
        )
        check_checkpoint(self.checkpoint, owner)
        check_validation(self.validation, False, owner, may_be_none=True, words=(LEAVE_ONE_OUT,))
        if self.selector is not None:
            self._check_selector(owner)
        if self.validation is None and (self.voting == "weighted" or self._searches_together):
            raise ParameterError(
                f"{owner}(validation=None) judges nothing; it goes with voting='majority' and without a "
                f"genetic search for all pairs. Got voting={self.voting!r}, selector={self.selector!r}."
            )

    def _deals_rows(self) -> bool:
        """Whether row groups matter to fit."""
        return True

    def _check_selector(self, owner: str) -> None:
        name = type(self.selector).__name__
        if isinstance(self.selector, type) or not all(
            hasattr(self.selector, method) for method in ("fit", "get_support")
        ):
            raise ParameterError(
                f"The 'selector' parameter of {owner} must be None, or a selector with fit and get_support, "
                f"such as ForwardBeamSelector() or GeneticSelector(). Got {self.selector!r}."
            )
        if getattr(self.selector, "checkpoint", None) is not None:
            raise ParameterError(
                f"The {name} in 'selector' searches for pairs, which its checkpoint cannot hold. Give the "
                f"checkpoint to {owner} instead."
            )
        if isinstance(self.selector, BaseFeatureSelector):
            self.selector._check_own_parameters()
        if self._searches_together and self.selector.scoring != ACCURACY:
            raise ParameterError(
                f"The genetic search for all pairs of {owner} is judged by the accuracy of the whole vote. "
                f"Leave out 'scoring', or give {name} an estimator. Got {self.selector.scoring!r}."
            )
