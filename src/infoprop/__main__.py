"""``python -m infoprop`` and ``infoprop``: the command line in a process of its own."""

import gc
import sys

from infoprop.cli import main


def run() -> int:
    """Run the command that this process was started for, and return its exit code.

    What a command imports stays until the process ends. To look through all of it for garbage, time and again
    and once more at the end, took a third of the time of a short command.
    """
    gc.set_threshold(50_000, 50, 50)
    try:
        return main()
    finally:
        gc.freeze()


if __name__ == "__main__":
    sys.exit(run())
