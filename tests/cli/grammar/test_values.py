import argparse

import pytest

from infoprop.cli._grammar import _values


@pytest.mark.parametrize(
    ("text", "names"),
    [("a,b", ["a", "b"]), (' a b , "c,d" ', [" a b ", "c,d "]), ('"x,y"', ["x,y"]), ("", [])],
)
def test_column_names(text, names):
    assert [name.strip() for name in _values.column_names(text)] == [name.strip() for name in names]


@pytest.mark.parametrize(
    ("text", "value"), [("0.2", 0.2), ("10", 10), ("2", 2), ("split", "split"), (".5", 0.5), ("1e-1", 0.1)]
)
def test_validation(text, value):
    parsed = _values.validation_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("0.5", 0.5), ("1.0", 1.0), ("1", 1)])
def test_count_or_fraction(text, value):
    parsed = _values.count_or_fraction(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (_values.validation_value, "1"),
        (_values.validation_value, "0"),
        (_values.validation_value, "1.5"),
        (_values.validation_value, "nan"),
        (_values.validation_value, "half"),
        (_values.count_or_fraction, "0"),
        (_values.count_or_fraction, "-2"),
        (_values.count_or_fraction, "1.5"),
        (_values.count_or_fraction, "many"),
        (_values.gamma_value, "0"),
        (_values.gamma_value, "wide"),
        (_values.positive_number, "0"),
        (_values.positive_number, "inf"),
        (_values.number, "nan"),
        (_values.number, "x"),
        (_values.natural_number, "-1"),
        (_values.natural_number, "2.5"),
        (_values.jobs_value, "0"),
        (_values.jobs_value, "-2"),
        (_values.degree_value, "0"),
        (_values.layer_sizes, "3,0"),
        (_values.layer_sizes, "3,"),
        (_values.layer_sizes, "wide"),
        (_values.positive_integer, "0"),
        (_values.part_value, "1.1"),
        (_values.step_value, "0"),
    ],
)
def test_values_out_of_range_are_refused(read, text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"must be .*got '{text}'"):
        read(text)


@pytest.mark.parametrize(("text", "value"), [("scale", "scale"), ("auto", "auto"), ("0.1", 0.1)])
def test_gamma(text, value):
    assert _values.gamma_value(text) == value


def test_whole_degrees_stay_whole():
    assert type(_values.degree_value("2.0")) is int
    assert _values.degree_value("2.5") == 2.5


@pytest.mark.parametrize(("text", "sizes"), [("7", (7,)), ("20,10", (20, 10)), ("20, 10", (20, 10))])
def test_layers(text, sizes):
    assert _values.layer_sizes(text) == sizes


def test_a_name_longer_than_a_reader_takes_is_refused():
    with pytest.raises(argparse.ArgumentTypeError, match="must be names of columns"):
        _values.column_names("t" * 200_000)
