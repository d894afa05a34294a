"""What every test may ask for."""

import os
from pathlib import Path

import hypothesis
import pytest

# The first example of a test may have to compile; how long an example takes says nothing about its result.
hypothesis.settings.register_profile("infoprop", deadline=None)
hypothesis.settings.load_profile("infoprop")

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real data sets; a test that asks for it skips by name where there is none."""
    folder = Path(os.environ.get("INFOPROP_DATA", "../shared/data"))
    if not folder.is_absolute():
        folder = PROJECT / folder
    if not folder.is_dir():
        pytest.skip(f"real data sets not found: INFOPROP_DATA={folder}")
    return folder
