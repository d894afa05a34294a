"""Results of a comparison: pooled numbers, standard errors over folds, the best and what is near it."""

import pickle

import numpy as np
import pytest

from infoprop.exceptions import ParameterError
from infoprop.selection import ComparedChoice, Comparison
from reference.nested import information


def choice(method, size, right, n=10, n_features=6):
    """A choice with so many rows right of `n` in each class, fold by fold."""
    tables = np.array([[[r, n - r], [n - r, r]] for r in right], dtype=float)
    n_folds = len(right)
    supports = np.tile(np.arange(n_features) < (size or n_features), (n_folds, 1))
    seconds = np.arange(1.0, n_folds + 1)
    return ComparedChoice(method, size, supports, tables, np.zeros_like(tables), seconds, seconds / 10)


def comparison(*choices):
    return Comparison(choices, np.array(["no", "yes"]), tuple("abcdef"), 80, 4)


@pytest.fixture
def four():
    return comparison(
        choice("one", 1, [8, 7, 9, 8]),
        choice("one", 3, [9, 9, 10, 8]),
        choice("other", 3, [9, 9, 10, 8]),
        choice("all", None, [9, 8, 10, 8]),
    )


def test_numbers_are_those_of_all_test_rows_together():
    one = choice("it", 2, [8, 7, 9, 8])
    assert one.accuracy == 0.8
    assert one.information == pytest.approx(information(one.tables.sum(axis=0)))
    assert one.n_features == 2


def test_standard_error_of_equal_folds_is_that_of_their_mean():
    one = choice("it", 2, [8, 7, 9, 10])
    folds = np.array([0.8, 0.7, 0.9, 1.0])
    assert one.accuracy_error == pytest.approx(folds.std(ddof=1) / 2)


def test_standard_error_of_the_information_is_the_jackknife_over_folds():
    one = choice("it", 2, [8, 7, 9, 10])
    left = [information(np.delete(one.tables, k, axis=0).sum(axis=0)) for k in range(4)]
    assert one.information_error == pytest.approx(
        (3 / 4 * sum((v - np.mean(left)) ** 2 for v in left)) ** 0.5
    )


def test_a_single_fold_has_neither_error_nor_stability():
    one = choice("it", 2, [8])
    assert np.isnan([one.accuracy_error, one.information_error]).all()
    assert one.stability is None
    assert comparison(one).near_best == (one,)


def test_inner_numbers_are_missing_if_not_asked_for():
    one = choice("it", 2, [8, 9])
    assert np.isnan([one.inner_accuracy, one.inner_information]).all()


def test_best_is_the_most_accurate_with_the_fewest_features_and_first_named(four):
    assert four.best is four.at("one", 3)


def test_what_is_within_one_standard_error_is_near_the_best(four):
    assert four.best.accuracy - four.best.accuracy_error == pytest.approx(0.9 - 0.0408, abs=1e-4)
    assert [(c.method, c.size) for c in four.near_best] == [("one", 3), ("other", 3), ("all", None)]


def test_methods_and_choices_are_found_by_name(four):
    assert four.methods == ("one", "other", "all")
    assert [c.size for c in four.of("one")] == [1, 3]
    with pytest.raises(ParameterError, match="no method 'none'"):
        four.of("none")
    with pytest.raises(ParameterError, match="size 2"):
        four.at("one", 2)


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_frame_has_a_row_for_every_method_and_size(four, backend):
    frame = four.to_frame(backend)
    assert frame.shape == (4, 14)
    assert list(frame["method"]) == ["one", "one", "other", "all"]
    # Median over folds.
    assert list(frame["search_seconds"]) == [2.5] * 4


def test_comparisons_are_values(four):
    assert four == comparison(*four.choices)
    assert four != comparison(*four.choices[:2])
    assert pickle.loads(pickle.dumps(four)) == four


def test_names_are_escaped_in_notebooks():
    html = comparison(choice("<b>", 1, [8, 9]))._repr_html_()
    assert '<td style="text-align:right">&lt;b&gt;' in html


def test_entropy_and_folds_are_those_of_the_test_rows(four):
    assert four.class_entropy == 1.0
    assert (four.n_folds, len(four), four[:2]) == (4, 4, four.choices[:2])
