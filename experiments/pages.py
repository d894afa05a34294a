"""Pages of the experiments, made from their files alone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ledger import (
    Expected,
    Number,
    Published,
    differing,
    read_expected,
    read_results,
    read_settings,
    reasons,
    with_unit,
)


def render_experiment(
    folder: str, settings: Mapping[str, Any], expected: Expected, results: Mapping[str, Number]
) -> str:
    """The page of one experiment, from its files alone.

    Parameters
    ----------
    folder : str
        Name of the experiment's folder.
    settings, expected, results
        Content of its three files.

    Returns
    -------
    str
        Markdown.
    """
    paper = expected.paper
    lines = [
        f"# {settings['title']}",
        "",
        f"{paper['authors']}, *{paper['title']}*, {paper['venue']}, {paper['year']}.",
        "",
        *paragraphs(settings["intro"], expected, results),
        "",
        f"Re-run with `python experiments/reproduce.py --only {folder}` from the project's root, one part "
        f"alone with `--only {folder}/{settings['part'][0]['name']}`. This page is written by the run: edit "
        "`settings.toml`.",
    ]
    for part in settings["part"]:
        lines += _render_part(part, settings, expected, results)
    if expected.not_rerun:
        lines += ["", "## Published for comparison, not re-run", ""]
        lines += [*paragraphs(settings["not_rerun"], expected, results), ""]
        cells = [[e["what"], with_unit(e["printed"], e["unit"]), e["source"]] for e in expected.not_rerun]
        lines += markdown_table(["what", "published", "source"], cells)
    return "\n".join(lines) + "\n"


def _render_part(
    part: Mapping[str, Any], settings: Mapping[str, Any], expected: Expected, results: Mapping[str, Number]
) -> list[str]:
    own = {key: number for key, number in results.items() if number.part == part["name"]}
    lines = ["", f"## {part['title']}", "", *paragraphs(part["text"], expected, results)]
    if not own:
        return lines + ["", "Not run: its data are not here."]
    sentences: list[str] = []
    for table in dict.fromkeys(number.table for number in own.values()):
        shown = {key: number for key, number in own.items() if number.table == table}
        for key in differing(expected, shown):
            sentences += [sentence for sentence in reasons(key, settings) if sentence not in sentences]
        lines += ["", *_render_table(shown, settings, expected, sentences)]
    if "figure" in part:
        lines += [
            "",
            f"![{part['figure']['caption']}](figures/{part['name']}.png)",
            "",
            part["figure"]["caption"],
        ]
    if sentences:
        lines += ["", "Where ours differs:", ""]
        lines += [
            f"{place}. {filled(sentence, expected, results)}"
            for place, sentence in enumerate(sentences, start=1)
        ]
    return lines


def _render_table(
    shown: Mapping[str, Number], settings: Mapping[str, Any], expected: Expected, sentences: Sequence[str]
) -> list[str]:
    """One line per row and a pair of columns, published and ours, per measure."""
    measures = list(dict.fromkeys(number.measure for number in shown.values()))
    at = {(number.row, number.measure): key for key, number in shown.items()}
    table = next(iter(shown.values())).table
    header = (
        [table] + [f"{measure}: {side}" for measure in measures for side in ("published", "ours")] + ["why"]
    )
    cells = []
    for row in dict.fromkeys(number.row for number in shown.values()):
        line, notes = [row], set()
        for measure in measures:
            key = at.get((row, measure))
            line += ["", ""] if key is None else [str(expected.numbers.get(key, "")), str(shown[key])]
            if key is not None and key in differing(expected, shown):
                notes |= {sentences.index(sentence) + 1 for sentence in reasons(key, settings)}
        cells.append(line + [", ".join(str(place) for place in sorted(notes))])
    return markdown_table(header, cells)


def paragraphs(text: str, expected: Expected, results: Mapping[str, Number]) -> list[str]:
    """Lines of a text of the settings, one to a paragraph, with its numbers put in."""
    return "\n\n".join(filled(part, expected, results) for part in text.strip().split("\n\n")).split("\n")


def filled(sentence: str, expected: Expected, results: Mapping[str, Number]) -> str:
    """`sentence` with its numbers put in, so that no sentence goes stale.

    ``{id}`` stands for our number, ``{published:id}`` for the paper's, and ``{deviations:id}`` for where the
    paper's lies among our draws, in standard deviations.
    """

    def number(found: re.Match[str]) -> str:
        what, _, key = found.group(1).rpartition(":")
        if key not in results or (what and key not in expected.numbers):
            return "(not run)"
        if what == "published":
            return str(expected.numbers[key])
        return _distance(expected.numbers[key], results[key]) if what == "deviations" else str(results[key])

    return re.sub(r"{([^{}]+)}", number, " ".join(sentence.split()))


def _distance(published: Published, ours: Number) -> str:
    if not ours.sd:
        return "off"
    deviations = (published.value - ours.mean) / ours.sd
    return f"{abs(deviations):.1f} standard deviations {'above' if deviations > 0 else 'below'}"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table; a bar inside a cell is written as an entity."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", "&#124;") for cell in line) + " |" for line in lines]


def render_summary(folders: Iterable[Path], output: Path) -> str:
    """The page of all experiments: every published number beside ours, as found in `output`."""
    lines = [
        "# The papers, re-run",
        "",
        "Published numbers beside ours: mean ± standard deviation over random draws or splits, where there",
        "are any. `make reproduce` runs everything again and rewrites this page and the page of each folder,",
        "which has the settings, the figures and a sentence for every difference.",
    ]
    for folder in folders:
        settings, expected, results = (
            read_settings(folder),
            read_expected(folder),
            read_results(output / folder.name),
        )
        titles = {part["name"]: part["title"] for part in settings["part"]}
        lines += ["", f"## [{settings['title']}]({folder.name}/README.md)", ""]
        figures = [part for part in settings["part"] if "figure" in part]
        if figures:
            links = (f"[{part['title']}]({folder.name}/figures/{part['name']}.png)" for part in figures)
            lines += ["Figures: " + ", ".join(links) + ".", ""]
        cells = [
            [titles[key.partition("/")[0]], *_described(results.get(key)), str(published), published.source]
            for key, published in expected.numbers.items()
        ]
        ordered = [[part, what, published, ours, source] for part, what, ours, published, source in cells]
        lines += markdown_table(["data", "quantity", "published", "ours", "source"], ordered)
    return "\n".join(lines) + "\n"


def _described(number: Number | None) -> tuple[str, str]:
    if number is None:
        return "", "not run"
    return f"{number.measure}, {number.row}", str(number)
