"""Names of the classifiers, and which options are their own."""

from collections.abc import Collection

from infoprop._core._exceptions import ParameterError

PAIRWISE = "pairwise"
CLASSIFIERS = ("svm", "mlp", "knn", "logistic", "shaped", PAIRWISE)
MEMBERS = ("svm", "knn")
OPTIONS_OF = {
    "svm": ("kernel", "C", "gamma", "degree", "coef0", "class_weight"),
    "mlp": ("hidden",),
    "knn": ("neighbors",),
    "logistic": ("C", "class_weight"),
    "shaped": (),
    PAIRWISE: ("member",),
}
"""Options that belong to each classifier; those of its member belong to `pairwise` too."""

KERNEL_OPTIONS = {
    "gamma": ("poly", "rbf", "sigmoid", "anova"),
    "degree": ("poly", "anova"),
    "coef0": ("poly", "sigmoid"),
}
"""Kernels that each option means something to."""

KERNELS = ("linear", "poly", "rbf", "sigmoid", "anova")

CLASSIFIER_HELP = """\
Classifiers (--classifier):
  svm       One support vector machine per class (--kernel, --C, --gamma, --degree, --coef0,
            --class-weight).
  mlp       A small network, one output per class (--hidden).
  knn       The nearest neighbours (--neighbors).
  logistic  Logistic regression (--C, --class-weight).
  shaped    Linear machines on shaped features; chooses C itself, gives probabilities.
  pairwise  A classifier (--member svm or knn) for every pair of classes, each with features of its own."""


def check_options(given: Collection[str], classifier: str, member: str, kernel: str) -> None:
    """Refuse options in `given` that do not belong to the classifier, its member or its kernel."""
    is_pairwise = classifier == PAIRWISE
    learner = member if is_pairwise else classifier
    for name in given:
        owners = [owner for owner, options in OPTIONS_OF.items() if name in options]
        if learner in owners or classifier in owners:
            continue
        members = [f"--member {owner}" for owner in owners if is_pairwise and owner in MEMBERS]
        fitting = " or ".join(members or [f"--classifier {owner}" for owner in owners])
        what = f"{classifier} --member {member}" if is_pairwise else classifier
        option = name.replace("_", "-")
        raise ParameterError(f"--{option} goes with {fitting}, not with --classifier {what}; leave it out.")
    for name, kernels in KERNEL_OPTIONS.items():
        if name in given and kernel not in kernels:
            fitting = " or ".join(f"--kernel {fit}" for fit in kernels)
            raise ParameterError(f"--{name} goes with {fitting}, not with --kernel {kernel}.")
