"""Who is not answered: other sites, other users, requests that are not the page's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from maskwise.studio import uploads
from maskwise.studio.access import HEADERS, Access, GuardedApp
from maskwise.studio.private_folder import PrivateFolder
from maskwise.studio.refusal import RequestError
from maskwise.studio.routes import MOST_JSON, Requests

ACCESS = Access(4711, "t" * 43)
PAGE = {"host": "127.0.0.1:4711"}
API = {**PAGE, "x-maskwise-token": ACCESS.token, "content-type": "application/json"}
FILE = {**API, "content-type": "application/octet-stream", "x-file-name": "people.csv"}


class NoStudio:
    """A studio with nothing in it: what comes this far was not refused."""

    def __init__(self, folder: Any) -> None:
        self.folder, self.max_upload = folder, 1000
        self.opened: list[Path] = []
        self.on_use = lambda: None

    async def state(self, tab: str) -> dict[str, Any]:
        return {"tab": tab}

    def require_idle(self) -> None:
        pass

    def require_table(self, given: str | None) -> None:
        if given == "gone":
            raise RequestError(410, "Another table was opened.")

    async def open(self, choice: Any) -> dict[str, Any]:
        self.opened.append(choice.upload)
        return {"n_bytes": choice.upload.stat().st_size}

    async def columns(self, roles: dict[str, str]) -> bytes:
        raise KeyError("a cell that nobody may read", roles)


Answer = tuple[int, dict[str, str], Any]


class Client:
    """Calls the application without a network."""

    def __init__(self, app: GuardedApp, studio: NoStudio) -> None:
        self.app, self.studio = app, studio

    def send(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | Sequence[tuple[str, str]],
        body: Sequence[bytes] = (b"{}",),
    ) -> Answer:
        given = list(headers.items()) if isinstance(headers, dict) else list(headers)
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in given],
        }
        parts = list(body)
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not parts:
                await asyncio.sleep(3600)
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))  # type: ignore[arg-type]
        first, *rest = sent
        content = b"".join(message.get("body", b"") for message in rest)
        found = {name.decode(): value.decode() for name, value in first["headers"]}
        is_json = found.get("content-type") == "application/json"
        return first["status"], found, json.loads(content) if is_json else content


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = PrivateFolder()
    studio = NoStudio(folder)
    yield Client(GuardedApp(Requests(studio, lambda: None).app(), ACCESS), studio)  # type: ignore[arg-type]
    folder.remove()


def test_the_page_and_its_requests_are_answered(client: Client) -> None:
    status, headers, content = client.send("GET", "/", PAGE)
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert b"maskwise studio" in content
    own = {**API, "origin": ACCESS.origin, "sec-fetch-site": "same-origin", "x-maskwise-tab": "mine"}
    status, _, answer = client.send("POST", "/api/state", own)
    assert status == 200
    assert answer["tab"] == "mine"


FOREIGN = [
    {"host": "evil.example:4711"},
    {"host": "localhost:4711"},
    {"host": "127.0.0.1:4712"},
    {"host": ""},
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:4712"},
    {"origin": "https://127.0.0.1:4711"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("changed", FOREIGN)
def test_another_site_is_refused_everywhere(client: Client, changed: dict[str, str]) -> None:
    for method, path, headers in (("GET", "/page/main.js", PAGE), ("POST", "/api/state", API), ("GET", "/", PAGE)):
        status, found, answer = client.send(method, path, {**headers, **changed})
        assert status == 403
        assert answer["error"]["text"].endswith(".")
        assert found["cache-control"] == "no-store"


def test_a_request_without_host_is_refused(client: Client) -> None:
    assert client.send("POST", "/api/state", {k: v for k, v in API.items() if k != "host"})[0] == 403


def test_a_header_that_stands_twice_is_refused(client: Client) -> None:
    for name in ("host", "origin", "x-maskwise-token"):
        twice = [*API.items(), (name, {**API, "origin": ACCESS.origin}[name])]
        twice += [("origin", ACCESS.origin)] if name == "origin" else []
        assert client.send("POST", "/api/state", twice)[0] == 403


def test_only_the_page_itself_may_be_opened_from_elsewhere(client: Client) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client.send("GET", "/", {**PAGE, **link})[0] == 200
    assert client.send("GET", "/page/main.js", {**PAGE, **link})[0] == 403
    assert client.send("POST", "/api/state", {**API, **link})[0] == 403
    assert client.send("GET", "/", {**PAGE, **link, "sec-fetch-dest": "iframe"})[0] == 403


@pytest.mark.parametrize("token", [None, "", "t" * 42, "t" * 44, "T" * 43, "é" * 43])
def test_without_the_token_nothing_is_said(client: Client, token: str | None) -> None:
    headers = {k: v for k, v in API.items() if k != "x-maskwise-token"}
    headers |= {} if token is None else {"x-maskwise-token": token}
    for name in ("state", "quit", "upload", "there-is-none"):
        assert client.send("POST", f"/api/{name}", headers)[0] == 401


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_data_is_given_to_post_alone(client: Client, method: str) -> None:
    assert client.send(method, "/api/state", API)[0] == 405


def test_the_page_can_only_be_read(client: Client) -> None:
    assert client.send("POST", "/", PAGE)[0] == 405
    assert client.send("DELETE", "/page/main.js", PAGE)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "/page/../routes.py",
        "/page/%2e%2e/routes.py",
        "/page//etc/passwd",
        "/page/..\\routes.py",
        "/page/",
        "/page/index.html/..",
        "/routes.py",
        "/..",
        "/page/index.html\0",
    ],
)
def test_files_beside_the_page_are_not_served(client: Client, path: str) -> None:
    assert client.send("GET", path, PAGE)[0] == 404


def test_every_answer_has_the_headers(client: Client) -> None:
    asked = [
        ("GET", "/", PAGE),
        ("GET", "/page/style.css", PAGE),
        ("GET", "/page/none.js", PAGE),
        ("POST", "/api/state", API),
        ("POST", "/api/state", PAGE),
        ("POST", "/api/columns", API),
    ]
    for method, path, headers in asked:
        _, found, _ = client.send(method, path, headers)
        assert {name: found[name] for name in HEADERS} == HEADERS
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_form_could_send_is_refused(client: Client, kind: str) -> None:
    assert client.send("POST", "/api/state", {**API, "content-type": kind})[0] == 415


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b'{"more": 1}', b"\xff", b"null", b'{"a":' * 3000 + b"1" + b"}" * 3000],
)
def test_what_is_no_body_is_refused_without_repeating_it(client: Client, body: bytes) -> None:
    status, _, answer = client.send("POST", "/api/state", API, [body])
    assert status == 400
    assert "more" not in answer["error"]["text"].replace("`more`", "")


def test_a_body_that_is_too_large_is_refused_before_it_is_read(client: Client) -> None:
    status, _, answer = client.send("POST", "/api/state", {**API, "content-length": str(MOST_JSON + 1)}, [b"{}"])
    assert status == 413
    assert "32 MB" in answer["error"]["text"]
    # One that says nothing of its length, or lies, is read up to the limit.
    chunk = b" " * (1 << 20)
    for headers in (API, {**API, "content-length": "2"}):
        assert client.send("POST", "/api/state", headers, [chunk] * 40)[0] == 413


def test_a_body_that_stops_is_given_up(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "PATIENCE", 0.05)
    assert client.send("POST", "/api/state", API, [])[0] == 504


def test_an_upload_up_to_the_limit_is_taken_and_private(client: Client) -> None:
    status, _, answer = client.send("POST", "/api/upload", FILE, [b"x" * 600, b"y" * 400])
    assert (status, answer) == (200, {"n_bytes": 1000})
    (path,) = client.studio.opened
    assert path.name == "people.csv"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_upload_over_the_limit_leaves_nothing(client: Client) -> None:
    said = {**FILE, "content-length": "1001"}
    for headers, body in ((said, [b"x"]), (FILE, [b"x" * 600, b"y" * 401]), (FILE, [b""])):
        status, _, answer = client.send("POST", "/api/upload", headers, body)
        assert status in {400, 413}
        assert answer["error"]["remedy"]
    assert [path.name for path in client.studio.folder.path.iterdir()] == ["lock"]


def test_an_upload_that_stops_leaves_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "PATIENCE", 0.05)
    parts = {**FILE, "content-length": "900"}

    assert client.send("POST", "/api/upload", parts, [])[0] == 504
    assert [path.name for path in client.studio.folder.path.iterdir()] == ["lock"]


@pytest.mark.parametrize("name", ["..%2F..%2Fevil.csv", "%2Fetc%2Fpasswd", "a%00b.csv", ".ssh", "%2E%2E", "x" * 5000])
def test_an_upload_goes_nowhere_else(client: Client, name: str) -> None:
    client.send("POST", "/api/upload", {**FILE, "x-file-name": name}, [b"x"])
    (path,) = client.studio.opened
    assert path.parent.parent == client.studio.folder.path
    assert path.resolve().parent == path.parent


def test_a_page_of_another_table_is_told_so_but_for_what_is_of_any(client: Client) -> None:
    gone = {**API, "x-maskwise-table": "gone"}
    assert client.send("POST", "/api/columns", gone)[0] == 410
    assert client.send("POST", "/api/draft", gone, [b'{"draft": {}}'])[0] == 410
    assert client.send("POST", "/api/state", gone)[0] == 200


def test_a_bug_gives_a_sentence_without_details(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, answer = client.send("POST", "/api/columns", API)
    assert status == 500
    assert answer["error"]["text"] == "maskwise failed (KeyError)."
    assert "cell" not in json.dumps(answer)
    assert capfd.readouterr() == ("", "")
