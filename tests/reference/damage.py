"""Journals whose bytes are changed, one at a time, and journals that several processes want."""

import os

import numpy as np

from infoprop.exceptions import ParameterError
from reference.running import Journal

LINE = 200


def opened(path, fingerprint="data=1 step=2", owner="Searcher", seed=None):
    """A journal of some search."""
    return Journal.open(path, fingerprint, owner, seed)


def refused_changes(path, places, seed):
    """Change the byte at each of `places` in turn; return how often the journal is refused.

    It must be refused, and left as it is, or hold what it held.
    """
    with opened(path) as journal:
        held = journal.records(), journal.state()
    whole, random = path.read_bytes(), np.random.default_rng(seed)
    n_refused = 0
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= int(random.integers(1, 256))
        path.write_bytes(changed)
        try:
            with opened(path) as journal:
                found = journal.records(), journal.state()
        except ParameterError:
            n_refused += 1
            assert {file.name for file in path.parent.iterdir()} == {path.name}, place
            assert path.read_bytes() == changed, place
        else:
            np.testing.assert_equal(found, held)
    return n_refused


def race(path, n_processes):
    """Let processes make the same journal at the same moment; return the outcome of each.

    An outcome is "wrote", "in use", or what else was said. Whoever wrote holds the journal until all have
    tried.
    """
    start, started = os.pipe()
    end, ended = os.pipe()
    told, tell = os.pipe()
    children = []
    for number in range(n_processes):
        child = os.fork()
        if not child:
            os.close(started)
            os.close(ended)
            try:
                os.read(start, 1)
                _compete(path, number, tell, end)
            finally:
                os._exit(0)
        children.append(child)
    os.close(started)
    outcomes = []
    while sum(len(outcome) for outcome in outcomes) < LINE * n_processes:
        outcomes.append(os.read(told, LINE))
    os.close(ended)
    for child in children:
        os.waitpid(child, 0)
    for descriptor in (start, end, told, tell):
        os.close(descriptor)
    text = b"".join(outcomes)
    return [text[k : k + LINE].decode().strip() for k in range(0, len(text), LINE)]


def _compete(path, number, tell, end):
    outcome, journal = "", None
    try:
        journal = opened(path)
        journal.append([{"number": number}], {"number": np.array([number])})
        outcome = "wrote"
    except ParameterError as error:
        outcome = "in use" if "is in use by another search" in str(error) else str(error)
    except BaseException as error:
        outcome = repr(error)
    os.write(tell, outcome.encode()[:LINE].ljust(LINE))
    os.read(end, 1)
    if journal is not None:
        journal.close()
