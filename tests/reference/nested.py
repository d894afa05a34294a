"""Nested cross-validation of one selector at one size, step by step."""

import numpy as np
from sklearn.base import clone


def plain_nested(make_selector, classifier, X, y, splits):
    """Masks and confusion tables of all folds; a fresh selector in each, and every row counted by hand."""
    labels = sorted(set(y.tolist()))
    supports, tables = [], []
    for train, test in splits:
        selector = make_selector().fit(X[train], y[train])
        support = selector.get_support()
        model = clone(classifier).fit(X[train][:, support], y[train])
        table = np.zeros((len(labels), len(labels)))
        for true, found in zip(y[test].tolist(), model.predict(X[test][:, support]).tolist(), strict=True):
            table[labels.index(true), labels.index(found)] += 1
        supports.append(support)
        tables.append(table)
    return np.array(supports), np.array(tables)


def information(table):
    """I(Y;Yf) of a table of counts, in bits."""
    p = table / table.sum()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    return sum(
        p[i, j] * np.log2(p[i, j] / (rows[i] * columns[j])) for i, j in np.ndindex(p.shape) if p[i, j] > 0
    )
