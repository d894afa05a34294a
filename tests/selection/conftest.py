"""What tests of searches may ask for."""

import os
import tempfile
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def powerless():
    """A folder, and no more rights than its mode gives, also if the tests are run by root."""
    if os.name != "posix":
        pytest.skip("needs permissions of POSIX")
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if user == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        yield folder
        os.seteuid(user)
        folder.chmod(0o700)
