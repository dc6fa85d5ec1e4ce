"""Files, folders, patterns and tables, on the engine that is named or the one that the data is in."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.errors import WriteError
from tests.conftest import HEADER, Result, Run, cells, csv_text, people
from tests.engines.conftest import in_order, load_postgres, rows_of
from tests.engines.postgres_server import Server


def table() -> pa.Table:
    rows = people()
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(HEADER)})


@pytest.fixture
def whole(data: Path, policy: Path, tmp_path: Path) -> bytes:
    """What DuckDB releases of the two hundred people."""
    target = tmp_path / "whole.csv"
    maskwise.anonymize(data, policy, target, keep_order=True)
    return target.read_bytes()


def split(folder: Path, suffix: str) -> None:
    """The two hundred people in files of different sizes."""
    rows = people()
    for name, part in {"a": rows[:50], "b": rows[50:], "c": []}.items():
        if suffix == ".csv":
            (folder / f"{name}.csv").write_text(csv_text(HEADER, part))
        else:
            columns = {n: pa.array([r[i] for r in part], pa.string()) for i, n in enumerate(HEADER)}
            pq.write_table(pa.table(columns), folder / f"{name}.parquet")


@pytest.mark.parametrize("on", ["duckdb", "spark"])
@pytest.mark.parametrize(("suffix", "spelled"), [(".csv", "/*.csv"), (".parquet", "/"), (".parquet", "/?.parquet")])
def test_many_files_are_one_table(
    request: pytest.FixtureRequest, on: str, suffix: str, spelled: str, folder: Path, policy: Path, whole: bytes
) -> None:
    engine = request.getfixturevalue("session") if on == "spark" else on
    split(folder, suffix)
    target = folder.parent / "out.csv"
    maskwise.anonymize(f"{folder}{spelled}", policy, target, engine=engine, keep_order=True)
    assert target.read_bytes() == whole


@pytest.mark.parametrize("on", ["duckdb", "spark"])
def test_a_folder_is_written_whole(
    request: pytest.FixtureRequest, on: str, folder: Path, data: Path, policy: Path, whole: bytes
) -> None:
    engine = request.getfixturevalue("session") if on == "spark" else on
    maskwise.anonymize(str(data), policy, f"{folder}/out/", engine=engine, keep_order=True)
    assert [path.name for path in folder.iterdir()] == ["out"]
    assert in_csv(f"{folder}/out", folder.parent / "again.csv") == whole
    with pytest.raises(WriteError, match="There is already a"):
        maskwise.anonymize(str(data), policy, f"{folder}/out/", engine=engine)


def in_csv(source: str, target: Path) -> bytes:
    """A folder of parquet as DuckDB spells it."""
    import duckdb

    duckdb.sql(f"COPY (FROM read_parquet('{source}/*.parquet')) TO '{target}' (FORMAT csv, HEADER)")
    return target.read_bytes()


def test_files_that_do_not_belong_together_are_refused(folder: Path, policy: Path) -> None:
    split(folder, ".csv")
    (folder / "d.csv").write_text("Id,Age\n1,2\n")
    with pytest.raises(maskwise.InputError, match=r"`d.csv` has other columns than `a.csv`"):
        maskwise.anonymize(f"{folder}/*.csv", policy)
    (folder / "d.parquet").touch()
    with pytest.raises(maskwise.InputError, match="files of different formats"):
        maskwise.anonymize(f"{folder}/*", policy)
    with pytest.raises(maskwise.InputError, match="no file like"):
        maskwise.anonymize(f"{folder}/*.tsv", policy)
    (folder / "d.parquet").unlink()
    with pytest.raises(maskwise.InputError, match="has no parquet file"):
        maskwise.anonymize(f"{folder}/", policy)


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder: Path, data: Path, policy: Path) -> None:
    odd = folder / "people[1].csv"
    odd.write_bytes(data.read_bytes())
    (folder / "people1.csv").write_text("nonsense")
    assert maskwise.anonymize(str(odd), policy).verdict.n_rows == 200


def test_spark_reads_a_csv_as_duckdb_does(session: Any, folder: Path) -> None:
    source = folder / "odd.csv"
    lines = ['name,age,"two\nlines",risk', 'a,31,"x\ny",low', '"b ""q""",32,,high', ',33,"",low', " c ,34,é;'x,high"]
    source.write_text("\n".join([*lines, *lines[1:], ""]))
    policy = {"class": "risk", "requirements": [{"qid": ["age", "name"], "k": 2}]}
    for engine in ("duckdb", session):
        target = folder / f"{type(engine).__name__}.csv"
        maskwise.anonymize(str(source), policy, target, engine=engine, keep_order=True)
    assert (folder / "SparkSession.csv").read_bytes() == (folder / "str.csv").read_bytes()
    assert cells(folder / "str.csv")[1][2] == "x\ny"


def test_a_session_of_spark_that_is_there_already_is_used_and_left_running(
    session: Any, folder: Path, data: Path, policy: Path
) -> None:
    for name in ("spark", session.sparkContext.master):
        maskwise.anonymize(str(data), policy, folder / "out.csv", engine=name)
        assert session.range(3).count() == 3
    with pytest.raises(maskwise.InputError, match=r"already a Spark session on `local\[2\]`"):
        maskwise.anonymize(str(data), policy, folder / "out.csv", engine="spark://127.0.0.1:1")


def test_spark_refuses_an_uneven_csv_without_quoting_it(session: Any, folder: Path) -> None:
    source = folder / "uneven.csv"
    source.write_text("a,b\n1,2\nsecret\n")
    with pytest.raises(maskwise.InputError, match="uneven lines") as caught:
        maskwise.anonymize(str(source), {"requirements": [{"qid": ["a"], "k": 1}]}, engine=session)
    assert "secret" not in str(caught.value)


def test_a_table_of_spark_is_replaced(session: Any, policy: Path) -> None:
    session.createDataFrame(table()).write.saveAsTable("people")
    expected = maskwise.anonymize(table(), policy)
    zone = session.conf.get("spark.sql.session.timeZone")
    for _ in range(2):
        maskwise.anonymize("default.people", policy, "masked", engine=session)
    assert sorted(rows_of(session.table("masked").toArrow())) == sorted(rows_of(expected.data))
    assert {found.tableName for found in session.sql("SHOW TABLES").collect()} == {"people", "masked"}
    assert session.conf.get("spark.sql.session.timeZone") == zone
    with pytest.raises(maskwise.InputError, match="`people` is the input"):
        maskwise.anonymize("people", policy, "people", engine=session)
    with pytest.raises(maskwise.InputError, match=r"no table `peple` in the database\. Did you mean `people`"):
        maskwise.anonymize("peple", policy, "masked", engine=session)


@pytest.fixture
def held(server: Server) -> Any:
    """The two hundred people in a schema with a name that needs quotes."""
    server.run('CREATE SCHEMA "My data"')
    load_postgres(server, table(), "people")
    server.run('ALTER TABLE people SET SCHEMA "My data"')
    yield server
    server.run('DROP SCHEMA "My data" CASCADE')


def test_the_command_masks_audits_and_applies_in_postgresql(
    held: Server, run: Run, policy: Path, tmp_path: Path, whole: bytes
) -> None:
    url = held.url.replace("owner@", "owner:hunter2@")
    said = run(
        "mask",
        "My data.people",
        "-p",
        policy,
        "-o",
        "My data.masked",
        "--engine",
        url,
        "--solution",
        tmp_path / "s.json",
    )
    assert said.code == 0, said.err
    assert held.run('SELECT count(*) FROM "My data".masked') == [(200,)]
    audited = run("audit", f"{url}#My data.masked", "-p", policy)
    assert audited.code == 0
    assert "hunter2" not in said.out + said.err + audited.out + audited.err
    again = run("apply", "My data.people", "-s", tmp_path / "s.json", "-o", tmp_path / "out.csv", "--engine", url)
    assert again.code == 0, again.err
    assert sorted((tmp_path / "out.csv").read_bytes().splitlines()) == sorted(whole.splitlines())


def test_an_ibis_table_of_postgresql_comes_back_as_one(held: Server, policy: Path) -> None:
    import ibis

    backend = ibis.postgres.connect(host="127.0.0.1", port=held.port, user="owner", database="postgres")
    try:
        outcome = maskwise.anonymize(backend.table("people", database="My data"), policy)
        assert sorted(rows_of(outcome.data.to_pyarrow())) == sorted(rows_of(maskwise.anonymize(table(), policy).data))
    finally:
        backend.disconnect()


def test_an_ibis_table_of_postgresql_is_not_replaced_by_its_release(held: Server, policy: Path) -> None:
    import ibis

    backend = ibis.postgres.connect(host="127.0.0.1", port=held.port, user="owner", database="postgres")
    try:
        records = backend.table("people", database="My data")
        for source in (records, records.filter(records[records.columns[0]].notnull())):
            with pytest.raises(maskwise.InputError, match=r"`My data\.people` is the input"):
                maskwise.anonymize(source, policy, "My data.people", engine=backend)
        assert sorted(rows_of(records.to_pyarrow())) == sorted(rows_of(table()))
    finally:
        backend.disconnect()


def test_types_that_arrow_does_not_know_are_text(held: Server) -> None:
    held.run("CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TABLE odd (m mood, c char(4), u uuid, j jsonb, b bytea)")
    held.run("INSERT INTO odd SELECT 'ok', 'ab', gen_random_uuid(), '{}', '\\x00' FROM generate_series(1, 9)")
    policy = {"requirements": [{"qid": ["m", "c"], "k": 9}]}
    try:
        maskwise.anonymize("odd", policy, "masked", engine=held.url)
        assert held.run("SELECT DISTINCT m, c FROM masked") == [("ok", "ab")]
    finally:
        held.run("DROP TABLE odd; DROP TABLE IF EXISTS masked; DROP TYPE mood")


def test_times_and_numbers_of_postgresql_are_read_exactly(held: Server) -> None:
    held.run("CREATE TABLE odd (w timestamptz, t time, n numeric, d date)")
    cells = "'2024-01-31 12:00:00.5+02', '08:30:00.25', 1.10, '2024-01-31'"
    held.run(f"INSERT INTO odd SELECT {cells} FROM generate_series(1, 9)")  # noqa: S608
    policy = {"requirements": [{"qid": ["w", "t", "n", "d"], "k": 9}]}
    try:
        maskwise.anonymize("odd", policy, "masked", engine=held.url)
        shown = held.run("SELECT DISTINCT w, t, n, d FROM masked")
        moment, time = "2024-01-31T10:00:00.500000", "08:30:00.250000"
        assert shown == [
            (f"[{moment}, {moment}]", f"[{time}, {time}]", "[1.1, 1.1]", "[2024-01-31, 2024-01-31]"),
        ]
        held.run("INSERT INTO odd SELECT now(), '08:30', 2, 'infinity' FROM generate_series(1, 9)")
        with pytest.raises(maskwise.InputError, match="only PostgreSQL knows"):
            maskwise.anonymize("odd", policy, "masked", engine=held.url)
    finally:
        held.run("DROP TABLE odd; DROP TABLE IF EXISTS masked")


@pytest.mark.parametrize(
    ("engine", "data", "says"),
    [
        ("postgres://nobody@127.0.0.1:1/x", "people", "cannot be reached"),
        ("mysql://nobody:secret@h/x", "people", "There is no engine `mysql`"),
        ("duckdb:///nowhere.db", "people", "There is no database `nowhere.db`"),
        ("sqlite:///people.db", "people", r"There is no engine `sqlite`.* or bring the table in as a parquet file"),
        (None, "chdb:///folder#people", r"There is no engine `chdb`.* or bring the table in as a parquet file"),
        (None, "postgres://nobody:secret@h/x", "#people"),
    ],
)
def test_an_engine_that_is_not_there_is_named(engine: str | None, data: str, says: str, policy: Path) -> None:
    with pytest.raises(maskwise.InputError, match=says) as caught:
        maskwise.anonymize(data, policy, engine=engine)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("engine", ["sqlite:///people.db", "chdb://"])
def test_a_database_that_is_no_engine_ends_the_command_with_a_remedy(
    engine: str, policy: Path, refused: Callable[..., Result]
) -> None:
    says = ("There is no engine", "parquet", "to_pyarrow")
    refused("mask", "people", "-p", policy, "-o", "o.csv", "--engine", engine, says=says)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # what Ibis 12 asks of pandas 3
def test_a_table_of_sqlite_comes_in_by_ibis_as_arrow(tmp_path: Path, policy: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "people.db")) as database, database:
        database.execute(f"CREATE TABLE people ({', '.join(f'{name} TEXT' for name in HEADER)})")
        database.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(HEADER))})", people())  # noqa: S608
    there = ibis.sqlite.connect(tmp_path / "people.db").table("people")
    with pytest.raises(maskwise.InputError, match=r"found an Ibis table of sqlite\. .*to_pyarrow"):
        maskwise.anonymize(there, policy)
    expected = maskwise.anonymize(table(), policy)
    assert in_order(rows_of(maskwise.anonymize(there.to_pyarrow(), policy).data)) == in_order(rows_of(expected.data))


def test_memory_is_the_engines(data: Path, policy: Path) -> None:
    from maskwise.engines.choose import choose

    engine, _ = choose(str(data), memory=300_000_000)
    limit = engine.dialect.query("SELECT current_setting('memory_limit') AS m").column(0)[0].as_py()
    assert limit.startswith("214")  # three quarters of it, in MiB
    with pytest.raises(maskwise.InputError, match="`lots` is no amount of memory"):
        maskwise.anonymize(data, policy, memory="lots")


@pytest.mark.parametrize(("engine", "extra"), [("postgres://h/x", "postgres"), ("spark", "spark")])
def test_without_an_extra_the_error_says_what_to_install(
    engine: str, extra: str, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = {"postgres": "psycopg", "spark": "pyspark"}[extra]
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith(f"maskwise.engines.{extra}.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(maskwise.InputError, match=rf'pip install "maskwise\[{extra}\]"'):
        maskwise.anonymize("people", policy, engine=engine)


def test_a_column_of_files_may_be_called_as_those_of_spark(session: Any, tmp_path: Path) -> None:
    rows = [f"x{i % 3}" for i in range(30)]
    pq.write_table(pa.table({"row": rows, "Age": [i % 5 for i in range(30)]}), tmp_path / "t.parquet")
    policy = {"requirements": [{"qid": ["Age"], "k": 2}]}
    maskwise.anonymize(str(tmp_path / "t.parquet"), policy, str(tmp_path / "o.parquet"), engine=session)
    assert sorted(pq.read_table(tmp_path / "o.parquet")["row"].to_pylist()) == sorted(rows)
