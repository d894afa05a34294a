"""Slow twins of gradient angles and average separation: differences of outputs, all pairs of rows."""

from itertools import combinations

import numpy as np

STEP = 1e-5


def gradient_by_differences(output, row):
    """Slope of `output` (rows to numbers) along every axis at one row."""
    slopes = np.zeros(len(row))
    for k in range(len(row)):
        moved = np.zeros(len(row))
        moved[k] = STEP
        above, below = output(np.array([row + moved, row - moved]))
        slopes[k] = (above - below) / (2 * STEP)
    return slopes


def smaller_angle(gradient, axis):
    """Equation 7: the smaller of the two angles between a line and an axis."""
    angle = np.arccos(np.clip(gradient[axis] / np.linalg.norm(gradient), -1.0, 1.0))
    return min(beta * np.pi + (-1) ** beta * angle for beta in (0, 1))


def machine_angles(output, X, signs, epsilon):
    """Equation 8 for one machine; rows with sign 0 are not the machine's."""
    values = output(X)
    rows = [i for i, s in enumerate(signs) if s != 0 and abs(s * values[i] - 1.0) <= epsilon]
    gradients = [gradient_by_differences(output, X[i]) for i in rows]
    angles = [[smaller_angle(gradient, k) for k in range(X.shape[1])] for gradient in gradients]
    return 1.0 - 2.0 / np.pi * np.mean(angles, axis=0), len(rows)


def estimator_angles(model, X, y, epsilon):
    """All machines of a fitted classifier, asked through its public decision function: values and counts."""
    classes = np.unique(y)
    n_outputs = 1 if model.decision_function(X).ndim == 1 else model.decision_function(X).shape[1]

    def output(number):
        return lambda rows: model.decision_function(rows).reshape(len(rows), -1)[:, number]

    if n_outputs == 1:
        sides = [(classes[1], classes[0])]
    elif getattr(model, "decision_function_shape", None) == "ovo":
        sides = list(combinations(classes, 2))
    else:
        sides = [(label, None) for label in classes]
    results = []
    for number, (positive, negative) in enumerate(sides):
        others = (y != positive) if negative is None else (y == negative)
        signs = np.where(y == positive, 1.0, np.where(others, -1.0, 0.0))
        results.append(machine_angles(output(number), X, signs, epsilon))
    return np.array([values for values, _ in results]), [n_rows for _, n_rows in results]


def separation_by_pairs(X, y, weights=None):
    """Mean over all pairs of rows of different classes of the distance in each column."""
    weights = np.ones(len(y)) if weights is None else weights
    total, pairs = np.zeros(X.shape[1]), 0.0
    for i, j in combinations(range(len(y)), 2):
        if y[i] != y[j]:
            total += weights[i] * weights[j] * np.abs(X[i] - X[j])
            pairs += weights[i] * weights[j]
    return total / pairs


def equation_11(x, y):
    """The double sum as printed, for labels +1 and -1 of one column."""
    return sum(abs(a - b) for a in x[y == 1] for b in x[y == -1])
