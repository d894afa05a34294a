"""A plain ``pip install infoprop`` is enough for the library; what is claimed is what is tested."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from infoprop.cli import main
from infoprop.cli._main import NEEDED
from infoprop.datasets import load_table
from infoprop.workflow import check_table

PROJECT = Path(__file__).resolve().parent.parent
CLAIMS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = CLAIMS["optional-dependencies"]
FOR_USERS = ("cli", "plots", "excel", "peers", "dask")

# As if nothing but the dependencies of the library were installed.
PLAIN = """
import sys
from importlib.machinery import PathFinder

find = PathFinder.find_spec
missing = {packages}
asked_for = set()

def find_what_is_installed(name, path=None, target=None):
    asked_for.add(name.partition(".")[0])
    return None if name.partition(".")[0] in missing else find(name, path, target)

PathFinder.find_spec = find_what_is_installed
"""
FOR_THE_COMMAND_LINE = {*NEEDED, "markupsafe"}
OPTIONAL = {
    *("pandas", "pyarrow", "matplotlib", "fastexcel", "dask", "distributed", "sklearnex", "psutil", "torch"),
    *FOR_THE_COMMAND_LINE,
}
SCRIPT = """
import doctest, runpy
import infoprop

def import_everything():
    for name in infoprop.__all__:
        try:
            getattr(infoprop, name)
        except ImportError as error:
            print(type(error).__name__, error)

import_everything()
print("---")
runpy.run_path("first.py")
print(doctest.testfile("start.txt", module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE))
print("---")
missing -= {for_the_command_line}
import_everything()
print("torch" in asked_for)
"""


@pytest.fixture(scope="module")
def said_plainly(tmp_path_factory):
    """Run a script in a process that cannot import what is optional: what its parts say."""
    folder = tmp_path_factory.mktemp("plain")
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    (folder / "first.py").write_text(re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1])
    page = (PROJECT / "docs" / "start.md").read_text(encoding="utf-8")
    section = re.search(r"## From Python\n(.*?)\n## ", page, re.DOTALL)[1]
    (folder / "start.txt").write_text("\n".join(re.findall(r"```pycon\n(.*?)```", section, re.DOTALL)))
    script = (PLAIN + SCRIPT).format(packages=OPTIONAL, for_the_command_line=FOR_THE_COMMAND_LINE)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout.split("---\n")


def test_all_but_the_report_can_be_imported_after_a_plain_installation(said_plainly):
    sentence = "infoprop.report needs jinja2, which is not installed: pip install 'infoprop[cli]'."
    assert said_plainly[0] == f"MissingDependencyError {sentence}\n"


def test_the_readme_and_the_start_in_python_run_after_a_plain_installation(said_plainly):
    assert "proline" in said_plainly[1]
    assert re.search(r"TestResults\(failed=0, attempted=[1-9]", said_plainly[1]), said_plainly[1]


def test_everything_can_be_imported_with_what_the_command_line_brings(said_plainly):
    assert said_plainly[2] == "False\n"


@pytest.fixture
def _without_polars(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)


@pytest.mark.usefixtures("_without_polars")
def test_a_table_that_needs_polars_says_so(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,class\n1,a\n2,b\n")
    with pytest.raises(ImportError, match=r"table\.csv needs polars.*pip install 'infoprop\[cli\]'\.$"):
        load_table(path)


@pytest.mark.usefixtures("_without_polars")
@pytest.mark.parametrize("table", ["table.csv", {"x": [1]}])
def test_a_check_that_needs_polars_says_so(table):
    with pytest.raises(ImportError, match=r"check_table needs polars.*pip install 'infoprop\[cli\]'\.$"):
        check_table(table)


@pytest.mark.usefixtures("_without_polars")
def test_a_sparse_table_is_read_without_polars(tmp_path):
    path = tmp_path / "table.svm"
    path.write_text("1 1:0.5\n2 3:1.5\n")
    assert load_table(path).X.shape[0] == 2


@pytest.mark.usefixtures("_without_polars")
def test_a_command_says_what_is_missing_before_it_looks_at_its_words(capsys):
    assert main(["credit", "there-is-no-such-file.csv"]) == 2
    said = "infoprop: infoprop credit needs polars, which is not installed: pip install 'infoprop[cli]'.\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.usefixtures("_without_polars")
def test_help_needs_nothing(capsys):
    assert main(["select", "--help"]) == 0
    assert "--method" in capsys.readouterr().out


def test_the_command_ends_without_a_last_look_for_garbage():
    assert CLAIMS["scripts"]["infoprop"] == "infoprop.__main__:run"
    script = "import gc, infoprop.__main__ as process; print(process.run(), gc.get_freeze_count() > 0)"
    done = subprocess.run([sys.executable, "-c", script, "--version"], capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["0 True"], done.stderr


def requirements(*extras):
    """What a user is told to install, self-references left out."""
    lines = [*CLAIMS["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    return [wanted for wanted in map(Requirement, lines) if wanted.name != CLAIMS["name"]]


def pins(name):
    """Version of every package in a file of constraints."""
    lines = (PROJECT / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(package): version for package, version in pairs}


def test_the_command_line_asks_for_what_its_extra_brings():
    assert sorted(Requirement(line).name for line in EXTRAS["cli"]) == sorted(NEEDED)


@pytest.mark.parametrize("wanted", requirements(*FOR_USERS), ids=lambda wanted: wanted.name)
def test_the_lowest_version_claimed_is_the_one_tested(wanted):
    lowest = next(bound.version for bound in wanted.specifier if bound.operator == ">=")
    tested = pins("constraints-oldest.txt")[canonicalize_name(wanted.name)]
    assert Version(lowest) == Version(tested)
    assert pins("constraints.txt")[canonicalize_name(wanted.name)] in wanted.specifier
