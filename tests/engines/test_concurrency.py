"""Two runs with one target, and a target that somebody is reading: each sees a whole release, old or new."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.errors import WriteError
from maskwise.values.location import TableName
from tests.conftest import cells
from tests.conftest import folder as contents
from tests.engines.conftest import Place, load_postgres, rows_of
from tests.engines.postgres_server import Server
from tests.engines.test_failures import POLICY, At, table


def both(run: Callable[[Any], Any]) -> list[BaseException]:
    """Let two runs come as far as the recount, and then go on together; return what failed."""
    meeting = threading.Barrier(2)
    failed: list[BaseException] = []

    def one() -> None:
        try:
            run(At("verify", lambda: meeting.wait(timeout=60)))
        except BaseException as error:  # noqa: BLE001 - told below
            failed.append(error)
            meeting.abort()

    runs = [threading.Thread(target=one) for _ in range(2)]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join()
    return failed


@pytest.fixture(params=["duckdb", "postgres", "spark"])
def somewhere(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Any]:
    """The people in a file or a table, and the engine that reads it."""
    if request.param == "postgres":
        server: Server = request.getfixturevalue("server")
        request.getfixturevalue("postgres")
        load_postgres(server, table(), "people")
        return "people", server.url
    pq.write_table(table(), tmp_path / "people.parquet")
    return str(tmp_path / "people.parquet"), request.getfixturevalue("session") if request.param == "spark" else None


def test_two_runs_with_one_file_leave_one_whole_file(somewhere: tuple[str, Any], folder: Path) -> None:
    data, engine = somewhere
    target = f"{folder}/out.csv"
    assert not both(lambda at: maskwise.anonymize(data, POLICY, target, engine=engine, on_event=at))
    assert [path.name for path in folder.iterdir()] == ["out.csv"]
    assert sorted(cells(folder / "out.csv")[1:]) == sorted(
        [str(cell) for cell in row] for row in rows_of(maskwise.anonymize(table(), POLICY).data)
    )


def test_of_two_runs_with_one_folder_one_is_refused(somewhere: tuple[str, Any], folder: Path) -> None:
    data, engine = somewhere
    (failed,) = both(lambda at: maskwise.anonymize(data, POLICY, f"{folder}/out/", engine=engine, on_event=at))
    assert isinstance(failed, WriteError), failed
    assert [path.name for path in folder.iterdir()] == ["out"]
    assert maskwise.audit(f"{folder}/out/", POLICY).n_rows == 200


def test_of_two_runs_with_one_table_of_spark_one_is_whole(session: Any) -> None:
    session.createDataFrame(table()).createOrReplaceTempView("people_at_once")
    try:
        for _ in range(2):  # no table yet, and one to be replaced
            failed = both(
                lambda at: maskwise.anonymize(
                    session.table("people_at_once"), POLICY, "at_once", engine=session, on_event=at
                )
            )
            assert len(failed) <= 1
            assert all(isinstance(error, WriteError) for error in failed), failed
            assert session.table("at_once").count() == 200
            left = {found.tableName for found in session.sql("SHOW TABLES").collect()}
            assert not [name for name in left if name.startswith("maskwise")]
    finally:
        session.sql("DROP TABLE IF EXISTS at_once")
        session.catalog.dropTempView("people_at_once")


@pytest.mark.parametrize("is_taken", [True, False])
def test_no_old_table_of_spark_is_lost_or_stays_behind(
    session: Any, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    """The name is taken by another run between the two renames, or neither the draft nor the old table gets it."""
    from maskwise.engines.spark.dialect import Spark

    session.createDataFrame(table()).createOrReplaceTempView("people_between")
    session.sql("CREATE TABLE between USING parquet AS SELECT 'old' AS x")
    alter, n_renamed = Spark.rename_table, 0

    def between(dialect: Spark, name: TableName, new: TableName) -> None:
        nonlocal n_renamed
        n_renamed += 1
        if n_renamed == 2 and is_taken:
            session.sql("CREATE TABLE between USING parquet AS SELECT 'of another run' AS x")
        if n_renamed > 1 and not is_taken:
            session.sql("ALTER TABLE nowhere RENAME TO nothing")
        alter(dialect, name, new)

    monkeypatch.setattr(Spark, "rename_table", between)
    try:
        with pytest.raises(WriteError) as caught:
            maskwise.anonymize(session.table("people_between"), POLICY, "between", engine=session)
        left = {found.tableName for found in session.sql("SHOW TABLES").collect()}
        aside = [name for name in left if name.startswith("maskwise")]
        if is_taken:
            assert not aside
        else:
            assert f"now `{aside[0]}`" in str(caught.value)
        (kept,) = session.table(aside[0] if aside else "between").collect()
        assert kept.x == ("of another run" if is_taken else "old")
    finally:
        for name in ("between", *aside):
            session.sql(f"DROP TABLE IF EXISTS `{name}`")
        session.catalog.dropTempView("people_between")


def test_two_runs_do_not_mix_the_files_beside_a_release(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The solution that stands beside a release is the one it was made with."""
    from maskwise.formats import solution_file
    from maskwise.release.file_set import Sidecar

    first = threading.local()
    policies = iter([POLICY, {"class": "Risk", "requirements": [{"qid": ["Age", "Job"], "k": 40}]}])
    lock = threading.Lock()

    def run(at: Any) -> None:
        with lock:
            first.policy = next(policies)
        maskwise.anonymize(
            table(),
            first.policy,
            folder / "out.csv",
            keep_order=True,
            on_event=at,
            beside=lambda outcome: [Sidecar(folder / "s.json", solution_file.dumps(outcome.solution))],
        )

    # Each rename waits for the other run, if that is at one too.
    import os

    replace, meeting = os.replace, threading.Barrier(2)

    def slowly(*names: Any) -> None:
        replace(*names)
        try:
            meeting.wait(timeout=0.3)
        except threading.BrokenBarrierError:
            meeting.reset()

    monkeypatch.setattr("os.replace", slowly)
    assert not both(run)
    again = maskwise.apply(table(), folder / "s.json", folder / "again.csv", keep_order=True)
    assert again.verdict.n_rows == 200
    assert contents(folder)["again.csv"] == contents(folder)["out.csv"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_who_reads_a_file_sees_the_old_one_to_its_end(somewhere: tuple[str, Any], folder: Path, suffix: str) -> None:
    data, engine = somewhere
    target = folder / f"out{suffix}"
    old = b"the old release\n" * 9
    target.write_bytes(old)
    with target.open("rb") as reader:
        begun = reader.read(10)
        maskwise.anonymize(data, POLICY, target, engine=engine)
        assert begun + reader.read() == old
    assert maskwise.audit(target, POLICY).is_met


def test_who_reads_a_table_of_postgresql_sees_the_old_one(server: Server, postgres: Place) -> None:
    """A reader whose query has ended does not hold up a release, and its next query sees the new table."""
    import psycopg

    del postgres
    load_postgres(server, table(), "people")
    server.run("CREATE TABLE masked AS SELECT 1 AS old")
    with psycopg.connect(server.url, autocommit=True) as reader:
        assert reader.execute("SELECT * FROM masked").fetchall() == [(1,)]
        maskwise.anonymize("people", POLICY, "masked", engine=server.url)
        assert reader.execute("SELECT count(*) FROM masked").fetchone() == (200,)


def test_who_reads_a_table_of_spark_may_lose_it_but_the_release_is_whole(session: Any) -> None:
    """Spark has no snapshots: a reader of the old table fails, and never sees a mixture."""
    session.createDataFrame(table()).write.mode("overwrite").saveAsTable("read_meanwhile")
    try:
        reader = session.table("read_meanwhile").toLocalIterator()
        assert next(reader)
        maskwise.anonymize(table_of(session), POLICY, "read_meanwhile", engine=session)
        assert maskwise.audit("read_meanwhile", POLICY, engine=session).is_met
    finally:
        session.sql("DROP TABLE IF EXISTS read_meanwhile")


def table_of(session: Any) -> Any:
    return session.createDataFrame(table())
