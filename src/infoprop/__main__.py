"""``python -m infoprop`` is the command line."""

import sys

from infoprop.cli import main

if __name__ == "__main__":
    sys.exit(main())
