"""Servers that end with the tests, and a table to give them."""

import os
import signal

import numpy as np
import pytest

from infoprop.serve._runs import Run
from reference.browsing import open_browser
from reference.serving import Server

HOSTILE = "<img src=x onerror=alert(1)>"
"""A column that some spreadsheet really could have."""


@pytest.fixture(scope="module")
def serve(tmp_path_factory):
    """A function that starts a server on a folder; all servers and their runs end with the module."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    begun = []

    def start(folder):
        begun.append(Server(folder))
        return begun[-1]

    yield start
    for server in begun:
        if server.process.poll() is None:
            server.kill()
        for about in server.folder.glob("runs/*/run.json"):
            run = Run(about.parent)
            if run.is_running:
                os.kill(run.about["process"], signal.SIGKILL)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    yield from open_browser(tmp_path_factory.mktemp("profile"))


def table_of(n_rows):
    """The text of a table: three classes, twenty columns, of which four say something."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 20))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + random.normal(scale=0.5, size=n_rows) > 0).astype(int) + (X[:, 3] > 1)
    head = ",".join([HOSTILE, *(f"x{number}" for number in range(1, 20)), "class"])
    rows = (
        ",".join([*(f"{value:.3f}" for value in row), "abc"[label]]) for row, label in zip(X, y, strict=True)
    )
    return "\n".join([head, *rows, ""])


@pytest.fixture(scope="session")
def table():
    return table_of(90)


@pytest.fixture(scope="session")
def long_table():
    """One on which networks are searched for ten seconds and more, however fast the machine."""
    return table_of(600)
