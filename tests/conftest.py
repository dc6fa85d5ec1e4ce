"""What many tests need: a small table about people, a policy for it, and a command line to call."""

from __future__ import annotations

import csv
import io
import os
import random
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import settings

from maskwise.cli.app import main

N_EXAMPLES = {"fast": 5, "ci": 20, "nightly": 50, "thorough": 500}
"""How many examples a property is tried with, by profile. The first compilation may take seconds: no deadline."""
for name, n_examples in N_EXAMPLES.items():
    settings.register_profile(name, deadline=None, max_examples=n_examples)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

POLICY = """\
class: Risk
attributes:
  Age: {interval: [0, 120]}
  Edu: {taxonomy: {ANY_Edu: {School: [primary, secondary], University: [bachelor, master, doctor]}}}
  Job: suppress
requirements:
  - {qid: [Age, Edu, Job], k: 5}
  - {qid: [Age, Sex], k: 8}
drop: [Name]
"""
HEADER = ("Id", "Name", "Age", "Edu", "Job", "Sex", "Zip", "Risk")
PARENT = {
    "primary": "School",
    "secondary": "School",
    "bachelor": "University",
    "master": "University",
    "doctor": "University",
    "School": "ANY_Edu",
    "University": "ANY_Edu",
}
MASKED = ("Age", "Edu", "Job", "Sex")


def drop_identifiers(policy: Path) -> None:
    """Make of POLICY one that nothing is to be warned of."""
    policy.write_text(POLICY.replace("drop: [Name]", "drop: [Id, Name, Zip]"), encoding="utf-8")


@dataclass
class Result:
    """What a command did."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


def pytest_configure() -> None:
    """Let processes of tests hear Ctrl-C, which is ignored where a script runs the tests in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests that start engines, and let the profile scale the examples that a test asks for by number.

    A number in a test (`@settings(max_examples=150)`) wins over the profile's
    own, and is what `nightly` runs. `fast` runs a tenth of it, `ci` two fifths,
    of a slow test one fifth, `thorough` ten times.
    """
    for item in items:
        if Path("tests/engines") in item.path.relative_to(item.config.rootpath).parents:
            item.add_marker("engine")
    default = settings().max_examples
    slow = {_function(item) for item in items if item.get_closest_marker("slow")}
    for function in {_function(item) for item in items}:
        asked: settings | None = getattr(function, "_hypothesis_internal_use_settings", None)
        if asked is None:
            continue
        n_examples = asked.max_examples
        if n_examples != default:
            n_examples = n_examples * default // N_EXAMPLES["nightly"]
        if function in slow and default == N_EXAMPLES["ci"]:
            n_examples //= 2
        function._hypothesis_internal_use_settings = settings(asked, max_examples=max(n_examples, 2))  # noqa: SLF001


def _function(item: pytest.Item) -> Any:
    """What a test calls; of a method the function behind it."""
    called = getattr(item, "obj", None)
    return getattr(called, "__func__", called)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let one process have the PostgreSQL server, one Spark, and one the browser: each takes seconds to start.

    The tests of a file stay together, so that two processes do not compile the same loops at once.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByEngine(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith("tests/studio/page/"):
                return "browser"
            if not nodeid.startswith("tests/engines/"):
                return nodeid.partition("::")[0]
            return "spark" if "spark" in nodeid.lower() else "postgres"

    return ByEngine(config, log)


def people(n: int = 200, seed: int = 7) -> list[tuple[str, ...]]:
    """Records whose class follows age and education, so that a search has something to find.

    `doctor` is in the taxonomy but never in the data.
    """
    rng = random.Random(seed)  # noqa: S311 - test data
    rows = []
    for i in range(n):
        age = rng.randint(18, 90)
        edu = rng.choice(["primary", "secondary", "bachelor", "master"])
        job = rng.choices(["clerk", "nurse", "farmer", "judge"], [40, 30, 20, 1])[0]
        high = (age > 45) + (edu in {"bachelor", "master"}) + (job == "nurse") + rng.random() > 1.8
        zipcode = f"{rng.randrange(100_000):05d}"
        rows.append((f"{i:04d}", f"Name {i}", str(age), edu, job, rng.choice("FM"), zipcode, "high" if high else "low"))
    return rows


def csv_text(header: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str = ",") -> str:
    """Spell a table as a csv."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n", delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(rows)
    return file.getvalue()


def cells(path: Path, delimiter: str = ",") -> list[list[str]]:
    """Read a csv with Python's own reader, header included."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


def frame(path: Path) -> pd.DataFrame:
    """Read a csv with pandas, every cell as text, a missing one as the empty text."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def group_sizes(table: pd.DataFrame, qid: Sequence[str]) -> pd.Series:
    """Recount the groups of a table without maskwise."""
    return table.groupby(list(qid), dropna=False).size()


def folder(path: Path) -> dict[str, bytes | None]:
    """Everything in a folder, by name."""
    return {p.name: p.read_bytes() if p.is_file() else None for p in path.iterdir()}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in this process."""

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Result(code, said.out, said.err)

    return call


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two hundred people as a csv."""
    path = tmp_path / "people.csv"
    path.write_text(csv_text(HEADER, people()), encoding="utf-8")
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy for those people."""
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


@pytest.fixture
def refused(run: Run, tmp_path: Path) -> Callable[..., Result]:
    """Run a command that must fail: it changes nothing in the folder and prints nothing on standard output."""

    def call(*arguments: object, code: int = 2, says: Sequence[str] = (), hides: Sequence[str] = ()) -> Result:
        old = tmp_path / "out.csv"
        if not old.exists():
            old.write_bytes(b"the old release\n")
        before = folder(tmp_path)
        result = run(*arguments)
        assert result.code == code, result.err
        assert folder(tmp_path) == before
        assert result.out == ""
        assert [fact for fact in says if fact not in result.err] == [], result.err
        assert [secret for secret in hides if secret in result.err] == [], result.err
        return result

    return call
