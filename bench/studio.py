"""How long does the studio let one wait: for its page, for the columns, and for a changed k on Adult?

Plain requests, the same ones that the page sends and in its order; what the browser adds is measured with `--page`.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from bench.blowup import blow_up
from bench.measure import table
from maskwise.datasets import adult_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

KS = (40, 60, 45, 70, 55)
"""What k is changed to, one after the other."""


@dataclass
class Started:
    """A studio, and when its command was given."""

    begin: float
    port: int
    token: str

    def since(self) -> float:
        """Seconds since the command."""
        return time.perf_counter() - self.begin

    def get_page(self) -> None:
        """Load the page as a browser does first."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", "/")
        answer = connection.getresponse()
        answer.read()
        connection.close()
        _require(answer.status == HTTPStatus.OK, "the page was refused")

    def ask(self, request: str, /, **body: Any) -> Any:
        """Ask as the page does."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"X-Maskwise-Token": self.token, "Content-Type": "application/json"}
        connection.request("POST", f"/api/{request}", json.dumps(body), headers)
        answer = connection.getresponse()
        said = json.loads(answer.read())
        connection.close()
        _require(answer.status == HTTPStatus.OK, str(said))
        return said

    def search(self, policy: dict[str, Any], options: dict[str, Any]) -> None:
        """Search, and wait for what the step Result shows first: the masked and recounted table."""
        run, after = self.ask("search", policy=policy, options=options)["run"], 0
        while True:
            answer = self.ask("events", run=run, after=after)
            for event in answer["events"]:
                after = event["n"]
                _require(event["kind"] != "failed", str(event))
                if event["kind"] == "done":
                    self.ask("result", run=run, step=None)
                    return


@contextmanager
def started(*arguments: str) -> Iterator[Started]:
    """Give the command, and end the studio afterwards."""
    with tempfile.TemporaryDirectory() as state:
        env = os.environ | {"XDG_STATE_HOME": state}
        begin = time.perf_counter()
        command = [sys.executable, "-m", "maskwise", "studio", "--no-browser", *arguments]
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in process.stdout or ():
                if found := re.search(r"http://127\.0\.0\.1:(\d+)/#token=([\w-]+)", line):
                    yield Started(begin, int(found[1]), found[2])
                    break
        finally:
            process.terminate()
            process.wait(20)


def first_page() -> tuple[float, float]:
    """Seconds from the command to the page, and to the answer to its first request."""
    with started() as studio:
        studio.get_page()
        page = studio.since()
        studio.ask("state")
        return page, studio.since()


def columns_of_example() -> float:
    """Seconds from the command to the columns of Adult, if it is chosen at once."""
    with started() as studio:
        studio.ask("state")
        studio.ask("open", example="adult")
        studio.ask("columns")
        return studio.since()


def columns_of_path(path: Path) -> float:
    """Seconds from the command, which names a file, to its columns."""
    with started(str(path)) as studio:
        studio.ask("state")
        studio.ask("columns")
        return studio.since()


def changed_k(**options: str) -> list[float]:
    """Seconds of searches on Adult with another k each: search, mask and recount; the first one does not count."""
    with started() as studio:
        policy = studio.ask("open", example="adult")["policy"]
        studio.ask("columns")
        seconds = []
        for k in (50, *KS):
            asked = policy | {"requirements": [one | {"k": k} for one in policy["requirements"]]}
            begin = time.perf_counter()
            studio.search(asked, options)
            seconds.append(time.perf_counter() - begin)
        return seconds[1:]


def drawn_page(*paths: str) -> tuple[float, float]:
    """Seconds from the command to the heading in a browser that runs already, and to what is shown below it."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where a browser is measured

    with sync_playwright() as playwright:
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        found = os.environ.get("MASKWISE_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=args)
        tab = browser.new_page()
        with started(*paths) as studio:
            tab.goto(f"http://127.0.0.1:{studio.port}/#token={studio.token}")
            tab.wait_for_selector("h1")
            heading = studio.since()
            tab.wait_for_selector("table.columns" if paths else "button")
            seconds = heading, studio.since()
        browser.close()
        return seconds


def main(rounds: int, *, page: bool, large: bool) -> None:
    """Print the medians; one round before them does not count."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.csv"
        duckdb.sql(f"COPY (FROM '{adult_folder() / 'adult.parquet'}') TO '{path}' (HEADER)")
        first_page()
        of_csv = [columns_of_path(path) for _ in range(rounds)]
        pages = [first_page() for _ in range(rounds)]
        rows = [
            ("the page", statistics.median(page for page, _ in pages)),
            ("the answer to its first request", statistics.median(answer for _, answer in pages)),
            ("the columns of Adult", statistics.median(columns_of_example() for _ in range(rounds))),
            (
                "the columns of a csv that the command names",
                statistics.median(of_csv),
            ),
            ("a changed k on Adult: search, mask, recount", statistics.median(changed_k())),
            ("the same by `score`", statistics.median(changed_k(criterion="score"))),
        ]
        if large:
            rows.append(("the columns of a csv of a million records", columns_of_path(blow_up(1_000_000)[0])))
        if page:
            drawn = [drawn_page() for _ in range(rounds)]
            rows.append(("the heading, drawn by Chromium", statistics.median(heading for heading, _ in drawn)))
            drawn = [drawn_page(str(path)) for _ in range(rounds)]
            rows.append(("the columns of that csv, drawn by Chromium", statistics.median(found for _, found in drawn)))
    table([("from the command to", "seconds"), *rows])


def _require(is_so: bool, otherwise: str) -> None:  # noqa: FBT001 - as in `assert`
    if not is_so:
        sys.exit(otherwise)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(next(iter(one for one in given if one.isdecimal()), 5)), page="--page" in given, large="--large" in given)
