"""From trained classifiers, each with rows that it has not seen, to the credits of all rows together."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from infoprop._core._exceptions import UnsupportedEstimatorError
from infoprop._core._typing import FloatArray, IntArray, LabelArray
from infoprop._core._weights import check_weights
from infoprop.credit._contributions import Indicator, indicators_of
from infoprop.credit._covariance import Contributions, labelled_rows, pooled
from infoprop.credit._groups import ColumnGroups
from infoprop.credit._moments import Moments, RowSums, row_sums
from infoprop.credit._networks import NETWORKS, SequentialClassifier, is_sequential
from infoprop.credit._noise import NoiseFloor, RowTerms, gap_draws, shuffled_codes
from infoprop.credit._result import FeatureCredits, flow_labels
from infoprop.credit._shares import fixed_shares, has_own_rule, per_class
from infoprop.credit._steps import learns_from_labels, row_scales
from infoprop.credit._unwrapping import Inner, refuse_unfitted, unwrapped
from infoprop.metrics import ConfusionCounts, InformationFlow
from infoprop.metrics._indicators import share_each
from infoprop.svm import OneVsRestSVC
from infoprop.svm._decision import with_exact_ties
from infoprop.svm._sensitivity import sensitivity_shares

MOST_GROUPS = 20
"""Groups of rows that a jackknife leaves out in turn."""

_MOST_SUMS = 2**24


@dataclass(frozen=True)
class Judged:
    """A fitted classifier, and rows with labels that it has not seen (weights None: all one)."""

    estimator: Any
    X: Any
    y: LabelArray
    weights: FloatArray | None = None


@dataclass(frozen=True)
class SharingRule:
    """How the bits of an indicator are shared: the rule, the features, shuffled labels and errors if any."""

    sharing: str
    groups: ColumnGroups | None
    names: tuple[str, ...]
    n_null: int = 0
    seed: int | None = None
    has_errors: bool = True

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns or, where they are grouped, of the groups."""
        return self.names if self.groups is None else self.groups.names


@dataclass(frozen=True)
class _Part:
    """One classifier's side of it.

    Attributes
    ----------
    predicted : ndarray of shape (n_samples,)
    weights : ndarray of shape (n_samples,)
    learned : ndarray of shape (n_learned,)
        Numbers of its classes.
    shares : callable
        Shares without one group of rows, or with all of them (None): (n_learned, n_features), or the
        contributions that they are made from.
    """

    judged: Judged
    predicted: LabelArray
    weights: FloatArray
    learned: IntArray
    shares: Callable[[int | None], FloatArray | Contributions]


def credits_of(parts: Sequence[Judged], rule: SharingRule) -> FeatureCredits:
    """Credits on the rows of all parts, with their standard errors and, if asked for, the noise floor.

    The confusion table counts the rows of all parts. Contributions, or shares where there are none, are
    averaged over the parts that know a class.
    """
    parts = [_with_classes(part) for part in parts]
    classes = np.unique(np.concatenate([part.estimator.classes_ for part in parts]))
    if len(parts) == 1:
        # As the classifier has them, which need not be sorted.
        classes = np.asarray(parts[0].estimator.classes_)
    n_rows = sum(len(part.y) for part in parts)
    n_groups = _n_groups(n_rows, len(classes), len(rule.feature_names)) if rule.has_errors else 1
    known, first = [], 0
    for judged in parts:
        known.append(_part(judged, rule, classes, n_groups, first))
        first += len(judged.y)
    y = np.concatenate([part.judged.y for part in known])
    predicted = np.concatenate([part.predicted for part in known])
    has_weights = any(judged.weights is not None for judged in parts)
    weights = np.concatenate([part.weights for part in known]) if has_weights else None
    labels = flow_labels(classes, y)
    table = ConfusionCounts.from_predictions(y, predicted, labels=labels, sample_weight=weights)
    flow = InformationFlow.from_counts(table)
    found = _shared(known, len(classes), None)
    shares = found.shares() if isinstance(found, Contributions) else found
    credits = FeatureCredits.from_shares(flow, shares, rule.feature_names)
    if isinstance(found, Contributions):
        credits = credits.with_contributions(found.values, found.gaps)
    if not rule.has_errors:
        return credits
    errors = _standard_errors(known, table, y, predicted, weights, len(classes), n_groups)
    if isinstance(found, Contributions):
        # What was shrunk to nothing is nothing without any group, too: its error is that before shrinking.
        bits = flow.indicator_credits[: len(classes)]
        errors = np.maximum(errors, bits @ found.errors())
        credits = replace(credits, unshrunk=bits @ sensitivity_shares(found.sizes()))
    noise = None if rule.n_null == 0 else _noise(known, rule, flow)
    return credits.with_doubt(errors, n_groups, noise)


def _with_classes(judged: Judged) -> Judged:
    """A torch.nn.Sequential need not know its classes; the labels do."""
    if not is_sequential(judged.estimator):
        refuse_unfitted(judged.estimator)
        return judged
    return replace(judged, estimator=SequentialClassifier.from_labels(judged.estimator, judged.y))


def _codes(labels: LabelArray, known: LabelArray) -> IntArray:
    """Numbers of labels among those known."""
    position = {label: number for number, label in enumerate(known.tolist())}
    return np.array([position[label] for label in np.asarray(labels).tolist()], dtype=np.intp)


def _n_groups(n_rows: int, n_classes: int, n_features: int) -> int:
    """Fewer groups where sums for each of them would not fit into memory."""
    return max(2, min(MOST_GROUPS, n_rows, _MOST_SUMS // max(1, 8 * n_classes * n_features)))


def _part(judged: Judged, rule: SharingRule, classes: LabelArray, n_groups: int, first: int) -> _Part:
    estimator, X = judged.estimator, judged.X
    n_rows = len(judged.y)
    weights = np.ones(n_rows) if judged.weights is None else check_weights(judged.weights, n_rows)
    inner = unwrapped(estimator, X)
    predicted = None
    if rule.sharing == "covariance" and not has_own_rule(inner.classifier):
        indicators = indicators_of(inner)
        membership = None if rule.groups is None else rule.groups.membership
        known = np.asarray(inner.classifier.classes_)
        own = labelled_rows(indicators, known, judged.y)
        sums = row_sums(indicators, weights, membership, is_class=own, n_groups=n_groups, first=first)
        is_exact = all(indicator.is_exact for indicator in indicators)
        shares: Any = _MeasuredShares(sums, is_exact, len(known))
        predicted = _told_by_outputs(inner.classifier, indicators)
    else:
        # Before any prediction: what cannot be credited need not be run.
        every = fixed_shares(inner, judged.weights, rule.groups)
        shares = partial(_fixed, every, inner, weights, rule.groups, (first, n_groups))
    learned = _codes(np.asarray(estimator.classes_), classes)
    predicted = np.asarray(estimator.predict(X)) if predicted is None else predicted
    return _Part(judged, predicted, weights, learned, shares)


def _told_by_outputs(classifier: Any, indicators: Sequence[Indicator]) -> LabelArray | None:
    """What a kernel machine predicts, from its known outputs, so that its kernel is not evaluated again.

    None where a prediction is more than the largest output: sigmoids, or margins of different kernels.
    """
    if not isinstance(classifier, OneVsRestSVC) or classifier.calibration is not None:
        return None
    has_one_kernel = len({machine.kernel for machine in classifier.machines_}) == 1
    known = [indicator.machines[0].known_outputs for indicator in indicators]
    values = [own for own in known if own is not None]
    if not has_one_kernel or classifier.normalize_margin is True or len(values) < len(known):
        return None
    if len(values) == 1:
        return np.asarray(classifier.classes_[(values[0] > 0).astype(int)])
    return np.asarray(classifier.classes_[with_exact_ties(np.column_stack(values)).argmax(axis=1)])


class _MeasuredShares:
    """Contributions of all rows, and without each group of them."""

    def __init__(self, sums: RowSums, is_exact: bool, n_classes: int) -> None:
        self._sums = sums
        self._is_exact = is_exact
        self._n_classes = n_classes

    def __call__(self, left_out: int | None) -> Contributions:
        assert left_out is None
        return self._of(self._sums.moments())

    def without_each(self) -> Contributions:
        """Of shape (n_groups, n_classes, n_features)."""
        return self._of(self._sums.moments_without_each())

    def _of(self, found: Moments) -> Contributions:
        return per_class(Contributions(*found, self._is_exact, True), self._n_classes)


def _fixed(
    every: FloatArray,
    inner: Inner,
    weights: FloatArray,
    groups: ColumnGroups | None,
    place: tuple[int, int],
    left_out: int | None,
) -> FloatArray:
    """Shares by the papers' rule, or by a classifier's own; only equation 8, of networks, asks the rows."""
    if left_out is None or not isinstance(inner.classifier, NETWORKS):
        return every
    first, n_groups = place
    kept = np.where((first + np.arange(len(weights))) % n_groups == left_out, 0.0, weights)
    return fixed_shares(inner, kept if kept.any() else weights, groups)


def _shared(parts: Sequence[_Part], n_classes: int, left_out: int | None) -> FloatArray | Contributions:
    """Mean over the parts that know a class: of contributions, with their variances, or of shares."""
    found = [part.shares(left_out) for part in parts]
    learned = [part.learned for part in parts]
    contributions = [own for own in found if isinstance(own, Contributions)]
    if contributions:
        return pooled(contributions, learned, n_classes)
    shares = [own for own in found if not isinstance(own, Contributions)]
    total, n_parts = np.zeros((n_classes, shares[0].shape[1])), np.zeros((n_classes, 1))
    for rows, own in zip(learned, shares, strict=True):
        total[rows] += own
        n_parts[rows] += 1.0
    return total / np.maximum(n_parts, 1.0)


def _standard_errors(
    parts: Sequence[_Part],
    table: ConfusionCounts,
    y: LabelArray,
    predicted: LabelArray,
    weights: FloatArray | None,
    n_classes: int,
    n_groups: int,
) -> FloatArray:
    r"""Jackknife over groups of rows: :math:`\sqrt{(G-1)/G \sum_g (\theta_g - \bar\theta)^2}`."""
    size = table.n_labels
    true, named = (_codes(labels, table.labels) for labels in (y, predicted))
    cells = ((np.arange(len(y)) % n_groups) * size + true) * size + named
    by_group = np.bincount(cells, weights=weights, minlength=n_groups * size * size)
    counts = np.maximum(table.counts - by_group.reshape(n_groups, size, size), 0.0)
    groups = np.flatnonzero(counts.any(axis=(1, 2))).tolist()
    bits = share_each(counts[groups])[:, :n_classes]
    every = _shares_without_each(parts, n_classes)
    shares = every[groups] if every is not None else [_shared(parts, n_classes, group) for group in groups]
    left = np.array([own @ part for own, part in zip(bits, shares, strict=True)])
    # A single group with weight leaves nothing to compare: no error can be told, and 0 says less than NaN.
    spread = np.var(left, axis=0) * (len(left) - 1 if len(left) > 1 else np.nan)
    return np.asarray(np.sqrt(spread))


def _shares_without_each(parts: Sequence[_Part], n_classes: int) -> FloatArray | None:
    """Shares by covariance without each group of rows: (n_groups, n_classes, n_features); else None."""
    measured = [part.shares for part in parts if isinstance(part.shares, _MeasuredShares)]
    if len(measured) < len(parts):
        return None
    learned = [part.learned for part in parts]
    return pooled([own.without_each() for own in measured], learned, n_classes).shares()


def _noise(
    parts: Sequence[_Part],
    rule: SharingRule,
    flow: InformationFlow,
) -> NoiseFloor:
    """Compare what every feature adds to each class with chance.

    Only what leads towards the class counts. The sign of a contribution must not choose a direction: it is
    known from outputs that follow the classes, and would flatter the labels as they are. Neither may both
    directions count: over folds, what a machine has learned by heart leads away from the class.
    """
    generator = np.random.default_rng(rule.seed)
    drawn = [shuffled_codes(_codes(part.judged.y, flow.labels), rule.n_null, generator) for part in parts]
    sources = [{source.code: source for source in _sources(part, rule.groups)} for part in parts]
    total = np.zeros((1 + rule.n_null, len(rule.feature_names)))
    widened = _widened(parts, rule)
    credits = np.array(flow.indicator_credits)
    if all(len(source) == 1 for source in sources):
        # Two classes share one machine, and it the bits of both.
        credits[next(iter(sources[0]))] = credits.sum()
    for code, bits in enumerate(credits):
        own = [
            gap_draws(source[code], codes, part.weights)
            for source, codes, part in zip(sources, drawn, parts, strict=True)
            if code in source
        ]
        if own:
            total += bits * np.maximum(np.mean(own, axis=0), 0.0)
    return NoiseFloor.from_draws(total[0], total[1:] * widened)


def _widened(parts: Sequence[_Part], rule: SharingRule) -> FloatArray:
    r"""How many times wider chance spreads than it does on shuffled labels, for every feature.

    Labels of one fold have taught the machines of the others. Where these learn in proportion to what
    features have to do with the labels, :math:`s_u` in fold u, the sum of the gaps is
    :math:`\sum_{t \ne u} s_t \cdot s_u`. Its variance is twice that of
    :math:`\sum_{t \ne u} s'_t \cdot s_u` with s' of shuffled labels. If s is one number, as for a column
    that has one weight, the sum is rarely far above zero and needs no such care; if it is many (a spline, a
    shape, a nominal column), it does.
    """
    one = np.ones(len(rule.feature_names))
    if len(parts) == 1:
        return one
    inner = unwrapped(parts[0].judged.estimator, parts[0].judged.X)
    if learns_from_labels(parts[0].judged.estimator):
        return one * np.sqrt(2.0)
    n_columns = np.ones(len(rule.names))
    if inner.origins is not None:
        n_columns = np.asarray((inner.origins > 0.0).sum(axis=0), dtype=np.float64).ravel()
    if rule.groups is not None:
        n_columns = rule.groups.sums(n_columns)
    return np.where(n_columns > 1, np.sqrt(2.0), 1.0)


def _sources(part: _Part, groups: ColumnGroups | None) -> Iterator[RowTerms]:
    """Terms of every output of a part, with the number of its class."""
    judged = part.judged
    inner = unwrapped(judged.estimator, judged.X)
    share = part.weights / part.weights.sum()
    scales = row_scales(judged.estimator, judged.X)
    if has_own_rule(inner.classifier):
        raise UnsupportedEstimatorError(
            "null='shuffled' asks what a feature adds to single rows, which "
            f"{type(inner.classifier).__name__} does not tell. Leave null=None."
        )
    indicators = indicators_of(inner)
    for number, indicator in enumerate(indicators):
        means = [np.asarray(machine.rows.T @ share).ravel() for machine in indicator.machines]
        blocks = indicator.terms(means)
        membership = None if groups is None else groups.membership
        if membership is not None:
            blocks = ((rows, block @ membership) for rows, block in blocks)
        code = part.learned[number if len(indicators) > 1 else -1]
        yield RowTerms(indicator.outputs(), blocks, int(code), scales)
