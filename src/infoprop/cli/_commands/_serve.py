"""``infoprop serve``: a page on this computer to run infoprop from."""

import argparse
from contextlib import suppress
from pathlib import Path

from infoprop._core._optional import require
from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar._values import path_value, whole_number

LAST_PORT = 65_535
MOST_MEBIBYTES = 2**20
NAME = "serve"
SUMMARY = "a page on this computer to choose a file, start runs and open their reports"
DESCRIPTION = """\
Serve a page on this computer: drop a file, see what `infoprop check` says of it, choose what to do, start,
watch, stop, open the report. Each run is a process of this command line with a checkpoint in a folder of its
own: it goes on without browser and server, and one that was killed can go on where it was.

The page opens only by the printed address, which holds a token. It listens on this computer alone.
"""
EXAMPLES = """\
examples:
  infoprop serve
  infoprop serve --folder ~/infoprop-runs --port 8765 --no-browser
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    parser.add_argument(
        "--folder",
        metavar="DIR",
        type=path_value,
        default=Path("infoprop-runs"),
        help="where tables and runs are kept (default: %(default)s)",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: %(default)s). Any other lets other computers in, without "
        "encryption: anyone who sees the address can start runs",
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=whole_number(0, LAST_PORT),
        default=0,
        help="0 takes a free one (default: %(default)s)",
    )
    parser.add_argument(
        "--max-upload",
        metavar="MIB",
        type=whole_number(1, MOST_MEBIBYTES),
        default=512,
        help="largest file that is taken, in MiB (default: %(default)s)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, open nothing")


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    require(("starlette", "uvicorn"), "serve", "infoprop serve")
    from infoprop.serve._server import serve

    with suppress(KeyboardInterrupt):  # the way to end it
        serve(
            arguments.folder.absolute(),
            arguments.host,
            arguments.port,
            max_bytes=arguments.max_upload * 2**20,
            opens_browser=not arguments.no_browser,
            say=lambda words: print(words, flush=True),
        )
    return DONE
