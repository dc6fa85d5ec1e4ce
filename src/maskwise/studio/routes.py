"""The requests of the page: what each has in it, and who answers it."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from starlette.responses import Response
from starlette.routing import Route, Router

from maskwise.studio import bodies
from maskwise.studio.access import NAME_HEADER, TAB_HEADER, TABLE_HEADER
from maskwise.studio.refusal import NOT_FOUND, TOO_LARGE, WRONG_TYPE, RequestError
from maskwise.studio.run_log import RunKind
from maskwise.studio.sources import describe_upload, read_choice
from maskwise.studio.uploads import next_chunk, receive_upload, safe_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from maskwise.studio.studio import Studio

MOST_JSON = 32 << 20
"""So many bytes a request may have, but for files."""
_OF_ANY_TABLE = {"state", "open", "events", "stop", "cancel", "quit"}
"""The requests that do not depend on which table is open."""
_PAGE = Path(__file__).with_name("page")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""The files of a page that are served."""


class Requests:
    """Answers the requests of one studio."""

    def __init__(self, studio: Studio, quit_: Callable[[], None]) -> None:
        """Begin.

        Args:
            studio: What is open.
            quit_: Ends the server.
        """
        self._studio, self._quit = studio, quit_
        self._page = {path.relative_to(_PAGE).as_posix(): path for path in _PAGE.rglob("*") if path.suffix in _TYPES}
        self._table: dict[str, tuple[type[bodies.Body], Callable[[Any, str], Awaitable[Any]]]] = {
            "state": (bodies.Body, self._state),
            "open": (bodies.OpenBody, self._open),
            "columns": (bodies.ColumnsBody, self._columns),
            "values": (bodies.ValuesBody, self._ask("values")),
            "tree": (bodies.TreeBody, self._ask("tree")),
            "import": (bodies.ImportBody, self._ask("import")),
            "check": (bodies.PolicyBody, self._ask("check")),
            "search": (bodies.SearchBody, self._search),
            "events": (bodies.EventsBody, self._events),
            "stop": (bodies.RunBody, self._stop),
            "cancel": (bodies.RunBody, self._cancel),
            "result": (bodies.StepBody, self._ask_about("result")),
            "why": (bodies.StepBody, self._ask_about("why")),
            "rows": (bodies.RowsBody, self._ask_about("rows")),
            "cost": (bodies.StepBody, self._cost),
            "export": (bodies.ExportBody, self._export),
            "draft": (bodies.DraftBody, self._draft),
            "quit": (bodies.Body, self._end),
        }

    def app(self) -> Router:
        """The application."""
        routes = [
            Route("/", self.page, methods=["GET"]),
            Route("/page/{name:path}", self.page, methods=["GET"]),
            Route("/api/upload", self.upload, methods=["POST"]),
            Route("/api/{name}", self.api, methods=["POST"]),
        ]
        # A router alone: a whole application would answer errors by itself, with more than a sentence.
        return Router(routes, default=_refuse)

    async def page(self, request: Request) -> Response:
        """Serve a file of the page; only those that are there when the studio starts."""
        path = self._page.get(request.path_params.get("name", "index.html"))
        if path is None:
            raise RequestError(NOT_FOUND, "There is no such page.")
        return Response(path.read_bytes(), media_type=_TYPES[path.suffix])

    async def api(self, request: Request) -> Response:
        """Answer a request for data."""
        name = request.path_params["name"]
        if name not in self._table:
            raise RequestError(NOT_FOUND, "There is no such request.", "Load the page again.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RequestError(WRONG_TYPE, "A request is sent as JSON.")
        kind, answer = self._table[name]
        body = bodies.read_body(kind, await _read(request))
        self._studio.on_use()
        if name not in _OF_ANY_TABLE:
            self._studio.require_table(request.headers.get(TABLE_HEADER))
        return _answer(await answer(body, _tab(request)))

    async def upload(self, request: Request) -> Response:
        """Take a file and open it."""
        self._studio.require_idle()
        given = request.headers.get(NAME_HEADER, "")
        name = safe_name(given)
        length = request.headers.get("content-length", "")
        path = await receive_upload(
            request.stream(),
            int(length) if length.isdecimal() else None,
            name,
            self._studio.folder,
            self._studio.max_upload,
        )
        shown = unquote(given)[:1000]
        return _answer(await self._studio.open(describe_upload(path, shown or name)))

    async def _state(self, _body: bodies.Body, tab: str) -> dict[str, Any]:
        return {"version": version("maskwise"), **await self._studio.state(tab)}

    async def _open(self, body: bodies.OpenBody, _tab: str) -> dict[str, Any]:
        return await self._studio.open(read_choice(body.path, body.example, body.engine, body.table))

    async def _columns(self, body: bodies.ColumnsBody, _tab: str) -> bytes:
        return await self._studio.columns(dict(body.roles))

    def _ask(self, command: str) -> Callable[[bodies.Body, str], Awaitable[bytes]]:
        """Have something done with the open table."""

        async def ask(body: bodies.Body, _tab: str) -> bytes:
            return await self._studio.ask(command, **body.model_dump())

        return ask

    def _ask_about(self, command: str) -> Callable[[bodies.StepBody, str], Awaitable[bytes]]:
        """Have something done with what a search found."""

        async def ask(body: bodies.StepBody, _tab: str) -> bytes:
            return await self._studio.ask_about(command, **body.model_dump())

        return ask

    async def _search(self, body: bodies.SearchBody, tab: str) -> dict[str, Any]:
        options = body.options.model_dump(exclude_none=True)
        return {"run": await self._studio.start(RunKind.SEARCH, tab, "search", policy=body.policy, options=options)}

    async def _cost(self, body: bodies.StepBody, tab: str) -> dict[str, Any]:
        self._studio.require_results(body.run)
        return {"run": await self._studio.start(RunKind.COST, tab, "cost", run=body.run, step=body.step)}

    async def _events(self, body: bodies.EventsBody, _tab: str) -> dict[str, Any]:
        return await self._studio.events(body.run, body.after)

    async def _stop(self, body: bodies.RunBody, _tab: str) -> dict[str, Any]:
        self._studio.stop(body.run)
        return {}

    async def _cancel(self, body: bodies.RunBody, _tab: str) -> dict[str, Any]:
        await self._studio.cancel(body.run)
        return {}

    async def _export(self, body: bodies.ExportBody, tab: str) -> dict[str, Any]:
        self._studio.require_results(body.run)
        how = body.model_dump(exclude={"run", "step"})
        about = {"run": body.run, "step": body.step, "source": self._studio.command_words()}
        return {"run": await self._studio.start(RunKind.EXPORT, tab, "export", **about, how=how)}

    async def _draft(self, body: bodies.DraftBody, _tab: str) -> dict[str, Any]:
        self._studio.save_draft(body.draft)
        return {}

    async def _end(self, _body: bodies.Body, _tab: str) -> dict[str, Any]:
        self._quit()
        return {}


async def _read(request: Request) -> bytes:
    """The body of a request, up to its limit."""
    length = request.headers.get("content-length", "")
    parts, n_bytes, chunks = [], int(length) if length.isdecimal() else 0, request.stream()
    if n_bytes <= MOST_JSON:
        n_bytes = 0
        while n_bytes <= MOST_JSON and (chunk := await next_chunk(chunks)) is not None:
            parts.append(chunk)
            n_bytes += len(chunk)
    if n_bytes > MOST_JSON:
        raise RequestError(TOO_LARGE, f"The request is larger than {MOST_JSON >> 20} MB.", "Leave something out.")
    return b"".join(parts)


def _answer(data: Any) -> Response:
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    return Response(body, media_type="application/json")


async def _refuse(*_: Any) -> None:
    """Refuse an address that there is not."""
    raise RequestError(NOT_FOUND, "There is no such address.", "Load the page again.")


def _tab(request: Request) -> str:
    return request.headers.get(TAB_HEADER, "")[:64]
