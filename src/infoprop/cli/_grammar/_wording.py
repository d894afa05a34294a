"""Errors of the library in the words of the command line."""

from infoprop._core._exceptions import InfopropError

OPTION_OF = {
    # load_table
    "path": "DATA",
    "target": "--target",
    "format": "--format",
    "delimiter": "--delimiter",
    "header=True": "--header",
    "header=False": "--no-header",
    "encoding": "--encoding",
    "split": "--validation split",
    "nominal": "--nominal",
    "numeric": "--numeric",
    "dates": "--date",
    "identifier": "--id",
    "row_groups": "--row-groups",
    "groups": "--groups",
    "labels": "--labels",
    "layer": "--layer",
    "decimal": "--decimal",
    "thousands": "--thousands",
    "transpose": "--transpose",
    "text": "--text",
    "drop": "--drop",
    "sheet": "--sheet",
    # classifiers
    "kernel": "--kernel",
    "C": "--C",
    "gamma": "--gamma",
    "degree": "--degree",
    "coef0": "--coef0",
    "class_weight": "--class-weight",
    "hidden_layer_sizes": "--hidden",
    "n_neighbors": "--neighbors",
    "random_state": "--seed",
    "n_jobs": "--jobs",
    # analyse
    "impute": "--impute",
    "min_df": "--min-df",
    "ngrams": "--ngrams",
    "weights": "--weights",
    "ignore_extra": "--ignore-extra",
    "nested": "--nested",
    "consensus": "--consensus",
    "screen": "--screen",
    "per_class": "--per-class",
    "inner_validation": "--inner-folds",
    "folds": "--folds",
    "methods": "--methods",
    "sizes": "--sizes",
    "classifier": "--classifier",
    "explain_rows": "--explain-rows",
    "repeat_choice": "`infoprop classify`",
    # selectors
    "n_features_to_select": "-k",
    "threshold": "--threshold",
    "rule": "--rule",
    "tolerance": "--tolerance",
    "step": "--step",
    "fdr": "--fdr",
    "criterion": "--criterion",
    "init": "--init",
    "max_trainings": "--max-trainings",
    "beam_width": "--beam",
    "scoring": "--scoring",
    "population_size": "--population",
    "n_generations": "--generations",
    "checkpoint": "--checkpoint",
    "time_limit": "--time-limit",
    "keep": "--keep",
    "validation": "--validation",
    # No option gives rows apart, so nothing is said of it.
    "X_val": "",
    # shapers and generators
    "positive": "--positive",
    "missing_apart": "--missing-apart",
    "positive_label": "--positive",
    "window": "--window",
    "policy": "--policy",
    "n_samples": "--rows",
}
"""Option behind which a parameter of the library is set, by the name of the parameter."""


def option_words(error: InfopropError) -> str:
    """Return the sentence of `error`, with options where the library names its parameters.

    Examples
    --------
    >>> from infoprop._core._checks import check_integer
    >>> try:
    ...     check_integer("random_state", -1, "MLPClassifier", low=0)
    ... except InfopropError as error:
    ...     print(error)
    ...     print(option_words(error))
    The 'random_state' parameter of MLPClassifier must be a whole number >= 0. Got -1.
    --seed must be a whole number >= 0. Got -1.
    """
    return error.in_words_of(OPTION_OF)
