"""Lines of Python that read a table, code it as numbers, and set rows apart."""

from collections import Counter

from sklearn.model_selection import StratifiedKFold

from infoprop.cli._code._script import Script, assigned, call
from infoprop.cli._data._demo_data import CODE
from infoprop.cli._data._reading import text_format
from infoprop.workflow._options import SPLIT, DataOptions, ModelOptions
from infoprop.workflow._preparation import Coding, Problem


def has_folds(model: ModelOptions) -> bool:
    """Whether all rows judge in turn."""
    return isinstance(model.validation, int)


def write_reading(script: Script, data: DataOptions | None, problem: Problem) -> None:
    """Lines that make `X`, `y` and `features`, the feature that each column belongs to."""
    if data is None:
        script.imported("sklearn.datasets", "load_wine")
        script.add(*CODE.format(seed=0).splitlines(), "")
        return
    assert problem.coding is not None  # a table was read
    script.add(*assigned("table", _loading(script, data, problem, problem.coding)))
    kinds = set(problem.coding.kinds.values())
    if problem.coding.is_sparse and not problem.coding.words:
        script.add("X, y, features = table.X, table.y, list(table.columns)", "")
    elif kinds == {"numeric"}:
        script.add('X, y, features = table.frame.to_numpy(order="c"), table.y, list(table.columns)', "")
    else:
        script.add(*_coding_lines(script, data, problem.coding), "")


def _loading(script: Script, data: DataOptions, problem: Problem, coding: Coding) -> str:
    how = text_format(data)
    told = {
        # Sparse files know their labels.
        "target": problem.target if data.target is not None or not coding.is_sparse or coding.words else None,
        "format": how,
        "split": SPLIT if problem.is_test is not None else None,
        "nominal": list(data.nominal),
        "text": list(data.text),
        "numeric": list(data.numeric),
        "dates": list(data.dates),
        "drop": list(data.drop),
        "identifier": data.identifier,
        "labels": None if data.labels is None else data.labels.name,
        "sheet": data.sheet,
        "layer": data.layer,
    }
    if how is not None and not isinstance(how, str):
        script.name_of(type(how))
    given = [f"{name}={script.written(value)}" for name, value in told.items() if value]
    return call(script.imported("infoprop.datasets", "load_table"), [script.written(data.path.name), *given])


def _coding_lines(script: Script, data: DataOptions, coding: Coding) -> list[str]:
    """Lines that code names and words as numbers, column after column."""
    lines = [
        "y, blocks, features = table.y, [], []",
        "for name, kind in table.columns.items():",
        "    column = table.frame[name]",
    ]
    kinds = set(coding.kinds.values())
    if "text" in kinds:
        lines += _counting_lines(script, data, coding, is_alone=len(kinds) == 1)
    if "nominal" in kinds:
        lines += [
            '    if kind == "nominal":',
            '        texts = column.fill_null("(missing)").to_numpy()',
            "        block = (texts[:, None] == np.unique(texts)).astype(float)",
            "    else:",
            "        block = column.to_numpy()[:, None]",
        ]
    elif "numeric" in kinds:
        lines.append("    block = column.to_numpy()[:, None]")
    if kinds != {"text"}:
        whole = "sparse.csr_matrix(block)" if coding.is_sparse else "block"
        lines += [f"    blocks.append({whole})", "    features += [name] * block.shape[1]"]
    stacked = 'sparse.hstack(blocks, format="csr")' if coding.is_sparse else "np.hstack(blocks)"
    return [*lines, f"X = {stacked}"]


def _counting_lines(script: Script, data: DataOptions, coding: Coding, *, is_alone: bool) -> list[str]:
    """Lines of the loop over columns that count the words of one."""
    script.imported("sklearn.feature_extraction.text", "CountVectorizer")
    script.imported("scipy", "sparse")
    tells_column = any(owner.startswith(f"{name}:") for name in coding.words for owner in coding.owners)
    naming = 'f"{name}:{word}"' if tells_column else "str(word)"
    lines = [
        f"    counter = CountVectorizer(min_df={data.min_df}, dtype=np.float64)",
        "    blocks.append(counter.fit_transform(column.to_list()))",
        f"    features += [{naming} for word in counter.get_feature_names_out()]",
    ]
    if is_alone:
        return lines
    return ['    if kind == "text":', *(f"    {line}" for line in lines), "        continue"]


def write_judging(script: Script, model: ModelOptions, problem: Problem) -> None:
    """Lines that make `folds`, or `train` and `judge`."""
    if problem.is_test is not None:
        script.add("part = np.char.lower(table.split.astype(str))")
        script.add('train, judge = np.flatnonzero(part == "train"), np.flatnonzero(part == "test")', "")
        return
    if has_folds(model):
        made = f"{model.validation}, shuffle=True, random_state={model.seed}"
        script.add(f"folds = {script.name_of(StratifiedKFold)}({made})", "")
        return
    script.imported("sklearn.model_selection", "train_test_split")
    options = f"test_size={model.validation!r}, stratify=y[rows], random_state={model.seed}"
    if min(Counter(problem.y.tolist()).values()) > 1:
        script.add("rows = np.arange(len(y))", f"train, judge = train_test_split(rows, {options})")
        script.add("train, judge = np.sort(train), np.sort(judge)", "")
        return
    script.add(
        "# A class with a single row can be learned or judged, not both; it is learned.",
        "_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)",
        "rows, alone = np.flatnonzero(counts[codes] > 1), np.flatnonzero(counts[codes] == 1)",
        f"train, judge = train_test_split(rows, {options})",
        "train, judge = np.sort(np.append(train, alone)), np.sort(judge)",
        "",
    )
