"""Processes ended at random moments, on files, in a DuckDB file, in PostgreSQL and on Spark."""

from __future__ import annotations

import random
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
from tests.engines.postgres_server import Server

from maskwise.release.file_set import finish_others
from torture.campaign import Tally
from torture.faults import Case, people_csv
from torture.tables import FORMATS
from torture.worker import Worker

ENDS = {signal.SIGKILL: set(), signal.SIGTERM: {143}, signal.SIGINT: {130}, signal.SIGHUP: {129}}
"""How a command may end by each signal, beside ending well: it may come too late, or stop the search."""
OLD_TABLE = "CREATE TABLE released AS SELECT 1 AS old"


class Kills:
    """Lets commands begin in a warm process and ends it at a random moment."""

    def __init__(self, postgres: Any = None, *, spark: bool = False) -> None:
        self.worker = Worker()
        self._postgres = postgres
        self._places = ["file", "file", "duckdb"] + (["postgres"] if postgres is not None else [])
        self._places = ["spark"] if spark else self._places
        self._new: dict[str, Any] = {}
        self._seconds: dict[str, float] = {}

    def run(self, seed: int, folder: Path) -> Tally:
        """One kill."""
        rng = random.Random(seed)
        place = rng.choice(self._places)
        number = rng.choice(list(ENDS))
        if place in {"file", "spark"}:
            return self._file(
                rng, folder, number, rng.choice(FORMATS), ["--engine", "spark"] if place == "spark" else []
            )
        return self._table(rng, folder, number, place)

    def _file(self, rng: random.Random, folder: Path, number: signal.Signals, suffix: str, engine: list[str]) -> Tally:
        case = Case(folder, suffix, with_old=rng.random() < 0.8)
        if engine:
            # Spark's records have no order that a seed could repeat.
            case.arguments = [one for one in case.arguments if one not in {"--seed", "7"}] + engine
        key = suffix + "".join(engine)
        if key not in self._new:
            case.reset()
            self._timed(key, case.arguments)
            self._new[key] = case.contents()
        case.reset()
        what = f"{key}, {number.name}"
        tally = self._strike(rng, case.arguments, number, self._seconds[key], what)
        finish_others(case.out)
        found, new = case.contents(), self._new[key]
        # Ctrl-C lets a search end early: what it had found is released, which is new too.
        may_differ = bool(engine) or number is signal.SIGINT
        is_all_other = found.keys() == new.keys() and all(found[name] != case.old.get(name) for name in found)
        is_new = found == new or (may_differ and is_all_other)
        if found != case.old and not is_new:
            tally.violations.append(f"{what}: mixed: { {name: len(content) for name, content in found.items()} }")
        if number is not signal.SIGKILL and (left := case.drafts()):
            tally.violations.append(f"{what}: left behind: {left}")
        return tally

    def _table(self, rng: random.Random, folder: Path, number: signal.Signals, place: str) -> Tally:
        (folder / "people.csv").write_text(people_csv(), encoding="utf-8")
        case = Case(folder, ".csv", with_old=False)
        if place == "duckdb":
            url = f"duckdb:///{folder}/people.db"
            with duckdb.connect(str(folder / "people.db")) as database:
                database.execute(f"CREATE TABLE people AS FROM read_csv('{folder}/people.csv')")
                database.execute(OLD_TABLE)
        else:
            url = self._postgres.url
            self._postgres.run("DROP TABLE IF EXISTS people, released")
            columns = ", ".join(f'"{name}" text' for name in people_csv().partition("\n")[0].split(","))
            self._postgres.run(f"CREATE TABLE people ({columns})")
            for line in people_csv().splitlines()[1:]:
                self._postgres.run(
                    "INSERT INTO people VALUES (" + ", ".join(f"'{cell}'" for cell in line.split(",")) + ")"
                )
            self._postgres.run(OLD_TABLE)
        policy = str(folder / "policy.yaml")
        arguments = ["mask", "people", "-p", policy, "-o", "released", "--engine", url]
        tally = self._strike(rng, arguments, number, 1.5, what := f"{place}, {number.name}")
        names = self._columns(place, folder)
        if names not in (["old"], ["Age", "Job", "Sex", "Ill", "Risk"]):
            tally.violations.append(f"{what}: the table is neither old nor new: {names}")
        del case
        return tally

    def _columns(self, place: str, folder: Path) -> list[str]:
        if place == "duckdb":
            with duckdb.connect(str(folder / "people.db")) as database:
                return [row[0] for row in database.execute("DESCRIBE released").fetchall()]
        asked = (
            "SELECT column_name FROM information_schema.columns WHERE table_name = 'released' ORDER BY ordinal_position"
        )
        return [row[0] for row in self._postgres.run(asked)]

    def _timed(self, key: str, arguments: list[str]) -> None:
        """How long a run takes that nobody ends."""
        self.worker.send(arguments)
        self.worker.answer()
        self.worker.send(arguments)
        begun = time.monotonic()
        answer = self.worker.answer()
        assert not isinstance(answer, int), answer
        assert answer["code"] == 0, answer
        self._seconds[key] = time.monotonic() - begun

    def _strike(
        self, rng: random.Random, arguments: list[str], number: signal.Signals, seconds: float, what: str
    ) -> Tally:
        process = self.worker.send(arguments)
        end = threading.Timer(
            rng.uniform(0, seconds), lambda: suppress(OSError).__enter__() or process.send_signal(number)
        )
        end.start()
        answer = self.worker.answer()
        end.cancel()
        end.join()
        tally = Tally(1, 1)
        if isinstance(answer, int):
            # A signal that came before or after the command ended a process that waits, by its own way.
            if -answer != number:
                tally.crashes.append(f"{what}: the process ended with {answer}")
            return tally
        code = answer["code"]
        if code not in {0, 2} | ENDS[number]:
            tally.crashes.append(f"{what}: {answer['crash'] or answer['said']}")
        tally.refused += int(code != 0)
        return tally


@contextmanager
def opened() -> Iterator[Kills]:
    """With a PostgreSQL server, where one can be started."""
    with ExitStack() as stack:
        server = None
        with suppress(Exception):
            server = Server()
            stack.callback(server.stop)
        part = Kills(server)
        stack.callback(part.worker.close)
        yield part


@contextmanager
def opened_on_spark() -> Iterator[Kills]:
    """Every run starts a JVM, so this takes long."""
    part = Kills(spark=True)
    with tempfile.TemporaryDirectory():
        try:
            yield part
        finally:
            part.worker.close()
