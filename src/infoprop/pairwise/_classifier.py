"""PairwiseClassifier: a classifier for every pair of classes, each with features of its own."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from infoprop._core._checks import check_choice, check_integer
from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import BoolArray
from infoprop.credit import ColumnGroups
from infoprop.pairwise._choice import forward_start, global_search, local_masks
from infoprop.pairwise._electorate import Electorate
from infoprop.pairwise._neighbor_voter import fastest_voter
from infoprop.pairwise._prediction import PairwisePrediction
from infoprop.pairwise._training import trained_pairs
from infoprop.pairwise._voters import PairRows
from infoprop.selection import ForwardBeamSelector, GeneticTrace
from infoprop.selection._preparation import prepared_rows, searching
from infoprop.selection.running._callbacks import CallbackSupportMixin, with_callbacks
from infoprop.selection.running._work import Work
from infoprop.selection.searches._evolution import EvolutionSettings

SEARCHES = ("forward", "genetic")
VOTINGS = ("majority", "weighted")
STARTS = ("random", "forward")


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
    selection : {"forward", "genetic"}, selector or None, default=None
        How columns are chosen. None: every pair has all. "forward": for each pair by itself, adding one
        column after another (:class:`~infoprop.selection.ForwardBeamSelector`), judged on its rows alone.
        "genetic": for all pairs together, by a genetic search in which a genome has one string of bits per
        pair, judged by the whole vote on the rows of all classes. A selector with `fit` and `get_support`, of
        infoprop or scikit-learn: a clone of it for each pair by itself.
    voting : {"majority", "weighted"}, default="majority"
        Whether every vote counts one, or the credibility of its pair.
    beam_width : int, default=5
        Subsets that the forward search keeps at a time.
    population_size : int, default=30
        Genomes in a generation of the genetic search.
    n_generations : int, default=30
        Its generations at most, the first among them.
    parents : {"proportional", "tournament"}, default="proportional"
        How parents are drawn: with probabilities proportional to their fitness, or the better one of two.
    crossover : float, default=0.9
        Probability that two parents exchange what lies behind a cut, one cut in each of their strings.
    mutation : float, default=0.1
        Probability that one bit of a string is flipped.
    elitism : int, default=1
        Fittest genomes that live on as they are.
    init : {"random", "forward"}, default="random"
        First population of the genetic search: strings drawn at random and a genome with all columns, or
        what the forward search finds and slightly changed copies of it.
    time_limit : float, default=None
        Seconds after which the genetic search begins no further generation.
    patience : int, default=None
        Generations without a fitter genome after which the genetic search ends.
    validation : int, float, "loo", splitter, iterable or None, default=5
        Rows on which pairs are judged: a number of folds, a fraction to hold out, "loo" to leave out one row
        at a time (which costs nearest neighbours no more than folds), a cross-validation splitter or an
        iterable of splits. None judges nothing; then there is neither credibility nor one of infoprop's
        searches by name.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together in the forward and the genetic search, such as the indicators of a
        nominal feature: lists of columns, by number or name; a mapping from group name to columns; or a label
        for each column. A selector has groups of its own.
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
        Generations of the genetic search; only with ``selection="genetic"``.
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
    get far. ``init="forward"`` begins where the forward search ends; otherwise allow for many generations.

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
    >>> data = load_wine(as_frame=True)
    >>> model = PairwiseClassifier(selection="forward", random_state=0).fit(data.data, data.target)
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
        selection: Any = None,
        voting: str = "majority",
        beam_width: int = 5,
        population_size: int = 30,
        n_generations: int = 30,
        parents: str = "proportional",
        crossover: float = 0.9,
        mutation: float = 0.1,
        elitism: int = 1,
        init: str = "random",
        time_limit: float | None = None,
        patience: int | None = None,
        validation: Any = 5,
        groups: Any = None,
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.selection = selection
        self.voting = voting
        self.beam_width = beam_width
        self.population_size = population_size
        self.n_generations = n_generations
        self.parents = parents
        self.crossover = crossover
        self.mutation = mutation
        self.elitism = elitism
        self.init = init
        self.time_limit = time_limit
        self.patience = patience
        self.validation = validation
        self.groups = groups
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
        groups = ColumnGroups.from_specification(self.groups, evaluator.feature_names)
        electorate = Electorate(rows, fastest_voter(rows), self.voting)
        self.__dict__.pop("trace_", None)
        with searching(self, evaluator, seed, self._n_steps(rows)) as work:
            for name, value in self._learned(rows, electorate, groups, work).items():
                setattr(self, name, value)
            sizes = self.pairs_.support.sum(axis=1)
            work.progress.say(
                f"{sizes.mean():.1f} of {self.n_features_in_} features on average in each of {rows.n_pairs} "
                f"pairs; {self.validated_accuracy_:.1%} right in validation."
            )
        return self

    def _learned(
        self, rows: PairRows, electorate: Electorate, groups: ColumnGroups, work: Work
    ) -> dict[str, Any]:
        """Search, and return everything that fit learns, by name."""

        def trained(masks: BoolArray) -> dict[str, Any]:
            return trained_pairs(rows, electorate, masks)

        def searched(trace: GeneticTrace) -> dict[str, Any]:
            return trained(trace.best[:, groups.labels]) | {"trace_": trace}

        if self.selection is None:
            return trained(np.ones((rows.n_pairs, self.n_features_in_), dtype=bool))
        if self.selection == "forward":
            return trained(self._found_forward(rows, groups, work, local_masks))
        if self.selection != "genetic":
            return trained(local_masks(rows, self.selection, work))
        start = None
        if self.init == "forward":
            start = self._found_forward(rows, groups, work, forward_start)
        settings = self._settings()
        return searched(global_search(rows, electorate, groups, settings, start, work, searched))

    def _found_forward(
        self, rows: PairRows, groups: ColumnGroups, work: Work, choose: Callable[..., BoolArray]
    ) -> BoolArray:
        selector = ForwardBeamSelector(
            rows.evaluator.estimator,
            beam_width=self.beam_width,
            validation=self.validation,
            groups=groups.labels.tolist(),
            random_state=work.seed,
        )
        # A number of folds, or rows one by one, can be drawn for each pair; splits of all rows cannot.
        return choose(rows, selector, work, shares_splits=not isinstance(self.validation, Real | str))

    def _n_steps(self, rows: PairRows) -> int:
        if self.selection is None:
            return 0
        if self.selection != "genetic":
            return rows.n_pairs
        return self.n_generations + (rows.n_pairs if self.init == "forward" else 0)

    def _settings(self) -> EvolutionSettings:
        return EvolutionSettings(
            self.population_size,
            self.n_generations,
            self.parents,
            self.crossover,
            self.mutation,
            self.elitism,
            self.time_limit,
            self.patience,
        )

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
            tags.classifier_tags.poor_score = self.selection is not None
        return tags

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_choice("voting", self.voting, VOTINGS, owner)
        check_choice("init", self.init, STARTS, owner)
        check_integer("beam_width", self.beam_width, owner, low=1)
        self._settings().check(owner)
        check_integer(
            "verbose", int(self.verbose) if isinstance(self.verbose, bool) else self.verbose, owner, low=0
        )
        if isinstance(self.selection, str):
            check_choice("selection", self.selection, SEARCHES, owner)
        elif self.selection is not None:
            self._check_selector(owner)
        if self.validation is None and (self.voting == "weighted" or isinstance(self.selection, str)):
            raise ParameterError(
                f"{owner}(validation=None) judges nothing; it goes with voting='majority' and without "
                f"infoprop's searches. Got voting={self.voting!r}, selection={self.selection!r}."
            )

    def _check_selector(self, owner: str) -> None:
        name = type(self.selection).__name__
        if not all(hasattr(self.selection, method) for method in ("fit", "get_support")):
            raise ParameterError(
                f"The 'selection' parameter of {owner} must be 'forward', 'genetic', None, or a selector "
                f"with fit and get_support. Got {self.selection!r}."
            )
        if self.groups is not None:
            raise ParameterError(
                f"The 'groups' parameter of {owner} goes with selection='forward' or 'genetic'. Give them to "
                f"{name} instead."
            )
        if getattr(self.selection, "checkpoint", None) is not None:
            raise ParameterError(
                f"The {name} in 'selection' searches for one pair after another, which one checkpoint cannot "
                f"hold. Give the checkpoint to {owner} instead."
            )
