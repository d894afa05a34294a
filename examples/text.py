"""Which words give a newswire's topic away?

8085 documents of Reuters-21578 in five topics, some nine thousand words, nothing ever made dense. The script
credits words, chooses a few hundred of them, and compares raw word counts with shaped ones.

Run it with ``INFOPROP_DATA=folder python examples/text.py``; the folder holds ``reuters-3.csv.gz``.
"""

import os
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer

from infoprop.datasets import load_table
from infoprop.metrics import output_information
from infoprop.selection import CreditSelector
from infoprop.svm import OneVsRestSVC, ShapedLinearClassifier

table = load_table(Path(os.environ.get("INFOPROP_DATA", "data")) / "reuters-3.csv.gz", split="split")
documents, topic = table.frame["text"].to_numpy(), table.y
is_train, is_test = table.split == "train", table.split == "test"

words = CountVectorizer(binary=True, min_df=3, stop_words="english")
X, X_test = words.fit_transform(documents[is_train]), words.transform(documents[is_test])
y, y_test = topic[is_train], topic[is_test]
vocabulary = words.get_feature_names_out()

# 1. One training; a quarter of the training documents is held out to count bits on.
machine = OneVsRestSVC(kernel="linear", C=0.1)
selector = CreditSelector(machine, n_features_to_select=200, random_state=0).fit(X, y)
credits = selector.credits_
entropy = credits.flow.class_entropy
print(f"{credits.information:.2f} of {entropy:.2f} bits, shared among {len(vocabulary)} words")
print("words that earn the most for each topic, in thousandths of a bit")
for name, bits in zip(credits.classes, credits.by_class, strict=True):
    best = bits.argsort()[::-1][:6]
    print(f"  {name:9}", ", ".join(f"{vocabulary[word]} {1000 * bits[word]:.1f}" for word in best))

# 2. All words against two hundred, on the test documents.
models = {
    "all words": machine.fit(X, y),
    "200 words": selector,
    "all words, shaped": ShapedLinearClassifier(random_state=0).fit(X, y),
}
print(f"on the {len(y_test)} test documents")
for name, model in models.items():
    said = model.predict(X_test)
    print(f"  {name:18} {(said == y_test).mean():.1%} right, {output_information(y_test, said):.2f} bits")
