"""GeneticSelector: populations of subsets that are bred by how well a classifier does on them."""

from typing import Any

import numpy as np

from infoprop._core._checks import check_choice
from infoprop._core._deadline import in_parts
from infoprop._core._subset import SubsetJudge
from infoprop._core._typing import BoolArray, FloatArray, IntArray
from infoprop.selection._base import BaseFeatureSelector, Selection
from infoprop.selection._columns import AUTO, ColumnChoice
from infoprop.selection._defaults import scaled_neighbors
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._validation import LEAVE_ONE_OUT
from infoprop.selection.running._work import Work
from infoprop.selection.searches._beam import beam_levels
from infoprop.selection.searches._evolution import Evolution, EvolutionSettings
from infoprop.selection.searches._forward import group_growth
from infoprop.selection.searches._generations import Generation, GeneticTrace
from infoprop.selection.searches._genetics import population_around, random_population
from infoprop.selection.searches._judging import subset_judge
from infoprop.selection.searches._scores import SCORINGS, score_words

STARTS = ("random", "forward")


class GeneticSelector(BaseFeatureSelector):
    """Breed subsets of the features by how well a classifier does on them (genetic algorithm).

    A population of subsets, written as strings of bits, is judged by the validated accuracy of the
    classifier on each of them. Parents are drawn by their fitness, couples exchange what lies behind a random
    cut, here and there a bit is flipped, the fittest live on, and so on from generation to generation. The
    fittest subset of all is kept, of equally fit ones the smallest, and the classifier trained on it with all
    rows. A string of zeros stands for all features. No subset is judged twice.

    Parameters
    ----------
    estimator : classifier, default=None
        Any classifier. None means the nearest neighbour, on columns scaled to [0, 1]:
        ``make_pipeline(MinMaxScaler(), KNeighborsClassifier(1))``. Columns of sparse rows are divided by
        their maximum.
    population_size : int, default=30
        Subsets in a generation.
    n_generations : int, default=30
        Generations at most, the first among them.
    parents : {"proportional", "tournament"}, default="proportional"
        How parents are drawn: with probabilities proportional to their fitness, or the better one of two.
    crossover : float, default=0.9
        Probability that two parents exchange what lies behind a cut.
    mutation : float, default=0.1
        Probability that one bit of a child is flipped.
    elitism : int, default=1
        Fittest subsets that live on as they are.
    init : {"random", "forward"}, default="random"
        First population: bits drawn at random and the subset of all features, or what a forward search finds
        and slightly changed copies of it.
    time_limit : float, default=None
        Seconds after which the search ends with the best subset so far. A training that has begun is
        finished; if no subset is judged within five more seconds, fit fails.
    patience : int, default=None
        Generations without a fitter subset after which the search ends.
    scoring : {"accuracy", "balanced_accuracy", "information", "roc_auc"}, default="accuracy"
        What subsets are judged by: the part of the rows named right, its mean over the classes, the part of
        the class entropy that the predictions resolve, I(Y;Yf) / H(Y), or the area under the ROC curve. What
        is called accuracy in the results is this score. The area is that of `decision_function`, else of
        `predict_proba`, in each split, averaged over the splits; of more than two classes it is the mean of
        one against all others. For it any classifier is trained on each subset, and the validation rows of
        every split need two classes.
    validation : float, int, splitter, iterable, "loo" or "given", default=5
        Rows that subsets are judged on: a number of folds, a fraction of each class to hold out, a
        cross-validation splitter, an iterable of splits, "loo" to leave out one row at a time (which costs
        nearest neighbours no more than folds), or "given" for `X_val` and `y_val` in :meth:`fit`, which are
        used whenever they are passed. Training rows are never counted.
    groups : list of lists, mapping, or array-like of shape (n_features,), default=None
        Columns that come and go together, one bit for all of them: lists of columns, by number or name; a
        mapping from group name to columns; or a label for each column.
    keep : column or list of columns, default=None
        Columns in every subset, by number or name; each keeps its whole group.
    checkpoint : str or path, default=None
        File that every generation is written to, with the state of the random numbers. The same call goes on
        from it, after whatever ended the first, and ends with the same result.
    random_state : int, RandomState instance or None, default=None
        Draws the folds or rows held out, and everything in the search.
    n_jobs : int, default=None
        Trainings at a time when there are folds, through joblib. The result is the same for any number.
    verbose : int, default=0
        1 shows progress on standard error.

    Attributes
    ----------
    trace_ : GeneticTrace
        All generations with their fitness, and why the search ended.
    validated_accuracy_ : float
        Fitness of the subset kept. It is the largest of many on the same rows, and so flatters the subset.
    n_trainings_ : int
        Number of different subsets that were judged.
    support_ : ndarray of shape (n_features_in_,)
        Mask of the chosen columns.
    ranking_ : ndarray of shape (n_features_in_,)
        1 for chosen columns, then 2, 3, ... by how many subsets of the last generation have them.
    feature_ranking_ : ndarray of shape (n_features_in_,)
        Numbers of all columns, best first: the chosen ones, then the others as `ranking_` has them.
    n_features_ : int
        Number of chosen columns.
    estimator_ : classifier
        Trained on the chosen columns of all rows.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If the data have names.

    Notes
    -----
    Ctrl-C ends the search with the best subset so far and a :class:`SearchInterruptedWarning`.

    References
    ----------
    J. Jelonek and J. Stefanowski, "Feature selection in the n²-classifier applied for multiclass problems",
    2002, section 2.2. D. E. Goldberg, "Genetic algorithms in search, optimization and machine
    learning", 1989.

    Examples
    --------
    >>> from infoprop.datasets import make_corral
    >>> from infoprop.selection import GeneticSelector
    >>> X, y = make_corral(200, random_state=0, return_X_y=True)
    >>> selector = GeneticSelector(n_generations=10, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True), selector.validated_accuracy_
    (array([0, 1, 2, 3]), 1.0)
    """

    # The search finds the number of features.
    n_features_to_select = AUTO

    trace_: GeneticTrace

    def __init__(
        self,
        estimator: Any = None,
        *,
        population_size: int = 30,
        n_generations: int = 30,
        parents: str = "proportional",
        crossover: float = 0.9,
        mutation: float = 0.1,
        elitism: int = 1,
        init: str = "random",
        time_limit: float | None = None,
        patience: int | None = None,
        scoring: str = "accuracy",
        validation: Any = 5,
        groups: Any = None,
        keep: Any = None,
        checkpoint: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.population_size = population_size
        self.n_generations = n_generations
        self.parents = parents
        self.crossover = crossover
        self.mutation = mutation
        self.elitism = elitism
        self.init = init
        self.time_limit = time_limit
        self.patience = patience
        self.scoring = scoring
        self.validation = validation
        self.groups = groups
        self.keep = keep
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _may_be_auto(self) -> bool:
        return True

    def _validation_words(self) -> tuple[str, ...]:
        return (LEAVE_ONE_OUT,)

    def _default(self, is_sparse: bool) -> Any:
        return scaled_neighbors(is_sparse)

    def _check_own_parameters(self) -> None:
        check_choice("scoring", self.scoring, SCORINGS, type(self).__name__)
        check_choice("init", self.init, STARTS, type(self).__name__)
        self.settings.check(type(self).__name__)

    @property
    def settings(self) -> EvolutionSettings:
        """How populations follow one another, and when that ends."""
        return EvolutionSettings(
            self.population_size,
            self.n_generations,
            self.parents,
            self.crossover,
            self.mutation,
            self.elitism,
            self.patience,
        )

    def _n_steps(self, evaluator: SubsetEvaluator, choice: ColumnChoice) -> int:
        return self.n_generations

    def _search(self, evaluator: SubsetEvaluator, choice: ColumnChoice, work: Work) -> Selection:
        judge = subset_judge(evaluator, self.scoring)
        fixed = np.zeros(choice.groups.n_groups, dtype=bool)
        fixed[choice.keep] = True

        def fitness(genomes: BoolArray) -> FloatArray:
            masks = genomes[:, 0, choice.groups.labels]
            return in_parts(len(masks), lambda part: judge.judge(masks[part]))

        def first(random: np.random.Generator) -> BoolArray:
            if self.init == "random":
                return random_population(random, self.population_size, 1, len(fixed))
            genome = _found_forward(judge, choice, work)
            return population_around(random, genome[None], self.population_size)

        evolution = Evolution(fitness, self.settings, work.seed, work.journal, fixed, judge)
        generations: list[Generation] = []

        def learned() -> dict[str, Any]:
            return self._learned(
                _selection(generations, work.early_end, choice, self.scoring), evaluator, choice
            )

        with work.until_stopped(lambda: bool(generations)):
            coming = evolution.generations(first)
            while evolution.end is None:
                work.begin_step()
                generations.append(next(coming))
                latest = generations[-1]
                work.progress.reached(int(latest.best[0].sum()), float(latest.fitness.max()))
                work.progress.step()
                work.end_step(learned)
        return _selection(generations, evolution.end or work.early_end, choice, self.scoring)


def _found_forward(judge: SubsetJudge, choice: ColumnChoice, work: Work) -> BoolArray:
    """Mask of the groups that a forward search finds, as far as there is time: shape (n_groups,)."""
    found = np.zeros(choice.groups.n_groups, dtype=bool)
    best = choice.keep
    for level, _ in beam_levels(group_growth(judge, choice), len(found), keep=choice.keep):
        best = level.beam[0] if level.is_better else best
        if work.is_out_of_time:
            break
    found[best] = True
    return found


def _selection(generations: list[Generation], end: str, choice: ColumnChoice, scoring: str) -> Selection:
    trace = GeneticTrace(tuple(generations), choice.groups.names, end, scoring)
    chosen = np.flatnonzero(trace.best[0])
    fitness = float(trace.best_fitness.max())
    return Selection(
        chosen,
        _most_frequent_first(generations[-1].population),
        learned={
            "trace_": trace,
            "validated_accuracy_": fitness,
            "n_trainings_": trace.n_trainings,
        },
        message=f"{score_words(scoring, fitness)} with the best of {trace.n_trainings} subsets ({end}). ",
    )


def _most_frequent_first(population: BoolArray) -> IntArray:
    return np.argsort(-population[:, 0].sum(axis=0), kind="stable")
