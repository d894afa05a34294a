"""What ``infoprop check`` and skrub find in a table with known faults.

One generated table of 5,002 rows and 40 columns, with one or a few columns for every fault. "yes" means that
the fault is named for all its columns; "values only", that the report shows values in which a reader can see
it, but does not name it; for skrub also whether its Cleaner turns the column into what it means. Printed as a
table, with the processor seconds of each. Run it where skrub is installed:
``python benchmarks/peers/table_checks.py``.
"""

import json
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

N_ROWS = 5000
FAULTS: dict[str, tuple[str, ...]] = {
    "identifiers, text": ("customer_id", "uuid"),
    "identifiers, numbers": ("order_no",),
    "dates": ("signup",),
    "dates with times": ("last_seen",),
    "1,234": ("income",),
    "€ 12.50": ("price",),
    "12 %": ("discount",),
    "0,45": ("share",),
    "text among numbers": ("visits",),
    "spellings": ("region",),
    "constant": ("unit", "zero"),
    "missing": ("age", "rating"),
    "leak": ("closed_reason",),
    "running text": ("comment",),
    "rare class": ("churn",),
    "copies of rows": (),
}


def table(path: Path) -> None:
    """Write the table."""
    import pandas as pd

    random = np.random.default_rng(5)
    leaves = random.random(N_ROWS) < 0.03
    days = pd.Timestamp("2019-01-01") + pd.to_timedelta(random.integers(0, 1500, N_ROWS), "D")
    minutes = pd.Timestamp("2023-01-01") + pd.to_timedelta(random.integers(0, 400_000, N_ROWS), "min")
    visits = random.integers(0, 100, N_ROWS).astype(str).astype(object)
    visits[[7, 99, 1234]] = ["n/a?", "unknown", "12 apples"]
    words = ["late", "good", "service", "never", "again", "bill", "call", "fine", "slow", "app"]
    columns: dict[str, Any] = {
        "customer_id": [f"C{number}" for number in random.permutation(N_ROWS) + 900_000],
        "order_no": random.permutation(N_ROWS) + 100_000,
        "uuid": [f"{random.integers(1 << 60):015x}" for _ in range(N_ROWS)],
        "signup": days.strftime("%d.%m.%Y"),
        "last_seen": minutes.strftime("%Y-%m-%d %H:%M"),
        "income": [f"{value:,.0f}" for value in random.lognormal(10, 0.5, N_ROWS) * (1 - 0.3 * leaves)],
        "price": [f"€ {value:.2f}" for value in random.gamma(2, 100, N_ROWS)],
        "discount": [f"{value} %" for value in random.integers(0, 60, N_ROWS)],
        "share": [f"{value:.2f}".replace(".", ",") for value in random.random(N_ROWS)],
        "region": random.choice(["north", "North ", "south", "South", "east", "west"], N_ROWS),
        "unit": "kg",
        "zero": 0,
        "rating": np.where(random.random(N_ROWS) < 0.97, "", random.integers(0, 9, N_ROWS).astype(str)),
        "age": np.where(random.random(N_ROWS) < 0.1, "", random.integers(18, 80, N_ROWS).astype(str)),
        "visits": visits,
        "closed_reason": np.where(leaves, random.choice(["moved", "price"], N_ROWS), "-"),
        "plan": random.choice(["basic", "plus", "pro"], N_ROWS),
        "comment": [" ".join(random.choice(words, 6)) for _ in range(N_ROWS)],
    }
    for number in range(22):
        columns[f"m{number:02d}"] = np.round(random.normal(size=N_ROWS) + 0.8 * leaves * (number < 3), 3)
    columns["churn"] = np.where(leaves, "yes", "no")
    frame = pd.DataFrame(columns)
    pd.concat([frame, frame.iloc[[10, 11]]]).to_csv(path, index=False)


def by_infoprop(path: Path) -> dict[str, str]:
    """What is named, fault by fault."""
    from infoprop.workflow import check_table

    check = check_table(path, "churn")
    named = {column for finding in check.findings for column in finding.columns}
    read = {"0,45"}  # read as numbers, and said so, by every command
    kinds = {finding.kind for finding in check.findings}
    return {
        fault: "yes"
        if (set(columns) <= named if columns else "duplicate rows" in kinds)
        else "read as meant"
        if fault in read
        else "no"
        for fault, columns in FAULTS.items()
    }


def by_skrub(path: Path) -> dict[str, str]:
    """What TableReport names, and what Cleaner turns into dates or numbers."""
    import pandas as pd
    import skrub

    frame = pd.read_csv(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = json.loads(skrub.TableReport(frame, verbose=0).json())
        cleaned = skrub.Cleaner().fit_transform(frame)
    told = {column["name"]: column for column in report["columns"]}
    found = dict.fromkeys(FAULTS, "no")
    for fault, columns in FAULTS.items():
        if fault == "constant":
            found[fault] = "yes" if all(told[name]["value_is_constant"] for name in columns) else "no"
        elif fault == "missing":
            found[fault] = "yes" if all(told[name]["null_count"] for name in columns) else "no"
        elif columns and all(cleaned[name].dtype.kind in "Mfi" for name in columns):
            found[fault] = "read as meant" if frame[columns[0]].dtype == object else "no"
        elif fault in ("spellings", "rare class", "running text", "identifiers, text"):
            found[fault] = "values only"
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "customers.csv"
        table(file)
        results = []
        for way in (by_infoprop, by_skrub):
            begun = time.process_time()
            results.append(way(file))
            print(f"{way.__name__}: {time.process_time() - begun:.1f} s with imports")
        print("| fault | infoprop check | skrub |\n| --- | --- | --- |")
        for fault in FAULTS:
            print(f"| {fault} | {results[0][fault]} | {results[1][fault]} |")
