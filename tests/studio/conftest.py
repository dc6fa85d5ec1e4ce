"""One studio for all tests that leave it as it was, with a small table."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio.running import RunningStudio, running

JOBS = ("clerk", "nurse", "boss", "cook")
POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {
        "Age": {"interval": ["0", "100"]},
        "Job": {"taxonomy": {"Any": {"Office": {"clerk": {}, "boss": {}}, "Care": {"nurse": {}, "cook": {}}}}},
    },
    "requirements": [{"qid": ["Age", "Job", "Sex"], "k": 4}],
    "drop": ["Name"],
}
SECRET = "Zyxomma-Petiolatum"  # noqa: S105 - no password
"""A name that stands in the table once, and in nothing that stays."""


def write_people(path: Path, n: int = 240) -> Path:
    """Made by plain arithmetic, so that every run has the same."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["Name", "Age", "Job", "Sex", "Risk"])
        for i in range(n):
            age, job, sex = 18 + (i * 37) % 70, JOBS[(i * 7 + i // 5) % 4], "FM"[(i // 3) % 2]
            risk = "hi" if (age > 50 and job != "boss") or (age < 35 and sex == "F") else "lo"
            writer.writerow([SECRET if i == 7 else f"Person {i}", age, job, sex, risk])
    return path


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_people(tmp_path_factory.mktemp("people") / "people.csv")


@pytest.fixture(scope="session")
def _running(tmp_path_factory: pytest.TempPathFactory, people: Path) -> Iterator[RunningStudio]:
    with running(tmp_path_factory.mktemp("studio"), str(people)) as started:
        yield started


@pytest.fixture
def server(_running: RunningStudio, people: Path) -> Iterator[RunningStudio]:
    """A studio with the small table open; what still runs after a test is cancelled."""
    state = _running.ask("state")
    if state["source"] is None or state["source"]["name"] != people.name or state["source"]["kind"] != "file":
        _running.ask("open", path=str(people))
    yield _running
    last = _running.ask("state")["run"]
    if last is not None and last["is_running"]:
        _running.ask("cancel", run=last["id"])
