"""Six of sixty frequencies for a small network that tells mines from rocks.

Sonar echoes, 104 to train on and 104 to test. A network's training ends where its start leads it, so the
script searches from several starts and looks at how far they agree.

Run it with ``INFOPROP_DATA=folder python examples/sonar_network.py``; the folder holds ``sonar.csv.gz``.
"""

import os
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.datasets import load_table
from infoprop.metrics import output_information
from infoprop.mlp import MLPClassifier
from infoprop.selection import DirectedSearchSelector

table = load_table(Path(os.environ.get("INFOPROP_DATA", "data")) / "sonar.csv.gz", split="split")
echoes, what, is_train = table.frame, table.y, table.split == "train"
X, y, X_test, y_test = echoes.filter(is_train), what[is_train], echoes.filter(~is_train), what[~is_train]

network = make_pipeline(StandardScaler(), MLPClassifier((3,), alpha=0.1, n_starts=3))


def test_bits(columns: list[str]) -> float:
    """Train on some columns, and say how much the network then tells about the test rows."""
    network.fit(X.select(columns), y)
    return output_information(y_test, network.predict(X_test.select(columns)))


used: Counter[str] = Counter()
bits: dict[str, list[float]] = {"six, rows that chose": [], "six": [], "six at random": [], "all 60": []}
for seed in range(5):
    network.set_params(mlpclassifier__random_state=seed)
    search = DirectedSearchSelector(network, n_features_to_select=6, validation=5, random_state=seed)
    chosen = search.fit(X, y).get_feature_names_out().tolist()
    used.update(chosen)
    bits["six, rows that chose"].append(search.trace_.best.information)
    bits["six"].append(test_bits(chosen))
    bits["six at random"].append(test_bits(np.random.default_rng(seed).permutation(X.columns)[:6].tolist()))
    bits["all 60"].append(test_bits(X.columns))

for name, values in bits.items():
    print(f"{name:21} {np.mean(values):.2f} bits, {min(values):.2f} to {max(values):.2f} over five starts")
print("chosen most often:", ", ".join(f"{name} ({times} of 5)" for name, times in used.most_common(8)))
print(f"the last search looked at {search.n_trainings_} subsets; its bound is {4 * (60 - 6 + 1)}")
