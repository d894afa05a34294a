"""Which genes tell two kinds of leukemia apart?

72 patients, 7129 genes (Golub et al. 1999). With a hundred genes for every patient, some choice always looks
perfect on the patients that chose it. So the script sets their word beside that of patients who had no part
in the choice.

Run it with ``INFOPROP_DATA=folder python examples/genes.py``; the folder holds ``leukemia.csv.gz``.
"""

import os
from pathlib import Path

import polars as pl
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infoprop.datasets import load_table
from infoprop.selection import BackwardEliminationSelector
from infoprop.svm import OneVsRestSVC

table = load_table(Path(os.environ.get("INFOPROP_DATA", "data")) / "leukemia.csv.gz", split="split")
# The usual preparation of these intensities: floor, ceiling, logarithm. It looks at one cell at a time, so it
# may see all patients; whatever learns from patients, such as a scaler, belongs inside the classifier.
genes, kind = table.frame.select(pl.all().clip(100, 16000).log10()), table.y
is_train = table.split == "train"
machine = make_pipeline(StandardScaler(), OneVsRestSVC(kernel="linear"))

# 1. From all genes down to one with the 38 patients of the first study; the 34 of the second are kept apart.
search = BackwardEliminationSelector(machine, n_features_to_select=1, validation=5, random_state=0)
search.fit(genes.filter(is_train), kind[is_train])
print("genes   right out of fold, 38 patients   right, 34 later patients")
for step in search.path_:
    if step.n_features in (7129, 1000, 100, 30, 10, 3, 1):
        later = search.at(step.n_features).score(genes.filter(~is_train), kind[~is_train])
        print(f"{step.n_features:5}   {step.accuracy:26.1%}   {later:24.1%}")
print("the last three:", ", ".join(search.at(3).get_feature_names_out()))

# 2. Ten genes, judged in five folds of all 72: the wrong way, chosen before the folds were made, and the
#    right way, chosen anew in every fold.
folds = StratifiedKFold(5, shuffle=True, random_state=0)
ten = BackwardEliminationSelector(
    machine, n_features_to_select=10, step="halving", criterion="margin", validation=None
)
chosen_before = ten.fit(genes, kind).transform(genes)
wrong = cross_val_score(machine, chosen_before, kind, cv=folds).mean()
right = cross_val_score(ten, genes, kind, cv=folds).mean()
print(f"ten genes chosen with all patients, then cross-validated: {wrong:.1%}")
print(f"ten genes chosen anew in every fold:                      {right:.1%}")
