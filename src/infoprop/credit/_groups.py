"""Columns that belong together: one nominal variable's indicators, one sensor's readings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self, TypeAlias

import numpy as np
from scipy import sparse

from infoprop._core._exceptions import ParameterError
from infoprop._core._typing import FloatArray, IntArray

GroupSpecification: TypeAlias = Mapping[str, Sequence[int | str]] | Sequence[Any] | None
"""What `groups` may be: see :class:`ColumnGroups`."""

_NAMES_SHOWN = 3


@dataclass(frozen=True)
class ColumnGroups:
    """A partition of the columns, numbered in the order of each group's first column.

    Attributes
    ----------
    names : tuple of str, length n_groups
    labels : ndarray of shape (n_columns,)
        Group number of every column.
    columns : tuple of str, length n_columns
        Names of the columns.

    Examples
    --------
    >>> groups = ColumnGroups.from_specification({"colour": ["red", "green"]}, ("red", "size", "green"))
    >>> groups.names, groups.labels.tolist()
    (('colour', 'size'), [0, 1, 0])
    >>> groups.sums([0.1, 0.5, 0.2]).round(3).tolist()
    [0.3, 0.5]
    """

    names: tuple[str, ...]
    labels: IntArray
    columns: tuple[str, ...]

    @classmethod
    def from_specification(cls, groups: GroupSpecification, feature_names: Sequence[str]) -> Self:
        """Read `groups` in any of its forms.

        Parameters
        ----------
        groups : None, list of lists, mapping, or array-like of shape (n_columns,)
            Lists of columns (numbers or names); a mapping from group name to such a list; or one label
            per column, equal labels going together. A column that no list mentions is a group of its own.
            None makes every column a group of its own.
        feature_names : sequence of str, length n_columns
        """
        if groups is None:
            return cls(tuple(feature_names), np.arange(len(feature_names)), tuple(feature_names))
        if isinstance(groups, str) or not isinstance(groups, Iterable):
            raise ParameterError(
                "The 'groups' parameter must be None, a list of lists of columns, a mapping from group name "
                f"to columns, or one label per column. Got {groups!r}."
            )
        if isinstance(groups, Mapping):
            return cls._from_lists(list(groups.values()), [str(key) for key in groups], feature_names)
        entries = list(groups)
        if entries and all(_is_list(entry) for entry in entries):
            return cls._from_lists(entries, None, feature_names)
        return cls._from_labels(entries, feature_names)

    @classmethod
    def _from_labels(cls, entries: list[Any], feature_names: Sequence[str]) -> Self:
        if len(entries) != len(feature_names) or any(_is_list(entry) for entry in entries):
            raise ParameterError(
                "The 'groups' parameter, given as one label per column, must have one plain label for each "
                f"of the {len(feature_names)} columns. Got {len(entries)} entries."
            )
        numbers: dict[Any, int] = {}
        labels = np.array([numbers.setdefault(entry, len(numbers)) for entry in entries], dtype=np.intp)
        return cls(tuple(str(entry) for entry in numbers), labels, tuple(feature_names))

    @classmethod
    def _from_lists(cls, lists: list[Any], keys: list[str] | None, feature_names: Sequence[str]) -> Self:
        owner = np.full(len(feature_names), -1, dtype=np.intp)
        for number, entry in enumerate(lists):
            columns = column_numbers(entry, feature_names, "groups")
            if columns.size == 0:
                raise ParameterError(f"Group number {number} in 'groups' is empty. Leave it out.")
            taken = columns[owner[columns] >= 0]
            if taken.size:
                raise ParameterError(
                    "The groups in 'groups' must not overlap. "
                    f"Column {feature_names[taken[0]]!r} is in more than one."
                )
            owner[columns] = number
        # A column that no list mentions gets a key that no list can have.
        owner = np.where(owner >= 0, owner, len(lists) + np.arange(len(owner)))
        numbers: dict[int, int] = {}
        labels = np.array([numbers.setdefault(key, len(numbers)) for key in owner.tolist()], dtype=np.intp)
        members: list[list[str]] = [[] for _ in numbers]
        for name, label in zip(feature_names, labels, strict=True):
            members[label].append(name)
        names = tuple(
            keys[key] if keys is not None and key < len(keys) else _joined(members[number])
            for key, number in numbers.items()
        )
        return cls(names, labels, tuple(feature_names))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.names)

    @property
    def membership(self) -> sparse.csr_array | None:
        """Matrix of shape (n_columns, n_groups): 1 where a column belongs to a group; None if each is one."""
        n_columns = len(self.labels)
        if np.array_equal(self.labels, np.arange(self.n_groups)):
            return None
        return sparse.csr_array(
            (np.ones(n_columns), self.labels, np.arange(n_columns + 1)), shape=(n_columns, self.n_groups)
        )

    def standing_on(self, columns: IntArray) -> Self:
        """The same groups, of some of the columns; a group may have none of them."""
        names = tuple(self.columns[k] for k in columns)
        return replace(self, labels=self.labels[columns], columns=names)

    def sums(self, values: Any) -> FloatArray:
        """Sum `values` of shape (..., n_columns) over the columns of each group: (..., n_groups)."""
        values = np.asarray(values, dtype=np.float64)
        total = np.zeros((*values.shape[:-1], self.n_groups))
        np.add.at(total.T, self.labels, values.T)
        return total

    def members(self, chosen: IntArray) -> IntArray:
        """Column numbers, ascending, of the groups with the numbers `chosen`."""
        is_chosen = np.zeros(self.n_groups, dtype=bool)
        is_chosen[chosen] = True
        columns: IntArray = np.flatnonzero(is_chosen[self.labels])
        return columns

    def numbers_of(self, columns: Any, parameter: str) -> IntArray:
        """Group numbers, ascending, of columns given by number or name; errors name the `parameter`."""
        return np.unique(self.labels[column_numbers(columns, self.columns, parameter)])


def column_numbers(columns: Any, feature_names: Sequence[str], parameter: str) -> IntArray:
    """Turn columns given by number (negative ones count from the end) or by name into numbers.

    Examples
    --------
    >>> column_numbers(["b", 0, -1], ("a", "b", "c"), "keep").tolist()
    [1, 0, 2]
    """
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        columns = [columns]
    position = {name: k for k, name in enumerate(feature_names)}
    n_features = len(feature_names)
    numbers = []
    for column in columns:
        if isinstance(column, str) and column in position:
            numbers.append(position[column])
        elif _is_number(column) and -n_features <= column < n_features:
            numbers.append(int(column) % n_features)
        else:
            raise ParameterError(
                f"The {parameter!r} parameter names columns by number (0 to {n_features - 1}) or by name. "
                f"There is no column {column!r}."
            )
    return np.array(numbers, dtype=np.intp)


def _is_number(column: Any) -> bool:
    return isinstance(column, Integral) and not isinstance(column, bool | np.bool_)


def _is_list(entry: Any) -> bool:
    return isinstance(entry, Iterable) and not isinstance(entry, str | bytes)


def _joined(members: list[str]) -> str:
    if len(members) <= _NAMES_SHOWN:
        return "+".join(members)
    return f"{members[0]}+{len(members) - 1} more"
