"""What is open and what runs in one studio; all of it changes inside one event loop, so nothing needs a lock."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from maskwise.studio.private_folder import remove_folder
from maskwise.studio.refusal import BAD, BUSY, GONE, NOT_FOUND, TOO_SLOW, RequestError
from maskwise.studio.run_log import RunKind, RunLog
from maskwise.studio.table_process import TableProcess

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping
    from typing import TypeVar

    from maskwise.studio.drafts import Drafts
    from maskwise.studio.private_folder import PrivateFolder
    from maskwise.studio.sources import SourceChoice

    Answer = TypeVar("Answer")

ANSWER_WITHIN = 240.0
"""So many seconds a page waits for an answer at most."""
_POLL = 10.0
"""So many seconds a page waits for an event at most."""
_MOST_RUNS = 50
"""The events of so many runs are kept."""
_MERCY = 3.0
"""So many seconds an evaluation has to end before its process is killed."""


class Studio:
    """One table, one process that works on it, and the runs so far."""

    def __init__(self, folder: PrivateFolder, drafts: Drafts, max_upload: int, memory: str | None) -> None:
        """Start the process. To be called while an event loop runs.

        Args:
            folder: For uploads and scratch files.
            drafts: Where drafts are kept.
            max_upload: So many bytes of a file may be dropped on the page.
            memory: As in `anonymize`.
        """
        self.folder, self.drafts, self.max_upload, self._memory = folder, drafts, max_upload, memory
        self.process = TableProcess(folder, self._hear)
        """The process that has the table; another one after it has ended."""
        self._choice: SourceChoice | None = None
        self._source: dict[str, Any] | None = None
        self._policy: dict[str, Any] | None = None
        self._open_in: TableProcess | None = None
        self._opening = asyncio.Lock()
        self._roles: dict[str, str] = {}
        self._first: asyncio.Task[Any] | None = None
        self._error: dict[str, Any] | None = None
        self._runs: dict[str, RunLog] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.on_use: Callable[[], None] = lambda: None
        """Is called when a page is answered."""

    def open_first(self, choice: SourceChoice) -> None:
        """Open the table that the command named; pages that ask for the state wait for it."""

        async def open_it() -> None:
            try:
                await self.open(choice)
            except RequestError as refused:
                self._error = refused.error

        self._first = asyncio.get_running_loop().create_task(open_it())

    async def state(self, tab: str) -> dict[str, Any]:
        """What a page shows when it is loaded."""
        if self._first is not None:
            await self._within(asyncio.shield(self._first))
        running = self.running
        last = running or next((run for run in reversed(self._runs.values()) if run.kind is RunKind.SEARCH), None)
        return {
            "source": self._source,
            "draft": None if self._choice is None else self.drafts.load(self._choice.key),
            "policy": self._policy,
            "run": None if last is None else last.data,
            "is_other_tab_searching": running is not None and running.tab != tab,
            "error": self._error,
            "max_upload": self.max_upload,
        }

    @property
    def running(self) -> RunLog | None:
        """The run that goes on, if one does."""
        return next((run for run in self._runs.values() if run.is_running), None)

    def require_idle(self) -> None:
        """Refuse what needs the table while a run goes on."""
        running = self.running
        if running is not None:
            text = f"{running.kind.noun} is running, in this tab or in another one, and there is one at a time."
            raise RequestError(BUSY, text, "Wait for its end, or stop it.")

    async def open(self, choice: SourceChoice) -> dict[str, Any]:
        """Open a table instead of the one that is open; if it cannot be opened, that one stays."""
        try:
            async with self._opening:
                # Asked inside: a search may have begun while another table was being opened.
                self.require_idle()
                opened = await self._open(choice)
        except BaseException:
            _forget_upload(choice)
            raise
        if self._choice is not None and self._choice.upload != choice.upload:
            _forget_upload(self._choice)
        self._policy = opened.pop("policy")
        self._choice, self._open_in, self._error = choice, self.process, None
        self._roles = {}
        name = repr((choice.key, opened["n_records"], opened["n_columns"])).encode("utf-8", "surrogatepass")
        where = {"kind": choice.kind, "export_folder": choice.export_folder}
        self._source = {**opened, **where, "id": hashlib.sha256(name).hexdigest()[:16]}
        self._runs.clear()
        return {"source": self._source, "draft": self.drafts.load(choice.key), "policy": self._policy}

    async def _open(self, choice: SourceChoice) -> dict[str, Any]:
        self._revive()
        try:
            answer = await self._within(self.process.ask("open", **{"memory": self._memory, **choice.arguments}))
        except BaseException as error:
            if not isinstance(error, RequestError) or error.status != BAD:
                # It may be opened later than anybody waits for it: then the other one is opened again.
                self._open_in = None
            raise
        opened: dict[str, Any] = json.loads(answer)
        return opened

    def require_table(self, given: str | None) -> None:
        """Refuse a page that works on a table which is not open any more.

        Args:
            given: What `source` called the table of the page; None asks nothing.
        """
        if given is not None and self._source is not None and given != self._source["id"]:
            text = "Another table was opened in another tab, so this tab is out of date."
            raise RequestError(GONE, text, "Load this page again to go on with that table, or open this one again.")

    async def columns(self, roles: dict[str, str]) -> bytes:
        """The columns of the open table.

        Args:
            roles: Those that the page has chosen; they are kept, for the process that opens the table again.
        """
        self._roles = roles
        return await self.ask("columns", roles=roles)

    async def ask(self, command: str, /, **arguments: Any) -> bytes:
        """Have something done with the open table.

        Args:
            command: What.
            arguments: What that needs.
        """
        self.require_idle()
        return await self._within((await self._ready()).ask(command, **arguments))

    async def ask_about(self, command: str, /, run: str, **arguments: Any) -> bytes:
        """Have something done with what a search found.

        Args:
            command: What.
            run: The search.
            arguments: What that needs.
        """
        self.require_idle()
        self.require_results(run)
        return await self._within(self.process.ask(command, run=run, **arguments))

    def require_results(self, name: str) -> None:
        """Refuse a run whose results are gone with its process."""
        run = self.find(name)
        if run.process is not self.process or not self.process.is_alive:
            raise RequestError(GONE, "The results of this search are gone with its process.", "Search again.")

    def find(self, name: str) -> RunLog:
        """The run with a name."""
        if name not in self._runs:
            raise RequestError(NOT_FOUND, "There is no such run.", "Search again.")
        return self._runs[name]

    async def start(self, kind: RunKind, tab: str, command: str, /, **arguments: Any) -> str:
        """Start a run; its events can be asked for.

        Args:
            kind: What runs.
            tab: The tab that asks for it.
            command: What the process does.
            arguments: What that needs.

        Returns:
            The name of the run.
        """
        self.require_idle()
        process = await self._ready()
        self.require_idle()
        name = secrets.token_hex(8)
        while len(self._runs) >= _MOST_RUNS:
            self._runs.pop(next(iter(self._runs)))
        log = self._runs[name] = RunLog(name, kind, tab, process)
        process.allow()
        task = asyncio.get_running_loop().create_task(self._follow(log, process.ask(command, name=name, **arguments)))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return name

    async def events(self, name: str, after: int) -> dict[str, Any]:
        """The events of a run after the one with a number."""
        run = self.find(name)
        events = await run.wait_for_events(after, _POLL)
        return {"events": events, "is_running": run.is_running}

    def stop(self, name: str) -> None:
        """Stop a run; a search keeps what is found."""
        run = self.find(name)
        if run.is_running:
            run.is_cancelled |= run.kind is RunKind.COST  # of which nothing is kept
            run.process.stop()

    async def cancel(self, name: str) -> None:
        """End a run at once. Its process is killed, but an evaluation is given a moment, so that results stay."""
        run = self.find(name)
        if not run.is_running:
            return
        run.is_cancelled = True
        if run.kind is RunKind.COST:
            run.process.stop()
            with suppress(TimeoutError):
                await asyncio.wait_for(run.over.wait(), _MERCY)
        if run.is_running:
            run.process.kill()
            await run.over.wait()

    def command_words(self) -> Mapping[str, str | None]:
        """What a command line calls the open table."""
        return {} if self._choice is None else dict(self._choice.words)

    def save_draft(self, draft: dict[str, Any]) -> None:
        """Save a draft for the open table."""
        if self._choice is None:
            raise RequestError(BAD, "No table is open, so there is nothing to save a draft for.", "Open one first.")
        self.drafts.save(self._choice.key, draft)

    def _revive(self) -> None:
        if not self.process.is_alive:
            self.process = TableProcess(self.folder, self._hear)

    async def _ready(self) -> TableProcess:
        """The process with the table open; after a process has ended, another one opens it again."""
        if self._choice is None:
            raise RequestError(BAD, "No table is open.", "Open one first.")
        async with self._opening:
            self._revive()
            if self._open_in is not self.process:
                how = {"memory": self._memory, "roles": self._roles, **self._choice.arguments}
                await self._within(self.process.ask("open", **how))
                self._open_in = self.process
        return self.process

    async def _within(self, answer: Awaitable[Answer]) -> Answer:
        try:
            return await asyncio.wait_for(answer, ANSWER_WITHIN)
        except TimeoutError:
            text = f"There is no answer yet, after {ANSWER_WITHIN:.0f} seconds."
            raise RequestError(TOO_SLOW, text, "The work goes on: ask again later.") from None

    async def _follow(self, run: RunLog, answer: Coroutine[Any, Any, bytes]) -> None:
        """Wait for the end of a run and note how it came."""
        try:
            done = json.loads(await answer)
        except RequestError as refused:
            run.end({"kind": "cancelled"} if run.is_cancelled else {"kind": "failed", "error": refused.error})
        else:
            run.end({"kind": "done", **done})

    def _hear(self, name: str, event: dict[str, Any]) -> None:
        run = self._runs.get(name)
        if run is not None and run.is_running:
            run.add(event)


def _forget_upload(choice: SourceChoice) -> None:
    if choice.upload is not None:
        remove_folder(choice.upload.parent)
