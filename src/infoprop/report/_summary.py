"""The numbers of a report: typed, frozen, ready for JSON. Nothing here draws."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Unpack

import numpy as np

from infoprop._core._checks import check_choice
from infoprop.credit import FeatureCredits
from infoprop.metrics import InformationFlow
from infoprop.report import _sentences
from infoprop.report._columns import columns_of
from infoprop.report._comparisons import ComparisonSummary, comparison_of
from infoprop.report._control import ControlSummary, control_of
from infoprop.report._explained_rows import RowSummary, rows_of
from infoprop.report._front import FrontSummary, InteractionsSummary, front_of, interactions_of
from infoprop.report._inputs import ReportParts, check_parts
from infoprop.report._pairs import PairsSummary, pairs_of
from infoprop.report._parts import (
    FEATURE_COLUMNS,
    N_JSON_CELLS,
    BoundsSummary,
    ClassSummary,
    FeatureSummary,
    RetrainedSummary,
    RunSummary,
    balanced_accuracy_of,
    base_rate_of,
    bounds_of,
    classes_of,
    counts_of,
    features_of,
    printable,
    retrained_of,
    run_of,
    selection_mask,
    stages_of,
)
from infoprop.report._searches import PathSummary, TraceSummary, check_features, path_of, trace_of
from infoprop.report._shapes import ShapesSummary, shapes_of
from infoprop.report._subset_searches import BeamSummary, EvolutionSummary, beam_of, evolution_of
from infoprop.report._value_bins import BINNED_COLUMNS, FeatureBins, bins_of

JUDGED_ON = ("unseen", "choice", None)
"""What the judged rows can have been: no part of training and choice, a part of the choice, not known."""

SCHEMA = 3
"""Number of the JSON layout; grows when a field changes its meaning or goes away."""


@dataclass(frozen=True)
class ReportSummary:
    """Everything a report says, as numbers and names.

    Parameters
    ----------
    schema : int
        Number of the layout.
    title : str
        Title of the page.
    n_features : int
        Number of features there are.
    feature_names : tuple of str
        Their names, in the order of their columns.
    n_judged : float
        Number of rows behind the confusion table.
    class_entropy, information, relative_information : float
        H(Y) and I(Y;Yf) in bits, and their ratio.
    accuracy : float
        Share of the judged rows that were labelled right.
    correction : str or None
        Correction for small samples that was applied to the entropies.
    bounds : BoundsSummary
        What the information allows the error to be.
    classes : tuple of ClassSummary
        In the order of the confusion table.
    confusion : tuple of tuple of float
        Rows true, columns predicted.
    features : tuple of FeatureSummary
        With their credits, best first; empty for a classifier that has none.
    selected : tuple of str or None
        Names of the chosen features, in the order of their columns.
    retrained : RetrainedSummary or None
        After a selection, the classifier on the chosen features.
    judged_on : {"unseen", "choice"} or None
        Whether the judged rows took no part, or helped to choose the features; None if that is not known.
    base_rate : float
        Share of the judged rows that the most frequent class has.
    balanced_accuracy : float
        Mean over the classes of the share of their rows labelled right.
    auc : float or None
        Area under the ROC curve, of the retrained classifier if there is one.
    stages : tuple of two str
        What it was trained on before and after.
    path : PathSummary or None
        After an elimination, what every size delivered.
    trace : TraceSummary or None
        After a directed search, every subset it asked about.
    beam : BeamSummary or None
        After a forward search, the best subsets of every size.
    evolution : EvolutionSummary or None
        After a genetic search, its generations.
    control : ControlSummary or None
        After a choice with error control, the q-values.
    front : FrontSummary or None
        After a choice without a method, what was tried and why one was taken.
    interactions : InteractionsSummary or None
        Pairs of features that work together.
    pairs : PairsSummary or None
        Which pair of classes uses which features.
    shapes : ShapesSummary or None
        What the values of the best columns become.
    value_bins : tuple of FeatureBins or None
        Where the classes lie over the values of the features that are seen first.
    rows : tuple of RowSummary or None
        Single rows, with what every feature adds to the output of the class that wins there.
    nested : ComparisonSummary or None
        What the whole selection delivers on rows that it has not seen.
    run : RunSummary
        What was run.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from infoprop.credit import credit_features
    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> credits = credit_features(LogisticRegression().fit(X, y), X, y)
    >>> ReportSummary.from_credits(credits).headline
    '2 features get 100% of the judged rows right (± 15.3)'
    """

    schema: int
    title: str
    n_features: int
    feature_names: tuple[str, ...]
    n_judged: float
    class_entropy: float
    information: float
    relative_information: float
    accuracy: float
    correction: str | None
    bounds: BoundsSummary
    classes: tuple[ClassSummary, ...]
    confusion: tuple[tuple[float, ...], ...]
    features: tuple[FeatureSummary, ...]
    selected: tuple[str, ...] | None
    retrained: RetrainedSummary | None
    judged_on: str | None
    base_rate: float
    balanced_accuracy: float
    auc: float | None
    stages: tuple[str, str]
    path: PathSummary | None
    trace: TraceSummary | None
    beam: BeamSummary | None
    evolution: EvolutionSummary | None
    control: ControlSummary | None
    front: FrontSummary | None
    interactions: InteractionsSummary | None
    pairs: PairsSummary | None
    shapes: ShapesSummary | None
    value_bins: tuple[FeatureBins, ...] | None
    rows: tuple[RowSummary, ...] | None
    nested: ComparisonSummary | None
    run: RunSummary

    @classmethod
    def from_credits(cls, credits: FeatureCredits, **parts: Unpack[ReportParts]) -> "ReportSummary":
        """Take the numbers out of `credits`; the parameters are those of :meth:`Report.from_credits`."""
        mask = selection_mask(parts.get("selected"), credits.n_features)
        return cls._assembled(credits.flow, credits.feature_names, features_of(credits, mask), parts)

    @classmethod
    def from_flow(
        cls, flow: InformationFlow, *, feature_names: Sequence[str], **parts: Unpack[ReportParts]
    ) -> "ReportSummary":
        """Take the numbers out of `flow`; the parameters are those of :meth:`Report.from_flow`."""
        return cls._assembled(flow, tuple(feature_names), (), parts)

    @classmethod
    def _assembled(
        cls,
        flow: InformationFlow,
        names: tuple[str, ...],
        features: tuple[FeatureSummary, ...],
        parts: ReportParts,
    ) -> "ReportSummary":
        check_parts(parts)
        mask = selection_mask(parts.get("selected"), len(names))
        chosen = None if mask is None else np.flatnonzero(mask).tolist()
        path, trace, beam = parts.get("path"), parts.get("trace"), parts.get("beam")
        for search, word in ((path, "path"), (trace, "trace"), (beam, "beam")):
            check_features(search, word, len(names))
        owners = parts.get("owners")
        run = run_of(parts)
        control = control_of(parts.get("control"))
        retrained = retrained_of(parts, flow, names)
        if control is not None:
            features = _with_q_values(features, control)
            if retrained is not None:
                retrained = replace(retrained, features=_with_q_values(retrained.features, control))
        title = parts.get("title")
        return cls(
            schema=SCHEMA,
            title=printable(title) if title else _default_title(run.data, is_credited=bool(features)),
            n_features=len(names),
            feature_names=tuple(printable(name) for name in names),
            n_judged=float(flow.n_samples),
            class_entropy=float(flow.class_entropy),
            information=float(flow.information),
            relative_information=float(flow.relative_information),
            accuracy=float(flow.accuracy),
            correction=flow.correction,
            bounds=bounds_of(flow),
            classes=classes_of(flow),
            confusion=counts_of(flow),
            features=features,
            selected=None if chosen is None else tuple(printable(names[column]) for column in chosen),
            retrained=retrained,
            judged_on=check_choice("judged_on", parts.get("judged_on"), JUDGED_ON, "Report"),
            base_rate=base_rate_of(flow),
            balanced_accuracy=balanced_accuracy_of(flow),
            auc=parts.get("auc"),
            stages=stages_of(parts.get("stages")),
            path=path_of(
                path, None if chosen is None else len(chosen), parts.get("rule"), parts.get("tolerance")
            ),
            trace=trace_of(trace),
            beam=beam_of(beam, names),
            evolution=evolution_of(parts.get("evolution"), names),
            control=control,
            front=front_of(parts.get("front")),
            interactions=interactions_of(parts.get("interactions"), parts.get("column_names"), owners),
            pairs=pairs_of(parts.get("pairs"), names, owners),
            shapes=shapes_of(parts.get("shapes"), names, owners),
            value_bins=bins_of(parts, names, features, flow.labels.tolist()),
            rows=rows_of(
                parts.get("rows"), parts.get("row_numbers"), parts.get("row_classes"), flow.labels.tolist()
            ),
            nested=comparison_of(parts.get("nested")),
            run=run,
        )

    @property
    def selected_features(self) -> tuple[FeatureSummary, ...]:
        """The chosen features with their credits, best first; empty when nothing was chosen or credited."""
        return tuple(feature for feature in self.features if feature.selected)

    @property
    def of_chosen(self) -> "ReportSummary | None":
        """The same summary as if there were the chosen features only; None if their credits are not known."""
        if self.retrained is None or not self.retrained.features:
            return None
        after = self.retrained
        return replace(
            self,
            n_features=len(after.features),
            information=after.information,
            relative_information=after.relative_information,
            accuracy=after.accuracy,
            balanced_accuracy=after.balanced_accuracy,
            bounds=after.bounds,
            classes=after.classes,
            confusion=after.confusion,
            features=tuple(replace(feature, selected=None) for feature in after.features),
            selected=None,
            retrained=None,
        )

    @property
    def has_noise_floor(self) -> bool:
        """Whether it is known what chance alone could earn."""
        return bool(self.features) and self.features[0].p_value is not None

    @property
    def has_intervals(self) -> bool:
        """Whether it is known how sure the credits are."""
        return any(feature.low is not None for feature in self.features)

    @property
    def has_q_values(self) -> bool:
        """Whether error control tells at which rate each feature is just chosen."""
        return any(feature.q_value is not None for feature in self.features)

    @property
    def noise_sentence(self) -> str:
        """How many features are above what chance could earn; empty if it was not asked for."""
        return _sentences.noise(self) if self.has_noise_floor else ""

    @property
    def headline(self) -> str:
        """The finding in one sentence."""
        return _sentences.headline(self)

    @property
    def lead(self) -> str:
        """The finding in a few more sentences."""
        return _sentences.lead(self)

    @property
    def error_sentences(self) -> tuple[str, ...]:
        """What the error was, and what the information allows it to be."""
        return _sentences.errors(self)

    @property
    def search_sentences(self) -> tuple[str, ...]:
        """What the search went through, if there was one."""
        searches = (
            *(self.front, self.interactions, self.path, self.trace),
            *(self.beam, self.evolution, self.control, self.pairs),
        )
        told = [search.sentence for search in searches if search is not None]
        if self.path is not None and self.path.rule is not None:
            told.append(self.path.why)
        return tuple(told)

    @property
    def nested_sentences(self) -> tuple[str, ...]:
        """What the whole selection delivers on rows it has not seen, if somebody asked."""
        return () if self.nested is None else (self.nested.how, *self.nested.sentences)

    def n_features_for(self, share: float) -> int:
        """Smallest number of best features whose credits reach `share` of the information."""
        if self.information <= 0:
            return 0
        reached = np.cumsum([feature.share for feature in self.features])
        # Credits add up to the information only within rounding.
        return int(np.searchsorted(reached, share - 1e-12)) + 1

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain dictionaries, lists, numbers and strings."""
        bare = replace(self, features=(), path=None, control=None, value_bins=None)
        if self.retrained is not None:
            bare = replace(bare, retrained=replace(self.retrained, features=()))
        plain = asdict(bare)
        # Long tables go column by column.
        plain["features"] = columns_of(self.features, FEATURE_COLUMNS)
        n_told = N_JSON_CELLS // len(self.classes)
        by_class = plain["features"]["by_class"]
        by_class[n_told:] = [None] * len(by_class[n_told:])
        if self.retrained is not None:
            plain["retrained"]["features"] = columns_of(self.retrained.features, FEATURE_COLUMNS)
        plain["path"] = None if self.path is None else self.path.to_dict()
        plain["control"] = None if self.control is None else self.control.to_dict()
        if self.value_bins is not None:
            plain["value_bins"] = columns_of(self.value_bins, BINNED_COLUMNS)
        plain["headline"] = self.headline
        del plain["feature_names"]  # each is in `features`, `beam` or `trace` already
        for part in ("settings", "versions"):
            plain["run"][part] = dict(plain["run"][part])
        return plain


def _with_q_values(
    features: tuple[FeatureSummary, ...], control: ControlSummary
) -> tuple[FeatureSummary, ...]:
    known = control.q_values
    return tuple(replace(feature, q_value=known.get(feature.name)) for feature in features)


def _default_title(data: str | None, *, is_credited: bool) -> str:
    what = "what every feature is worth" if is_credited else "what the classifier delivers"
    return what.capitalize() if data is None else f"{data}: {what}"
