import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer
from sklearn.svm import LinearSVC

from infoprop.exceptions import DataError, ParameterError
from infoprop.shaping import BNSScaler, FeatureShaper, LocalProbabilityShaper
from reference.shaping import shaped_rows

SHAPERS = [LocalProbabilityShaper, BNSScaler, FeatureShaper]
SPARSE = [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.csc_array]


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.fixture
def counts():
    """Sparse counts with negative numbers, an empty column, an explicit zero, and a word in one row."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((80, 6)) < 0.3, rng.integers(-2, 9, (80, 6)), 0).astype(float)
    X[:, 2] = 0.0
    X[:, 3] = 0.0
    X[5, 3] = 4.0
    return X, (rng.random(80) < 0.3 + 0.05 * X[:, 0]).astype(int)


@pytest.mark.parametrize("norm", ["l2", "l1", None])
@pytest.mark.parametrize("scaling", ["bns", None])
def test_the_feature_shaper_is_the_definition(mixed, new_rows, norm, scaling):
    X, y = mixed
    shaper = FeatureShaper(norm=norm, scaling=scaling).fit(X, y)
    expected = shaped_rows(X, y, X_new=new_rows, norm=norm, scaling=scaling)
    np.testing.assert_allclose(shaper.transform(new_rows), expected, atol=1e-9)


def test_the_local_probability_shaper_is_the_definition(mixed, new_rows):
    X, y = mixed
    expected = shaped_rows(X, y, X_new=new_rows, norm=None, scaling=None)
    np.testing.assert_allclose(LocalProbabilityShaper().fit(X, y).transform(new_rows), expected, atol=1e-9)


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_rows_stay_sparse_and_are_shaped_as_the_definition_says(counts, kind):
    X, y = counts
    shaper = FeatureShaper().fit(kind(X), y)
    X_new = np.vstack([X, X + np.where(X != 0, 0.5, 0.0), -X])
    out = shaper.transform(kind(X_new))
    assert out.format == "csr"
    assert isinstance(out, sparse.spmatrix) == isinstance(kind(X), sparse.spmatrix)
    assert out.nnz == np.count_nonzero(X_new)
    np.testing.assert_allclose(out.toarray(), shaped_rows(X, y, X_new=X_new, zero_bin=True), atol=1e-9)


@pytest.mark.parametrize("zero_bin", [True, False])
@pytest.mark.parametrize("shaper", SHAPERS)
def test_dense_and_sparse_rows_with_a_zero_bin_give_the_same(counts, shaper, zero_bin):
    X, y = counts
    from_sparse = shaper(zero_bin=zero_bin).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(
        from_sparse.transform(X), from_sparse.transform(sparse.csr_array(X)).toarray()
    )
    if zero_bin:
        from_dense = shaper(zero_bin=True).fit(X, y)
        np.testing.assert_array_equal(from_dense.transform(X), from_sparse.transform(X))
        assert sparse.issparse(from_dense.transform(sparse.csr_array(X)))


def test_sparse_rows_are_refused_where_zero_would_become_something_else(counts):
    X, y = counts
    with pytest.raises(DataError, match="Train on sparse rows, or with zero_bin=True"):
        FeatureShaper().fit(X, y).transform(sparse.csr_array(X))


@pytest.mark.parametrize("rows", ["dense", "sparse"])
def test_the_feature_shaper_is_its_parts_in_a_row(mixed, counts, rows):
    X, y = mixed if rows == "dense" else (sparse.csr_array(counts[0]), counts[1])
    parts = make_pipeline(LocalProbabilityShaper(), BNSScaler(), Normalizer())
    expected = dense(FeatureShaper().fit_transform(X, y))
    np.testing.assert_allclose(dense(parts.fit_transform(X, y)), expected, atol=1e-9)
    normed = make_pipeline(LocalProbabilityShaper(), BNSScaler(norm="l2"))
    np.testing.assert_allclose(dense(normed.fit_transform(X, y)), expected, atol=1e-9)


@pytest.mark.parametrize("shaper", SHAPERS)
def test_the_order_of_the_rows_changes_no_bit(mixed, shaper):
    X, y = mixed
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(
        shaper().fit(X[order], y[order]).transform(X), shaper().fit(X, y).transform(X)
    )


@pytest.mark.parametrize("rows", ["dense", "sparse"])
@pytest.mark.parametrize("shaper", SHAPERS)
def test_rows_that_come_in_parts_give_the_same_to_the_last_bit(mixed, counts, shaper, rows):
    X, y = mixed if rows == "dense" else (sparse.csr_array(counts[0]), counts[1])
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    whole = shaper().fit(X, y, sample_weight=weights)
    parts = shaper()
    for part in (slice(0, 3), slice(3, 50), slice(50, None)):
        parts.partial_fit(X[part], y[part], classes=[0, 1], sample_weight=weights[part])
    np.testing.assert_array_equal(dense(parts.transform(X)), dense(whole.transform(X)))


def test_a_refit_forgets_and_a_partial_fit_does_not(mixed):
    X, y = mixed
    shaper = FeatureShaper().fit(X[:40], y[:40])
    shaper.partial_fit(X[40:], y[40:])
    np.testing.assert_array_equal(shaper.transform(X), FeatureShaper().fit(X, y).transform(X))
    shaper.fit(X[:40], y[:40])
    np.testing.assert_array_equal(shaper.transform(X), FeatureShaper().fit(X[:40], y[:40]).transform(X))


def test_partial_fit_refuses_labels_it_was_not_told_of(mixed):
    X, y = mixed
    shaper = FeatureShaper().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(DataError, match="not among the classes of the first call"):
        shaper.partial_fit(X, y + 1)
    with pytest.raises(ParameterError, match="must be those of the first call"):
        shaper.partial_fit(X, y, classes=[0, 2])


@pytest.mark.parametrize("shaper", SHAPERS)
def test_weights_are_repeated_rows(mixed, shaper):
    X, y = mixed
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    repeated = shaper().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(shaper().fit(X, y, weights).transform(X), repeated.transform(X))


@pytest.mark.parametrize("weight", [np.inf, np.nan, -1.0])
@pytest.mark.parametrize("shaper", SHAPERS)
def test_weights_that_are_no_weights_are_refused(mixed, shaper, weight):
    X, y = mixed
    weights = np.ones(len(y))
    weights[3] = weight
    for fit in (shaper().fit, shaper().partial_fit):
        with pytest.raises(DataError, match="sample_weight must"):
            fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("shaper", SHAPERS)
def test_infinite_values_are_refused(mixed, shaper):
    X, y = mixed
    X = X.copy()
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        shaper().fit(X, y)


def test_more_than_two_classes_are_refused_with_the_ways_out(mixed):
    X, y = mixed
    y = y + (X[:, 0] > 1)
    with pytest.raises(DataError, match=r"Use multiclass='best' .*, 'ovr' .*, or name the positive_label"):
        FeatureShaper(multiclass="error").fit(X, y)
    way = OneVsRestClassifier(make_pipeline(FeatureShaper(), LinearSVC()))
    assert way.fit(X, y).predict(X).shape == y.shape


def test_one_class_is_refused(mixed):
    X, y = mixed
    with pytest.raises(DataError, match="at least two classes"):
        FeatureShaper().fit(X, np.zeros(len(y)))
    with pytest.raises(DataError, match="at least two classes"):
        FeatureShaper().fit(X, y, sample_weight=y)


@pytest.mark.parametrize("rows", ["dense", "sparse"])
def test_each_class_gets_the_copy_it_would_have_alone(mixed, rows):
    X, y = mixed
    labels = np.array(["a", "b", "c"])[y + (X[:, 0] > 1)]
    X = X if rows == "dense" else sparse.csr_array(X)
    several = FeatureShaper(multiclass="ovr").fit(X, labels)
    out = dense(several.transform(X))
    assert out.shape == (len(y), 21)
    assert several.scores_.shape == (3, 7)
    for number, label in enumerate("abc"):
        own = out[:, 7 * number : 7 * (number + 1)]
        np.testing.assert_array_equal(own, dense(FeatureShaper().fit_transform(X, labels == label)))
        alone = FeatureShaper(positive_label=label).fit(X, labels)
        np.testing.assert_array_equal(own, dense(alone.transform(X)))
        assert alone.scores_.shape == (7,)
    assert several.get_feature_names_out()[[0, 8]].tolist() == ["x0@a", "x1@b"]


@pytest.mark.parametrize("shaper", [BNSScaler(), FeatureShaper(), LocalProbabilityShaper()])
def test_each_column_can_be_shaped_for_the_class_it_separates_best(mixed, shaper):
    X, y = mixed
    labels = np.array(["a", "b", "c"])[y + (X[:, 0] > 1)]
    several = clone(shaper).set_params(multiclass="ovr").fit(X, labels)
    best = clone(shaper).set_params(multiclass="best").fit(X, labels)
    scores = BNSScaler(multiclass="ovr") if isinstance(shaper, BNSScaler) else FeatureShaper()
    chosen = scores.fit(X, labels).scores_.argmax(axis=0)
    assert best.best_classes_.tolist() == several.classes_[chosen].tolist()
    for column, number in enumerate(chosen):
        np.testing.assert_array_equal(
            best.shapes_[0].of_column(column, X[:, column]),
            several.shapes_[number].of_column(column, X[:, column]),
        )
    with pytest.raises(ParameterError, match="needs multiclass='ovr'"):
        best.transform_for(X, "a")


@pytest.mark.parametrize("shaper", [BNSScaler(), FeatureShaper(), LocalProbabilityShaper()])
def test_three_classes_go_through_a_pipeline(shaper):
    X, y = load_iris(return_X_y=True)
    assert make_pipeline(shaper, LinearSVC()).fit(X, y).score(X, y) > 0.9


def test_two_classes_have_one_copy_whatever_the_switch(mixed):
    X, y = mixed
    np.testing.assert_array_equal(
        FeatureShaper(multiclass="ovr").fit_transform(X, y), FeatureShaper().fit_transform(X, y)
    )


def test_the_positive_label_is_the_one_that_is_named(mixed):
    X, y = mixed
    first = LocalProbabilityShaper(positive_label=0).fit_transform(X, y)
    np.testing.assert_allclose(first, 1.0 - LocalProbabilityShaper().fit_transform(X, y), atol=1e-11)
    with pytest.raises(ParameterError, match=r"must be one of the labels \[0, 1\]"):
        FeatureShaper(positive_label="yes").fit(X, y)


def test_raw_columns_are_kept_beside_the_shaped_ones(mixed, counts):
    X, y = mixed
    X = np.delete(X, 4, axis=1)
    out = FeatureShaper(keep_raw=True).fit_transform(X, y)
    np.testing.assert_array_equal(out[:, :6], FeatureShaper().fit_transform(X, y))
    np.testing.assert_allclose(out[:, 6:], MinMaxScaler().fit_transform(X), atol=1e-12)
    X, y = counts
    out = FeatureShaper(keep_raw=True).fit_transform(sparse.csr_array(X), y).toarray()
    ranges = np.maximum(X.max(axis=0), 0) - np.minimum(X.min(axis=0), 0)
    np.testing.assert_allclose(out[:, 6:], X / np.where(ranges > 0, ranges, 1.0), atol=1e-12)


def test_missing_values_are_refused_unless_they_have_a_bin(mixed):
    X, y = mixed
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        FeatureShaper().fit(X, y)
    out = FeatureShaper(missing="bin").fit_transform(X, y)
    np.testing.assert_allclose(out, shaped_rows(X, y), atol=1e-9)
    raw = FeatureShaper(missing="bin", keep_raw=True).fit_transform(X, y)[:, 7:]
    there = ~np.isnan(X[:, 0])
    np.testing.assert_allclose(raw[~there, 0], raw[there, 0].mean())


def test_missing_values_of_sparse_rows_have_a_bin(counts):
    X, y = counts
    X = np.where((X != 0) & (np.random.default_rng(0).random(X.shape) < 0.3), np.nan, X)
    out = FeatureShaper(missing="bin").fit_transform(sparse.csr_array(X), y)
    np.testing.assert_allclose(out.toarray(), shaped_rows(X, y, zero_bin=True), atol=1e-9)


def test_discrete_columns_are_named_by_number_name_or_mask(mixed):
    X, y = mixed
    expected = FeatureShaper(discrete=[1]).fit(X, y)
    assert not np.array_equal(expected.transform(X), FeatureShaper().fit_transform(X, y))
    mask = np.arange(7) == 1
    np.testing.assert_array_equal(FeatureShaper(discrete=mask).fit_transform(X, y), expected.transform(X))
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    named = FeatureShaper(discrete=["b"]).fit(frame, y)
    np.testing.assert_array_equal(named.transform(frame), expected.transform(X))
    none = FeatureShaper(discrete=[]).fit(X, y)
    np.testing.assert_array_equal(none.transform(X), FeatureShaper().fit_transform(X, y))


@pytest.mark.parametrize("discrete", [[7], [-1], ["b"], [0.5], "all", np.ones(3, dtype=bool)])
def test_columns_that_are_not_there_are_refused(mixed, discrete):
    with pytest.raises(ParameterError, match="'discrete' parameter of FeatureShaper must be 'auto' or"):
        FeatureShaper(discrete=discrete).fit(*mixed)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window", 0),
        ("window", "all"),
        ("probability", "odds"),
        ("scaling", "chi2"),
        ("norm", "max"),
        ("policy", "none"),
        ("keep_raw", 1),
        ("missing", "mean"),
        ("zero_bin", "yes"),
        ("multiclass", "ovo"),
    ],
)
def test_parameters_that_cannot_be_are_refused_by_name(mixed, name, value):
    for shaper in SHAPERS:
        if name in shaper().get_params():
            with pytest.raises(ParameterError, match=f"'{name}' parameter of {shaper.__name__} must be"):
                shaper(**{name: value}).fit(*mixed)


def test_frames_and_names(mixed):
    X, y = mixed
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    shaper = FeatureShaper(keep_raw=True, multiclass="ovr").set_output(transform="pandas").fit(frame, y)
    out = shaper.transform(frame)
    assert out.columns.tolist() == [*"abcdefg", *(f"{name}@raw" for name in "abcdefg")]
    np.testing.assert_array_equal(out.index, frame.index)


def test_a_pickled_shaper_shapes_the_same(mixed):
    X, y = mixed
    shaper = FeatureShaper(keep_raw=True).fit(X, y)
    again = pickle.loads(pickle.dumps(shaper))
    np.testing.assert_array_equal(again.transform(X), shaper.transform(X))
    assert again.partial_fit(X, y).tables_.totals.sum() == 2 * shaper.tables_.totals.sum()


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_no_bit(mixed, n_jobs, monkeypatch):
    X, y = mixed
    monkeypatch.setattr("infoprop.shaping._threads.blocks.__defaults__", (64,))
    for shaper in (FeatureShaper(policy="auto", keep_raw=True), BNSScaler(), LocalProbabilityShaper()):
        threaded = clone(shaper).set_params(n_jobs=n_jobs)
        for rows in (X, sparse.csr_array(X)):
            np.testing.assert_array_equal(
                dense(threaded.fit_transform(rows, y)), dense(shaper.fit_transform(rows, y))
            )


def test_the_automatic_policy_keeps_a_straight_column_and_shapes_a_bent_one():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (600, 2))
    y = (rng.random(600) < 1 / (1 + np.exp(-X[:, 0] - 3 * (np.abs(X[:, 1]) - 1.5)))).astype(int)
    shaper = FeatureShaper(policy="auto", norm=None).fit(X, y)
    assert shaper.shapes_[0].is_shaped.tolist() == [False, True]
    out = shaper.transform(X)
    np.testing.assert_allclose(out[:, 0], BNSScaler().fit_transform(X, y)[:, 0], atol=1e-12)
    np.testing.assert_array_equal(out[:, 1], FeatureShaper(norm=None).fit_transform(X, y)[:, 1])


def test_text_is_shaped_within_ten_times_the_memory_of_its_entries(shared_data):
    stored = np.load(shared_data / "ohscal.npz", allow_pickle=False)
    parts = (stored["data"].astype(np.float64), stored["indices"], stored["indptr"])
    X = sparse.csr_array(parts, shape=tuple(stored["shape"]))
    y = stored["y"] == 0
    FeatureShaper().fit(X[:100], y[:100]).transform(X[:100])
    tracemalloc.start()
    try:
        out = FeatureShaper().fit(X, y).transform(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert out.nnz == X.nnz
    assert peak < 10 * (X.data.nbytes + X.indices.nbytes)


def test_rows_shaped_for_one_class_are_its_copy():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.array(["a", "b", "c"])[rng.integers(0, 3, 60)]
    shaper = FeatureShaper(multiclass="ovr").fit(X, y)
    side_by_side = np.hstack([shaper.transform_for(X, label) for label in "abc"])
    assert np.array_equal(side_by_side, shaper.transform(X))
    with pytest.raises(ParameterError, match="transform_for"):
        shaper.transform_for(X, "d")
    two = FeatureShaper().fit(X, y == "a")
    assert np.array_equal(two.transform_for(X, True), two.transform(X))
