"""Who may ask the server, and what it takes."""

import asyncio
import json
import pickle

import numpy as np
import pytest

from infoprop.cli import main
from infoprop.serve._runs import Workshop
from reference.command_line import parsed

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from infoprop.serve._app import COOKIE, HEADER, application

TOKEN = "right"


@pytest.fixture
def ask(tmp_path):
    """Ask the application, without a network: status, headers and body of the answer."""
    app = application(Workshop(tmp_path), TOKEN, frozenset({"127.0.0.1"}), 10, is_ending=lambda: True)

    def asked(method, path, body=b"", query=b"", host="127.0.0.1", **headers):
        given = [(b"host", host.encode()), *((k.encode(), v.encode()) for k, v in headers.items())]
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query,
            "headers": given,
            "scheme": "http",
            "server": ("127.0.0.1", 80),
        }
        sent = []

        bodies = [body]

        async def receive():
            if not bodies:
                await asyncio.sleep(60)  # it stays connected
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}

        async def send(message):
            sent.append(message)

        asyncio.run(app(scope, receive, send))
        answer = b"".join(message.get("body", b"") for message in sent[1:])
        return sent[0]["status"], dict(sent[0]["headers"]), answer

    return asked


def test_nobody_asks_without_the_token(ask):
    cookie = {"cookie": f"{COOKIE}={TOKEN}"}
    assert ask("GET", "/")[0] == 403
    assert ask("GET", "/", query=b"token=wrong")[0] == 403
    assert ask("GET", "/", query=b"token=%C3%A9")[0] == 403
    status, headers, _ = ask("GET", "/", query=b"token=right")
    assert status == 303
    assert b"HttpOnly" in headers[b"set-cookie"]
    assert b"samesite=strict" in headers[b"set-cookie"].lower()
    status, headers, page = ask("GET", "/", **cookie)
    assert status == 200
    assert b"default-src 'none'" in headers[b"content-security-policy"]
    assert b"http://" not in page
    assert b"https://" not in page
    assert ask("GET", "/serve.js", **cookie)[0] == 200


def test_another_name_for_this_computer_is_refused(ask):
    assert ask("GET", "/", host="evil.example", cookie=f"{COOKIE}={TOKEN}")[0] == 403


def test_a_form_of_another_site_changes_nothing(ask, tmp_path):
    # A browser sends the cookie along, but not the header.
    for path in ("/tables", "/check", "/runs", "/runs/0123456789ab/stop"):
        assert ask("POST", path, b"x", cookie=f"{COOKIE}={TOKEN}")[0] == 403
    assert list((tmp_path / "tables").iterdir()) == []


def test_large_files_are_refused_and_leave_nothing(ask, tmp_path):
    token = {HEADER: TOKEN}
    status, _, answer = ask("POST", "/tables", b"x" * 11, query=b"name=a.csv", **token)
    assert (status, b"larger than" in answer) == (400, True)
    assert list((tmp_path / "tables").iterdir()) == []
    status, _, answer = ask("POST", "/tables", b"x" * 10, query=b"name=..%2Fa.csv", **token)
    assert (status, json.loads(answer)["name"]) == (200, "a.csv")


def test_results_of_runs_that_are_not_there(ask):
    cookie = {"cookie": f"{COOKIE}={TOKEN}"}
    for path in ("/runs/0123456789ab/report.html", "/runs/../report.html", "/runs/0123456789ab/report.skops"):
        assert ask("GET", path, **cookie)[0] in (400, 404, 405)


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b"{}", b'{"table": "../../x"}', b'{"table": null}'])
def test_requests_that_no_page_sends_are_refused(ask, body):
    for path in ("/check", "/runs", "/runs/0123456789ab/explode"):
        assert ask("POST", path, body, **{HEADER: TOKEN})[0] == 400


def test_only_this_computer_is_listened_to_unless_told_otherwise():
    assert parsed("serve").host == "127.0.0.1"
    assert parsed("serve", "--host", "0.0.0.0").host == "0.0.0.0"


def test_pages_that_listen_are_let_go_when_the_server_ends(ask):
    status, headers, told = ask("GET", "/events", cookie=f"{COOKIE}={TOKEN}")
    assert (status, told) == (200, b"")
    assert headers[b"content-type"].startswith(b"text/event-stream")


class _Trap:
    """Whoever unpickles it writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("name", ["table.npz", "table.pkl"])
def test_nothing_that_was_uploaded_is_unpickled(tmp_path, name, capsys):
    sprung = tmp_path / "sprung"
    if name.endswith(".npz"):
        np.savez(tmp_path / name, data=np.array([_Trap(sprung)], dtype=object), y=np.array([0]))
    else:
        (tmp_path / name).write_bytes(pickle.dumps(_Trap(sprung)))
    assert main(["check", str(tmp_path / name), "--json"]) != 0
    assert not sprung.exists()
    assert capsys.readouterr().err
