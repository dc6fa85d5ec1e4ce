"""Who is answered: pages of this server in a browser on this machine, with the token that the command made.

Other sites that are open in the same browser can send requests here too, and
programs of other users on this machine. The Host stops a site that lets its
own name point to this machine, Origin and Sec-Fetch-Site stop requests from
other pages, and the token stops everybody else.
"""

from __future__ import annotations

import hmac
import json
import os
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.studio.refusal import (
    BUG,
    FOREIGN,
    UNKNOWN_TOKEN,
    WRONG_METHOD,
    RequestError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

API = "/api/"
"""How addresses begin that give data."""
TOKEN_HEADER, TAB_HEADER, TABLE_HEADER, NAME_HEADER = (
    "x-maskwise-token",
    "x-maskwise-tab",
    "x-maskwise-table",
    "x-file-name",
)
"""The headers of ours."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer says to the browser."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a request must have to be answered."""

    port: int
    """The port of the server."""
    token: str
    """The secret that the command made, 256 bits."""

    @property
    def host(self) -> str:
        """What the browser calls the server."""
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        """Where the page comes from."""
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        """Where the browser finds the page, with the token: the part behind `#` is not sent to any server."""
        return f"{self.origin}/#token={self.token}"

    def check(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """Refuse a request that another site, or somebody else on this machine, may have sent.

        Args:
            method: Its method.
            path: Its path.
            headers: Its headers, with names in lower case.

        Raises:
            RequestError: It is refused.
        """
        if headers.get("host") != self.host:
            raise RequestError(FOREIGN, "This address is not the studio's.", "Open the one that the command gave.")
        if headers.get("origin", self.origin) != self.origin or not _is_own_site(method, path, headers):
            raise RequestError(FOREIGN, "Another site sent this request, so it is not answered.")
        if not path.startswith(API):
            if method not in {"GET", "HEAD"}:
                raise RequestError(WRONG_METHOD, "The page can only be read.")
            return
        if method != "POST":
            raise RequestError(WRONG_METHOD, "Requests for data are sent with POST.")
        given = headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise RequestError(
                UNKNOWN_TOKEN,
                "This page does not belong to the studio that runs now.",
                "Close it, and open the studio again from the command line.",
            )


def _is_own_site(method: str, path: str, headers: Mapping[str, str]) -> bool:
    """Whether the browser says that its user, or a page of this server, sent the request."""
    site = headers.get("sec-fetch-site", "same-origin")
    if site in {"same-origin", "none"}:
        return True
    # The file by which the browser is opened, or a link, may lead to the page itself, which holds no data.
    opens = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return method == "GET" and path == "/" and opens


class GuardedApp:
    """An application behind `Access`: every answer has the headers, and no error says more than a sentence."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        """Guard an application.

        Args:
            app: What answers.
            access: Who is answered.
        """
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        has_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        try:
            headers = _read_headers(scope)
            self._access.check(scope["method"], scope["path"], headers)
            await self._app(scope, receive, send_guarded)
        except RequestError as refused:
            await send_error(send_guarded, refused.status, refused.error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the page gets a sentence
            if os.environ.get("MASKWISE_DEBUG"):
                traceback.print_exc()
            if not has_begun:
                await send_error(send_guarded, BUG, bug_error(error))


def bug_error(error: BaseException) -> dict[str, Any]:
    """What is said of a failure that is a bug of ours; its own text may quote cells."""
    text = f"maskwise failed ({type(error).__name__})."
    remedy = "Start the studio with MASKWISE_DEBUG=1 to see where, and report it."
    return {"text": text, "remedy": remedy, "place": [], "more": []}


async def send_error(send: Send, status: int, error: Mapping[str, Any]) -> None:
    """Send an error as JSON."""
    body = json.dumps({"error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in {WRONG_METHOD, FOREIGN, UNKNOWN_TOKEN} or status >= BUG:
        # What is left of the body is not read.
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _read_headers(scope: Scope) -> dict[str, str]:
    """The headers of a request; one that stands twice is refused, so that no two readers choose differently."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1")
        if key in found and key in {"host", "origin", "sec-fetch-site", TOKEN_HEADER}:
            raise RequestError(FOREIGN, "A header stands twice, so this request is not answered.")
        found[key] = value.decode("latin-1")
    return found
