"""Every estimator through scikit-learn's own checks, with no expected failure; routers with routing, too."""

from sklearn import config_context

from reference.estimators import ESTIMATORS, ROUTERS, with_checks


@with_checks(ESTIMATORS)
def test_estimators_obey_scikit_learn(estimator, check):
    check(estimator)


@with_checks(ROUTERS)
def test_routers_obey_scikit_learn_with_metadata_routing(estimator, check):
    with config_context(enable_metadata_routing=True):
        check(estimator)
