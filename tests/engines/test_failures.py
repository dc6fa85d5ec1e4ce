"""What goes wrong in a database leaves nothing behind and says what happened."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pytest

import maskwise
from maskwise.engines.postgres import error_messages as postgres_messages
from maskwise.errors import WriteError
from maskwise.progress import Event, StageBegun
from tests.conftest import people
from tests.engines.conftest import Place, load_postgres
from tests.engines.postgres_server import Server

POLICY = {
    "class": "Risk",
    "requirements": [{"qid": ["Age", "Job"], "k": 5}, {"qid": ["Age", "Sex"], "k": 8}],
}
STAGES = ("profile", "compress", "search", "mask", "verify")


def table() -> pa.Table:
    rows = people()
    return pa.table(
        {
            "Age": pa.array([int(row[2]) for row in rows], pa.int32()),
            "Job": [row[4] for row in rows],
            "Sex": [row[5] for row in rows],
            "Risk": [row[7] for row in rows],
        }
    )


class At:
    """Do something when a stage begins."""

    def __init__(self, stage: str, action: Callable[[], Any]) -> None:
        self._stage, self._action = stage, action

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageBegun) and event.stage == self._stage:
            self._action()


@pytest.fixture
def source(server: Server, postgres: Place) -> str:
    """The same two hundred people, in a table whose name is the same in every test."""
    del postgres
    load_postgres(server, table(), "people")
    return "people"


def untouched(server: Server) -> None:
    """The source is as it was, and nothing else is there."""
    assert server.run('SELECT count(*), sum("Age") FROM people') == [(200, sum(table()["Age"].to_pylist()))]
    # The server drops temporary tables after a connection has ended, not before.
    end = time.monotonic() + 10
    while (left := [name for name in server.tables() if name.startswith("maskwise")]) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left


def kick_out(server: Server) -> None:
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'maskwise'")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("to_file", [False, True])
def test_a_connection_lost_at_any_stage_leaves_nothing(
    server: Server, source: str, stage: str, to_file: bool, folder: Path
) -> None:
    target = str(folder / "out.csv") if to_file else "masked"
    if to_file and stage == "verify":
        pytest.skip("never: the records are already in the file")
    lost = At(stage, lambda: kick_out(server))
    with pytest.raises((maskwise.InputError, WriteError), match="connection to the database was lost"):
        maskwise.anonymize(source, POLICY, target, engine=server.url, on_event=lost)
    untouched(server)
    assert "masked" not in server.tables()
    assert not list(folder.iterdir())
    assert maskwise.anonymize(source, POLICY, target, engine=server.url).verdict.is_met


def test_a_server_that_crashes_comes_back_clean(server: Server, source: str) -> None:
    maskwise.anonymize(source, POLICY, "masked", engine=server.url)
    before = server.run("SELECT * FROM masked")
    try:
        with pytest.raises(maskwise.InputError, match="connection to the database was lost"):
            maskwise.anonymize(source, POLICY, "masked", engine=server.url, on_event=At("verify", server.crash))
    finally:
        server.start()
    untouched(server)
    assert server.run("SELECT * FROM masked") == before
    assert maskwise.anonymize(source, POLICY, "masked", engine=server.url).verdict.is_met


def test_a_target_that_is_being_read_stays_as_it_is(
    server: Server, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_messages, "LOCK_SECONDS", 1)
    server.run("CREATE TABLE masked AS SELECT 1 AS old")
    with psycopg.connect(server.url) as reader:
        reader.execute("SELECT * FROM masked")
        with pytest.raises(WriteError, match="`masked` is in use by others"):
            maskwise.anonymize(source, POLICY, "masked", engine=server.url)
    assert server.run("SELECT * FROM masked") == [(1,)]
    untouched(server)
    maskwise.anonymize(source, POLICY, "masked", engine=server.url)
    assert server.run("SELECT count(*) FROM masked") == [(200,)]


def test_two_runs_with_one_target_come_one_after_the_other(server: Server, source: str) -> None:
    both = threading.Barrier(2)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            maskwise.anonymize(
                source, POLICY, "masked", engine=server.url, on_event=At("verify", lambda: both.wait(timeout=60))
            )
        except BaseException as error:  # noqa: BLE001 - told below
            failed.append(error)

    runs = [threading.Thread(target=run) for _ in range(2)]
    for one in runs:
        one.start()
    for one in runs:
        one.join()
    assert not failed
    assert server.run("SELECT count(*) FROM masked") == [(200,)]
    untouched(server)


def test_a_table_that_others_write_to_is_seen_as_it_was(server: Server, source: str) -> None:
    meanwhile = At("compress", lambda: server.run("INSERT INTO people SELECT * FROM people"))
    outcome = maskwise.anonymize(source, POLICY, "masked", engine=server.url, on_event=meanwhile)
    assert outcome.verdict.n_rows == 200
    assert server.run("SELECT count(*) FROM people") == [(400,)]


@pytest.mark.parametrize(
    ("before", "says"),
    [
        ("CREATE TABLE masked AS SELECT 1 AS old; CREATE VIEW seen AS SELECT * FROM masked", "views or keys depend"),
        ("CREATE VIEW masked AS SELECT 1 AS old", "`masked` is no table"),
    ],
)
def test_what_cannot_be_replaced_is_left_alone(server: Server, source: str, before: str, says: str) -> None:
    server.run(before)
    try:
        with pytest.raises(WriteError, match=says):
            maskwise.anonymize(source, POLICY, "masked", engine=server.url)
        assert server.run("SELECT * FROM masked") == [(1,)]
        untouched(server)
    finally:
        server.run("DROP VIEW IF EXISTS seen" if "seen" in before else "DROP VIEW masked")


def test_a_target_that_cannot_be_made_is_refused_before_any_work(server: Server, source: str) -> None:
    never = At("profile", lambda: pytest.fail("began to work"))
    with pytest.raises(WriteError, match="no schema `nowhere`"):
        maskwise.anonymize(source, POLICY, "nowhere.masked", engine=server.url, on_event=never)
    with pytest.raises(maskwise.InputError, match=r"`public\.people` is the input"):
        maskwise.anonymize(source, POLICY, "public.people", engine=server.url, on_event=never)
    server.run("CREATE ROLE guest LOGIN; GRANT SELECT ON people TO guest; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    try:
        with pytest.raises(WriteError, match="may not create `masked`"):
            maskwise.anonymize(source, POLICY, "masked", engine=server.url.replace("owner", "guest"), on_event=never)
    finally:
        server.run("REVOKE ALL ON people FROM guest; DROP ROLE guest")


def test_a_part_of_the_source_that_vanishes_stops_spark(session: Any, folder: Path) -> None:
    import pyarrow.parquet as pq

    parts = folder / "people"
    parts.mkdir()
    for i in range(2):
        pq.write_table(table().slice(i * 100, 100), parts / f"{i}.parquet")
    gone = At("mask", (parts / "1.parquet").unlink)
    with pytest.raises(WriteError, match="Nothing was released"):
        maskwise.anonymize(f"{parts}/", POLICY, f"{folder}/out/", engine=session, on_event=gone)
    assert [path.name for path in folder.iterdir()] == ["people"]
    pq.write_table(table().slice(100, 100), parts / "1.parquet")
    assert maskwise.anonymize(f"{parts}/", POLICY, f"{folder}/out/", engine=session).verdict.is_met
    left = [found.tableName for found in session.sql("SHOW TABLES").collect()]
    assert not [name for name in left if name.startswith("maskwise")]


def test_a_run_that_fails_leaves_a_database_file_as_it_was(folder: Path) -> None:
    import duckdb

    file = folder / "people.db"
    records = table()
    with duckdb.connect(file) as database:
        database.register("records", records)
        database.execute("CREATE TABLE people AS SELECT * FROM records")
    address = f"duckdb:///{file}"

    def fail() -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        maskwise.anonymize("people", POLICY, "masked", engine=address, on_event=At("verify", fail))
    with duckdb.connect(file) as database:
        assert database.execute("SHOW TABLES").fetchall() == [("people",)]
        with pytest.raises(maskwise.InputError, match="cannot be opened"):
            maskwise.anonymize("people", POLICY, "masked", engine=address)
    maskwise.anonymize("people", POLICY, "masked", engine=address)
    assert maskwise.audit("masked", POLICY, engine=address).is_met


VIEWS = {
    "a view": "CREATE VIEW seen AS SELECT * FROM people",
    "a view of a view": "CREATE VIEW first AS SELECT * FROM people; CREATE VIEW seen AS SELECT * FROM first",
}


@pytest.mark.parametrize("made", VIEWS.values(), ids=VIEWS)
def test_what_a_view_reads_is_not_replaced(server: Server, source: str, made: str, tmp_path: Path) -> None:
    server.run(made)
    file = tmp_path / "people.db"
    with duckdb.connect(str(file)) as database:
        database.register("given", table())
        database.execute(f"CREATE TABLE people AS FROM given; {made}")
    for engine, target in ((server.url, source), (f"duckdb:///{file}", "people"), (f"duckdb:///{file}", "main.People")):
        with pytest.raises(maskwise.InputError, match="is the input"):
            maskwise.anonymize("seen", POLICY, target, engine=engine)
    assert server.run("SELECT count(*) FROM people") == [(table().num_rows,)]
    server.run("DROP VIEW IF EXISTS seen; DROP VIEW IF EXISTS first")


def test_a_partition_does_not_replace_its_parent(server: Server) -> None:
    columns = ", ".join(f'"{name}" text' for name in table().column_names)
    server.run(
        f"CREATE TABLE whole ({columns}, part int) PARTITION BY LIST (part);"
        "CREATE TABLE one PARTITION OF whole FOR VALUES IN (1); CREATE TABLE two PARTITION OF whole FOR VALUES IN (2)"
    )
    try:
        for data, target in (("one", "whole"), ("one", "two"), ("whole", "two")):
            with pytest.raises(maskwise.InputError, match=f"`{target}` is the input"):
                maskwise.anonymize(data, POLICY, target, engine=server.url)
    finally:
        server.run("DROP TABLE whole")
