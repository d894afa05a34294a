"""Methods that can be compared here; the others are named, or refused."""

import pytest

from infoprop.exceptions import ParameterError
from infoprop.workflow._contest_names import METHODS, methods_to_compare


def test_methods_that_do_not_fit_are_named_and_left_out():
    said = []
    kept = methods_to_compare(None, "knn", is_sparse=False, say=said.append)
    assert kept == ("rfe", "mutual-information", "anova-f", "l1", "all-features")
    assert said[0] == "note: credit is skipped, for it does not go with --classifier knn"
    assert len(said) == 3


def test_packages_that_are_not_installed_are_named(monkeypatch):
    said = []
    monkeypatch.setattr("infoprop.workflow._contest_names.find_spec", lambda name: None)
    kept = methods_to_compare(("relieff", "anova-f"), "svm", is_sparse=False, say=said.append)
    assert kept == ("anova-f",)
    assert said == ["note: relieff is skipped, for it needs skrebate: pip install skrebate"]


def test_methods_for_dense_rows_are_refused_by_name_and_skipped_otherwise():
    said = []
    kept = methods_to_compare(METHODS, "svm", is_sparse=True, say=said.append)
    assert {"relieff", "mrmr", "boruta"}.isdisjoint(kept)
    assert len(said) == 3
    with pytest.raises(ParameterError, match="sparse"):
        methods_to_compare(("relieff",), "svm", is_sparse=True, say=said.append)
    with pytest.raises(ParameterError, match="none can be compared"):
        methods_to_compare((), "svm", is_sparse=True, say=said.append)
