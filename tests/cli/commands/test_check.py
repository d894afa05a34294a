"""The whole list on the terminal, and as JSON."""

import json


def test_a_check_lists_everything_and_the_command(run, tmp_path) -> None:
    path = tmp_path / "t.csv"
    rows = [
        f"C{k},2020-01-{1 + k % 28:02d},{'€ 3.50' if k % 3 else '€ 4.50'},{'ab'[k % 2]}" for k in range(40)
    ]
    path.write_text("\n".join(["who,when,price,class", *rows]) + "\n")
    outcome = run("check", path)
    assert outcome.code == 0
    for word in ("40 rows, 3 columns", "identifier", "date", "number as text", "'€ 4.50'"):
        assert word in outcome.out
    assert (
        f"Go on with: infoprop credit {path} --target class --id who --numeric price --date when"
        in outcome.out
    )
    found = json.loads(run("check", path, "--json").out)
    assert [finding["kind"] for finding in found["findings"]] == [
        "date",
        "identifier",
        "number as text",
        "duplicate rows",
    ]


def test_a_clean_file_is_clean(run, wine) -> None:
    assert "Nothing is suspicious." in run("check", wine).out
