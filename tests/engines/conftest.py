"""The engines that the contract runs on, each with its way of taking a table in and giving one back."""

from __future__ import annotations

import datetime as dt
import io
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import maskwise
from maskwise.engines.postgres import cells as postgres_cells
from tests.engines.postgres_server import Server

SHOWN_BY_OTHERS = {
    "test_binning_serves_every_policy",  # test_bins_are_the_same_on_every_engine
    "test_more_refinements_ask_no_more_questions",  # test_spark_runs_as_many_jobs_for_one_refinement_as_for_all
}
"""Tests of every engine that cost Spark ten seconds and more, where another test shows the same of it."""


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Let Spark, which takes seconds for a small table, have one case of a test with every change, and all at night.

    The contract runs there in full.
    """
    seen: set[str] = set()
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        is_spark = "spark" in item.nodeid.lower()
        # By its name a test is given to the process that has the session.
        assert is_spark or "session" not in getattr(item, "fixturenames", ()), f"{item.nodeid} does not say `spark`."
        callspec = getattr(item, "callspec", None)
        if callspec is not None and "spark" in callspec.id and item.path.name != "test_contract.py":
            test = item.nodeid.partition("[")[0]
            if test in seen or test.rpartition("::")[2] in SHOWN_BY_OTHERS:
                item.add_marker("nightly")
            seen.add(test)


@dataclass(frozen=True)
class Place:
    """An engine under test."""

    name: str
    load: Callable[[pa.Table], tuple[Any, Any]]
    """Take a table in; returns the data and the engine to name to maskwise."""
    rows: Callable[[Any], list[tuple[Any, ...]]]
    """The records of what maskwise released."""
    target: Callable[[], str | None]
    """Where a release goes."""

    def anonymize(self, table: pa.Table, policy: Any, **how: Any) -> tuple[maskwise.Outcome, list[tuple[Any, ...]]]:
        data, engine = self.load(table)
        outcome = maskwise.anonymize(data, policy, self.target(), engine=engine, **how)
        return outcome, self.rows(outcome.data)


def in_order(rows: list[tuple[Any, ...]]) -> list[str]:
    """Spell and sort records of any types."""
    return sorted(repr([_plain(cell) for cell in row]) for row in rows)


def _plain(cell: Any) -> Any:
    """A float of 32 bits comes over as such or as one of 64, and Spark's times are in UTC."""
    if isinstance(cell, float):
        return float(np.float32(cell))
    return cell.replace(tzinfo=None) if isinstance(cell, dt.datetime) else cell


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.to_pylist()]


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.stop()


def sql_type(kind: pa.DataType) -> str:
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    return postgres_cells.sql_type(kind)


def load_postgres(server: Server, table: pa.Table, name: str) -> None:
    columns = ", ".join(f'"{field.name}" {sql_type(field.type)}' for field in table.schema)
    with psycopg.connect(server.url) as connection, connection.cursor() as cursor:
        cursor.execute(f'CREATE TABLE "{name}" ({columns})')  # type: ignore[call-overload]
        with cursor.copy(f'COPY "{name}" FROM STDIN (FORMAT csv)') as copied:  # type: ignore[call-overload]
            csv = io.BytesIO()
            pc.write_csv(table, csv, pc.WriteOptions(include_header=False, quoting_style="all_valid"))
            copied.write(csv.getvalue())


@pytest.fixture
def postgres(server: Server) -> Iterator[Place]:
    before = server.tables()

    def load(table: pa.Table) -> tuple[Any, Any]:
        name = f"people_{secrets.token_hex(4)}"
        load_postgres(server, table, name)
        return name, server.url

    yield Place(
        "postgres",
        load,
        lambda data: server.run(f'SELECT * FROM "{data.name}"'),  # noqa: S608
        lambda: f"masked_{secrets.token_hex(4)}",
    )
    # A session's temporary tables go when the server has ended it, which may be after we have gone.
    for _ in range(100):
        left = server.tables() - before
        if not any(name.startswith("maskwise") for name in left):
            break
        time.sleep(0.1)
    assert not [name for name in left if name.startswith("maskwise")]
    for name in left:
        server.run(f'DROP TABLE IF EXISTS "{name}"')


def needs_spark() -> Any:
    """Skip where there is no Spark."""
    java = shutil.which("java")
    if java is None or b'version "1.' in subprocess.run([java, "-version"], capture_output=True, check=True).stderr:
        pytest.skip("notyet: Spark needs Java 17")
    return pytest.importorskip("pyspark", reason="notyet: needs the spark extra")


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Spark session on two cores, for all tests of this process."""
    pyspark = needs_spark()
    warehouse = tmp_path_factory.mktemp("warehouse")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = pyspark.sql.SparkSession.builder.master("local[2]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.warehouse.dir": str(warehouse),
        "spark.driver.memory": "1g",
        # Tiny tables: compiling a query takes longer than running it.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms1g -Xmn600m",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    # Jobs on batches of a result have no settings of SQL but those of the thread; without this their tasks compile.
    started.sparkContext.setLocalProperty("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    yield started
    started.stop()


@pytest.fixture
def spark(session: Any) -> Place:
    return Place(
        "spark",
        lambda table: (session.createDataFrame(table), None),
        lambda data: rows_of(data.toArrow()),
        lambda: None,
    )


@pytest.fixture
def duckdb() -> Place:
    return Place("duckdb", lambda table: (table, None), rows_of, lambda: None)


@pytest.fixture(params=["duckdb", "postgres", "spark"])
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["postgres", "spark"])
def other_place(request: pytest.FixtureRequest) -> Place:
    """The engines whose results are compared with DuckDB's."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["postgres", "spark"])
def remote_place(request: pytest.FixtureRequest) -> Place:
    """The engines whose records do not leave them, and have no order."""
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of its own for files."""
    made = tmp_path / "files"
    made.mkdir()
    return made
