"""What is refused in one sentence before scikit-learn looks at training rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from infoprop.credit import cross_val_credits
from infoprop.exceptions import DataError
from infoprop.mlp import MLPClassifier
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import CreditSelector, RowFolds, compare_selectors
from infoprop.shaping import FeatureShaper
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier
from infoprop.workflow import analyse

X = np.arange(24.0).reshape(12, 2)
Y = np.array(["a", "b"] * 6, dtype=object)
ESTIMATORS = [
    CreditSelector(),
    OneVsRestSVC(),
    ShapedLinearClassifier(),
    MLPClassifier(),
    PairwiseClassifier(),
    FeatureShaper(),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
@pytest.mark.parametrize("form", [list, np.asarray, pd.Series])
def test_rows_without_a_class_are_named(estimator, form):
    y = Y.tolist()
    y[3] = y[7] = None
    with pytest.raises(DataError, match=r"no class \(None or NaN\) in row 3 and in 1 more\. Drop these rows"):
        estimator.fit(X, form(y))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_columns_of_the_same_name_are_named(estimator):
    with pytest.raises(DataError, match="Two columns of X have the name 'age'"):
        estimator.fit(pd.DataFrame(X, columns=["age", "age"]), Y)


USES = {
    "analyse": analyse,
    "cross_val_credits": lambda X, y: cross_val_credits(GaussianNB(), X, y),
    "compare_selectors": lambda X, y: compare_selectors({"credit": CreditSelector()}, X, y, sizes=[1]),
    "RowFolds": lambda X, y: list(RowFolds(3).split(X, y)),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_functions_refuse_rows_without_a_class_and_equal_names(use):
    without = Y.copy()
    without[3] = None
    for rows in (X, pd.DataFrame(X, columns=["p", "q"])):
        with pytest.raises(DataError, match=r"y has no class \(None or NaN\) in row 3\."):
            use(rows, without)
    with pytest.raises(DataError, match="Two columns of X have the name 'p'"):
        use(pd.DataFrame(X, columns=["p", "p"]), Y)
