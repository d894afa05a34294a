"""What every test may ask for."""

import os
from pathlib import Path

import pytest

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
