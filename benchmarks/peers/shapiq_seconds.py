"""Explain single rows of an rbf machine by shapiq's product-kernel explainer: ``OUT N_ROWS``.

Writes the contributions to OUT (.npy) and prints processor seconds for a row, last.
"""

import sys
import time

import numpy as np
from shapiq.explainer.product_kernel import ProductKernelExplainer
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

out, n_rows = sys.argv[1], int(sys.argv[2])
X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
machine = SVC(gamma=0.01).fit(X, y)
explainer = ProductKernelExplainer(machine, max_order=1, index="SV")
explainer.explain(X[0])
begin = time.process_time()
found = [explainer.explain(row) for row in X[:n_rows]]
seconds = time.process_time() - begin
np.save(out, [[values[(k,)] for k in range(X.shape[1])] for values in found])
print(seconds / n_rows)
