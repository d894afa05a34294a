"""Single rows on the page: sums, sides, and names that stay text."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from infoprop.credit import RowCredits, credit_features, credit_rows
from infoprop.report import Report
from reference.pages import summary_of

N_STEPS = 12
"""Features of a row that a page has one by one."""


def rows_with(contributions, labels=("a", "b", "c"), base=0.5, names=None):
    contributions = np.asarray(contributions, dtype=float)
    names = names or tuple(f"f{k}" for k in range(contributions.shape[2]))
    bases = np.full(contributions.shape[:2], base)
    return RowCredits(contributions, bases, bases + contributions.sum(axis=2), np.array(labels), names)


def told(rows, labels, **more):
    return summary_of(labels=labels, rows=rows, **more).rows


def test_steps_add_up_to_the_output_of_the_winning_class():
    rows = rows_with(np.random.default_rng(0).normal(size=(4, 3, 30)))
    for k, row in enumerate(told(rows, "abc", row_numbers=[7, 8, 9, 3])):
        assert row.label == "abc"[int(np.argmax(rows.outputs[k]))]
        assert len(row.steps) == N_STEPS
        assert row.n_others == 30 - N_STEPS
        total = row.base + sum(step.value for step in row.steps) + row.others
        assert total == pytest.approx(row.output, abs=1e-12)
        sizes = [abs(step.value) for step in row.steps]
        assert sizes == sorted(sizes, reverse=True)


def test_single_output_below_zero_speaks_for_the_other_class():
    rows = rows_with([[[-2.0, 0.5]], [[1.0, 0.25]]], labels=("yes",))
    first, second = told(rows, ("no", "yes"), row_classes=["no", "no"])
    assert (first.row, first.label, first.output) == (1, "no", 1.0)
    assert first.steps[0].value == 2.0
    assert first.title == "Row 1: no, which is right"
    assert second.title == "Row 2: yes; truly no"


def test_wrong_numbers_of_rows_are_refused():
    rows = rows_with(np.ones((2, 3, 2)))
    with pytest.raises(ValueError, match="'row_numbers' parameter of Report must hold one entry for each"):
        told(rows, "abc", row_numbers=[1])
    with pytest.raises(ValueError, match="at most 100 rows"):
        told(rows_with(np.ones((101, 3, 1))), "abc")


def test_page_markdown_and_json_have_a_section_for_rows():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(X[:40], y[:40])
    report = Report.from_credits(
        credit_features(model, X[40:], y[40:], feature_names=["<b>", "a|b", "c"]),
        rows=credit_rows(model, X[:2]),
        row_numbers=[16, 3],
        row_classes=y[:2],
    )
    assert [row.row for row in report.summary.rows] == [17, 4]
    page = report.html()
    assert page.count('class="bars waterfall"') == 2
    assert page.count('id="fade"') == 1
    assert "Why these rows?" in report.markdown()
    assert report.summary.to_dict()["rows"][0]["steps"][0]["name"] == "x0"
