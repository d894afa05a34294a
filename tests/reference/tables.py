"""Small tables on disk, as fixtures."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine


@pytest.fixture
def write(tmp_path):
    """Write a text file and return its path."""

    def call(name, text) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return call


@pytest.fixture
def iris(write):
    """The iris data as a table."""
    data = load_iris()
    lines = ["sepal length,sepal width,petal length,petal width,class"]
    for row, label in zip(data.data, data.target_names[data.target], strict=True):
        lines.append(",".join([*map(str, row), label]))
    return write("iris.csv", "\n".join(lines) + "\n")


@pytest.fixture
def mixed(write):
    """Two classes told apart by a nominal column, beside noise, with holes and a split."""
    generator = np.random.default_rng(0)
    lines = ["colour,size,weight,split,class"]
    for number in range(80):
        label = number % 2
        colour = ["red", "green"][label] if generator.random() < 0.9 else "blue"
        size = "" if number == 7 else f"{generator.normal(label):.3f}"
        colour = "" if number == 9 else colour
        part = "train" if number < 60 else "test"
        lines.append(f"{colour},{size},{generator.normal():.3f},{part},{['no', 'yes'][label]}")
    return write("mixed.csv", "\n".join(lines) + "\n")


@pytest.fixture
def wine(write):
    """Half of the wine data, six columns of it, as a table."""
    data = load_wine(as_frame=True)
    frame = data.data.iloc[::2, [0, 2, 6, 9, 10, 12]]
    lines = [",".join([*frame.columns, "class"])]
    for row, label in zip(frame.to_numpy(), data.target[::2], strict=True):
        lines.append(",".join([*map(str, row), f"c{label}"]))
    return write("wine.csv", "\n".join(lines) + "\n")
