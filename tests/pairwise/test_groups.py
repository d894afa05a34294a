import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from infoprop.exceptions import ParameterError
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import ForwardBeamSelector, GeneticSelector
from reference.pairwise import grouped_accuracy

WINE, Y = load_wine(return_X_y=True, as_frame=True)


def coded(name):
    """Indicators of the thirds of a measurement, blurred so that no two neighbours are equally near."""
    values = WINE[name].to_numpy()
    thirds = np.digitize(values, np.quantile(values, [1 / 3, 2 / 3]))
    return np.eye(3)[thirds] + np.random.default_rng(0).normal(0.0, 0.01, (len(values), 3))


# Two nominal features, coded, among three numeric ones; columns of a group do not stand side by side.
LABELS = ["hue", "alcohol", "hue", "hue", "ash", "phenols", "phenols", "magnesium", "phenols"]
GROUPS = ["hue", "alcohol", "ash", "phenols", "magnesium"]
NUMBERS = [GROUPS.index(label) for label in LABELS]
X = np.empty((len(Y), 9))
X[:, [0, 2, 3]], X[:, [5, 6, 8]] = coded("hue"), coded("total_phenols")
X[:, [1, 4, 7]] = WINE[["alcohol", "ash", "magnesium"]] + 0.01 * X[:, [0, 2, 3]]
Y = Y.to_numpy()
SPLITS = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y))
SMALL = {"population_size": 6, "n_generations": 3}


def of_groups(support):
    """Which groups, after a look whether their columns are together."""
    support = np.asarray(support)
    for number in range(len(GROUPS)):
        own = support[..., np.equal(NUMBERS, number)]
        assert (own.all(axis=-1) == own.any(axis=-1)).all()
    return support[..., [NUMBERS.index(number) for number in range(len(GROUPS))]]


def searched(estimator=None, rows=X, validation=5, **search):
    """A small genetic search for all pairs."""
    selector = GeneticSelector(**SMALL | search)
    return PairwiseClassifier(estimator, selector=selector, validation=validation, random_state=0).fit(
        rows, Y
    )


@pytest.mark.parametrize("estimator", [GaussianNB(var_smoothing=0.01), KNeighborsClassifier(1)])
def test_genomes_of_groups_are_as_fit_as_their_slow_twins(estimator):
    model = searched(estimator, groups=LABELS, validation=SPLITS)
    assert model.trace_.names == tuple(GROUPS)
    assert model.trace_[0].population.shape == (6, 3, 5)
    for generation in model.trace_:
        slow = [
            grouped_accuracy(clone(estimator), X, Y, SPLITS, genome, NUMBERS)
            for genome in generation.population
        ]
        np.testing.assert_allclose(generation.fitness, slow, rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(of_groups(model.pairs_.support), model.trace_.best)
    assert model.validated_accuracy_ == pytest.approx(model.trace_.best_fitness.max(), abs=1e-12)


def test_groups_of_single_columns_are_no_groups():
    plain = searched()
    single = searched(groups=[[column] for column in range(9)])
    assert single.trace_ == plain.trace_


def test_the_forward_search_takes_groups_as_its_selector_does():
    model = PairwiseClassifier(
        selector=ForwardBeamSelector(groups=LABELS), validation="loo", random_state=0
    ).fit(X, Y)
    support = of_groups(model.pairs_.support)
    for pair, chosen in zip(model.pairs_, support, strict=True):
        own = np.isin(Y, pair.classes)
        alone = ForwardBeamSelector(groups=LABELS).fit(X[own], Y[own])
        np.testing.assert_array_equal(of_groups(alone.support_), chosen)
    started = searched(init="forward", validation="loo", groups=LABELS)
    np.testing.assert_array_equal(started.trace_[0].population[0], support)


def test_groups_may_be_told_by_name():
    frame = WINE[["hue", "ash", "alcohol"]]
    model = searched(rows=frame, groups={"both": ["hue", "alcohol"]})
    assert model.trace_.names == ("both", "ash")
    assert (model.pairs_.support[:, 0] == model.pairs_.support[:, 2]).all()


@pytest.mark.parametrize("kind", [ForwardBeamSelector, GeneticSelector])
def test_groups_that_do_not_fit_are_refused(kind):
    with pytest.raises(ParameterError, match=r"one plain label for each of the 9 columns\. Got 3 entries"):
        PairwiseClassifier(selector=kind(groups=LABELS[:3])).fit(X, Y)
