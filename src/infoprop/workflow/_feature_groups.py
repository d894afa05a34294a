"""Features that are one, as a file lists them."""

import csv
from pathlib import Path

from infoprop._core._exceptions import DataError, Parameter

_COLUMNS = ["feature", "group"]


def read_feature_groups(path: Path) -> dict[str, list[str]]:
    """Read a CSV file with the columns feature and group: the features of every group, by its name.

    Features that are not listed, or have no group there, stay by themselves.
    """
    groups = Parameter("groups", "groups")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(groups, f": {path} cannot be read ({error}); give a CSV file.") from error
    if not lines or [cell.strip().lower() for cell in lines[0]] != _COLUMNS:
        found = ",".join(lines[0]) if lines else "nothing"
        raise DataError(groups, f": the first line of {path} must be feature,group. It is {found!r}.")
    found_in: dict[str, list[str]] = {}
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cells):
            continue
        if len(cells) != len(_COLUMNS):
            raise DataError(groups, f": line {number} of {path} has {len(cells)} cells instead of two.")
        feature, group = (cell.strip() for cell in cells)
        if group:
            found_in.setdefault(group, []).append(feature)
    if not found_in:
        raise DataError(groups, f": {path} lists no group.")
    return found_in
