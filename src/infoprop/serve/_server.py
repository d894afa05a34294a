"""Starting the server."""

import os
import secrets
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from infoprop.serve._app import application
from infoprop.serve._runs import Workshop


def serve(
    folder: Path, host: str, port: int, *, max_bytes: int, opens_browser: bool, say: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C.

    Parameters
    ----------
    folder : Path
        Where tables and runs are kept, from one start to the next.
    host, port : str, int
        Address to listen on; port 0 takes a free one.
    max_bytes : int
        Largest table that is taken.
    opens_browser : bool
        Whether to open the page.
    say : callable
        Gets the address, with the token in it.
    """
    token = secrets.token_urlsafe(24)
    os.umask(0o077)  # what is uploaded is for this user alone
    hosts = frozenset({"127.0.0.1", "localhost", "::1", host})
    workshop = Workshop(folder)
    workshop.resume_cut_off()
    # A page that is open listens until the server ends, which would wait for it and then complain.
    app = application(workshop, token, hosts, max_bytes, lambda: server.should_exit)
    config = uvicorn.Config(
        app, host=host, port=port, log_level="error", lifespan="off", timeout_graceful_shutdown=5
    )
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    socket.listen(config.backlog)  # whoever follows the printed address waits, and is not refused
    number = socket.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{number}/?token={token}"
    say(f"infoprop serves {folder} at {address}")
    say("Ctrl-C ends the server; runs go on and are listed when it starts again.")
    if opens_browser:
        webbrowser.open(address)
    server.run(sockets=[socket])
