"""A full disk, wherever it is, leaves no half release and is told as what it is.

The disks are full for a file that would grow above a limit, which is how a process sees its quota.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import WriteError
from tests.conftest import folder as contents
from tests.engines.conftest import Place, load_postgres
from tests.engines.postgres_server import Server
from tests.engines.test_failures import POLICY, table, untouched

LARGE = 1 << 19


def long_table() -> pa.Table:
    """The two hundred people with something to carry, which does not compress."""
    import random

    rng = random.Random(1)  # noqa: S311 - test data
    return table().append_column("Note", pa.array([rng.randbytes(8_000).hex() for _ in range(200)]))


@contextmanager
def small_disk(most_bytes: int, process: int = 0) -> Iterator[None]:
    """No file of this process, or another, grows above this."""
    before = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, before)


@pytest.fixture
def source(server: Server, postgres: Place) -> str:
    """The people in PostgreSQL, three megabytes of them."""
    del postgres
    load_postgres(server, long_table(), "people")
    # As it is: packed, it would take another kind of file.
    return "people"


def test_a_full_disk_of_postgresql_leaves_the_old_table(server: Server, source: str) -> None:
    server.run("CREATE TABLE masked AS SELECT 1 AS old")
    with (
        server.small_disk(2 * LARGE),
        pytest.raises(WriteError, match=r"database has no space left\. Nothing was released\. Free some"),
    ):
        # It counts the masked columns only, so that the release is the first that is too large.
        maskwise.anonymize(source, POLICY, "masked", engine=server.url, criterion="score")
    assert server.run("SELECT * FROM masked") == [(1,)]
    untouched(server)
    maskwise.anonymize(source, POLICY, "masked", engine=server.url)
    assert server.run("SELECT count(*) FROM masked") == [(200,)]


def test_a_limit_of_temporary_files_in_postgresql_is_told(server: Server) -> None:
    """An owner's limit is no lost connection."""
    server.run("ALTER ROLE owner SET temp_file_limit = '64kB'; ALTER ROLE owner SET work_mem = '64kB'")
    server.run("CREATE VIEW many AS SELECT md5(i::text) AS m FROM generate_series(1, 50000) i")
    unlike = {"requirements": [{"qid": ["m"], "k": 1}]}
    try:
        with pytest.raises(maskwise.InputError, match="temp_file_limit"):
            maskwise.audit("many", unlike, engine=server.url)
        server.run("ALTER ROLE owner RESET temp_file_limit")
        assert maskwise.audit("many", unlike, engine=server.url).is_met
    finally:
        server.run("DROP VIEW many; ALTER ROLE owner RESET temp_file_limit; ALTER ROLE owner RESET work_mem")


@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.arrow", "out.csv.gz", "out/"])
def test_a_full_disk_under_what_streams_from_postgresql_leaves_the_old_file(
    server: Server, source: str, folder: Path, output: str
) -> None:
    if not output.endswith("/"):
        (folder / output).write_bytes(b"the old release\n")
    before = contents(folder)
    with small_disk(LARGE), pytest.raises(WriteError, match=r"could not be written to `.*`: file too large"):
        maskwise.anonymize(source, POLICY, f"{folder}/{output}", engine=server.url)
    assert contents(folder) == before
    untouched(server)
    assert maskwise.anonymize(source, POLICY, f"{folder}/{output}", engine=server.url).verdict.is_met


def test_a_full_disk_under_a_duckdb_file_leaves_its_tables(folder: Path) -> None:
    import duckdb

    file = folder / "people.db"
    records = long_table()
    with duckdb.connect(file) as database:
        database.register("records", records)
        database.execute("CREATE TABLE people AS SELECT * FROM records; CREATE TABLE masked AS SELECT 1 AS old")
    with small_disk(file.stat().st_size), pytest.raises(WriteError, match=r"file too large\. Nothing was released"):
        maskwise.anonymize("people", POLICY, "masked", engine=f"duckdb:///{file}")
    # Of what it could not take in, DuckDB may keep a log that it throws away when the file is opened next.
    assert set(contents(folder)) <= {"people.db", "people.db.wal"}
    with duckdb.connect(file) as database:
        assert sorted(database.execute("SHOW TABLES").fetchall()) == [("masked",), ("people",)]
        assert database.execute("SELECT * FROM masked").fetchall() == [(1,)]
    assert maskwise.anonymize("people", POLICY, "masked", engine=f"duckdb:///{file}").verdict.is_met
    assert [path.name for path in folder.iterdir()] == ["people.db"]


@pytest.fixture
def long_people(folder: Path) -> str:
    import pyarrow.parquet as pq

    (folder / "source").mkdir()
    pq.write_table(long_table(), folder / "source" / "people.parquet")
    return f"{folder}/source/"


@pytest.mark.parametrize("output", ["out.csv", "out/"])
def test_a_full_disk_under_sparks_workers_leaves_nothing(
    session: Any, long_people: str, folder: Path, output: str
) -> None:
    java = session.sparkContext._gateway.proc.pid  # noqa: SLF001 - our own child
    # The disk may be full already when the columns are looked at before they are written.
    with small_disk(LARGE, java), pytest.raises((WriteError, maskwise.InputError), match="file too large"):
        maskwise.anonymize(long_people, POLICY, f"{folder}/{output}", engine=session)
    assert [path.name for path in folder.iterdir()] == ["source"]
    assert maskwise.anonymize(long_people, POLICY, f"{folder}/{output}", engine=session).verdict.is_met


def test_a_full_disk_where_spark_shuffles_is_told(session: Any, long_people: str, folder: Path) -> None:
    java = session.sparkContext._gateway.proc.pid  # noqa: SLF001 - our own child
    with small_disk(0, java), pytest.raises(maskwise.InputError, match="has no room to work: file too large"):
        maskwise.anonymize(long_people, POLICY, f"{folder}/out.csv", engine=session)
    assert [path.name for path in folder.iterdir()] == ["source"]
    assert maskwise.anonymize(long_people, POLICY, f"{folder}/out.csv", engine=session).verdict.is_met


def test_a_full_disk_where_sparks_parts_are_joined_leaves_nothing(session: Any, long_people: str, folder: Path) -> None:
    (folder / "out.csv").write_bytes(b"the old release\n")
    with small_disk(LARGE), pytest.raises(WriteError, match=r"could not be written to `.*`: file too large"):
        maskwise.anonymize(long_people, POLICY, f"{folder}/out.csv", engine=session)
    assert contents(folder) == {"source": None, "out.csv": b"the old release\n"}
    assert maskwise.anonymize(long_people, POLICY, f"{folder}/out.csv", engine=session).verdict.is_met
