"""scikit-learn's checks of all settings that have an algorithm of their own, without and with routing."""

import pytest
from sklearn import config_context

from reference.estimators import ESTIMATORS, ROUTERS, VARIANTS, with_checks


@pytest.mark.parametrize("routes", [False, True], ids=["", "with routing"])
@with_checks([*ESTIMATORS, *ROUTERS, *VARIANTS])
def test_all_variants_obey_scikit_learn(estimator, check, routes):
    with config_context(enable_metadata_routing=routes):
        check(estimator)
