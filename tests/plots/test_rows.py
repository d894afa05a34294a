import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from infoprop.credit import credit_rows
from infoprop.plots import RowCreditsDisplay

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
MODEL = LogisticRegression().fit(X, Y)


def test_bars_lead_from_the_output_without_features_to_that_of_the_row():
    rows = credit_rows(MODEL, X[:3])
    display = RowCreditsDisplay(rows).plot(row=2, label=1, top=4)
    widths = [bar.get_width() for bar in display.bars_]
    assert len(widths) == 5
    np.testing.assert_allclose(rows.base[2, 1] + sum(widths), rows.outputs[2, 1])
    ends = [bar.get_x() + bar.get_width() for bar in display.bars_]
    np.testing.assert_allclose([bar.get_x() for bar in display.bars_][1:], ends[:-1])
    assert display.ax_.get_xlabel() == "output for class 1"
    assert display.ax_.get_yticklabels()[-1].get_text() == "9 other features"


def test_the_largest_output_is_drawn_unless_a_class_is_named():
    display = RowCreditsDisplay.from_estimator(MODEL, X[:1], top=13)
    assert display.ax_.get_xlabel() == f"output for class {MODEL.predict(X[:1])[0]}"
    assert len(display.bars_) == 13


@pytest.mark.parametrize(("options", "message"), [({"row": 3}, "'row' must be"), ({"label": 7}, "'label'")])
def test_rows_and_classes_that_are_not_there_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        RowCreditsDisplay(credit_rows(MODEL, X[:3])).plot(**options)
