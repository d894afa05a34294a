import pickle

import pytest

from infoprop._core._checks import check_integer
from infoprop._core._exceptions import Parameter
from infoprop.exceptions import DataError, MissingDependencyError, ParameterError

OPTIONS = {"format": "--format"}


@pytest.mark.parametrize("kind", [DataError, ParameterError, MissingDependencyError])
def test_an_error_reads_the_same_to_python_in_parts_or_as_one_sentence(kind):
    assert str(kind("Give a 'format'.")) == str(kind("Give a ", Parameter("format"), "."))


def test_a_parameter_is_called_as_the_caller_knows_it():
    error = DataError("Name it by ", Parameter("format", "format=..."), " or ", Parameter("sheet"), ".")
    assert str(error) == "Name it by format=... or 'sheet'."
    assert error.in_words_of(OPTIONS) == "Name it by --format or 'sheet'."


def test_a_check_names_its_parameter():
    with pytest.raises(ParameterError) as caught:
        check_integer("n", 0, "Owner", low=1)
    assert str(caught.value) == "The 'n' parameter of Owner must be a whole number >= 1. Got 0."
    assert caught.value.in_words_of({"n": "-n"}) == "-n must be a whole number >= 1. Got 0."


def test_an_error_of_a_worker_process_keeps_its_parts():
    error = pickle.loads(pickle.dumps(ParameterError("See ", Parameter("format"), ".")))
    assert error.in_words_of(OPTIONS) == "See --format."
