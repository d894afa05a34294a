"""The Python that repeats a run of the command line, with nothing but the public names."""

from dataclasses import replace

from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from infoprop.cli._code._data_lines import has_folds, write_judging, write_reading
from infoprop.cli._code._script import Script, assigned
from infoprop.pairwise import PairwiseClassifier
from infoprop.workflow._choice import Choice
from infoprop.workflow._classifier_names import PAIRWISE
from infoprop.workflow._classifiers import classifier_for
from infoprop.workflow._options import DataOptions, ModelOptions, draws_noise
from infoprop.workflow._pair_selectors import pair_search, pairs_of
from infoprop.workflow._preparation import Problem
from infoprop.workflow._selectors import selector_for

LAST_LINE = 'print(f"{flow.information:.4f} of {flow.class_entropy:.4f} bits")'


def code_for(
    data: DataOptions | None,
    model: ModelOptions,
    choice: Choice | None,
    problem: Problem,
    *,
    is_classified: bool = False,
) -> str:
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
    is_classified : bool
        Do what `infoprop classify` did instead: no credits, and a choice from training rows alone.

    Returns
    -------
    str
        A script. At its end `flow` is what the classifier delivers, with the chosen features after a choice;
        `credits` what every feature is worth, or `chosen` the names of those chosen.
    """
    estimator = classifier_for(model, data, problem.is_sparse)
    script = Script()
    write_reading(script, data, problem)
    write_judging(script, model, problem)
    script.add(*assigned("model", script.written(estimator)))
    script.known.update(features=list(problem.owners), model=estimator, folds=StratifiedKFold())
    if choice is not None:
        choice = replace(choice, checkpoint=None)
    if is_classified:
        _classify(script, model, choice, problem, estimator)
    elif choice is None:
        _credit(script, model)
    elif model.classifier == PAIRWISE:
        _search_pairs(script, model, choice, problem, estimator)
    else:
        _select(script, model, choice, problem, estimator)
    script.add(LAST_LINE)
    return script.text()


def _flow(script: Script, true: str, predicted: str) -> str:
    script.imported("infoprop.metrics", "InformationFlow")
    return f"flow = InformationFlow.from_predictions({true}, {predicted})"


def _credit(script: Script, model: ModelOptions) -> None:
    how = ["groups=features"]
    if model.credit_sharing != ModelOptions().credit_sharing:
        how.append(f'sharing="{model.sharing}"')
    if draws_noise(model):
        how += ['null="shuffled"', f"n_null={model.n_null}", f"random_state={model.seed}"]
    if has_folds(model):
        script.imported("infoprop.credit", "cross_val_credits")
        call = "cross_val_credits(model, X, y, validation=folds"
    else:
        script.imported("infoprop.credit", "credit_features")
        script.add("model.fit(X[train], y[train])")
        call = "credit_features(model, X[judge], y[judge]"
    script.add(f"credits = {call}, {', '.join(how)})")
    script.add("flow = credits.flow", "print(credits.top(20))")


def _classify(
    script: Script, model: ModelOptions, choice: Choice | None, problem: Problem, estimator: BaseEstimator
) -> None:
    """The features told are chosen from all rows; those of the classifiers that are judged, from others."""
    if choice is None:
        write_judged(script, model, "model")
        return
    if model.classifier == PAIRWISE:
        chooser = pair_search(choice, problem, estimator)
    else:
        chooser = selector_for(choice, problem, estimator, model)
    _write_chooser(script, "chooser", chooser)
    write_judged(script, model, "chooser")
    script.add("chooser.fit(X, y)", *_chosen_lines("chooser", chooser))


def write_judged(script: Script, model: ModelOptions, name: str) -> None:
    """Lines that make `flow` of what a classifier says of rows that it has not seen."""
    if has_folds(model):
        script.imported("sklearn.model_selection", "cross_val_predict")
        script.add(_flow(script, "y", f"cross_val_predict({name}, X, y, cv=folds)"))
    else:
        script.add(f"{name}.fit(X[train], y[train])")
        script.add(_flow(script, "y[judge]", f"{name}.predict(X[judge])"))


def _write_chooser(script: Script, name: str, chooser: BaseEstimator) -> None:
    """Lines that make a selector, or a classifier of pairs that selects."""
    selector = getattr(pairs_of(chooser), "selection", chooser)
    # The genetic search of pairs is their own, and has only a name.
    grouped = selector if isinstance(selector, BaseEstimator) else pairs_of(chooser)
    grouped.set_params(groups=script.known["features"])
    script.add(*assigned(name, script.written(chooser)))


def _select(
    script: Script, model: ModelOptions, choice: Choice, problem: Problem, estimator: BaseEstimator
) -> None:
    selector = selector_for(choice, problem, estimator, model)
    if has_folds(model) and not choice.counts_nothing:
        selector.set_params(validation=script.known["folds"])
    _write_chooser(script, "selector", selector)
    if not has_folds(model):
        given = "" if choice.counts_apart else ", X_val=X[judge], y_val=y[judge]"
        script.add(f"selector.fit(X[train], y[train]{given})", *_chosen_lines("selector", selector))
        script.add(_flow(script, "y[judge]", "selector.predict(X[judge])"))
        return
    script.imported("sklearn.model_selection", "cross_val_predict")
    script.add("selector.fit(X, y)", *_chosen_lines("selector", selector))
    script.add("columns = np.flatnonzero(support)")
    script.add(_flow(script, "y", "cross_val_predict(model, X[:, columns], y, cv=folds)"))


def _search_pairs(
    script: Script, model: ModelOptions, choice: Choice, problem: Problem, estimator: BaseEstimator
) -> None:
    """Pairs are searched once; with folds, the script ends with what their search counted."""
    n_folds = {"n_folds": model.validation} if isinstance(model.validation, int) else {}
    search = pair_search(choice, problem, estimator, **n_folds)
    _write_chooser(script, "search", search)
    rows = "X, y" if has_folds(model) else "X[train], y[train]"
    script.add(f"search.fit({rows})", *_chosen_lines("search", search))
    if has_folds(model):
        script.imported("sklearn.model_selection", "cross_val_predict")
        script.add("# Of all features; the choice counts on the same rows, and would flatter itself.")
        script.add(_flow(script, "y", "cross_val_predict(model, X, y, cv=folds)"))
    else:
        script.add(_flow(script, "y[judge]", "search.predict(X[judge])"))


def _chosen_lines(name: str, chooser: BaseEstimator) -> list[str]:
    """Lines that tell the features that a fitted `chooser` uses."""
    pairs = pairs_of(chooser)
    support = f"{name}.support_"
    if isinstance(pairs, PairwiseClassifier):
        support = f"{name if pairs is chooser else f'{name}[-1]'}.pairs_.support.any(axis=0)"
    return [
        f"support = {support}",
        "chosen = list(dict.fromkeys(name for name, is_in in zip(features, support) if is_in))",
        "print(chosen)",
    ]
