"""Compile what tests run, once: in processes that end before there are any that test.

Test processes would compile the same at the same time, each for itself, and keep the memory that compiling
takes. What is compiled lies on disk afterwards with a note beside it; where that is found, nothing is done.
"""

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import infoprop
from infoprop._core._jit import cache_folder

TESTS = Path(__file__).resolve().parent
FITS = [sys.executable, str(TESTS / "reference" / "first_fits.py")]
PYTEST = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"]

# Tests of compiled functions call them as no fit does.
FAST = sorted(TESTS.rglob("test_*_fast.py"))
# These train with what the fits have not, such as sparse rows in every estimator.
CHECKS = ["test_sklearn_checks.py", "-k", "check_estimator_sparse_matrix"]
MORE = [
    "selection/searches/test_judging.py",
    "selection/elimination/test_every_store.py::test_groups_are_given_what_insensitive_machines_share_evenly",
    "neighbors/test_votes.py",
    "shaping/test_policy.py",
    "shaping/test_shapers.py",
    "experiments/test_moi2004.py::test_curves_of_networks_have_machines_of_their_own_and_claims_on_both_rows",
    "test_docs.py::test_examples_give_what_the_page_shows[docs/guide/shaping.md]",
]


def commands():
    """Command lines of all that compiles; what takes longest comes first."""
    machines = [str(path) for path in FAST if "svm" in path.parts]
    others = [str(path) for path in FAST if "svm" not in path.parts]
    tested = ([f"{TESTS / CHECKS[0]}", *CHECKS[1:]], [f"{TESTS / path}" for path in MORE], machines, others)
    return [[*FITS, "straight"], [*FITS, "curved"], *([*PYTEST, *words] for words in tested)]


def note():
    """File that is there once all has been compiled as the sources and these tests now are."""
    sources = sorted(Path(infoprop.__file__).parent.rglob("*_fast.py"))
    state = [sys.version, *map(str, sources), *(cache_folder(path).name for path in sources)]
    state += [path.read_text(encoding="utf-8") for path in (Path(__file__), Path(FITS[1]), *FAST)]
    digest = hashlib.sha256("\n".join(state).encode()).hexdigest()
    return cache_folder(sources[0]).with_name(f"tests-{digest[:16]}")


def run(command):
    """Run one of them. What a test finds is said when all of them run, so only fits can fail here."""
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return done.returncode if command[: len(FITS)] == FITS else 0


if __name__ == "__main__":
    if (done := note()).exists():
        sys.exit()
    print("Compiling what tests run ...", flush=True)
    with ThreadPoolExecutor(2) as two:
        codes = list(two.map(run, commands()))
    if not any(codes):
        done.touch()
    sys.exit(max(codes))
