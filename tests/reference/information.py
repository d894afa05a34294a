"""The measures of a confusion table written as the papers write them, and tables to try them on."""

from collections.abc import Sequence
from math import log, log2
from typing import Any

from hypothesis import strategies as st

Table = Sequence[Sequence[float]]


def entropy(distribution: Sequence[float]) -> float:
    return -sum(p * log2(p) for p in distribution if p > 0)


def joint(table: Table) -> list[list[float]]:
    total = sum(sum(row) for row in table)
    return [[cell / total for cell in row] for row in table]


def class_probabilities(table: Table) -> list[float]:
    return [sum(row) for row in joint(table)]


def indicator_probabilities(table: Table) -> list[float]:
    return [sum(column) for column in zip(*joint(table), strict=True)]


def indicator_entropies(table: Table) -> list[float]:
    columns = zip(*joint(table), strict=True)
    return [entropy([p / sum(c) for p in c]) if sum(c) > 0 else 0.0 for c in map(list, columns)]


def class_entropy(table: Table) -> float:
    return entropy(class_probabilities(table))


def conditional_entropy(table: Table) -> float:
    pairs = zip(indicator_probabilities(table), indicator_entropies(table), strict=True)
    return sum(probability * bits for probability, bits in pairs)


def output_information(table: Table) -> float:
    """Sum of p(i, j) log2(p(i, j) / (p(i) p(j))): another road than the library's."""
    true, predicted = class_probabilities(table), indicator_probabilities(table)
    return sum(
        p * log2(p / true[i] / predicted[j])
        for i, row in enumerate(joint(table))
        for j, p in enumerate(row)
        if p > 0
    )


def corrected_information(table: Table, n_samples: float) -> tuple[float, float]:
    """H(Y) and I with the Miller-Madow correction."""
    cells = [cell for row in joint(table) for cell in row]
    parts = []
    for distribution in (class_probabilities(table), indicator_probabilities(table), cells):
        occupied = sum(p > 0 for p in distribution)
        parts.append(entropy(distribution) + (occupied - 1) / (2 * n_samples * log(2)))
    return parts[0], min(max(parts[0] + parts[1] - parts[2], 0.0), parts[0])


def indicator_credits(table: Table) -> list[float]:
    most = log2(len(table))
    pairs = zip(indicator_probabilities(table), indicator_entropies(table), strict=True)
    usefulness = [probability * (most - bits) for probability, bits in pairs]
    if sum(usefulness) <= 1e-13:
        return [0.0] * len(table)
    return [output_information(table) * useful / sum(usefulness) for useful in usefulness]


def error_rate(table: Table) -> float:
    return sum(p for i, row in enumerate(joint(table)) for j, p in enumerate(row) if i != j)


def error_entropy(table: Table) -> float:
    """H(E|Yf): how uncertain an error is once the output is seen."""
    shares = joint(table)
    return sum(
        p * entropy([shares[j][j] / p, 1 - shares[j][j] / p])
        for j, p in enumerate(indicator_probabilities(table))
        if p > 0
    )


def wrong_class_entropies(table: Table) -> list[float]:
    """H(Y|e, Yf = j) of every label j that was predicted wrongly at least once."""
    found = []
    for j, column in enumerate(zip(*table, strict=True)):
        wrong = [cell for i, cell in enumerate(column) if i != j]
        if sum(wrong) > 0:
            found.append(entropy([cell / sum(wrong) for cell in wrong]))
    return found


def fano_lower(table: Table) -> float:
    """Equation 2 of moi-2004, for more than two labels, not clipped."""
    error = error_rate(table)
    return (conditional_entropy(table) - entropy([error, 1 - error])) / log2(len(table) - 1)


def fano_upper(table: Table) -> float:
    """Equation 3 with H(E|Yf), for a denominator above zero, not clipped."""
    return (conditional_entropy(table) - error_entropy(table)) / min(wrong_class_entropies(table))


def hellman_raviv(table: Table) -> float:
    """At most half the entropy where the own label is the most frequent of its column, else 1."""
    bound, entropies = 0.0, indicator_entropies(table)
    for j, column in enumerate(zip(*joint(table), strict=True)):
        is_most_frequent = column[j] == max(column)
        bound += sum(column) * (min(1.0, entropies[j] / 2) if is_most_frequent else 1.0)
    return bound


COUNTS = st.one_of(st.just(0), st.integers(0, 40))


@st.composite
def square_tables(draw: st.DrawFn, min_labels: int = 1, max_labels: int = 5) -> list[list[int]]:
    """Tables of small counts, not all zero; empty rows and columns are common."""
    size = draw(st.integers(min_labels, max_labels))
    row = st.lists(COUNTS, min_size=size, max_size=size)
    table = draw(st.lists(row, min_size=size, max_size=size))
    if not any(map(any, table)):
        place = st.integers(0, size - 1)
        table[draw(place)][draw(place)] = draw(st.integers(1, 40))
    return table


@st.composite
def tables_of_spread_errors(draw: st.DrawFn, max_labels: int = 7) -> list[list[int]]:
    """Tables where every label predicted wrongly at all is so for rows of at least two classes."""
    size = draw(st.integers(3, max_labels))
    labels = range(size)
    at_fault = draw(st.sets(st.sampled_from(labels), min_size=1))
    columns = []
    for j in labels:
        column = draw(st.lists(COUNTS, min_size=size, max_size=size))
        if j in at_fault:
            others = st.sampled_from([i for i in labels if i != j])
            for i in draw(st.sets(others, min_size=2, max_size=2)):
                column[i] += 1
        else:
            column = [column[i] if i == j else 0 for i in labels]
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]


def any_labels() -> st.SearchStrategy[Any]:
    """One label of any of the types that data come with."""
    return st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.text(max_size=3),
        st.binary(max_size=2),
        st.tuples(st.integers(0, 2), st.text(max_size=1)),
    )


def rows_of(table: Sequence[Sequence[int]], labels: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """y_true and y_pred whose counts are `table`."""
    pairs = [
        (labels[i], labels[j])
        for i, row in enumerate(table)
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    return [true for true, _ in pairs], [predicted for _, predicted in pairs]
