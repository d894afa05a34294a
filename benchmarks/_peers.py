"""Peers that cannot share an environment with infoprop get one of their own, made on first use.

``peers/NAME.txt`` pins all that a peer needs. Its side of a benchmark is a script in the same folder that
times itself and prints the seconds last.
"""

import subprocess
import sys
import venv
from pathlib import Path

PEERS = Path(__file__).resolve().parent / "peers"
ENVIRONMENTS = PEERS.parent.parent / ".venv-peers"


def interpreter(peer: str) -> Path:
    """Return the Python of a peer's environment, made anew if its requirements have changed."""
    wanted = (PEERS / f"{peer}.txt").read_text(encoding="utf-8")
    folder = ENVIRONMENTS / peer
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    installed = folder / "installed.txt"
    if not installed.exists() or installed.read_text(encoding="utf-8") != wanted:
        print(f"installing {peer} into {folder.relative_to(ENVIRONMENTS.parent)} ...", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]
        subprocess.run([*install, PEERS / f"{peer}.txt"], check=True)
        installed.write_text(wanted, encoding="utf-8")
    return python


def peer_seconds(peer: str, *words: object) -> float:
    """Run a peer's side of a benchmark, ``peers/PEER_seconds.py``, and return the seconds it reports."""
    command = [str(part) for part in (interpreter(peer), PEERS / f"{peer}_seconds.py", *words)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.split()[-1])
