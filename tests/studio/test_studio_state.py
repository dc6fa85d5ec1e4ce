"""What a studio does when its process is slow, refuses or ends, with a process that is none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from maskwise.studio import studio as module
from maskwise.studio.drafts import Drafts
from maskwise.studio.refusal import BAD, GONE, RequestError
from maskwise.studio.run_log import RunKind
from maskwise.studio.sources import describe_file, describe_upload
from maskwise.studio.studio import Studio
from maskwise.studio.table_process import ended

OPENED = b'{"name": "x", "n_records": 1, "n_columns": 1, "policy": null}'


class FakeProcess:
    """Notes what it is asked; some commands hang until they are stopped, or fail."""

    made: list[FakeProcess]

    def __init__(self, *_: Any) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.hangs: set[str] = set()
        self.fails: set[str] = set()
        self.is_alive, self.n_killed = True, 0
        self._stopped, self._killed = asyncio.Event(), asyncio.Event()
        self.obeys = True
        FakeProcess.made.append(self)

    async def ask(self, command: str, /, **arguments: Any) -> bytes:
        self.asked.append((command, arguments))
        if command in self.fails:
            raise RequestError(BAD, "It cannot be opened.")
        if command in self.hangs:
            stopped = asyncio.ensure_future(self._stopped.wait())
            killed = asyncio.ensure_future(self._killed.wait())
            waiting = {stopped, killed} if self.obeys else {killed}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for one in (stopped, killed):
                one.cancel()
            raise ended() if self.n_killed else RequestError(GONE, "It was stopped.")
        return OPENED if command == "open" else b"{}"

    def allow(self) -> None:
        self._stopped.clear()

    def stop(self) -> None:
        self._stopped.set()

    def kill(self) -> None:
        self.n_killed += 1
        self.is_alive = False
        self._killed.set()

    @property
    def commands(self) -> list[str]:
        return [command for command, _ in self.asked]


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run a story with a studio in it."""
    FakeProcess.made = []
    monkeypatch.setattr(module, "TableProcess", FakeProcess)
    monkeypatch.setattr(module, "ANSWER_WITHIN", 0.05)
    monkeypatch.setattr(module, "_MERCY", 0.05)

    def run(story: Callable[[Any, Any], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            studio: Any = Studio(None, Drafts(tmp_path), 1, None)  # type: ignore[arg-type]
            await studio.open(describe_file("/first.csv"))
            await story(studio, studio.process)

        asyncio.run(main())

    return run


def test_a_table_that_opens_too_late_does_not_stay_in_the_place_of_another(go: Callable[..., None]) -> None:
    async def story(studio: Any, process: Any) -> None:
        process.hangs = {"open"}
        with pytest.raises(RequestError, match="no answer yet"):
            await studio.open(describe_file("/second.csv"))
        process.hangs = set()
        await studio.ask("check", policy={})
        assert process.commands == ["open", "open", "open", "check"]
        assert process.asked[2][1]["data"] == "/first.csv"

    go(story)


def test_a_table_that_cannot_be_opened_leaves_the_other_one(go: Callable[..., None]) -> None:
    async def story(studio: Any, process: Any) -> None:
        process.fails = {"open"}
        with pytest.raises(RequestError, match="cannot be opened"):
            await studio.open(describe_file("/second.csv"))
        await studio.ask("check", policy={})
        assert process.commands == ["open", "open", "check"]
        assert (await studio.state(""))["source"] is not None

    go(story)


def test_another_process_opens_the_table_again_with_its_roles(go: Callable[..., None]) -> None:
    async def story(studio: Any, process: Any) -> None:
        await studio.columns({"Name": "released"})
        process.kill()
        await studio.ask("values", column="Name")
        other = FakeProcess.made[1]
        assert other.commands == ["open", "values"]
        assert other.asked[0][1]["roles"] == {"Name": "released"}

    go(story)


@pytest.mark.parametrize(("kind", "obeys", "n_killed"), [("search", True, 1), ("cost", True, 0), ("cost", False, 1)])
def test_only_an_evaluation_is_given_a_moment(go: Callable[..., None], kind: str, obeys: bool, n_killed: int) -> None:
    async def story(studio: Any, process: Any) -> None:
        process.hangs, process.obeys = {kind}, obeys
        name = await studio.start(RunKind(kind), "tab", kind)
        await asyncio.sleep(0)
        with pytest.raises(RequestError, match="is running"):
            await studio.start(RunKind.SEARCH, "tab", "search")
        await studio.cancel(name)
        events = await studio.events(name, 0)
        assert events == {"events": [{"n": 1, "kind": "cancelled"}], "is_running": False}
        assert process.n_killed == n_killed

    go(story)


def test_an_evaluation_that_is_stopped_has_no_result(go: Callable[..., None]) -> None:
    async def story(studio: Any, process: Any) -> None:
        process.hangs = {"cost"}
        name = await studio.start(RunKind.COST, "tab", "cost")
        await asyncio.sleep(0)
        studio.stop(name)
        await studio.find(name).over.wait()
        assert (await studio.events(name, 0))["events"][-1]["kind"] == "cancelled"
        assert process.n_killed == 0

    go(story)


def test_events_wait_for_the_next_one(go: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_POLL", 0.02)

    async def story(studio: Any, process: Any) -> None:
        process.hangs = {"search"}
        name = await studio.start(RunKind.SEARCH, "tab", "search")
        assert await studio.events(name, 0) == {"events": [], "is_running": True}
        monkeypatch.setattr(module, "_POLL", 10)
        waiting = asyncio.ensure_future(studio.events(name, 0))
        await asyncio.sleep(0.01)
        studio.find(name).add({"kind": "stage"})
        assert (await waiting)["events"] == [{"n": 1, "kind": "stage"}]
        await studio.cancel(name)

    go(story)


def test_a_file_that_arrives_while_a_search_runs_is_not_kept(go: Callable[..., None], tmp_path: Path) -> None:
    async def story(studio: Any, process: Any) -> None:
        process.hangs = {"search"}
        name = await studio.start(RunKind.SEARCH, "tab", "search")
        arrived = tmp_path / "upload" / "people.csv"
        arrived.parent.mkdir()
        arrived.write_text("x")
        with pytest.raises(RequestError, match="is running"):
            await studio.open(describe_upload(arrived, "people.csv"))
        assert not arrived.parent.exists()
        await studio.cancel(name)

    go(story)


def test_a_search_that_begins_while_a_table_is_awaited_keeps_its_table(go: Callable[..., None]) -> None:
    async def story(studio: Any, process: Any) -> None:
        async with studio._opening:  # noqa: SLF001 - as while another table is opened
            waiting = asyncio.ensure_future(studio.open(describe_file("/second.csv")))
            await asyncio.sleep(0.01)
            process.hangs = {"search"}
            studio._runs["x"] = log = module.RunLog("x", RunKind.SEARCH, "tab", process)  # noqa: SLF001 - it has begun
        with pytest.raises(RequestError, match="is running"):
            await waiting
        assert process.commands == ["open"]
        log.end({"kind": "done"})

    go(story)


def test_a_tab_with_another_table_is_refused(go: Callable[..., None]) -> None:
    async def story(studio: Any, process: Any) -> None:
        del process
        first = (await studio.state(""))["source"]["id"]
        studio.require_table(first)
        studio.require_table(None)
        await studio.open(describe_file("/second.csv"))
        with pytest.raises(RequestError, match="another tab") as caught:
            studio.require_table(first)
        assert caught.value.status == GONE

    go(story)


def test_the_events_of_old_runs_are_forgotten(go: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_RUNS", 2)

    async def story(studio: Any, process: Any) -> None:
        del process
        names = []
        for _ in range(3):
            names.append(await studio.start(RunKind.SEARCH, "tab", "search"))
            await studio.find(names[-1]).over.wait()
        with pytest.raises(RequestError, match="no such run"):
            studio.find(names[0])
        assert studio.find(names[2]).data["is_running"] is False

    go(story)
