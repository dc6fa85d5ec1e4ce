"""A browser and a studio for all tests of the page, and a fresh page for each."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.studio.page.browsers import find_browser, install_browser
from tests.studio.page.coverage import FunctionCoverage

REQUIRE = "MASKWISE_REQUIRE_BROWSER"
PATIENCE = 40_000
"""So many milliseconds a page may take: the first search of all compiles for a while."""


N_TRIES = 3
"""A browser, a server and a worker share two cores with other tests; what fails once is tried again, and said."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Try a test of the page again that fails, but not the one that looks back at all others.

    Pytest asks here for the tests of all folders.
    """
    if Path(__file__).parent not in item.path.parents or item.path.name == "test_whole_page_is_run.py":
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for tried in range(1, N_TRIES + 1):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if tried == N_TRIES or not any(report.failed for report in reports):
            break
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn(f"{item.nodeid} failed and is tried again.", FailedOnceWarning, stacklevel=1)
        item._initrequest()  # type: ignore[attr-defined]  # noqa: SLF001 - there is no other way to begin anew
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


class FailedOnceWarning(UserWarning):
    """A test of the page failed, and is tried again."""


def _leave(reason: str) -> None:
    if os.environ.get(REQUIRE):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """A Chromium, Chrome or Edge; without one the tests are left out, with the reason."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _leave("Playwright is not installed: pip install playwright")
    with sync_playwright() as playwright:
        path = find_browser()
        args = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        try:
            launched = playwright.chromium.launch(executable_path=path, args=args)
        except Error as error:
            if path is not None or not install_browser():
                _leave(f"No browser can be started: {str(error).splitlines()[0]}. Set MASKWISE_CHROMIUM to one.")
            launched = playwright.chromium.launch(args=args)
        yield launched
        launched.close()


@dataclass
class StudioProcess:
    """A running `maskwise studio`."""

    process: subprocess.Popen[bytes]
    address: str
    """With the token."""

    @property
    def origin(self) -> str:
        return self.address.partition("/#")[0]

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def ask(self, request: str, body: dict[str, Any]) -> Any:
        """Ask as the page does."""
        host = self.origin.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=60)
        headers = {"X-Maskwise-Token": self.token, "Content-Type": "application/json"}
        connection.request("POST", f"/api/{request}", json.dumps(body), headers)
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def end_search(self) -> None:
        """Cancel what a test left running, so that the next one does not wait for it."""
        last = self.ask("state", {})["run"]
        if last is not None and last["is_running"]:
            self.ask("cancel", {"run": last["id"]})

    def workers(self) -> list[int]:
        """The processes that have the table."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        children = [int(one) for task in tasks.iterdir() for one in (task / "children").read_text().split()]
        return [one for one in children if "spawn_main" in Path(f"/proc/{one}/cmdline").read_text()]


def start_studio(state: Path, *arguments: str, **environment: str) -> StudioProcess:
    """Start a studio that keeps its drafts in a folder, and wait for its address."""
    command = [sys.executable, "-m", "tests.studio.slow_studio", "studio", "--no-browser", *arguments]
    env = {**os.environ, "XDG_STATE_HOME": str(state), "MASKWISE_DEBUG": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    env |= environment
    said = state / f"said-{time.monotonic_ns()}.txt"
    with said.open("w") as file:
        process = subprocess.Popen(command, env=env, stdout=file, stderr=file)
    while process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/#token=[\w-]+", said.read_text())
        if found:
            return StudioProcess(process, found.group())
        time.sleep(0.05)
    raise AssertionError(said.read_text())


def end_studio(studio: StudioProcess) -> None:
    studio.process.terminate()
    studio.process.wait(20)


@pytest.fixture(scope="package")
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="package")
def studio(state_folder: Path) -> Iterator[StudioProcess]:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    started = start_studio(state_folder)
    yield started
    end_studio(started)


@pytest.fixture(scope="package")
def coverage() -> FunctionCoverage:
    return FunctionCoverage()


@pytest.fixture(autouse=True)
def _note_test(request: pytest.FixtureRequest, coverage: FunctionCoverage) -> None:
    coverage.tests.add(request.node.nodeid)


@dataclass
class Tab:
    """A tab of the browser, and what went wrong in it."""

    page: Any
    errors: list[str] = field(default_factory=list)
    """What the page's scripts threw, and what the content security policy refused."""
    foreign: list[str] = field(default_factory=list)
    """Requests to other machines."""


NewTab = Callable[..., Any]


@pytest.fixture
def new_tab(browser: Any, studio: StudioProcess, coverage: FunctionCoverage, state_folder: Path) -> Iterator[NewTab]:
    """Opens tabs of the studio; at the end of the test nothing may have gone wrong in any."""
    for draft in state_folder.rglob("*.draft.json"):
        draft.unlink()
    tabs: list[Tab] = []
    profilers = []

    def open_tab(at: StudioProcess = studio, *, is_ready: bool = True, **context: Any) -> Any:
        opened = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        opened.set_default_timeout(PATIENCE)
        page = opened.new_page()
        tab = Tab(page)
        tabs.append(tab)

        def look_at(route: Any) -> None:
            if route.request.url.startswith((at.origin + "/", "data:", "blob:")):
                route.fallback()
            else:
                tab.foreign.append(route.request.url)
                route.abort()

        opened.route("**/*", look_at)
        page.on("pageerror", lambda error: tab.errors.append(str(error)))
        page.on("console", lambda message: "Content Security" in message.text and tab.errors.append(message.text))
        profilers.append(coverage.start(page))
        page.goto(at.address)
        if is_ready:
            page.wait_for_selector('main[aria-busy="false"]')
        return page

    yield open_tab
    studio.end_search()
    for tab, profiler in zip(tabs, profilers, strict=True):
        coverage.take(profiler)
        tab.page.context.close()
    assert [error for tab in tabs for error in tab.errors] == []
    assert [url for tab in tabs for url in tab.foreign] == []


@pytest.fixture
def page(new_tab: NewTab) -> Any:
    return new_tab()
