"""The page and what it asks: a few addresses, all behind a token."""

import asyncio
import hmac
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from infoprop._core._exceptions import InfopropError, ParameterError
from infoprop.serve._runs import Workshop
from infoprop.serve._writing import page, script

COOKIE, HEADER = "infoprop-token", "x-infoprop-token"
_PACE, _PARTS = 0.5, 5
"""Seconds between two events, and how often in between to look whether the server ends."""

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)


def application(
    workshop: Workshop,
    token: str,
    hosts: frozenset[str],
    max_bytes: int,
    is_ending: Callable[[], bool] = lambda: False,
) -> Starlette:
    """The application.

    Parameters
    ----------
    workshop : Workshop
        Where tables and runs are.
    token : str
        Whoever has it may ask: in the address once, then as a cookie; what changes something needs it in a
        header too, which other sites cannot send.
    hosts : frozenset of str
        Names that the server answers to, so that no other name can be made to point here.
    max_bytes : int
        Largest table that is taken.
    is_ending : callable
        Whether the server is about to end: pages that listen are let go.
    """

    def is_token(given: str | None) -> bool:
        return hmac.compare_digest((given or "").encode(), token.encode())

    def guarded(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def asked(request: Request) -> Response:
            given = request.headers.get(HEADER) if request.method == "POST" else request.cookies.get(COOKIE)
            if request.url.hostname not in hosts or not is_token(given):
                return JSONResponse({"error": "Open the address that infoprop serve printed."}, 403)
            try:
                return await answer(request)
            except InfopropError as error:
                return JSONResponse({"error": str(error)}, 400)
            except (ValueError, KeyError, TypeError, AttributeError):
                return JSONResponse({"error": "The request is not one that the page sends."}, 400)
            except ClientDisconnect:
                return Response(status_code=400)

        return asked

    async def home(request: Request) -> Response:
        given = request.query_params.get("token", "")
        if request.url.hostname in hosts and is_token(given):
            # The address that is seen from now on holds no token.
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return answer
        return await guarded(_page)(request)

    async def _page(request: Request) -> Response:
        return HTMLResponse(page(token), headers={"content-security-policy": _POLICY})

    async def served_script(request: Request) -> Response:
        return Response(script(), media_type="text/javascript")

    async def take_table(request: Request) -> Response:
        identity, file = workshop.new_table(request.query_params.get("name", ""))
        n_bytes = 0
        try:
            with file.open("wb") as stream:
                async for part in request.stream():
                    n_bytes += len(part)
                    if n_bytes > max_bytes:
                        raise ParameterError(
                            f"The file is larger than {max_bytes // 2**20:,} MiB (see --max-upload)."
                        )
                    stream.write(part)
        except (ParameterError, ClientDisconnect):
            workshop.forget(identity)
            raise
        return JSONResponse({"table": identity, "name": file.name})

    async def check(request: Request) -> Response:
        asked = await request.json()
        told = await run_in_threadpool(
            _checked, workshop, str(asked["table"]), str(asked.get("target") or "")
        )
        return JSONResponse(told)

    async def start(request: Request) -> Response:
        asked = await request.json()
        run = await run_in_threadpool(workshop.new_run, asked, f"{datetime.now():%Y-%m-%d %H:%M:%S}")
        return JSONResponse(run.to_dict())

    async def change(request: Request) -> Response:
        run = workshop.run(request.path_params["run"])
        {"stop": run.stop, "resume": run.start}[request.path_params["what"]]()
        return JSONResponse(run.to_dict())

    async def events(request: Request) -> Response:
        async def told() -> AsyncIterator[str]:
            last = ""
            while not is_ending() and not await request.is_disconnected():
                runs = await run_in_threadpool(lambda: [run.to_dict() for run in workshop.runs()])
                text = json.dumps(runs)
                if text != last:
                    yield f"data: {text}\n\n"
                last = text
                for _ in range(_PARTS):
                    if not is_ending():
                        await asyncio.sleep(_PACE / _PARTS)

        return StreamingResponse(
            told(), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def result(request: Request) -> Response:
        file = workshop.run(request.path_params["run"]).folder / request.url.path.rpartition("/")[2]
        if not file.exists():
            raise ParameterError("This run has no report yet.")
        # The page brings its own policy.
        return FileResponse(file, headers={"cache-control": "no-store", "x-content-type-options": "nosniff"})

    return Starlette(
        routes=[
            Route("/", home),
            Route("/serve.js", guarded(served_script)),
            Route("/events", guarded(events)),
            Route("/tables", guarded(take_table), methods=["POST"]),
            Route("/check", guarded(check), methods=["POST"]),
            Route("/runs", guarded(start), methods=["POST"]),
            Route("/runs/{run}/{what:str}", guarded(change), methods=["POST"]),
            Route("/runs/{run}/report.html", guarded(result)),
            Route("/runs/{run}/report.json", guarded(result)),
        ]
    )


def _checked(workshop: Workshop, identity: str, target: str) -> dict[str, Any]:
    """What ``infoprop check`` says of a table, from a process of its own, and the columns to choose from."""
    file = workshop.table(identity)
    words = [sys.executable, "-m", "infoprop", "check", file.name, "--json"]
    words += [f"--target={target}"] if target else []
    done = subprocess.run(words, cwd=file.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise ParameterError(lines[-1] if lines else "The file could not be checked.")
    told: dict[str, Any] = json.loads(done.stdout)
    return told
