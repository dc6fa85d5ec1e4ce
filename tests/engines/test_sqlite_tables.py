"""Releases into SQLite files: whole or not at all, without a raw cell in the file, and beside other programs."""

from __future__ import annotations

import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import ibis
import pyarrow.csv as pc
import pytest

import maskwise
from maskwise.engines.choose import choose
from maskwise.engines.sqlite import connection as connecting
from maskwise.errors import WriteError
from maskwise.table.endpoints import refuse_inputs, source_files
from tests.conftest import folder as contents
from tests.engines.conftest import in_order, rows_of
from tests.engines.sqlite_files import load_sqlite, read_sqlite, run
from tests.engines.test_failures import POLICY, STAGES, At, table
from tests.engines.test_full_disk import long_table, small_disk


@pytest.fixture
def file(folder: Path) -> Path:
    made = folder / "people.db"
    load_sqlite(made, table(), "people")
    return made


def address(file: Path) -> str:
    return f"sqlite:///{file}"


def mask(file: Path, target: str = "masked", source: str = "people", **how: Any) -> maskwise.Outcome:
    return maskwise.anonymize(source, POLICY, target, engine=address(file), **how)


def expected_rows() -> list[str]:
    return in_order(rows_of(maskwise.anonymize(table(), POLICY).data))


def everything(file: Path) -> list[Any]:
    """The schema and the records of a database."""
    names = [row[0] for row in run(file, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return [run(file, "SELECT type, name, sql FROM sqlite_master"), *(read_sqlite(file, name) for name in names)]


def test_a_database_that_is_not_there_is_not_made(folder: Path) -> None:
    for target in ("masked", str(folder / "o.csv")):
        with pytest.raises(maskwise.InputError, match="There is no database"):
            mask(folder / "nowhere.db", target)
    assert not list(folder.iterdir())
    with pytest.raises(maskwise.InputError, match=r"written as sqlite:///people\.db"):
        maskwise.anonymize("people", POLICY, "masked", engine="sqlite://")


def test_a_file_that_is_no_database_is_refused_without_quoting_it(folder: Path) -> None:
    (folder / "people.db").write_text("secret," * 900)
    with pytest.raises(maskwise.InputError, match="it is no SQLite database, or it is encrypted") as caught:
        mask(folder / "people.db")
    assert "secret" not in str(caught.value)


def test_reading_changes_no_byte_and_leaves_no_file(file: Path, folder: Path) -> None:
    before = contents(folder)
    mask(file, str(folder.parent / "o.csv"))
    assert contents(folder) == before


def test_a_table_that_is_not_there_is_missed(file: Path) -> None:
    with pytest.raises(maskwise.InputError, match=r"no table `peple` in the database\. Did you mean `people`"):
        mask(file, source="peple")
    with pytest.raises(maskwise.InputError, match=r"no table `other\.people` in the database"):
        mask(file, source="other.people")
    with pytest.raises(WriteError, match="There is no database `other`"):
        mask(file, "other.masked")


@pytest.mark.slow
def test_files_and_addresses_are_read_and_written(file: Path, folder: Path) -> None:
    """The bytes of a csv are those of DuckDB; a csv may become a table."""
    maskwise.anonymize(table(), POLICY, folder / "duckdb.csv", keep_order=True)
    maskwise.anonymize(f"{address(file)}#people", POLICY, folder / "sqlite.csv", keep_order=True)
    assert (folder / "sqlite.csv").read_bytes() == (folder / "duckdb.csv").read_bytes()
    pc.write_csv(table(), folder / "raw.csv")
    sources: list[Any] = [str(folder / "raw.csv"), table(), table().to_pandas()]
    for source in sources:
        maskwise.anonymize(source, POLICY, "masked", engine=address(file))
        assert maskwise.audit(f"{address(file)}#masked", POLICY).is_met
    with pytest.raises(maskwise.InputError, match=r"`.*` is the input"):
        refuse_inputs([file], source_files("people", address(file)))


@pytest.mark.slow
def test_an_old_target_is_replaced_with_its_triggers_while_views_of_it_stay(file: Path) -> None:
    run(
        file,
        'CREATE TABLE "Masked" (old TEXT)',
        "CREATE INDEX of_old ON masked (old)",
        "CREATE TRIGGER people AFTER INSERT ON masked BEGIN DELETE FROM people; END",
        "CREATE VIEW shown AS SELECT * FROM masked",
        "CREATE VIEW broken AS SELECT * FROM nowhere",
        "CREATE TABLE refers (x REFERENCES masked (old))",
    )
    for _ in range(2):
        mask(file, "masked")
        assert in_order(run(file, "SELECT * FROM shown")) == expected_rows()
    names = {row[0] for row in run(file, "SELECT name FROM sqlite_master")}
    assert names == {"people", "masked", "shown", "broken", "refers"}
    assert run(file, "SELECT count(*) FROM people") == [(200,)]


@pytest.mark.parametrize(
    ("made", "source", "target", "says"),
    [
        ("", "people", "PEOPLE", "`PEOPLE` is the input"),
        ("CREATE TABLE t AS SELECT * FROM people; CREATE VIEW v AS SELECT * FROM t", "v", "t", "`t` is the input"),
        (
            'CREATE TABLE t (x); CREATE VIEW v AS SELECT * FROM people WHERE "Age" NOT IN (SELECT x FROM t)',
            "v",
            "main.T",
            "`main.T` is the input",
        ),
        ("CREATE VIEW v AS SELECT 1 AS x", "people", "v", "`v` is no plain table"),
        ('CREATE INDEX i ON people ("Age")', "people", "i", "`i` is no plain table"),
        ("CREATE VIRTUAL TABLE f USING fts5(x)", "people", "f", "`f` is no plain table"),
        ("", "people", "sqlite_mine", "keeps for itself"),
    ],
)
def test_a_target_that_is_the_input_or_no_table_is_refused(
    file: Path, made: str, source: str, target: str, says: str
) -> None:
    run(file, *filter(None, made.split("; ")))
    before = everything(file)
    with pytest.raises((maskwise.InputError, WriteError), match=says):
        mask(file, target, source)
    assert everything(file) == before


@pytest.mark.parametrize("stage", STAGES)
def test_a_run_that_fails_at_any_stage_leaves_the_old_target(file: Path, folder: Path, stage: str) -> None:
    run(file, "CREATE TABLE masked AS SELECT 1 AS old")
    before = everything(file)

    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        mask(file, on_event=At(stage, fail))
    assert everything(file) == before
    assert [path.name for path in folder.iterdir()] == ["people.db"]
    mask(file)
    assert in_order(read_sqlite(file, "masked")) == expected_rows()


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_old_target(file: Path, folder: Path) -> None:
    run(file, "CREATE TABLE masked AS SELECT 1 AS old")
    before = everything(file)
    script = (
        "import os, sys, maskwise\n"
        "from tests.engines.test_failures import POLICY, At\n"
        "die = At('verify', lambda: os.kill(os.getpid(), 9))\n"
        "maskwise.anonymize('people', POLICY, 'masked', engine=sys.argv[1], on_event=die)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, address(file)], check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGKILL
    assert everything(file) == before
    # SQLite removes what is left of a journal with the next change.
    mask(file)
    assert [path.name for path in folder.iterdir()] == ["people.db"]


def test_a_full_disk_leaves_the_old_target(folder: Path) -> None:
    file = folder / "people.db"
    load_sqlite(file, long_table(), "people")
    run(file, "CREATE TABLE masked AS SELECT 1 AS old")
    with (
        small_disk(file.stat().st_size),
        pytest.raises(WriteError, match=r"the disk is full, or it failed\. Nothing was released"),
    ):
        mask(file)
    assert run(file, "SELECT * FROM masked") == [(1,)]
    mask(file)
    assert run(file, "SELECT count(*) FROM masked") == [(200,)]


def test_a_file_that_may_not_be_written_to_is_read_and_refused_as_a_target(file: Path, folder: Path) -> None:
    """The rights of files do not hold for root, so that SQLite is told so."""
    connect = sqlite3.connect

    def read_only(given: str, **how: Any) -> sqlite3.Connection:
        return connect(given.replace("mode=rw", "mode=ro"), **how)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sqlite3, "connect", read_only)
        with pytest.raises(WriteError, match=r"may not be written to\. Nothing was released\. Change the rights"):
            mask(file, on_event=At("profile", lambda: 1 // 0))
        mask(file, str(folder / "o.csv"))


@pytest.fixture
def held(file: Path) -> Iterator[sqlite3.Connection]:
    """Another program that writes to the file, and takes its time."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield other


def test_a_lock_of_another_program_is_told_and_waited_for(
    file: Path, held: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("maskwise.values.locks.TOLD_AFTER", 0.1)

    def free() -> None:
        time.sleep(0.6)
        held.execute("COMMIT")

    freeing = threading.Thread(target=free)
    freeing.start()
    with caplog.at_level(logging.WARNING, "maskwise"):
        mask(file)
    freeing.join()
    assert "the database `" in caplog.text
    assert "it is waited for" in caplog.text
    assert in_order(read_sqlite(file, "masked")) == expected_rows()


def test_a_lock_is_not_waited_for_for_ever(
    file: Path, held: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "_PATIENCE", 0.1)
    with pytest.raises(WriteError, match="Another run has had the database"):
        mask(file)
    held.execute("COMMIT")
    mask(file)


def test_a_reader_that_does_not_end_leaves_the_old_target(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(file, "CREATE TABLE masked AS SELECT 1 AS old")
    monkeypatch.setattr(connecting, "_PATIENCE", 0.1)
    with closing(sqlite3.connect(file)) as reader:
        reading = reader.execute("SELECT * FROM people")
        assert reading.fetchone()
        with pytest.raises(WriteError, match="Another run has had the database"):
            mask(file)
        reading.close()
    assert run(file, "SELECT * FROM masked") == [(1,)]
    mask(file)
    assert in_order(read_sqlite(file, "masked")) == expected_rows()


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_who_writes_or_reads_meanwhile_is_not_held_up_by_the_search(file: Path, mode: str) -> None:
    """The source is seen as it was; a reader keeps its old release to its end where SQLite has snapshots."""
    run(file, f"PRAGMA journal_mode = {mode}", "CREATE TABLE masked AS SELECT 1 AS old")
    with closing(sqlite3.connect(file, isolation_level=None)) as reader:

        def change() -> None:
            run(file, "DELETE FROM people")
            if mode == "wal":
                reader.execute("BEGIN")
            assert reader.execute("SELECT * FROM masked").fetchall() == [(1,)]

        mask(file, on_event=At("search", change))
        if mode == "wal":
            assert reader.execute("SELECT * FROM masked").fetchall() == [(1,)]
            reader.execute("COMMIT")
        assert in_order(reader.execute("SELECT * FROM masked").fetchall()) == expected_rows()
    assert run(file, "SELECT count(*) FROM people") == [(0,)]


@pytest.mark.slow
def test_two_runs_with_one_target_come_one_after_the_other(file: Path) -> None:
    failed: list[BaseException] = []

    def once() -> None:
        try:
            mask(file)
        except BaseException as error:  # noqa: BLE001 - told below
            failed.append(error)

    runs = [threading.Thread(target=once) for _ in range(2)]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join()
    assert not failed
    assert in_order(read_sqlite(file, "masked")) == expected_rows()
    assert {row[0] for row in run(file, "SELECT name FROM sqlite_master")} == {"people", "masked"}


SECRETS = [f"Zebra{i:04}quince" for i in range(200)]


def refuse() -> None:
    raise maskwise.RefusedError("as if the recount had failed")


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize("is_refused", [False, True])
def test_no_raw_cell_gets_into_the_released_file_or_those_beside_it(folder: Path, mode: str, is_refused: bool) -> None:
    """Neither of the source, which is another file, nor of a raw table that the release replaces, nor of a draft."""
    raw = table().append_column("Name", [SECRETS])
    load_sqlite(folder.parent / "source.db", raw, "people")
    pc.write_csv(raw, folder.parent / "people.csv")
    target = folder / "released.db"
    run(target, f"PRAGMA journal_mode = {mode}", "CREATE TABLE other (x)")
    if not is_refused:
        load_sqlite(target, raw, "masked")
    policy = {**POLICY, "attributes": {"Name": "suppress"}, "requirements": [{"qid": ["Age", "Job", "Name"], "k": 5}]}
    events: Callable[[Any], None] | None = At("verify", refuse) if is_refused else None
    # Another program that has the file open lets SQLite put off what it writes into it.
    with closing(sqlite3.connect(target)) as other:
        assert other.execute("SELECT * FROM other").fetchall() == []
        try:
            maskwise.anonymize(
                str(folder.parent / "people.csv"), policy, "masked", engine=address(target), on_event=events
            )
        except maskwise.RefusedError:
            assert is_refused
        written = contents(folder)
    assert "released.db" in written
    for name, data in written.items():
        assert data is not None
        assert not [secret for secret in SECRETS if secret.encode() in data], name


@pytest.mark.slow
def test_ctrl_c_ends_a_view_that_takes_for_ever(file: Path, folder: Path) -> None:
    run(
        file,
        "CREATE TABLE masked AS SELECT 1 AS old",
        "CREATE VIEW slow AS SELECT p.* FROM people p WHERE (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
        "FROM n) SELECT max(i) FROM n) > 0",
    )
    before = everything(file)
    (folder.parent / "policy.yaml").write_text(json.dumps(POLICY))
    asked = ["mask", "slow", "-p", str(folder.parent / "policy.yaml"), "-o", "masked", "--engine", address(file)]
    script = "import sys; print('begun', flush=True); from maskwise.cli import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(folder.parent)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(3)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 143, said
    assert "Traceback" not in said
    assert everything(file) == before
    assert [path.name for path in folder.iterdir()] == ["people.db"]
    assert not list(folder.parent.glob("maskwise*"))


def test_reading_is_ended_by_another_thread_and_the_connection_works_on(file: Path) -> None:
    run(
        file,
        "CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS m FROM n",
    )
    engine, place = choose(f"{address(file)}#slow")
    timer = threading.Timer(0.3, engine.interrupt)
    timer.start()
    with pytest.raises(maskwise.InputError, match="ended before it was done"):
        engine.scan(place)
    timer.join()
    assert engine.fetch(engine.scan(choose(f"{address(file)}#people")[1])).num_rows == 200
    engine.close()


def test_memory_is_shared_with_sqlites_pages(file: Path) -> None:
    engine, _ = choose(f"{address(file)}#people", memory=1 << 30)
    connection: sqlite3.Connection = engine.dialect._connection  # type: ignore[attr-defined]  # noqa: SLF001
    assert connection.execute("PRAGMA cache_size").fetchone() == (-(3 << 28) // 16 >> 10,)
    engine.close()


class TestOwnersConnection:
    """Tables that an owner works with in Ibis."""

    @pytest.fixture
    def backend(self, file: Path) -> Iterator[Any]:
        connected = ibis.sqlite.connect(file)
        yield connected
        connected.disconnect()

    def test_an_ibis_table_comes_back_as_one(self, backend: Any) -> None:
        people = backend.table("people")
        outcome = maskwise.anonymize(people.filter(people.Age > 0), POLICY)
        found = backend.con.execute(f"SELECT * FROM temp.{outcome.data.op().name}").fetchall()  # noqa: S608
        assert in_order(found) == expected_rows()
        assert outcome.data.get_backend() is backend
        assert not backend.con.in_transaction
        assert backend.list_tables(database="main") == ["people"]

    def test_records_keep_their_order_however_sqlite_scans(self, backend: Any) -> None:
        backend.con.execute("PRAGMA reverse_unordered_selects = 1")
        maskwise.anonymize("people", POLICY, "masked", engine=backend, keep_order=True)
        found = backend.con.execute("SELECT * FROM masked ORDER BY rowid").fetchall()
        assert found == rows_of(maskwise.anonymize(table(), POLICY, keep_order=True).data)

    def test_a_release_is_a_part_of_the_owners_transaction(self, backend: Any) -> None:
        backend.con.execute("PRAGMA secure_delete = 0")
        backend.con.execute("CREATE TABLE mine (x)")
        backend.con.execute("INSERT INTO mine VALUES (1)")
        assert backend.con.in_transaction
        with pytest.raises(ZeroDivisionError):
            maskwise.anonymize("people", POLICY, "masked", engine=backend, on_event=At("verify", lambda: 1 // 0))
        assert backend.con.in_transaction
        assert backend.con.execute("SELECT * FROM mine").fetchall() == [(1,)]
        maskwise.anonymize("people", POLICY, "masked", engine=backend)
        assert backend.con.execute("SELECT count(*) FROM masked").fetchone() == (200,)
        backend.con.rollback()
        assert "masked" not in backend.list_tables(database="main")
        for name in ("secure_delete", "legacy_alter_table"):
            assert backend.con.execute(f"PRAGMA {name}").fetchone() == (0,)

    @pytest.mark.slow
    def test_an_attached_file_is_a_schema(self, backend: Any, folder: Path) -> None:
        load_sqlite(folder / "second.db", table(), "persons")
        backend.con.execute("ATTACH ? AS second", [str(folder / "second.db")])
        backend.con.execute("CREATE TEMP TABLE masked AS SELECT 1 AS old")
        maskwise.anonymize("second.persons", POLICY, "masked", engine=backend)
        maskwise.anonymize("people", POLICY, "second.masked", engine=backend)
        for name in ("main", "second"):
            found = backend.con.execute(f"SELECT * FROM {name}.masked").fetchall()  # noqa: S608
            assert in_order(found) == expected_rows()
        assert backend.con.execute("SELECT * FROM temp.masked").fetchall() == [(1,)]
        with pytest.raises(maskwise.InputError, match=r"`second\.persons` is the input"):
            maskwise.anonymize("second.persons", POLICY, "second.persons", engine=backend)

    def test_cells_are_not_read_as_the_owner_reads_them(self, file: Path) -> None:
        """Rows as dictionaries, texts as bytes, and converters of declared types stay the owner's."""
        sqlite3.register_converter("TEXT", lambda _: "secret")
        with closing(sqlite3.connect(file, detect_types=sqlite3.PARSE_DECLTYPES)) as connection:
            connection.row_factory, connection.text_factory = sqlite3.Row, bytes
            backend = ibis.sqlite.from_connection(connection)
            maskwise.anonymize("people", POLICY, "masked", engine=backend)
            assert connection.text_factory is bytes
        del sqlite3.converters["TEXT"]
        assert in_order(read_sqlite(file, "masked")) == expected_rows()
