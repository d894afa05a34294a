"""Feature selectors that also predict.

Each is a scikit-learn selector and a classifier: it chooses columns by what they earn, in bits, or by how
often the classifier is right on them, trains it on those, and then transforms, predicts and scores.
"""

from infoprop._core._frames import to_native_frame
from infoprop.selection._containers import is_frame, take_columns, take_rows
from infoprop.selection._evaluation import SubsetEvaluator
from infoprop.selection._preparation import prepared_rows, restricted, searching
from infoprop.selection._row_folds import RowFolds
from infoprop.selection.comparison._comparison import ComparedChoice, Comparison
from infoprop.selection.comparison._nested import compare_selectors
from infoprop.selection.comparison._nested_plan import automatic_sizes
from infoprop.selection.comparison._stability import Stability, selection_stability
from infoprop.selection.control._gaussian import GaussianKnockoffs
from infoprop.selection.control._knockoff_filter import KnockoffStatistics
from infoprop.selection.control._knockoffs import KnockoffSelector
from infoprop.selection.control._rank_path import RankStability
from infoprop.selection.control._stability import StabilitySelector
from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.elimination._path import PathStep, SelectionPath
from infoprop.selection.running._callbacks import CallbackSupportMixin, with_callbacks
from infoprop.selection.running._interruption import SearchInterruptedWarning
from infoprop.selection.running._work import Work
from infoprop.selection.screen._interactions import InteractionScreen, ScreenedPair, interaction_screen
from infoprop.selection.searches._beam_trace import BeamLevel, BeamTrace
from infoprop.selection.searches._credit import CreditSelector
from infoprop.selection.searches._directed import DirectedSearchSelector
from infoprop.selection.searches._evolution import Evolution, EvolutionSettings
from infoprop.selection.searches._forward import ForwardBeamSelector
from infoprop.selection.searches._generations import Generation, GeneticTrace
from infoprop.selection.searches._genetic import GeneticSelector
from infoprop.selection.searches._genetics import population_around, random_population
from infoprop.selection.searches._gradient_angle import GradientAngleSelector
from infoprop.selection.searches._neighbor_votes import neighbor_votes
from infoprop.selection.searches._trace import SearchStep, SearchTrace

__all__ = [
    "BackwardEliminationSelector",
    "BeamLevel",
    "BeamTrace",
    "CallbackSupportMixin",
    "ComparedChoice",
    "Comparison",
    "CreditSelector",
    "DirectedSearchSelector",
    "Evolution",
    "EvolutionSettings",
    "ForwardBeamSelector",
    "GaussianKnockoffs",
    "Generation",
    "GeneticSelector",
    "GeneticTrace",
    "GradientAngleSelector",
    "InteractionScreen",
    "KnockoffSelector",
    "KnockoffStatistics",
    "PathStep",
    "RankStability",
    "RowFolds",
    "ScreenedPair",
    "SearchInterruptedWarning",
    "SearchStep",
    "SearchTrace",
    "SelectionPath",
    "Stability",
    "StabilitySelector",
    "SubsetEvaluator",
    "Work",
    "automatic_sizes",
    "compare_selectors",
    "interaction_screen",
    "is_frame",
    "neighbor_votes",
    "population_around",
    "prepared_rows",
    "random_population",
    "restricted",
    "searching",
    "selection_stability",
    "take_columns",
    "take_rows",
    "to_native_frame",
    "with_callbacks",
]
