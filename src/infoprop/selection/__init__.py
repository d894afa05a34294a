"""Feature selectors that also predict.

Each is a scikit-learn selector and a classifier: it chooses columns by what they earn, in bits, or by how
often the classifier is right on them, trains it on those, and then transforms, predicts and scores.
"""

from infoprop._core._row_folds import RowFolds
from infoprop.selection._base import BaseFeatureSelector, Selection
from infoprop.selection.comparison._comparison import ComparedChoice, Comparison
from infoprop.selection.comparison._nested import compare_selectors
from infoprop.selection.comparison._stability import Stability, selection_stability
from infoprop.selection.control._gaussian import GaussianKnockoffs
from infoprop.selection.control._knockoff_filter import KnockoffStatistics
from infoprop.selection.control._knockoffs import KnockoffSelector
from infoprop.selection.control._rank_path import RankStability
from infoprop.selection.control._stability import StabilitySelector
from infoprop.selection.elimination._backward import BackwardEliminationSelector
from infoprop.selection.elimination._path import PathStep, SelectionPath
from infoprop.selection.front._selector import FeatureSelector, select
from infoprop.selection.running._interruption import SearchInterruptedWarning
from infoprop.selection.screen._interactions import InteractionScreen, ScreenedPair, interaction_screen
from infoprop.selection.screen._scores import ScoreScreen
from infoprop.selection.searches._beam_trace import BeamLevel, BeamTrace
from infoprop.selection.searches._credit import CreditSelector
from infoprop.selection.searches._directed import DirectedSearchSelector
from infoprop.selection.searches._forward import ForwardBeamSelector
from infoprop.selection.searches._generations import Generation, GeneticTrace
from infoprop.selection.searches._genetic import GeneticSelector
from infoprop.selection.searches._gradient_angle import GradientAngleSelector
from infoprop.selection.searches._trace import SearchStep, SearchTrace

__all__ = [
    "BackwardEliminationSelector",
    "BaseFeatureSelector",
    "BeamLevel",
    "BeamTrace",
    "ComparedChoice",
    "Comparison",
    "CreditSelector",
    "DirectedSearchSelector",
    "FeatureSelector",
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
    "ScoreScreen",
    "ScreenedPair",
    "SearchInterruptedWarning",
    "SearchStep",
    "SearchTrace",
    "Selection",
    "SelectionPath",
    "Stability",
    "StabilitySelector",
    "compare_selectors",
    "interaction_screen",
    "select",
    "selection_stability",
]
