"""scikit-learn's checks of all settings that have an algorithm of their own, without and with routing."""

import pytest
from sklearn import config_context

from infoprop.selection import KnockoffSelector, StabilitySelector
from reference.estimators import ESTIMATORS, ROUTERS, VARIANTS, with_checks


@pytest.mark.parametrize("routes", [False, True], ids=["", "with routing"])
@with_checks([*ESTIMATORS, *ROUTERS, *VARIANTS])
def test_all_variants_obey_scikit_learn(estimator, check, routes):
    with config_context(enable_metadata_routing=routes):
        check(estimator)


@pytest.mark.filterwarnings("ignore:No features were selected")
@with_checks([StabilitySelector(n_pairs=2), KnockoffSelector()])
def test_selectors_that_may_choose_nothing_obey_scikit_learn(request, estimator, check):
    if isinstance(estimator, KnockoffSelector) and "weight_equivalence" in request.node.name:
        pytest.skip("a copy is drawn for every row, so that a row twice is not a row of weight two")
    check(estimator)
