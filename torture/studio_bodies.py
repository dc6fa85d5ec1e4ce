"""Requests to the studio that no page would send: mutated bodies, other types, hostile names."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.studio.conftest import POLICY, SECRET, write_people
from tests.studio.running import RunningStudio, running

from torture.campaign import Tally
from torture.corruption import NASTY, damaged
from torture.planted import found_in
from torture.tables import CELLS, NAMES

BODIES: dict[str, dict[str, Any]] = {
    "state": {},
    "open": {"path": "people.csv"},
    "columns": {"roles": {"Age": "quasi-identifier", "Name": "identifier"}},
    "values": {"column": "Job", "start": 0, "n": 5, "filter": ""},
    "tree": {"column": "Job", "entry": POLICY["attributes"]["Job"]},
    "import": {"column": "Job", "name": "t.csv", "text": "Y2xlcms7T2ZmaWNlOyoK"},
    "check": {"policy": POLICY},
    "search": {"policy": POLICY, "options": {"max_steps": 1}},
    "events": {"run": "1", "after": 10**6},
    "stop": {"run": "1"},
    "result": {"run": "1", "step": None},
    "why": {"run": "1", "step": None},
    "rows": {"run": "1", "step": None, "start": 0, "n": 3},
    "export": {"run": "1", "step": None, "folder": "/nowhere", "name": "out.csv", "files": {}, "keep_order": False},
    "draft": {"draft": {"a": 1}},
}
"""A body of each request that is right, or nearly."""
WRONG = (
    None,
    True,
    -1,
    10**400,
    1.5,
    float("nan"),
    "",
    "x" * 70_000,
    [],
    [[]],
    {},
    {"": None},
    {"a": {"b": []}},
    "\ud800",
    "\0",
)
ALLOWED = {200, 400, 401, 403, 404, 405, 409, 410, 413, 415}


class StudioBodies:
    """Sends requests to one running studio."""

    def __init__(self, studio: RunningStudio, people: Path) -> None:
        self._studio = studio
        self._people = people

    def run(self, seed: int, folder: Path) -> Tally:
        """Twenty requests."""
        del folder
        rng, tally = random.Random(seed), Tally()
        headers = {"X-Maskwise-Token": self._studio.token, "Content-Type": "application/json", "X-Maskwise-Tab": "one"}
        for _ in range(20):
            name = rng.choice(list(BODIES))
            body = _mutated(rng, BODIES[name])
            content = json.dumps(body).encode()
            if rng.random() < 0.15:
                content = damaged(rng, content)
            tally.cases += 1
            try:
                status, _, answer = self._studio.send("POST", f"/api/{name}", content, headers)
            except OSError as error:
                tally.crashes.append(f"{name}: {type(error).__name__} for {content[:200]!r}")
                continue
            tally.refused += int(status != 200)
            if status not in ALLOWED:
                tally.crashes.append(f"{name}: {status} {answer[:200]!r} for {content[:300]!r}")
            elif status != 200 and not json.loads(answer)["error"]["text"].strip():
                tally.crashes.append(f"{name}: refused without a word for {content[:200]!r}")
            if name != "rows":
                tally.violations += [f"{name}: an identifier in the answer" for _ in found_in(answer, [SECRET])]
            if self._studio.process.poll() is not None:
                tally.crashes.append(f"{name}: the studio has ended")
                break
        if self._studio.call("state")[1].get("source") is None:
            self._studio.call("open", path=str(self._people))
        return tally


def _mutated(rng: random.Random, value: Any) -> Any:
    """A value with one part of it replaced."""
    if rng.random() < 0.25 or not isinstance(value, dict | list) or not value:
        if isinstance(value, str) and rng.random() < 0.5:
            return rng.choice([*NAMES, *CELLS, *NASTY])
        return rng.choice(WRONG) if rng.random() < 0.7 else value
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [_mutated(rng, one) if i == at else one for i, one in enumerate(value)]
    key = rng.choice(list(value))
    changed = {name: _mutated(rng, one) if name == key else one for name, one in value.items()}
    if rng.random() < 0.1:
        changed[rng.choice(NAMES)] = rng.choice(WRONG)
    if rng.random() < 0.1:
        del changed[key]
    return changed


@contextmanager
def opened() -> Iterator[StudioBodies]:
    """Start a studio with a small table."""
    with tempfile.TemporaryDirectory(prefix="torture-studio-") as name:
        people = write_people(Path(name) / "people.csv")
        (Path(name) / "state").mkdir()
        with running(Path(name), str(people)) as studio:
            studio.ask("state")
            yield StudioBodies(studio, people)
