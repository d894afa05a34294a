"""The MOI paper in short form: filters against slow twins, parts that stay apart, protocols that run."""

import numpy as np
import pytest
from ledger import read_results, read_settings
from moi2004 import filters, mlp_corral, mlp_parity
from moi2004.bench import Bench, Verdict, measured
from moi2004.curves import KINDS, Curves, measure
from moi2004.methods import METHODS, WRAPPERS, Task, build_machine, build_machines
from moi2004.problems import Parts, draw_corral, draw_parity, draw_parts
from moi2004.run import PROTOCOLS, main
from moi2004.tables import measure as measure_table
from moi2004.tables import run_table
from scipy import sparse
from sklearn.metrics import mutual_info_score

from infoprop.mlp import MLPClassifier
from infoprop.svm import OneVsRestSVC

NETWORK = {"hidden_layer_sizes": [3], "alpha": 0.01}
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


@pytest.mark.parametrize("name", [name for name in filters.FILTERS if name != "MIFS"])
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
    if "MLP" in name:
        machine = build_machine(NETWORK, {}, seed=0)
    choice = METHODS[name](Task(machine, parts, (1, 2)))
    assert [len(choice.columns[size]) for size in (1, 2)] == [1, 2]
    assert choice.columns[1].tolist() == [0] or name == "random"


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
    methods = ["MOI-P", "MOI-SVM", "relief-F", "LDA"]
    return measure(dict.fromkeys(methods, CURVED), parts, [1, 2, 3])


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


@pytest.mark.soak
def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for folder in ("first", "second"):
        quick("corral-svm", tmp_path / folder)
    for name in ("results.json", "README.md", "figures/corral-svm.png"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("part", ["vehicle-svm", pytest.param("reuters-1-svm", marks=pytest.mark.soak)])
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
    assert "There is no part 'iris'. There are: corral-mlp" in capsys.readouterr().err


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
    numbers = run_table({**part, "methods": ["MOI-P", "RFE"]}, {**run, "most_draws": 1}, tmp_path)
    for method, full in (("moi-p", "all"), ("rfe", "all-rfe")):
        accuracy, everything = (numbers[f"yeast-svm/{key}/accuracy"].mean for key in (f"10/{method}", full))
        ratio = numbers[f"yeast-svm/10/{method}/ratio"].mean
        assert ratio == pytest.approx(100.0 * accuracy / everything, abs=0.02)


def test_only_searches_that_are_guided_have_an_untouched_twin(yeast, tmp_path):
    part, run = yeast
    machine = build_machine(part["machine"], run)
    machines = {"MOI-P": machine, "information gain": machine}
    parts = draw_parts(*yeast).parts[0]
    chosen = measure_table(machines, parts, {**part, "sizes": [10]}, seed=0).chosen
    same = chosen[10, "information gain"]
    np.testing.assert_array_equal(same.guide.counts, same.judge.counts)
    guided = chosen[10, "MOI-P"]
    assert guided.judge.counts.sum() == guided.guide.counts.sum() == len(parts.y_guide)
    few = {**part, "methods": list(machines), "own_machine": {}}
    numbers = run_table(few, {**run, "most_draws": 1}, tmp_path)
    untouched = {key for key in numbers if "untouched" in key}
    assert untouched == {f"yeast-svm/10/moi-p-untouched/{name}" for name in ("accuracy", "relative", "ratio")}


def test_a_network_of_the_settings_is_the_papers_and_begins_with_the_weights_of_its_seed():
    network = build_machine(NETWORK, {}, seed=7)
    assert isinstance(network, MLPClassifier)
    assert (network.hidden_layer_sizes, network.loss, network.retrain) == ((3,), "squared_error", "cold")
    assert network.random_state == 7


def test_methods_without_a_machine_of_their_own_share_one():
    own = {"RFE": {"kernel": "linear"}}
    part = {"machine": NETWORK, "own_machine": own, "methods": ["MOI-MLP", "RFE", "relief-F"]}
    machines = build_machines(part, {"tol": 1e-6}, seed=0)
    assert machines["MOI-MLP"] is machines["relief-F"]
    assert isinstance(machines["RFE"], OneVsRestSVC)


def test_mifs_takes_no_copy_while_there_is_something_new():
    random = np.random.RandomState(0)
    first, second = random.randint(2, size=(2, 200)).astype(float)
    y = 2 * first + second
    X = np.column_stack([first, first, second, random.randint(2, size=200)])
    assert set(filters.ranked(filters.mifs(X, y))[:2]) == {0, 2}


def test_words_become_numbers_and_missing_cells_the_middle(experiments, shared_data):
    settings = read_settings(experiments / "moi2004")
    vote, cancer = (
        next(part for part in settings["part"] if part["name"] == name)
        for name in ("vote-mlp", "breast-cancer-mlp")
    )
    parts = draw_parts(vote, {"seed": 0, "draws": 1}).parts[0]
    assert [len(y) for y in (parts.y_train, parts.y_guide, parts.y_judge)] == [197, 21, 217]
    assert set(np.unique(parts.X_train)) == {-1.0, 0.0, 1.0}
    parts = draw_parts(cancer, {"seed": 0, "draws": 1}).parts[0]
    assert [len(y) for y in (parts.y_train, parts.y_guide, parts.y_judge)] == [174, 176, 349]
    np.testing.assert_allclose(parts.X_train.mean(axis=0), 0.0, atol=1e-12)
    assert np.isfinite(parts.X_judge).all()


def test_the_network_that_a_search_found_best_is_the_one_that_is_measured(parts):
    machine = build_machine(NETWORK, {}, seed=0)
    found = measured("MOI-MLP", Task(machine, parts, (1, 2)), Bench(machine, parts), crossed=False)
    chosen = METHODS["MOI-MLP"](Task(machine, parts, (2,)))
    again = Bench(machine, parts).of_columns(chosen.columns[2])
    np.testing.assert_array_equal(found.verdicts[2].guide.counts, again.guide.counts)
    assert found.searches[2].accuracy == again.guide.accuracy
    assert found.searches[2].trainings >= 2


def test_rows_that_guide_are_judged_by_searches_that_have_not_seen_them(parts):
    machine = build_machine(NETWORK, {}, seed=0)
    shared = Parts(parts.X_train, parts.y_train, *(parts.X_guide, parts.y_guide) * 2)
    found = measured("MOI-MLP", Task(machine, shared, (1,)), Bench(machine, shared), crossed=True)
    assert found.verdicts[1].judge.counts.sum() == len(parts.y_guide)


def test_claims_may_be_about_the_guiding_rows(curves):
    flows = [verdict.guide for verdict in curves.verdicts["MOI-P"].values()]
    best, worst = max(flows, key=lambda flow: flow.accuracy), min(flows, key=lambda flow: flow.accuracy)
    made = Curves({"one": {1: Verdict(best, worst), 2: Verdict(worst, best)}}, {}, 3)
    gains = KINDS["gains"][0]
    differ = best.accuracy > worst.accuracy
    assert gains(made, ["one"], [1, 2], "guide") == 100.0 * differ
    assert gains(made, ["one"], [1, 2], "judge") == 0.0


def test_a_parity_set_is_complete_with_every_bit_or_its_copy():
    assert mlp_parity.is_complete([0, 6, 2, 8, 4])
    assert not mlp_parity.is_complete([0, 5, 2, 8, 4, 10])
    assert mlp_parity.density(5) == pytest.approx(2**5 / 3003)


def test_a_filter_that_sees_the_bits_is_complete_at_once_with_copies_last():
    parts = draw_parity(500, seed=0)
    plain, apart = (
        mlp_parity.STARTS[start](parts, {})["init"] for start in ("relief-F", "relief-F, copies last")
    )
    assert sorted(apart) == sorted(plain) == list(range(15))
    assert not mlp_parity.is_complete(plain[:5])
    assert mlp_parity.is_complete(apart[:5])


def test_parity_parts_have_copies_and_different_rows():
    parts = draw_parity(40, seed=0)
    np.testing.assert_array_equal(parts.X_train[:, :5], parts.X_train[:, 5:10])
    np.testing.assert_array_equal(parts.y_judge, parts.X_judge[:, :5].sum(axis=1) % 2)
    assert parts.X_guide.shape == (40, 15)
    assert not np.array_equal(parts.X_train, parts.X_guide)


def test_parity_searches_from_every_start(tmp_path):
    part = {
        "name": "parity",
        "n_rows": 60,
        "n_starts": 2,
        "machine": {**NETWORK, "max_iter": 20},
        "sizes": [10],
        "figure": {"title": "{draws}"},
    }
    numbers = mlp_parity.run_parity(part, {"draws": 2, "seed": 0, "n_jobs": 1}, tmp_path)
    starts = {key.split("/")[2] for key in numbers if key.endswith("/trainings")}
    filters = {"information-gain", "relief-f", "relief-f-copies-last"}
    assert starts == {"random", "random-restarts", "credits"} | filters
    once, twice = (numbers[f"parity/10/{start}/trainings"].mean for start in ("random", "random-restarts"))
    assert twice > once
    assert (tmp_path / "figures" / "parity.png").exists()


def test_corral_networks_are_started_from_every_set(tmp_path):
    settings = {"machine": NETWORK, "sizes": [5, 4, 1]}
    outcome = mlp_corral.measure(settings, {}, seed=0)
    assert [len(outcome.found[size]) for size in (5, 4, 1)] == [6, 15, 6]
    assert outcome.alone[0] == pytest.approx(0.1058, abs=1e-4)
    assert outcome.all_bits.values[4] < outcome.all_bits.values[:4].min()
    assert all(np.isfinite(found.credits).all() for found in outcome.found[4])


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("part", [pytest.param("vote-mlp", marks=pytest.mark.soak), "breast-cancer-mlp"])
def test_networks_run_in_short_form(part, tmp_path):
    numbers = quick(part, tmp_path)
    validation = numbers[f"{part}/all/accuracy"].mean
    assert validation > 85.0
    size = 2 if part == "vote-mlp" else 4
    ratio = numbers[f"{part}/{size}/moi-mlp/ratio"]
    assert ratio.measure == "validation"
    assert ratio.mean == pytest.approx(100.0, abs=15.0)
    shown = {number.row.partition(" by ")[2] for number in numbers.values()}
    assert {method for method in WRAPPERS if "MLP" in method} <= shown


@pytest.fixture
def sonar(experiments, shared_data):
    settings = read_settings(experiments / "moi2004")
    part = next(part for part in settings["part"] if part["name"] == "sonar-mlp")
    source = {**part["source"], "official": True}
    return {**part, "source": source, "methods": ["MOI-MLP", "MIFS"], "sizes": [58, 60]}, settings["run"]


def test_sonar_has_spreads_trainings_and_nothing_to_choose_with_all_features(sonar, tmp_path):
    part, run = sonar
    numbers = run_table(part, {**run, "most_draws": 2, "n_jobs": 1}, tmp_path)
    assert numbers["sonar-mlp/60/moi-mlp/trainings"].mean == 1.0
    assert numbers["sonar-mlp/58/moi-mlp/trainings"].mean >= 3.0
    accuracy, spread = (numbers[f"sonar-mlp/58/moi-mlp/{name}"] for name in ("accuracy", "spread"))
    assert (spread.mean, spread.n) == (accuracy.sd, 1)
    assert "sonar-mlp/60/moi-mlp/accuracy" not in numbers
    assert "sonar-mlp/58/moi-mlp-untouched/accuracy" in numbers


@pytest.mark.usefixtures("shared_data")
def test_curves_of_networks_have_machines_of_their_own_and_claims_on_both_rows(experiments, tmp_path):
    settings = read_settings(experiments / "moi2004")
    part = next(part for part in settings["part"] if part["name"] == "vehicle-mlp")
    part = {**part, "sizes": [17, 18], "claim": [{**part["claim"][0], "sizes": [17]}]}
    run = settings["run"] | {"most_draws": 1, "n_jobs": 1, "most_rows": 80}
    numbers = PROTOCOLS["curves"]({**part, "tabled": [17, 18]}, run, tmp_path)
    assert numbers["vehicle-mlp/17/moi-mlp/accuracy"].measure == "accuracy, untouched"
    assert "vehicle-mlp/17/moi-p-of-an-svm/accuracy" in numbers
    assert numbers["vehicle-mlp/ahead"].mean in (0.0, 100.0)
