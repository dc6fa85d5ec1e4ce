"""The events of one search, evaluation or export, as far as they have come."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskwise.studio.table_process import TableProcess


class RunKind(StrEnum):
    """What runs."""

    SEARCH = "search"
    """A search, whose results can be looked at and exported."""
    COST = "cost"
    """An evaluation of what masking costs a classifier."""
    EXPORT = "export"
    """The writing of a release."""

    @property
    def noun(self) -> str:
        """What a sentence about it begins with."""
        return {RunKind.SEARCH: "A search", RunKind.COST: "An evaluation", RunKind.EXPORT: "An export"}[self]


class RunLog:
    """What has happened in a run, for pages that ask again and again."""

    def __init__(self, name: str, kind: RunKind, tab: str, process: TableProcess) -> None:
        """Begin.

        Args:
            name: The run's.
            kind: What runs.
            tab: The tab that started it.
            process: Where it runs; its results are gone with it.
        """
        self.name, self.kind, self.tab, self.process = name, kind, tab, process
        self.is_cancelled = False
        """Whether it is to end at once."""
        self.over = asyncio.Event()
        """Is set at its end."""
        self._events: list[dict[str, Any]] = []
        self._changed = asyncio.Event()

    def add(self, event: dict[str, Any]) -> None:
        """Note an event, and wake up who waits for it."""
        self._events.append({"n": len(self._events) + 1, **event})
        self._wake_up()

    def end(self, event: dict[str, Any]) -> None:
        """Note the last event."""
        self.over.set()
        self.add(event)

    @property
    def is_running(self) -> bool:
        """Whether it goes on."""
        return not self.over.is_set()

    def _wake_up(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait_for_events(self, after: int, seconds: float) -> list[dict[str, Any]]:
        """The events after the one with a number; if there are none yet, wait for one.

        Args:
            after: That number.
            seconds: How long to wait at most.
        """
        if len(self._events) <= after and self.is_running:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), seconds)
        return self._events[after:]

    @property
    def data(self) -> dict[str, Any]:
        """What a page is told of it."""
        return {"id": self.name, "kind": str(self.kind), "is_running": self.is_running}
