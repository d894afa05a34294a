"""What the package shows to the outside."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import infoprop.metrics

MODULES = ["infoprop.metrics"] + [
    f"infoprop.metrics.{module.name}" for module in pkgutil.iter_modules(infoprop.metrics.__path__)
]


def test_names_of_the_door_are_sorted_and_resolve():
    assert infoprop.metrics.__all__ == sorted(infoprop.metrics.__all__)
    for name in infoprop.metrics.__all__:
        assert getattr(infoprop.metrics, name).__doc__
    assert dir(infoprop.metrics) == infoprop.metrics.__all__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'rmse'"):
        _ = infoprop.metrics.rmse


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", ["output_information_scorer", "relative_output_information_scorer"])
def test_examples_of_the_scorers_hold(name):
    text = getattr(infoprop.metrics, name).__doc__
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_import_loads_nothing_heavy():
    heavy = "{'numba', 'polars', 'pandas', 'matplotlib', 'sklearn', 'joblib', 'rich', 'jinja2'}"
    code = f"import sys, infoprop.metrics; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
