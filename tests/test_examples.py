"""Every script in examples runs, and says what the copy of its output beside it says."""

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SCRIPTS = sorted(path.stem for path in EXAMPLES.glob("*.py"))

# A network ends where the last bits of its processor's arithmetic lead it; its story must be the same.
RANDOM = {"sonar_network"}


def story(text):
    """The words of an output, without its numbers and what depends on them."""
    return [re.sub(r"\d[\d.]*%?", "#", line).split(":")[0] for line in text.splitlines()]


def test_there_are_examples_for_genes_text_a_small_table_and_a_network():
    assert SCRIPTS == ["genes", "sonar_network", "text", "vehicle"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_says_what_its_recorded_output_says(name, shared_data, monkeypatch, capsys):
    file = re.search(r"``([\w-]+\.csv\.gz)``", (EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))[1]
    if not (shared_data / file).exists():
        pytest.skip(f"{file} is not in the folder of real data sets")
    monkeypatch.setenv("INFOPROP_DATA", str(shared_data))
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    said, recorded = (
        capsys.readouterr().out,
        (EXAMPLES / "output" / f"{name}.txt").read_text(encoding="utf-8"),
    )
    assert story(said) == story(recorded)
    if name not in RANDOM:
        assert said == recorded
