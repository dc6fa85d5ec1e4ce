"""Requests that are not answered: a status, and a sentence that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.errors import MaskwiseError

if TYPE_CHECKING:
    from collections.abc import Mapping

BAD, UNKNOWN_TOKEN, FOREIGN, NOT_FOUND, WRONG_METHOD, BUSY = 400, 401, 403, 404, 405, 409
GONE, TOO_LARGE, WRONG_TYPE, BUG, TOO_SLOW = 410, 413, 415, 500, 504
"""The statuses that are used."""


class RequestError(MaskwiseError):
    """A request that is not answered."""

    def __init__(self, status: int, text: str, remedy: str = "", error: Mapping[str, Any] | None = None) -> None:
        """Say why.

        Args:
            status: The HTTP status.
            text: What is wrong.
            remedy: What to do about it.
            error: All of it as the page reads it, where there is more to say.
        """
        super().__init__(f"{text} {remedy}".rstrip())
        self.status = status
        self.error = error_data(text, remedy) if error is None else dict(error)


def error_data(text: str, remedy: str = "") -> dict[str, Any]:
    """An error as the page reads it."""
    return {"text": text, "remedy": remedy, "place": [], "more": []}
