"""Files that are not as they should be: tables in every format, checkpoints and models, damaged at random."""

import gzip
import io
import sqlite3
import zipfile
from contextlib import closing

import numpy as np
import polars as pl

WORDS = [
    "",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-1e308",
    "1e308",
    "NULL",
    "?",
    "x" * 3000,
    "=1+1",
    "é",
    "0x1F",
    "1,5",
]
KINDS = [
    "cell",
    "header",
    "ragged",
    "longer",
    "twice",
    "empty",
    "column",
    "constant",
    "one",
    "same",
    "missing",
]
NOT_UTF8 = b"\xff\xfe\xe9\x80"


def rows_of(random, n_rows=36):
    """Cells of a table with numbers, a nominal column and three classes, all as text."""
    header = ["a", "b", "c", "colour", "class"]
    rows = []
    for number in range(n_rows):
        label = number % 3
        numbers = [f"{random.gauss(label * (k == 0), 1.0):.3f}" for k in range(3)]
        rows.append([*numbers, random.choice(["red", "green"]), f"k{label}"])
    return [header, *rows]


def delimited(rows, delimiter=","):
    """Rows as text."""
    return "\n".join(delimiter.join(row) for row in rows).encode("utf-8", "surrogateescape") + b"\n"


def spoiled_rows(random):
    """A table with something wrong in its cells."""
    rows = rows_of(random, random.choice([0, 1, 2, 3, 6, 36, 36, 36]))
    for _ in range(random.randint(1, 3)):
        row = random.randrange(len(rows))
        kind = random.choice(KINDS)
        if kind == "cell":
            rows[row][random.randrange(len(rows[row]))] = random.choice(WORDS)
        elif kind == "header":
            rows[0][random.randrange(len(rows[0]))] = random.choice(
                ["a", "", "class", "split", "\u200b", "b\rc"]
            )
        elif kind == "ragged":
            rows[row] = rows[row][: random.randint(1, 3)]
        elif kind == "longer":
            rows[row] = rows[row] * 2
        elif kind == "twice":
            rows.insert(1, list(rows[0]))
        elif kind == "empty":
            rows.insert(row, [""])
        elif kind in ("column", "missing", "constant"):
            place = random.randrange(5)
            value = {"column": random.choice(WORDS), "missing": "", "constant": "7"}[kind]
            for line in rows[1:]:
                line[min(place, len(line) - 1)] = value
        elif kind == "one":
            rows = [line[-1:] for line in rows]
        elif kind == "same":
            for line in rows[1:]:
                line[-1] = "k0"
        else:
            rows = [line for line in rows if line[-1] != "k1"][:4]
        rows = [line or ["x"] for line in rows]
    return rows


def damaged(random, raw):
    """Bytes that were cut, changed, repeated or mixed with others."""
    raw = bytearray(raw)
    kind = random.choice(["cut", "cut", "flip", "flip", "noise", "nul", "head", "utf8", "twice", "empty"])
    place = random.randrange(len(raw)) if raw else 0
    if kind == "cut":
        return bytes(raw[:place])
    if kind == "flip":
        for _ in range(random.choice([1, 1, 5, 50])):
            if raw:
                raw[random.randrange(len(raw))] = random.randrange(256)
    elif kind == "noise":
        return random.randbytes(random.choice([1, 20, 3000]))
    elif kind == "nul":
        raw[place:place] = bytes(random.choice([1, 1000]))
    elif kind == "head":
        return bytes(raw[place:])
    elif kind == "utf8":
        raw[place:place] = NOT_UTF8
    elif kind == "twice":
        return bytes(raw) * 2
    else:
        return random.choice([b"", b"\n", b" ", b"\xef\xbb\xbf"])
    return bytes(raw)


def a_text(random):
    """Delimited text with spoiled cells, ends of lines, quotes or letters."""
    delimiter = random.choice([",", ",", ";", "\t", "|", " ", ":", "~", "\x01"])
    raw = delimited(spoiled_rows(random), delimiter)
    kind = random.choice(["", "", "\r", "\r\n", "quote", "utf-16", "latin-1", "comment"])
    if kind.startswith("\r"):
        raw = raw.replace(b"\n", kind.encode())
    elif kind == "quote":
        place = random.randrange(len(raw))
        raw = raw[:place] + b'"' + raw[place:]
    elif kind == "comment":
        raw = b"# a comment\n" + raw
    elif kind:
        raw = raw.decode("utf-8", "replace").encode(kind, "replace")
    return raw


def an_arff(random):
    """Attributes and data that do not go together."""
    lines = ["@relation r", "@attribute a numeric", "@attribute colour {red,green}", "@attribute class {x,y}"]
    lines += ["@data", *(f"{k},{random.choice(['red', 'green'])},{'xy'[k % 2]}" for k in range(12))]
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(lines))
        spoilt = [
            "",
            "@data",
            "@attribute",
            "@attribute a numeric",
            "1,blue,x",
            "{0 1, 9 x}",
            "{0",
            "1",
            "?,?,?",
        ]
        spoilt += [
            "@attribute b {",
            "@attribute b date",
            "@attribute 'b relational",
            "1,'red,x",
            "{a b}",
            "%",
        ]
        lines[place] = random.choice(spoilt)
    return "\n".join(lines).encode()


def an_svmlight(random):
    """Rows of index:value pairs, some of them wrong."""
    lines = [f"{k % 2} 1:{k} 3:{k % 5}.5" for k in range(14)]
    for _ in range(random.randint(1, 3)):
        wrong = [
            "1 0:1",
            "1 -1:2",
            "1 2:x",
            "x:1",
            "1 3:1 2:1",
            "1 2:nan",
            "1 2:inf",
            "1 2:1e400",
            "1 99999:1",
        ]
        wrong += [
            "",
            "1",
            "1 2",
            "1 2:",
            "1 :2",
            "qid:1 2:3",
            "1 2:1 2:1",
            "1 1.5:2",
            "1 2000000000:1",
            "# c",
        ]
        wrong += ["1 99999999999999999999:1", "1,2 1:1", "nan 1:1"]
        lines[random.randrange(len(lines))] = random.choice(wrong)
    return "\n".join(lines).encode()


def an_npz(random):
    """Word counts whose arrays do not go together."""
    arrays = {
        "data": np.ones(12),
        "indices": np.arange(12) % 3,
        "indptr": np.arange(0, 13, 2),
        "shape": np.array([6, 3]),
        "y": np.arange(6) % 2,
        "classes": np.array(["x", "y"]),
        "vocabulary": np.array(["u", "v", "w"]),
    }
    for _ in range(random.randint(1, 2)):
        name = random.choice(list(arrays))
        wrong = [
            np.array(5),
            np.zeros(0),
            np.array(["a"]),
            np.full(12, 10**9),
            np.full(12, -1),
            np.ones((3, 3)),
        ]
        wrong += [np.full(12, np.nan), np.array([10**12, 10**12]), np.array([{"a": 1}], dtype=object)]
        if random.random() < 0.3:
            del arrays[name]
            arrays["more"] = np.zeros(2)
        else:
            arrays[name] = random.choice(wrong)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _frame(random):
    header, *rows = rows_of(random)
    return pl.DataFrame(rows, schema=header, orient="row").with_columns(pl.col("a", "b", "c").cast(float))


def a_parquet(random):
    """A Parquet file with odd columns, or a damaged one."""
    frame, buffer = _frame(random), io.BytesIO()
    odd = [
        pl.lit(None).alias("n"),
        pl.lit([1, 2]).alias("l"),
        pl.lit(b"\xff").alias("bytes"),
        pl.lit("").alias(" "),
    ]
    odd += [pl.lit(float("inf")).alias("i"), pl.date(2020, 1, 1).alias("d"), pl.struct("a").alias("s")]
    frame.with_columns(random.choice(odd)).write_parquet(buffer)
    return buffer.getvalue() if random.random() < 0.5 else damaged(random, buffer.getvalue())


def a_sheet(random):
    """A damaged spreadsheet."""
    from openpyxl import Workbook

    book, buffer = Workbook(), io.BytesIO()
    for row in spoiled_rows(random):
        book.active.append([cell if cell.isprintable() else "x" for cell in row])
    book.save(buffer)
    return buffer.getvalue() if random.random() < 0.5 else damaged(random, buffer.getvalue())


def a_zip(random):
    """A damaged archive, or one with too many members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(random.choice([0, 1, 2])):
            archive.writestr(f"{number}.csv", delimited(rows_of(random)))
    return damaged(random, buffer.getvalue()) if random.random() < 0.5 else buffer.getvalue()


TABLES = {
    "t.csv": a_text,
    "u.csv": lambda random: damaged(random, delimited(rows_of(random))),
    "t.tsv": lambda random: a_text(random).replace(b",", b"\t"),
    "t.csv.gz": lambda random: damaged(random, gzip.compress(delimited(rows_of(random)))),
    "t.zip": a_zip,
    "t.arff": an_arff,
    "t.svm": an_svmlight,
    "t.npz": an_npz,
    "u.npz": lambda random: damaged(random, an_npz(random)),
    "t.parquet": a_parquet,
    "t.xlsx": a_sheet,
    "t.data": a_text,
    "t": a_text,
    "t.unknown": a_text,
}
"""What is wrong with a file, by the name it is given."""


def spoil_checkpoint(random, path):
    """Damage a checkpoint: its bytes, or its rows."""
    statements = [
        "DELETE FROM state",
        "DELETE FROM seal",
        "DELETE FROM header",
        "DROP TABLE steps",
        "DROP TABLE state",
        "DROP TABLE seal",
        "DROP TABLE header",
        "UPDATE steps SET record = '{' WHERE number = 1",
        "UPDATE steps SET record = '[1]' WHERE number = 1",
        "UPDATE steps SET record = x'ff' WHERE number = 1",
        "DELETE FROM steps WHERE number = 1",
        "UPDATE state SET dtype = '|O'",
        "UPDATE state SET shape = '9 9 9'",
        "UPDATE header SET value = '1' WHERE name = 'format'",
        "DELETE FROM header WHERE name = 'fingerprint'",
        "UPDATE header SET value = 'x' WHERE name = 'seed'",
        "PRAGMA journal_mode = WAL",
    ]
    if random.random() < 0.5:
        path.write_bytes(damaged(random, path.read_bytes()))
        return
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(random.choice(statements))


def spoil_model(random, path):
    """Damage a model: its bytes, its members, or its schema."""
    if random.random() < 0.3:
        path.write_bytes(damaged(random, path.read_bytes()))
        return
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice(list(members))
    kind = random.choice(["drop", "array", "damage", "deep", "number", "word", "word", "class"])
    schema = members["schema.json"].decode()
    if kind == "drop":
        del members[name]
    elif kind == "array":
        name = random.choice([member for member in members if member.endswith(".npy")] or [name])
        buffer = io.BytesIO()
        np.save(buffer, random.choice([np.zeros(3), np.zeros((1, 1)), np.array(["a"]), np.full(5, np.nan)]))
        members[name] = buffer.getvalue()
    elif kind == "damage":
        members[name] = damaged(random, members[name])
    elif kind == "deep":
        members["schema.json"] = b'{"a":' * 50_000 + b"1" + b"}" * 50_000
    elif kind == "number":
        members["schema.json"] = schema.replace(
            random.choice("0123456789"), random.choice("0123456789")
        ).encode()
    elif kind == "class":
        known = ["OneVsRestSVC", "Pipeline", "StandardScaler", "dict", "list", "BinaryMachine", "KernelSpec"]
        members["schema.json"] = schema.replace(random.choice(known), random.choice(known), 1).encode()
    else:
        words = schema.split('"')
        place = random.randrange(1, len(words), 2)
        words[place] = random.choice([*words[1::2][:50], "", "x"])
        members["schema.json"] = '"'.join(words).encode()
    compression = random.choice([zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(path, "w", compression) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
