"""The Python that repeats `infoprop shape`."""

import numpy as np
from sklearn.model_selection import GridSearchCV

from infoprop.cli._code._data_lines import write_judging, write_reading
from infoprop.cli._code._script import Script, assigned, quoted
from infoprop.cli._code._table_code import LAST_LINE, write_judged
from infoprop.selection import RowFolds
from infoprop.workflow._options import DataOptions, ModelOptions, ShapeOptions
from infoprop.workflow._preparation import Problem
from infoprop.workflow._shaping import N_INNER_FOLDS, one_against_the_rest, shaped_classifier


def code_for_shape(data: DataOptions, model: ModelOptions, options: ShapeOptions, problem: Problem) -> str:
    """Return Python that judges linear machines on shaped columns as `infoprop shape` did.

    At its end `flow` is what they deliver.

    Parameters
    ----------
    data, model, options
        What the run was told.
    problem : Problem
        The whole table, before a class was told from the rest.
    """
    script = Script()
    write_reading(script, data, problem)
    if options.positive is not None:
        label = next(each for each in np.unique(problem.y).tolist() if str(each) == options.positive)
        told = f"{quoted(options.positive)}, {quoted(f'not {options.positive}')}"
        script.add(f"y = np.where(y == {script.written(label)}, {told})", "")
    write_judging(script, model, one_against_the_rest(problem, options.positive))
    classifier = shaped_classifier(data, model, options)
    if isinstance(classifier, GridSearchCV):
        made = f"{script.name_of(RowFolds)}({N_INNER_FOLDS}, random_state={model.seed})"
        script.add(f"inner_folds = {made}")
        script.known.update(inner_folds=classifier.validation)
    script.add(*assigned("model", script.written(classifier)))
    write_judged(script, model, "model")
    script.add(LAST_LINE)
    return script.text()
