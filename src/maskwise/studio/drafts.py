"""Drafts of policies, kept between studios: one for each table that was open, and never its data."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from maskwise.studio.refusal import BAD, RequestError

_SUFFIX = ".draft.json"
_MOST = 200
"""So many drafts are kept; the oldest go."""


def state_folder() -> Path:
    """Where a user's drafts are: `$XDG_STATE_HOME/maskwise`, or `~/.local/state/maskwise`."""
    given = os.environ.get("XDG_STATE_HOME", "")
    # A path that is not absolute is to be passed over, says the XDG Base Directory Specification.
    return (Path(given) if given.startswith("/") else Path.home() / ".local" / "state") / "maskwise"


class Drafts:
    """The drafts of one user."""

    def __init__(self, folder: Path) -> None:
        """Keep drafts in a folder; it is made when the first one is saved.

        Args:
            folder: Where.
        """
        self._folder = folder

    def save(self, source: str, draft: dict[str, Any]) -> None:
        """Save a draft; nobody else can read it from the first byte on.

        Args:
            source: What the table is called; only a hash of it is kept.
            draft: The policy and what belongs to it.
        """
        target = self._path(source)
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as file:  # noqa: PTH123 - an open handle
                json.dump(draft, file)
            part.replace(target)
            self._forget_oldest()
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            text = f"The draft could not be saved to `{self._folder}`: {(error.strerror or 'refused').lower()}."
            raise RequestError(BAD, text, "Free space, or set XDG_STATE_HOME to another folder.") from None

    def load(self, source: str) -> dict[str, Any] | None:
        """The draft that was saved last for a table; None if there is none that can be read.

        Args:
            source: What the table is called.
        """
        try:
            found = json.loads(self._path(source).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None

    def _path(self, source: str) -> Path:
        return self._folder / (hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:32] + _SUFFIX)

    def _forget_oldest(self) -> None:
        drafts = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in drafts[_MOST:]:
            path.unlink(missing_ok=True)
