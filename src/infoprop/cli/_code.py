"""The Python that repeats a run of the command line, with nothing but the public names."""

from collections import Counter
from dataclasses import replace

from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from infoprop.cli._choice import ANGLE, Choice
from infoprop.cli._classifiers import classifier_for
from infoprop.cli._constructors import Script, assigned, call
from infoprop.cli._demo_data import CODE
from infoprop.cli._learners import PAIRWISE
from infoprop.cli._options import DataOptions, ModelOptions
from infoprop.cli._pair_searching import pair_search, pairs_of
from infoprop.cli._preparation import Coding, Problem
from infoprop.cli._reading import text_format
from infoprop.cli._searching import selector_for
from infoprop.cli._values import SPLIT


def code_for(data: DataOptions | None, model: ModelOptions, choice: Choice | None, problem: Problem) -> str:
    """Return Python that does what `infoprop credit` or, with a choice, `infoprop select` did.

    Parameters
    ----------
    data : DataOptions or None
        Where the data lies and how it is read; None for the data of the demo.
    model : ModelOptions
        The classifier, and which rows judge it.
    choice : Choice or None
        How features are chosen.
    problem : Problem
        What was learned from.

    Returns
    -------
    str
        A script. At its end `flow` is what the classifier delivers, with the chosen features after a choice;
        `credits` what every feature is worth, or `chosen` the names of those chosen.
    """
    estimator = classifier_for(model, data, problem.is_sparse)
    script = Script()
    _read(script, data, problem)
    _judge(script, model, problem)
    script.add(*assigned("model", script.written(estimator)))
    script.known.update(features=list(problem.owners), model=estimator, folds=StratifiedKFold())
    if choice is None:
        _credit(script, model)
    elif model.classifier == PAIRWISE:
        _search_pairs(script, model, replace(choice, checkpoint=None), problem, estimator)
    else:
        _select(script, model, replace(choice, checkpoint=None), problem, estimator)
    script.add('print(f"{flow.information:.4f} of {flow.class_entropy:.4f} bits")')
    return script.text()


def _has_folds(model: ModelOptions) -> bool:
    return isinstance(model.validation, int)


def _read(script: Script, data: DataOptions | None, problem: Problem) -> None:
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
        "drop": list(data.drop),
        "sheet": data.sheet,
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


def _judge(script: Script, model: ModelOptions, problem: Problem) -> None:
    """Lines that make `folds`, or `train` and `judge`."""
    if problem.is_test is not None:
        script.add("part = np.char.lower(table.split.astype(str))")
        script.add('train, judge = np.flatnonzero(part == "train"), np.flatnonzero(part == "test")', "")
        return
    if _has_folds(model):
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


def _flow(script: Script, true: str, predicted: str) -> str:
    script.imported("infoprop.metrics", "InformationFlow")
    return f"flow = InformationFlow.from_predictions({true}, {predicted})"


def _credit(script: Script, model: ModelOptions) -> None:
    if not _has_folds(model):
        script.imported("infoprop.credit", "credit_features")
        script.add("model.fit(X[train], y[train])")
        script.add("credits = credit_features(model, X[judge], y[judge]).grouped(features)")
    else:
        script.imported("sklearn.model_selection", "cross_val_predict")
        script.imported("infoprop.credit", "FeatureCredits")
        script.imported("infoprop.credit", "credit_shares")
        script.add(
            "predicted = cross_val_predict(model, X, y, cv=folds)",
            "model.fit(X, y)",
            "credits = FeatureCredits.from_predictions(",
            "    y,",
            "    predicted,",
            "    classes=model.classes_,",
            "    shares=credit_shares(model, X),",
            '    feature_names=[f"x{column}" for column in range(X.shape[1])],',
            ").grouped(features)",
        )
    script.add("flow = credits.flow", "print(credits.top(20))")


def _select(
    script: Script, model: ModelOptions, choice: Choice, problem: Problem, estimator: BaseEstimator
) -> None:
    selector = selector_for(choice, problem, estimator, model)
    selector.set_params(groups=script.known["features"], estimator=estimator)
    if _has_folds(model) and choice.method != ANGLE:
        selector.set_params(validation=script.known["folds"])
    script.add(*assigned("selector", script.written(selector)))
    if not _has_folds(model):
        given = "" if choice.counts_apart else ", X_val=X[judge], y_val=y[judge]"
        script.add(f"selector.fit(X[train], y[train]{given})", *_chosen_lines("selector.support_"))
        script.add(_flow(script, "y[judge]", "selector.predict(X[judge])"))
        return
    script.imported("sklearn.model_selection", "cross_val_predict")
    script.add("selector.fit(X, y)", *_chosen_lines("selector.support_"))
    script.add("columns = np.flatnonzero(support)")
    script.add(_flow(script, "y", "cross_val_predict(model, X[:, columns], y, cv=folds)"))


def _search_pairs(
    script: Script, model: ModelOptions, choice: Choice, problem: Problem, estimator: BaseEstimator
) -> None:
    """Pairs are searched once; with folds, the script ends with what their search counted."""
    n_folds = {"n_folds": model.validation} if isinstance(model.validation, int) else {}
    search = pair_search(choice, problem, estimator, **n_folds)
    selection = pairs_of(search).selection
    if not isinstance(selection, str):
        selection.set_params(groups=script.known["features"])
    script.add(*assigned("search", script.written(search)))
    pairs = "search" if pairs_of(search) is search else "search[-1]"
    rows = "X, y" if _has_folds(model) else "X[train], y[train]"
    script.add(f"search.fit({rows})", *_chosen_lines(f"{pairs}.pairs_.support.any(axis=0)"))
    if _has_folds(model):
        script.imported("sklearn.model_selection", "cross_val_predict")
        script.add("# Of all features; the choice counts on the same rows, and would flatter itself.")
        script.add(_flow(script, "y", "cross_val_predict(model, X, y, cv=folds)"))
    else:
        script.add(_flow(script, "y[judge]", "search.predict(X[judge])"))


def _chosen_lines(support: str) -> list[str]:
    return [
        f"support = {support}",
        "chosen = list(dict.fromkeys(name for name, is_in in zip(features, support) if is_in))",
        "print(chosen)",
    ]
