"""Pages are made from the files alone."""

from ledger import read_expected, read_results, read_settings
from pages import filled, markdown_table, render_experiment, render_summary


def test_a_page_shows_published_beside_ours_and_says_why(toy):
    page = render_experiment("toy2001", *toy)
    assert "| all | 94.68 % | 91.00 ± 1.41 % | 1 |" in page
    assert "1. It is 2.6 standard deviations above our mean." in page
    assert "First.\n\nSecond: 91.00 ± 1.41 %." in page


def test_a_part_without_numbers_is_said_to_be_missing(toy):
    settings, expected, _ = toy
    assert "Not run: its data are not here." in render_experiment("toy2001", settings, expected, {})


def test_sentences_take_their_numbers_from_the_files(toy):
    _, expected, results = toy
    text = "{published:toy/all/accuracy}, {toy/all/accuracy}, {deviations:toy/all/accuracy}, {gone}"
    assert filled(text, expected, results) == (
        "94.68 %, 91.00 ± 1.41 %, 2.6 standard deviations above, (not run)"
    )


def test_bars_inside_a_cell_do_not_break_the_table():
    assert markdown_table(["a"], [["x|y"]])[-1] == "| x&#124;y |"


def test_stored_page_is_what_the_stored_files_say(stored):
    page = render_experiment(stored.name, read_settings(stored), read_expected(stored), read_results(stored))
    assert page == (stored / "README.md").read_text(encoding="utf-8")
    assert "(not run)" not in page


def test_stored_figures_are_small_and_all_there(stored):
    for part in read_settings(stored)["part"]:
        if "figure" in part:
            size = (stored / "figures" / f"{part['name']}.png").stat().st_size
            assert 0 < size < 150_000


def test_stored_summary_is_what_the_stored_files_say(experiments):
    folders = sorted(path.parent for path in experiments.glob("*/run.py"))
    page = render_summary(folders, experiments)
    assert page == (experiments / "README.md").read_text(encoding="utf-8")
