"""What the packages offer to the outside, and that they say it well."""

import ast
import importlib
import inspect
import subprocess
import sys

import numpydoc.docscrape
import pytest

import infoprop

FUNCTIONS = {"select"}
PACKAGES = [name for name in infoprop.__all__ if not name.startswith("_") and name not in FUNCTIONS]
NAMES = [
    (package, name) for package in PACKAGES for name in importlib.import_module(f"infoprop.{package}").__all__
]
PLANNED = {
    "metrics": {
        "InformationFlow",
        "class_entropy",
        "error_bounds",
        "indicator_credits",
        "output_information",
        "output_information_scorer",
        "relative_output_information",
    },
    "kernels": {"kernel_gradient", "kernel_matrix"},
    "svm": {"BlockwiseLinearSVC", "OneVsRestSVC", "ShapedLinearClassifier"},
    "mlp": {"MLPClassifier"},
    "credit": {
        "average_separation",
        "credit_features",
        "credit_importance",
        "credit_rows",
        "cross_val_credits",
        "gradient_angles",
    },
    "selection": {
        "BackwardEliminationSelector",
        "BaseFeatureSelector",
        "CreditSelector",
        "DirectedSearchSelector",
        "FeatureSelector",
        "ForwardBeamSelector",
        "GeneticSelector",
        "GradientAngleSelector",
        "KnockoffSelector",
        "RowFolds",
        "ScoreScreen",
        "Selection",
        "StabilitySelector",
        "compare_selectors",
        "interaction_screen",
        "select",
        "selection_stability",
    },
    "pairwise": {"PairwiseClassifier"},
    "shaping": {"BNSScaler", "FeatureShaper", "LocalProbabilityShaper"},
    "datasets": {
        "DelimitedText",
        "load_table",
        "make_corral",
        "make_graded_noise",
        "make_infoprop_synthetic",
        "make_led24",
        "make_parity",
        "make_waveform40",
    },
    "plots": {
        "CreditsDisplay",
        "InformationFlowDisplay",
        "KnockoffDisplay",
        "PairwiseFeaturesDisplay",
        "RowCreditsDisplay",
        "SelectionPathDisplay",
        "ShapeDisplay",
        "StabilityDisplay",
    },
    "report": {"Report"},
    "workflow": {"analyse", "check_table", "compare_table", "shape_table"},
    "cli": {"main"},
    "exceptions": {
        "ClusterError",
        "DataError",
        "InfopropError",
        "MissingDependencyError",
        "ParameterError",
        "UnsupportedEstimatorError",
    },
}
"""What users call, and what they catch."""

RESULTS = {
    "metrics": {"ConfusionCounts", "ErrorBounds", "relative_output_information_scorer"},
    "kernels": {"KernelSpec"},
    "credit": {"FeatureCredits", "GradientAngles", "NoiseFloor", "RowCredits"},
    "selection": {
        "BeamLevel",
        "BeamTrace",
        "ComparedChoice",
        "Comparison",
        "GaussianKnockoffs",
        "Generation",
        "GeneticTrace",
        "InteractionScreen",
        "KnockoffStatistics",
        "PathStep",
        "RankStability",
        "ScreenedPair",
        "SearchInterruptedWarning",
        "SearchStep",
        "SearchTrace",
        "SelectionPath",
        "Stability",
    },
    "datasets": {"LabelledData", "Table", "TableEncoder"},
    "report": {"ComparisonReport", "ReportSummary"},
    "workflow": {"Analysis", "ShapingFinding", "TableCheck", "TableComparison", "TableFinding"},
    "pairwise": {"ClassPair", "ClassPairs"},
    "shaping": {"FeatureShapes", "ShapingRule", "ValueTables"},
}
"""What users are handed, besides what they call."""


@pytest.mark.parametrize("package", PACKAGES)
def test_the_door_lists_what_it_opens(package):
    module = importlib.import_module(f"infoprop.{package}")
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert set(module.__all__) == PLANNED[package] | RESULTS.get(package, set())


@pytest.mark.parametrize(("package", "name"), NAMES, ids=lambda part: part)
def test_every_public_name_explains_itself(package, name):
    thing = getattr(importlib.import_module(f"infoprop.{package}"), name)
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return
    doc = inspect.getdoc(thing)
    assert doc, f"{name} has no docstring"
    assert doc.splitlines()[0].endswith((".", "?")), f"{name}: the first line should be a sentence"


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("svm", "OneVsRestSVC"),
        ("svm", "ShapedLinearClassifier"),
        ("mlp", "MLPClassifier"),
        ("selection", "BackwardEliminationSelector"),
        ("selection", "CreditSelector"),
        ("selection", "DirectedSearchSelector"),
        ("selection", "ForwardBeamSelector"),
        ("selection", "GradientAngleSelector"),
        ("selection", "GeneticSelector"),
        ("pairwise", "PairwiseClassifier"),
        ("shaping", "BNSScaler"),
        ("shaping", "FeatureShaper"),
        ("shaping", "LocalProbabilityShaper"),
    ],
)
def test_documented_parameters_are_the_real_ones_with_their_defaults(package, name):
    thing = getattr(importlib.import_module(f"infoprop.{package}"), name)
    documented = {p.name: p.type for p in numpydoc.docscrape.ClassDoc(thing)["Parameters"]}
    real = inspect.signature(thing).parameters
    assert list(documented) == list(real)
    for parameter in real.values():
        stated = documented[parameter.name].split("default=")[-1]
        assert ast.literal_eval(stated) == parameter.default, parameter.name


def test_a_traceback_says_where_to_import_an_error_from():
    for name in infoprop.exceptions.__all__:
        assert getattr(infoprop.exceptions, name).__module__ == "infoprop.exceptions"


def test_importing_infoprop_imports_nothing_heavy():
    code = """
import sys, infoprop
heavy = {"numpy", "scipy", "sklearn", "numba", "polars", "pandas", "matplotlib", "jinja2", "rich"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = infoprop.magic
    assert "svm" in dir(infoprop)
