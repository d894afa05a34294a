"""Which measurements of a silhouette tell four kinds of vehicle apart, and which tell each pair apart?

846 silhouettes, 18 measurements, four classes. The script credits a kernel machine, lets features go one by
one, tries the whole procedure in an outer cross-validation, and gives every pair of classes its own features.

Run it with ``INFOPROP_DATA=folder python examples/vehicle.py``; the folder holds ``vehicle.csv.gz``.
"""

import os
from pathlib import Path

from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.credit import credit_features
from infoprop.datasets import load_table
from infoprop.pairwise import PairwiseClassifier
from infoprop.selection import BackwardEliminationSelector, ForwardBeamSelector
from infoprop.svm import OneVsRestSVC

table = load_table(Path(os.environ.get("INFOPROP_DATA", "data")) / "vehicle.csv.gz")
X, X_test, y, y_test = train_test_split(
    table.frame, table.y, test_size=1 / 3, stratify=table.y, random_state=0
)

# 1. What is every measurement worth to a kernel machine, on rows it has not seen?
machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="rbf", C=100.0, gamma=0.02))
print(credit_features(machine.fit(X, y), X_test, y_test))

# 2. How many are needed? One elimination knows every size; the rule takes the smallest that is as good as the
#    best, up to one standard error.
search = BackwardEliminationSelector(
    machine, n_features_to_select="auto", rule="one-se", validation=5, random_state=0, n_jobs=2
).fit(X, y)
print(f"\n{search.n_features_} of 18 chosen")
for step in search.path_[::3]:
    test = search.at(step.n_features).score(X_test, y_test)
    print(f"  {step.n_features:2} features: {step.accuracy:.1%} right out of fold, {test:.1%} on test rows")

# 3. Does the whole procedure, the choice of the size included, carry over? Ask rows that had no part in it.
outer = cross_val_score(search, table.frame, table.y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
error = outer.std(ddof=1) / len(outer) ** 0.5
print(f"\nwhole procedure in five outer folds: {outer.mean():.1%} (standard error {error:.1%})")

# 4. What tells an Opel from a Saab is not what tells a van from a bus.
pairs = PairwiseClassifier(selector=ForwardBeamSelector(), random_state=0).fit(X, y)
print(f"\nnearest neighbours, features for each pair: {pairs.score(X_test, y_test):.1%} on test rows")
for pair in pairs.pairs_:
    print(f"  {pair.classes[0]:>5} or {pair.classes[1]:5} {', '.join(pair.features)}")
