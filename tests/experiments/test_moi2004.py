"""The MOI paper in short form: filters against slow twins, parts that stay apart, protocols that run."""

import numpy as np
import pytest
from ledger import read_results, read_settings
from moi2004 import filters
from moi2004.problems import Parts, draw_corral, draw_parts
from moi2004.run import main
from moi2004.svm_curves import KINDS, Curves, measure
from moi2004.svm_methods import METHODS, Bench, Task, build_machine
from moi2004.svm_tables import measure as measure_table
from moi2004.svm_tables import run_table
from scipy import sparse
from sklearn.metrics import mutual_info_score

from infoprop.svm import OneVsRestSVC

CURVED = OneVsRestSVC(kernel="rbf", gamma=0.1, C=10.0, tol=1e-6)


def quick(part, output):
    assert main(["--quick", "--part", part, "--output", str(output)]) == 0
    return read_results(output)


@pytest.fixture
def rows():
    """Three classes: the first column tells them apart, the second a little, the third is noise."""
    random = np.random.RandomState(0)
    y = np.repeat(["a", "b", "c"], 30)
    middle = np.repeat([0.0, 3.0, 6.0], 30)
    X = np.column_stack([middle, 0.3 * middle, 0.0 * middle]) + random.normal(size=(90, 3))
    return X, y


@pytest.fixture
def parts(rows):
    X, y = rows
    order = np.random.RandomState(1).permutation(90)
    first, second, third = np.split(order, 3)
    return Parts(X[first], y[first], X[second], y[second], X[third], y[third])


@pytest.mark.parametrize("name", filters.FILTERS)
def test_every_filter_ranks_by_what_a_feature_tells(name, rows):
    assert filters.ranked(filters.FILTERS[name](*rows)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", filters.FILTERS)
def test_a_constant_feature_comes_last(name, rows):
    X, y = rows
    scores = filters.FILTERS[name](np.column_stack([np.ones(90), X]), y)
    assert np.isfinite(scores).all()
    assert scores[0] == pytest.approx(0.0, abs=1e-12)


def test_information_gain_of_a_feature_with_few_values_is_its_mutual_information():
    random = np.random.RandomState(0)
    X, y = random.randint(4, size=(80, 5)).astype(float), random.randint(3, size=80)
    slow = [mutual_info_score(column, y) / np.log(2.0) for column in X.T]
    np.testing.assert_allclose(filters.information_gain(X, y), slow, atol=1e-12)


def test_a_copy_of_the_class_has_gain_ratio_one_and_the_largest_chi_squared():
    y = np.repeat([0, 1, 2], 10)
    X = y[:, None].astype(float)
    assert filters.gain_ratio(X, y) == pytest.approx([1.0])
    assert filters.chi_squared(X, y) == pytest.approx([60.0])


def test_bins_hold_about_the_same_number_of_rows():
    X = np.exp(np.random.RandomState(0).normal(size=(200, 1)))
    table = filters.contingency_tables(X, np.zeros(200))[0]
    assert table[:, 0].tolist() == [20.0] * 10


def slow_relief_f(X, y):
    """Relief-F, neighbour by neighbour."""
    ranges = X.max(axis=0) - X.min(axis=0)
    prior = {label: np.mean(y == label) for label in set(y)}
    weights = np.zeros(X.shape[1])
    for i in range(len(y)):
        for label in sorted(set(y)):
            others = [j for j in range(len(y)) if j != i and y[j] == label]
            others.sort(key=lambda j: float((np.abs(X[i] - X[j]) / ranges).sum()))
            nearest = others[: min(filters.N_NEIGHBOURS, int(np.sum(y == label)) - 1)]
            factor = -1.0 if label == y[i] else prior[label] / (1.0 - prior[y[i]])
            for j in nearest:
                weights += factor * np.abs(X[i] - X[j]) / ranges / len(nearest)
    return weights / len(y)


def test_relief_f_is_its_slow_twin():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(40, 4)), np.repeat(["a", "b", "c"], [20, 14, 6])
    np.testing.assert_allclose(filters.relief_f(X, y), slow_relief_f(X, y), atol=1e-12)


def test_relief_f_asks_a_part_of_many_rows(monkeypatch, rows):
    everything = filters.relief_f(*rows)
    monkeypatch.setattr(filters, "MOST_ROWS", 45)
    some = filters.relief_f(*rows)
    assert not np.array_equal(some, everything)
    assert filters.ranked(some).tolist() == [0, 1, 2]


def test_lda_has_one_feature_less_than_classes_and_sees_the_training_rows_only(parts):
    verdicts = Bench(CURVED, parts).of_projection("LDA", [1, 2, 3])
    assert list(verdicts) == [1, 2]
    assert verdicts[1].judge.accuracy > 0.8


def test_pca_with_all_components_loses_nothing(parts):
    bench = Bench(CURVED, parts)
    full = bench.of_columns(range(3)).judge
    np.testing.assert_array_equal(bench.of_projection("PCA", [3])[3].judge.counts, full.counts)


def test_crossed_halves_judge_every_guiding_row_once(parts):
    first, second = parts.crossed(0)
    together = np.vstack([first.X_judge, second.X_judge])
    assert sorted(map(tuple, together)) == sorted(map(tuple, parts.X_guide))
    assert not set(map(tuple, first.X_guide)) & set(map(tuple, first.X_judge))


def test_corral_is_cut_into_balanced_halves():
    parts = draw_corral(seed=0)
    for X, y in ((parts.X_train, parts.y_train), (parts.X_guide, parts.y_guide)):
        assert (len(y), y.sum(), X[:, :5].mean(axis=0).tolist()) == (64, 28, [0.5] * 5)
    both = np.vstack([parts.X_train, parts.X_guide])
    assert sorted(map(tuple, both)) == sorted(map(tuple, parts.X_judge))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_chooses_as_many_columns_as_asked(name, parts):
    machine = OneVsRestSVC(kernel="linear") if name == "RFE" else CURVED
    choice = METHODS[name](Task(machine, parts, (1, 2)))
    assert [len(choice.columns[size]) for size in (1, 2)] == [1, 2]
    assert choice.columns[1].tolist() == [0]


def test_words_are_ranked_without_bins(parts):
    X = sparse.csr_matrix((parts.X_train > 2.0).astype(float))
    words = Parts(X, parts.y_train, X, parts.y_train, X, parts.y_train)
    choice = METHODS["information gain"](Task(OneVsRestSVC(kernel="linear"), words, (1,)))
    assert choice.columns[1].tolist() == [0]


def test_a_set_of_columns_is_trained_once(parts):
    bench = Bench(OneVsRestSVC(kernel="linear"), parts)
    assert bench.of_columns([1, 0]) is bench.of_columns(np.array([0, 1]))


@pytest.fixture
def curves(parts):
    return measure(CURVED, parts, [1, 2, 3], ["MOI-P", "MOI-SVM", "relief-F", "LDA"])


def test_with_all_features_all_choices_are_one(curves):
    assert KINDS["apart"][0](curves, ["MOI-P", "MOI-SVM", "relief-F"], [3]) == 0.0


def test_claims_are_read_off_the_curves(curves):
    verdicts = curves.verdicts["MOI-P"]
    best = max(verdicts.values(), key=lambda verdict: verdict.judge.accuracy)
    worst = min(verdicts.values(), key=lambda verdict: verdict.judge.accuracy)
    made = Curves({"good": {1: best}, "bad": {1: worst}}, {}, 3)
    ahead, behind, apart = (KINDS[kind][0] for kind in ("ahead", "behind", "apart"))
    assert ahead(made, ["good", "bad"], [1]) == 100.0
    assert behind(made, ["bad", "good"], [1]) == (100.0 if best is not worst else 0.0)
    assert apart(made, ["good", "bad"], [1]) == pytest.approx(
        100.0 * (best.judge.accuracy - worst.judge.accuracy)
    )


def test_directed_search_never_ends_below_its_start_on_the_guiding_rows(curves):
    for size in (1, 2):
        start, found = (curves.verdicts[name][size].guide for name in ("MOI-P", "MOI-SVM"))
        assert found.information >= start.information - 1e-12


def test_corral_singles_out_the_relevant_bits(tmp_path):
    numbers = quick("corral-svm", tmp_path)
    for claim in ("5-rejects-6", "4-relevant", "2-optimal", "1-suboptimal-be"):
        assert numbers[f"corral-svm/{claim}"].mean == 100.0
    assert numbers["corral-svm/1/credit-1"].mean == pytest.approx(0.1058, abs=1e-4)
    assert (tmp_path / "figures" / "corral-svm.png").exists()


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for folder in ("first", "second"):
        quick("corral-svm", tmp_path / folder)
    for name in ("results.json", "README.md", "figures/corral-svm.png"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("part", ["vehicle-svm", "reuters-1-svm"])
def test_real_data_run_in_short_form(part, tmp_path):
    numbers = quick(part, tmp_path)
    assert min(number.mean for key, number in numbers.items() if key.endswith("/accuracy")) > 25.0
    assert (tmp_path / "figures" / f"{part}.png").exists()


def test_missing_data_are_skipped_by_name_and_known_numbers_kept(tmp_path, monkeypatch, capsys):
    known = quick("corral-svm", tmp_path)
    monkeypatch.setenv("INFOPROP_DATA", str(tmp_path / "nowhere"))
    assert quick("vehicle-svm", tmp_path) == known
    assert "Skipped Vehicle, SVM (Figure 2): vehicle.csv.gz is not in the data" in capsys.readouterr().err


def test_an_unknown_part_is_refused_with_the_known_ones(tmp_path, capsys):
    assert main(["--quick", "--part", "iris", "--output", str(tmp_path)]) == 2
    assert "There is no part 'iris'. There are: corral-svm" in capsys.readouterr().err


@pytest.fixture
def yeast(experiments, shared_data):
    settings = read_settings(experiments / "moi2004")
    part = next(part for part in settings["part"] if part["name"] == "yeast-svm")
    return part, settings["run"] | settings["quick"]


def test_yeast_has_no_missing_cells_left_and_one_set_of_rows_guides_and_judges(yeast):
    parts = draw_parts(*yeast).parts
    assert len(parts) == 2
    assert np.isfinite(parts[0].X_train).all()
    np.testing.assert_array_equal(parts[0].X_guide, parts[0].X_judge)


def test_a_method_is_compared_with_all_features_on_its_own_machine(yeast, tmp_path):
    part, run = yeast
    numbers = run_table({**part, "methods": ["MOI-P", "RFE"]}, {**run, "draws": 1}, tmp_path)
    for method, full in (("moi-p", "all"), ("rfe", "all-rfe")):
        accuracy, everything = (numbers[f"yeast-svm/{key}/accuracy"].mean for key in (f"10/{method}", full))
        ratio = numbers[f"yeast-svm/10/{method}/ratio"].mean
        assert ratio == pytest.approx(100.0 * accuracy / everything, abs=0.02)


def test_only_searches_that_are_guided_have_an_untouched_twin(yeast):
    part, run = yeast
    machine = build_machine(part["machine"], run)
    machines = {"MOI-P": machine, "information gain": machine}
    outcome = measure_table(machines, draw_parts(*yeast).parts[0], {**part, "sizes": [10]}, seed=0)
    assert list(outcome.untouched) == [(10, "MOI-P")]
    assert outcome.untouched[10, "MOI-P"].counts.sum() == outcome.full["MOI-P"].counts.sum()
