"""The template of the shapers: labels and weights in, tables kept, shapes learned, rows shaped."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.preprocessing import normalize
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from infoprop._core._checks import check_choice
from infoprop._core._exceptions import DataError, ParameterError
from infoprop._core._matrices import canonical, check_magnitude
from infoprop._core._training_rows import checked_training_rows
from infoprop._core._typing import IntArray, LabelArray, Matrix
from infoprop._core._weights import check_weights
from infoprop.shaping._blocks import Block, CountedBlock, count_blocks, row_blocks
from infoprop.shaping._rule import ShapingRule
from infoprop.shaping._shapes import FeatureShapes
from infoprop.shaping._tables import ValueTables

MULTICLASS = ("best", "ovr", "error")
"""What to do with more than two classes."""


class TableTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Base of the shapers. One of them says how it checks its parameters and which rule it follows.

    `zero_bin`, `multiclass`, `positive_label` and `n_jobs` are parameters of all of them.
    """

    zero_bin: Any
    multiclass: Any
    positive_label: Any
    n_jobs: Any

    def _check_parameters(self) -> None:
        """Raise if a parameter has a value that it cannot have."""
        owner = type(self).__name__
        check_choice("zero_bin", self.zero_bin, ("auto", True, False), owner)
        check_choice("multiclass", self.multiclass, MULTICLASS, owner)

    @abstractmethod
    def _rule(self) -> ShapingRule:
        """How shapes are learned; `zero_bin` and `zero_stays` are set by the caller."""

    @property
    def _takes_missing(self) -> bool:
        return getattr(self, "missing", "error") == "bin"

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_missing
        tags.classifier_tags = ClassifierTags(multi_class=self.multiclass != "error")
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the values of the rows and learn a shape for every column.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Finite weights >= 0. A row of weight two is two rows, one of weight zero is none.

        Returns
        -------
        TableTransformer
            Itself.
        """
        self._check_parameters()
        X, y, weights = self._validated(X, y, sample_weight, reset=True)
        classes = np.unique(y[weights > 0])
        if classes.size < 2:
            raise DataError(
                f"{type(self).__name__} needs rows of at least two classes; the rows with a positive weight "
                f"have {classes.size} class."
            )
        self._start(sparse.issparse(X), classes)
        used = np.flatnonzero(weights)
        if used.size < X.shape[0]:
            X, y, weights = X[used], y[used], weights[used]
        return self._learn(self._count(X, np.searchsorted(classes, y), weights))

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to those counted so far and learn the shapes anew.

        After all parts of the data the shapes are those of one `fit` with all rows, whatever the parts were.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            More training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), optional
            All labels that will come. Needed by the first call unless its `y` has them all.
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit`.

        Returns
        -------
        TableTransformer
            Itself.
        """
        self._check_parameters()
        first = not hasattr(self, "tables_")
        X, y, weights = self._validated(X, y, sample_weight, reset=first)
        if first:
            self._start(sparse.issparse(X), np.unique(y if classes is None else np.asarray(classes)))
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise ParameterError("The 'classes' of partial_fit must be those of the first call.")
        if not np.isin(y, self.classes_).all():
            raise DataError(
                "y has labels that are not among the classes of the first call of partial_fit; give it all "
                "of them as 'classes'."
            )
        tables = self._count(X, np.searchsorted(self.classes_, y), weights)
        return self._learn(tables if first else self.tables_.merged(tables))

    def fit_blocks(self, blocks: Any, y: Any = None, *, target: str | None = None) -> Self:
        """Learn the shapes of rows that do not fit into memory together, in one pass over blocks of them.

        Blocks are read and counted by `n_jobs` workers, or by a Dask cluster inside
        ``joblib.parallel_config("dask")``, and only their tables come back: the values that a column takes,
        with the rows of each class. The shapes are those of one `fit` with all rows, to the last bit.

        Parameters
        ----------
        blocks : list of paths, list of callables, Dask array or Dask data frame
            Parquet files; functions that take nothing and return ``(X, y)``; or a collection whose chunks
            hold whole rows, which must not be persisted.
        y : Dask array or series, optional
            Labels of a Dask collection, in the same chunks.
        target : str, optional
            Name of the column that holds the labels, in files and data frames. All others must be numbers.

        Returns
        -------
        TableTransformer
            Itself.

        Notes
        -----
        The tables of all rows must fit into memory: 8 bytes for each value that a column takes, and 8 for
        each class. Words, counts and rounded numbers take a few values; columns of many digits take as many
        as there are rows.

        Examples
        --------
        >>> import numpy as np
        >>> from infoprop.shaping import BNSScaler
        >>> X, y = np.array([[0.0, 1], [2, 1], [0, 3], [5, 1]]), np.array([0, 1, 0, 1])
        >>> parts = [lambda: (X[:2], y[:2]), lambda: (X[2:], y[2:])]
        >>> in_blocks = BNSScaler().fit_blocks(parts)
        >>> np.array_equal(in_blocks.scores_, BNSScaler().fit(X, y).scores_)
        True
        """
        self._check_parameters()
        total = count_blocks(_counted_block, clone(self), row_blocks(blocks, y, target), self.n_jobs)
        if total.labels.size < 2:
            raise DataError(
                f"{type(self).__name__} needs rows of at least two classes; the blocks have "
                f"{total.labels.size} class."
            )
        return self.fit_tables(total.tables, total.labels, total.names, is_sparse=total.is_sparse)

    def fit_tables(
        self,
        tables: ValueTables,
        classes: ArrayLike,
        feature_names: ArrayLike | None = None,
        *,
        is_sparse: bool = False,
    ) -> Self:
        """Learn the shapes of rows that were counted before, such as by another shaper.

        Parameters
        ----------
        tables : ValueTables
            What was counted, `tables_` of a shaper.
        classes : array-like of shape (n_classes,)
            The labels, ascending: `classes_`.
        feature_names : array-like of str, optional
            Names of the columns.
        is_sparse : bool, default=False
            Whether rows are sparse, so that zero has to stay zero.

        Returns
        -------
        TableTransformer
            Itself.
        """
        self._check_parameters()
        self.n_features_in_ = tables.n_features
        self.__dict__.pop("feature_names_in_", None)
        if feature_names is not None:
            self.feature_names_in_ = np.array(feature_names, dtype=object)
        self._start(is_sparse, np.asarray(classes))
        return self._learn(tables)

    def _validated(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> tuple[Matrix, LabelArray, Any]:
        X, y = checked_training_rows(
            self,
            X,
            y,
            reset=reset,
            accept_sparse=("csr", "csc"),
            dtype=np.float64,
            ensure_all_finite="allow-nan" if self._takes_missing else True,
        )
        check_magnitude(X, type(self).__name__)
        check_classification_targets(y)
        n_rows = X.shape[0]
        weights = np.ones(n_rows) if sample_weight is None else check_weights(sample_weight, n_rows)
        return canonical(X), y, weights

    def _start(self, is_sparse: bool, classes: LabelArray) -> None:
        """Note what the first rows decide."""
        if classes.size > 2 and self.positive_label is None and self.multiclass == "error":
            raise DataError(
                f"{type(self).__name__} shapes for one class against another; y has {classes.size} classes. "
                "Use multiclass='best' to shape every column for the class that it separates best, 'ovr' for "
                "one shaped copy of the columns for each class, or name the positive_label."
            )
        if self.positive_label is not None and self.positive_label not in classes.tolist():
            raise ParameterError(
                f"The 'positive_label' parameter of {type(self).__name__} must be one of the labels "
                f"{classes.tolist()}. Got {self.positive_label!r}."
            )
        self.classes_ = classes
        self._zero_bin = is_sparse if self.zero_bin == "auto" else bool(self.zero_bin)
        self._zero_stays = self._zero_bin or is_sparse

    def _count(self, X: Matrix, codes: IntArray, weights: Any) -> ValueTables:
        n_classes = self.classes_.size
        return ValueTables.from_rows(X, codes, n_classes=n_classes, weights=weights, n_jobs=self.n_jobs)

    def _learn(self, tables: ValueTables) -> Self:
        rule = self._rule()
        self.tables_ = tables
        copies = tuple(rule.learn(tables, positive, self.n_jobs) for positive in self._positives())
        self.shapes_ = (self._best_of(copies, tables),) if self._takes_best else copies
        return self

    @property
    def _takes_best(self) -> bool:
        return self.multiclass == "best" and self.positive_label is None and self.classes_.size > 2

    def _best_of(self, copies: tuple[FeatureShapes, ...], tables: ValueTables) -> FeatureShapes:
        """Every column as it is shaped for the class that it separates best from the others."""
        scored = copies
        # Columns that are not stretched have no scores to compare.
        if getattr(self, "scaling", None) is None:
            rule = replace(self._rule(), scaling="bns")
            scored = tuple(rule.learn(tables, positive, self.n_jobs) for positive in self._positives())
        best = np.argmax([shapes.scores for shapes in scored], axis=0)
        self.best_classes_ = self.classes_[best]
        return FeatureShapes.chosen(copies, best)

    def _positives(self) -> list[int]:
        """Numbers of the classes that the columns are shaped for, one copy each."""
        if self.positive_label is not None:
            return [self.classes_.tolist().index(self.positive_label)]
        return [1] if self.classes_.size == 2 else list(range(self.classes_.size))

    @property
    def scores_(self) -> Any:
        """Scores to which the columns are stretched: (n_features,), or (n_classes, n_features) for copies."""
        check_is_fitted(self, "shapes_")
        scores = np.stack([shapes.scores for shapes in self.shapes_])
        return scores[0] if len(scores) == 1 else scores

    def transform(self, X: Any) -> Matrix:
        """Shape rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of any origin. Sparse rows need shapes that map zero to zero.

        Returns
        -------
        {array, CSR matrix} of shape (n_samples, n_features_out)
            Dense for dense rows, sparse for sparse ones.
        """
        return self._shaped(self._checked(X), self.shapes_)

    def transform_for(self, X: Any, label: Any) -> Matrix:
        """Shape rows for one class against the others.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of any origin, as for `transform`.
        label : label
            One of the classes that the columns are shaped for: with ``multiclass="ovr"`` any of them, of two
            classes the second, or the `positive_label`.

        Returns
        -------
        {array, CSR matrix}
            What `transform` gives, without the copies for other classes.
        """
        X = self._checked(X)
        labels = [] if self._takes_best else [self.classes_[number] for number in self._positives()]
        if label not in labels:
            if self._takes_best:
                raise ParameterError(
                    f"transform_for of {type(self).__name__} needs multiclass='ovr': by 'best' every column "
                    "is shaped for one class only."
                )
            raise ParameterError(
                f"The 'label' given to transform_for of {type(self).__name__} must be one of {labels!r}. "
                f"Got {label!r}."
            )
        return self._shaped(X, (self.shapes_[labels.index(label)],))

    def _checked(self, X: Any) -> Matrix:
        check_is_fitted(self, "shapes_")
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite="allow-nan" if self._takes_missing else True,
        )
        return canonical(X)

    def _shaped(self, X: Matrix, copies: tuple[FeatureShapes, ...]) -> Matrix:
        """Rows as the given shapes make them, side by side, and what is kept beside."""
        norm = getattr(self, "norm", None)
        parts = [shapes.apply(X, self.n_jobs) for shapes in copies]
        if norm is not None:
            parts = [normalize(part, norm, copy=False) for part in parts]
        parts += self._extra_parts(X)
        if len(parts) == 1:
            return parts[0]
        return sparse.hstack(parts, format="csr") if sparse.issparse(X) else np.hstack(parts)

    def _extra_parts(self, X: Matrix) -> list[Matrix]:
        """Columns beside the shaped ones."""
        return []

    def _extra_names(self, names: LabelArray) -> list[str]:
        """Names of those columns, from the names of the input."""
        return []

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> LabelArray:
        """Names of the columns that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input columns.

        Returns
        -------
        array of str
            The names of the input; of a copy for one of several classes, ``name@class``; of columns kept
            beside the shaped ones, ``name@raw``.
        """
        check_is_fitted(self, "shapes_")
        names = super().get_feature_names_out(input_features)
        shaped = list(names)
        if len(self.shapes_) > 1:
            shaped = [f"{name}@{label}" for label in self.classes_ for name in names]
        return np.array([*shaped, *self._extra_names(names)], dtype=object)


def _counted_block(shaper: TableTransformer, block: Block) -> CountedBlock:
    """Read a block where it is wanted, and return its table."""
    own = clone(shaper)
    X, y, weights = own._validated(*block(), None, reset=True)
    labels, codes = np.unique(y, return_inverse=True)
    tables = ValueTables.from_rows(X, codes, n_classes=len(labels), weights=weights, n_jobs=own.n_jobs)
    names = getattr(own, "feature_names_in_", None)
    return CountedBlock(labels, tables, None if names is None else tuple(names), sparse.issparse(X))
