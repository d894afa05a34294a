"""What the library refuses, in the words of the command line."""

import gzip
import re

import numpy as np
import pytest

from infoprop._core._exceptions import Parameter
from infoprop.cli._grammar._wording import OPTION_OF, option_words
from infoprop.exceptions import ParameterError
from reference.command_line import COMMANDS, options_of

PYTHON = re.compile(
    r"\bpass\b|parameter of|\w+=\w*(None|True|False|\.\.\.)|DelimitedText|load_table|Selector|SVC\b"
)
"""How Python is spoken to."""

TABLE = "size,note,day,class\n" + "".join(
    f"{k % 5}.{k},good {'beer' if k % 2 else 'wine'},2020-01-{k % 28 + 1:02},{'xy'[k % 2]}\n"
    for k in range(40)
)
MIXED = "size,class\n" + "".join(f"{k}.5,{'xy'[k % 2]}\n" for k in range(20)) + "many,x\n"


def test_every_option_that_is_named_exists():
    named = {word.split()[0] for word in OPTION_OF.values() if word.startswith("-")}
    assert named <= {
        word for command in COMMANDS for action in options_of(command) for word in action.option_strings
    }


def test_parameters_without_an_option_keep_their_python_name():
    error = ParameterError("Give ", Parameter("covariance"), " or ", Parameter("random_state"), ".")
    assert option_words(error) == "Give 'covariance' or --seed."


@pytest.mark.parametrize(
    ("content", "words", "named"),
    [
        (TABLE, ["--target", "clas"], "--target"),
        (TABLE, ["--drop", "siz"], "--drop"),
        (TABLE, ["--nominal", "dai"], "--nominal"),
        (TABLE, ["--text", "nott"], "--text"),
        (TABLE, ["--validation", "split"], "--validation split"),
        (TABLE, ["--drop", "class", "--target", "class"], "both --target and --drop"),
        (TABLE, ["--nominal", "note", "--text", "note"], "both --nominal and --text"),
        (TABLE, ["--sheet", "a"], "--sheet"),
        (TABLE, ["--encoding", "rot13"], "--encoding"),
        (TABLE, ["--encoding", "klingon"], "--encoding"),
        (TABLE.replace("beer", "bière"), ["--encoding", "ascii"], "--encoding"),
        (TABLE, [], "--nominal"),
        (TABLE.encode().replace(b"beer", b"bi\xe8re"), [], "--encoding"),
        (MIXED, [], "--nominal"),
        (TABLE.replace(",", "%"), [], "--delimiter"),
        ("1.5,7,4\n" + "2.25,3,1\n" * 9, [], "--no-header"),
        ("a;b;c;class\n" + "1,5;3.5;1,234;u\n2,5;4.5;2,345;v\n" * 9, [], "--nominal"),
        ("size,class\n" + "1,x\n,y\n" * 20, [], "--impute"),
    ],
)
@pytest.mark.parametrize("command", ["credit", "datasets"])
def test_reading_is_refused_in_options(run, tmp_path, command, content, words, named):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if command == "datasets" and "--validation" in words:
        pytest.skip("describes, and judges nothing")
    outcome = run(command, path, *words)
    said = outcome.out + outcome.err
    assert named in said
    assert not PYTHON.search(said), said


@pytest.mark.parametrize(
    ("name", "content", "words", "named"),
    [
        ("t.xyz", TABLE.encode(), [], "--format"),
        ("t.xyz.gz", gzip.compress(TABLE.encode()), [], "--format"),
        ("t.svm", b"1 1:2\n0 2:1\n", ["--target", "x1"], "--target"),
        ("t.svm", b"1 1:2\n0 2:1\n", ["--nominal", "x1"], "--nominal"),
        ("t.svm", b"1 1:2\n0 2:1\n", ["--validation", "split"], "--validation split"),
        (
            "t.arff",
            b"@attribute d date\n@attribute class {u,v}\n@data\n2020-01-01,u\n2020-01-02,v\n",
            [],
            "--drop",
        ),
    ],
)
def test_other_formats_are_refused_in_options(refused, tmp_path, name, content, words, named):
    path = tmp_path / name
    path.write_bytes(content)
    sentence = refused("credit", path, *words)
    assert named in sentence
    assert not PYTHON.search(sentence), sentence


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["credit", "--kernel", "poly", "--degree", "1e9"], "--degree"),
        (["credit", "--kernel", "poly", "--degree", "2.5"], "--degree"),
        (["select", "--method", "genetic", "--classifier", "knn", "--population", "1"], "--population"),
        (["credit", "--classifier", "mlp", "--hidden", "1000000,1000000"], "--hidden"),
        (["select", "--method", "directed", "-k", "1", "--init", "aa"], "--init"),
        (["shape", "--positive", "z"], "--positive"),
        (["select", "-k", "9"], "-k 9"),
        (["select", "--threshold", "9"], "--threshold 9"),
    ],
)
def test_settings_are_refused_in_options(refused, write, words, named):
    generator = np.random.default_rng(0)
    rows = "".join(f"{generator.normal():.3f},{k % 2 + 0.1 * (k % 3):.1f},{'uv'[k % 2]}\n" for k in range(40))
    sentence = refused(words[0], write("t.csv", "a,b,class\n" + rows), *words[1:])
    assert named in sentence
    assert not PYTHON.search(sentence), sentence
