"""The documentation lists every public name, its examples run, and it knows nothing of any machine."""

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import re
import shlex
import textwrap
from pathlib import Path

import pytest

import infoprop
from infoprop.cli import main
from reference.command_line import COMMANDS

PROJECT = Path(__file__).resolve().parent.parent
DOCS = PROJECT / "docs"
PAGES = [
    PROJECT / "README.md",
    *sorted(
        path for path in DOCS.rglob("*.md") if not {"_build", "generated"} & set(path.relative_to(DOCS).parts)
    ),
]
PACKAGES = [name for name in infoprop.__all__ if not name.startswith("_") and name != "select"]
NEEDED = {"genes.md": "anndata"}
"""Packages without which the examples of a page cannot run."""

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
EXAMPLE = re.compile(r"^( *)```(pycon|python|console)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
MACHINE_PATH = re.compile(r"(?<![\w.])(/(work|tmp|root|home|Users|mnt)\b|[A-Z]:\\)")


def examples(page):
    """Kind, text and line number of every example of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for block in EXAMPLE.finditer(text):
        yield block[2], textwrap.dedent(block[3]), text.count("\n", 0, block.start(3))


def run_python(text, names, page, line):
    """Run one block: a session with its answers, or plain statements."""
    if ">>>" not in text:
        exec(compile("\n" * line + text, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), line)
    # The parser copies the names; blocks of a page go on where the last one stopped.
    test.globs = names
    complaints = io.StringIO()
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=complaints.write, clear_globs=False)
    assert result.attempted
    assert not result.failed, complaints.getvalue()


def run_commands(text):
    """Run every ``$ infoprop ...`` of a block and compare what it says with the lines below it."""
    commands = text.replace("\\\n", " ").split("$ infoprop ")
    assert not commands[0].strip(), "an example for the terminal begins with '$ infoprop'"
    for command in commands[1:]:
        line, _, expected = command.partition("\n")
        result, remarks = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(result), contextlib.redirect_stderr(remarks):
            code = main(shlex.split(line))
        # Remarks, such as that code is being compiled, are no part of a result; an error is nothing else.
        said = remarks.getvalue() if code else result.getvalue()
        # How far a line is drawn depends on the version of rich.
        shown, given = (re.sub("─+", "─", text) for text in (expected, said))
        assert doctest.OutputChecker().check_output(shown, given, FLAGS), f"infoprop {line} says\n{said}"


# A cluster of somebody else on this machine may have the port that a page's cluster asks for first.
@pytest.mark.filterwarnings("ignore:Port")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_examples_give_what_the_page_shows(page, tmp_path, monkeypatch):
    if page.name in NEEDED:
        pytest.importorskip(NEEDED[page.name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {"__name__": "__main__"}
    for kind, text, line in examples(page):
        if kind == "console":
            run_commands(text)
        else:
            run_python(text, names, page, line)


@pytest.mark.parametrize("package", [name for name in PACKAGES if name not in {"cli", "exceptions"}])
def test_every_package_has_a_guide_with_an_example(package):
    assert any(kind == "pycon" for kind, _, _ in examples(DOCS / "guide" / f"{package}.md"))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_an_example(package):
    module = importlib.import_module(f"infoprop.{package}")
    # Constants have no docstring, and what is scikit-learn's is documented there.
    things = {name: getattr(module, name) for name in module.__all__}
    ours = {name: thing for name, thing in things.items() if _module_of(thing).startswith("infoprop")}
    assert [name for name, thing in ours.items() if not _has_example(thing)] == []


def _module_of(thing):
    return (getattr(thing, "__module__", None) or "") if callable(thing) else ""


def _has_example(thing):
    text = inspect.getdoc(thing) or ""
    return ">>>" in text.partition("Examples\n--------")[2]


def test_the_ratios_in_the_readme_are_those_last_measured():
    spec = importlib.util.spec_from_file_location("measured", DOCS / "_ext" / "measured.py")
    measured = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measured)
    claims = re.findall(r"\| ([^|]*?) <!-- (.*?) -->", (PROJECT / "README.md").read_text(encoding="utf-8"))
    assert claims
    assert [said for said, _ in claims] == [measured.in_words(request) for _, request in claims]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_guide_to_the_command_line_has_a_section_for_every_command(command):
    page = (DOCS / "guide" / "command_line.md").read_text(encoding="utf-8")
    assert re.search(rf"^## .*\b{command}\b", page, re.MULTILINE | re.IGNORECASE)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_reference_lists_every_public_name_under_its_package(package):
    reference = (DOCS / "api.md").read_text(encoding="utf-8")
    section = re.search(rf"^## infoprop\.{package}\n(.*?)(?=^## |\Z)", reference, re.MULTILINE | re.DOTALL)
    assert section, f"the reference has no section for infoprop.{package}"
    listed = set(re.findall(r"^ {3}(\w+)$|^\.\. py:data:: (\w+)$", section[1], re.MULTILINE))
    listed = {name for pair in listed for name in pair if name}
    assert listed == set(importlib.import_module(f"infoprop.{package}").__all__)


def test_the_reference_names_the_version():
    assert "infoprop.__version__" in (DOCS / "api.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_no_page_mentions_a_machine(page):
    assert not MACHINE_PATH.findall(page.read_text(encoding="utf-8"))
