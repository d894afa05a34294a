import argparse

import pytest

from infoprop.cli import _options
from infoprop.cli._main import build_parser


def parse(*words):
    return build_parser().parse_args([*words])


def test_defaults_of_the_grammar_are_those_of_the_types():
    arguments = parse("credit", "x.csv")
    assert _options.model_options(arguments) == _options.ModelOptions()
    assert _options.output_options(arguments) == _options.OutputOptions()


def test_every_option_arrives():
    words = "credit d.csv --target y --format tsv --drop a,b --drop c --nominal z --impute median --no-scale"
    more = "--kernel anova --C 2 --gamma 0.5 --degree 2 --coef0 1 --validation 5 --seed 7 --jobs -1"
    last = "--top 3 --output o.csv --report r.html --quiet"
    arguments = parse(*f"{words} {more} {last}".split())
    data = _options.data_options(arguments)
    assert (data.target, data.format, data.impute, data.is_scaled) == ("y", "tsv", "median", False)
    assert (data.drop, data.nominal) == (("a", "b", "c"), ("z",))
    model = _options.model_options(arguments)
    assert model == _options.ModelOptions("anova", 2.0, 0.5, 2, 1.0, 5, 7, -1)
    output = _options.output_options(arguments)
    assert (output.top, str(output.output), str(output.report), output.is_quiet) == (
        3,
        "o.csv",
        "r.html",
        True,
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [("a,b", ["a", "b"]), (' a b , "c,d" ', [" a b ", "c,d "]), ('"x,y"', ["x,y"]), ("", [])],
)
def test_column_names(text, names):
    assert [name.strip() for name in _options.column_names(text)] == [name.strip() for name in names]


@pytest.mark.parametrize(
    ("text", "value"), [("0.2", 0.2), ("10", 10), ("2", 2), ("split", "split"), (".5", 0.5), ("1e-1", 0.1)]
)
def test_validation(text, value):
    parsed = _options.validation_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("0.5", 0.5), ("1.0", 1.0), ("1", 1)])
def test_count_or_fraction(text, value):
    parsed = _options.count_or_fraction(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (_options.validation_value, "1"),
        (_options.validation_value, "0"),
        (_options.validation_value, "1.5"),
        (_options.validation_value, "nan"),
        (_options.validation_value, "half"),
        (_options.count_or_fraction, "0"),
        (_options.count_or_fraction, "-2"),
        (_options.count_or_fraction, "1.5"),
        (_options.count_or_fraction, "many"),
        (_options.gamma_value, "0"),
        (_options.gamma_value, "wide"),
        (_options.positive_number, "0"),
        (_options.positive_number, "inf"),
        (_options.number, "nan"),
        (_options.number, "x"),
        (_options.natural_number, "-1"),
        (_options.natural_number, "2.5"),
        (_options.jobs_value, "0"),
        (_options.jobs_value, "-2"),
        (_options.degree_value, "0"),
    ],
)
def test_values_out_of_range_are_refused(read, text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"must be .*got '{text}'"):
        read(text)


@pytest.mark.parametrize(("text", "value"), [("scale", "scale"), ("auto", "auto"), ("0.1", 0.1)])
def test_gamma(text, value):
    assert _options.gamma_value(text) == value


def test_whole_degrees_stay_whole():
    assert type(_options.degree_value("2.0")) is int
    assert _options.degree_value("2.5") == 2.5
