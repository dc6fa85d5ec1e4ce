"""ClickHouse of this process: its types, its names, its settings, and a release that appears whole or not at all."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.errors import WriteError
from tests.conftest import Run, cells
from tests.engines.conftest import Place, rows_of
from tests.engines.test_concurrency import both
from tests.engines.test_failures import POLICY, VIEWS, At, table
from tests.engines.test_signals import STOPPING

chdb = pytest.importorskip("chdb", reason="notyet: needs the clickhouse extra")

from maskwise.engines.clickhouse.connection import SETTINGS, ChdbConnection, known_tables  # noqa: E402 - behind the skip
from maskwise.engines.clickhouse.dialect import ClickHouse  # noqa: E402 - as above


@pytest.fixture
def owner(clickhouse: Place, chdb_folder: Path) -> Iterator[ChdbConnection]:
    """A session of the folder's owner; what it makes is dropped after the test."""
    del clickhouse
    connection = ChdbConnection(chdb_folder)
    yield connection
    connection.run("DROP DATABASE IF EXISTS `my data`")
    connection.close()


@pytest.fixture
def address(chdb_folder: Path) -> str:
    return f"chdb:///{chdb_folder}"


@pytest.fixture
def people(owner: ChdbConnection) -> str:
    """The two hundred people, in a table whose name is the same in every test."""
    owner.insert("given", table())
    owner.run("CREATE TABLE people ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM given")
    return "people"


def fetch(owner: ChdbConnection, sql: str) -> list[tuple[Any, ...]]:
    with owner.stream(sql) as batches:
        return rows_of(batches.read_all())


def same_lines(first: Path, second: Path) -> bool:
    lines = [path.read_bytes().splitlines() for path in (first, second)]
    return lines[0][0] == lines[1][0] and sorted(lines[0]) == sorted(lines[1])


# Types


def kinds(n: int = 60) -> pa.Table:
    """Cells whose spelling in a csv differs from type to type, some missing."""
    rng = random.Random(8)  # noqa: S311 - test data
    moment = dt.datetime(1931, 5, 6, 7, 8, 9)  # noqa: DTZ001 - as written

    def some(make: Any) -> list[Any]:
        return [None if rng.random() < 0.1 else make() for _ in range(n)]

    return pa.table(
        {
            "age": pa.array(some(lambda: rng.randint(20, 60)), pa.int8()),
            "large": pa.array(some(lambda: rng.choice([2**64 - 1, 2**63, 7])), pa.uint64()),
            "share": pa.array(some(lambda: rng.choice([0.1, -0.0, 1e21, 1e-7, 2.0])), pa.float64()),
            "short": pa.array(some(lambda: rng.choice([0.1, 16777216.0])), pa.float32()),
            "paid": pa.array(some(lambda: rng.random() < 0.5)),
            "pay": pa.array(some(lambda: decimal.Decimal(rng.randrange(10**20)).scaleb(-4)), pa.decimal128(24, 4)),
            "born": pa.array(some(lambda: dt.date(1931, 1, 1) + dt.timedelta(days=rng.randrange(40000))), pa.date32()),
            "seen": pa.array(some(lambda: moment + dt.timedelta(microseconds=rng.randrange(10**15)))),
            "told": pa.array(some(lambda: moment + dt.timedelta(seconds=rng.randrange(9))), pa.timestamp("us", "UTC")),
            "note": pa.array(some(lambda: rng.choice(["", "a,b", 'q"', "two\nlines", "\\N", "é", "NULL"]))),
        }
    )


def test_a_csv_holds_the_same_lines_as_duckdbs(clickhouse: Place, folder: Path) -> None:
    policy = {"requirements": [{"qid": ["age", "pay"], "k": 4}]}
    data, engine = clickhouse.load(kinds())
    maskwise.anonymize(data, policy, folder / "clickhouse.csv", engine=engine)
    maskwise.anonymize(kinds(), policy, folder / "duckdb.csv")
    assert same_lines(folder / "clickhouse.csv", folder / "duckdb.csv")


def test_parquet_keeps_the_types(clickhouse: Place, folder: Path) -> None:
    policy = {"requirements": [{"qid": ["age"], "k": 4}]}
    data, engine = clickhouse.load(kinds())
    maskwise.anonymize(data, policy, folder / "clickhouse.parquet", engine=engine)
    maskwise.anonymize(kinds(), policy, folder / "duckdb.parquet")
    found, expected = (pq.read_schema(folder / f"{name}.parquet") for name in ("clickhouse", "duckdb"))
    assert found.types == expected.types


ODD = {
    "listed": ("LowCardinality(Nullable(String))", "'it'", "it"),
    "chosen": ("Enum8('no' = 1, 'yes' = 2, 'never' = 3)", "'yes'", "yes"),
    "fixed": ("FixedString(4)", "'ab'", "ab"),
    "key": ("UUID", "'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", "61f0c404-5cb3-11e7-907b-a6006ad3dba0"),
    "from": ("IPv4", "'192.0.2.7'", "192.0.2.7"),
    "wide": ("Int128", "170141183460469231731687303715884105727", "170141183460469231731687303715884105727"),
    "day": ("Date", "'1999-12-31'", "1999-12-31"),
    "early": ("Date32", "'1921-12-31'", "1921-12-31"),
    "second": ("DateTime", "'2020-07-01 08:00:00'", "2020-07-01 08:00:00"),
    "berlin": ("DateTime('Europe/Berlin')", "'2020-07-01 08:00:00'", "2020-07-01 06:00:00+00"),
    "milli": ("Nullable(DateTime64(3))", "'1951-07-01 08:00:00.25'", "1951-07-01 08:00:00.25"),
    "several": ("Array(UInt8)", "[1, 2]", "[1,2]"),
    "clock": ("Time", "'08:30:00'", "08:30:00"),
    "empty": ("String", "''", '""'),
}


def test_types_of_clickhouse_are_released_as_they_are_seen(owner: ChdbConnection, address: str, folder: Path) -> None:
    columns = ", ".join(f"`{name}` {kind}" for name, (kind, _, _) in ODD.items())
    owner.run(f"CREATE TABLE odd (age Int32, {columns}) ENGINE = Memory")
    row = ", ".join(cell for _, cell, _ in ODD.values())
    owner.run(f"INSERT INTO odd VALUES {', '.join(f'({i % 2}, {row})' for i in range(8))}")  # noqa: S608
    policy = {"requirements": [{"qid": ["age", "listed", "chosen"], "k": 4}]}
    maskwise.anonymize("odd", policy, folder / "out.csv", engine=address)
    line = (folder / "out.csv").read_text().splitlines()[1]
    expected = [f'"{cell}"' if "," in cell else cell for _, _, cell in ODD.values()]
    assert line.split(",", 2)[2] == ",".join(expected) or line.endswith("," + ",".join(expected))
    # A value that an Enum lists and no record has is not in the release.
    outcome = maskwise.anonymize("odd", {"requirements": [{"qid": ["chosen"], "k": 4}]}, "odd_masked", engine=address)
    assert outcome.solution.cut("chosen").labels == ("yes",)


def test_masked_days_and_moments_of_clickhouse_are_read(owner: ChdbConnection, address: str) -> None:
    columns = "d Date, e Date32, s DateTime, m DateTime64(9)"
    owner.run(f"CREATE TABLE odd ({columns}) ENGINE = Memory")
    owner.run(
        "INSERT INTO odd SELECT '1999-12-31', '1921-12-31', '2020-07-01 08:00:00', '2020-07-01 08:00:00.0000015' "
        "FROM numbers(9)"
    )
    policy = {"requirements": [{"qid": ["d", "e", "s", "m"], "k": 9}]}
    maskwise.anonymize("odd", policy, "odd_masked", engine=address)
    second, micro = "2020-07-01T08:00:00", "2020-07-01T08:00:00.000002"
    assert set(fetch(owner, "SELECT * FROM odd_masked")) == {
        (
            "[1999-12-31, 1999-12-31]",
            "[1921-12-31, 1921-12-31]",
            f"[{second}, {second}]",
            f"[{micro}, {micro}]",
        )
    }


def test_texts_that_are_no_utf8_are_refused(owner: ChdbConnection, address: str, folder: Path) -> None:
    owner.run(r"CREATE TABLE odd ENGINE = Memory AS SELECT 1 AS age, 'caf\xe9' AS place FROM numbers(9)")
    policy = {"requirements": [{"qid": ["age"], "k": 2}]}
    with pytest.raises(maskwise.InputError, match="could not be read to its end"):
        maskwise.anonymize("odd", policy, folder / "out.csv", engine=address)
    assert not list(folder.iterdir())
    with pytest.raises(maskwise.InputError, match="texts that are not UTF-8"):
        maskwise.anonymize("odd", {"requirements": [{"qid": ["place"], "k": 2}]}, "odd_masked", engine=address)


TEXTS = {
    "date": ["2024-02-29", "2023-02-29", "2023-13-01", "1921-01-01", " 2024-01-31 ", "31.01.2024", "", "x"],
    "timestamp": [
        "2024-01-31T10:00:00",
        "2024-01-31 10:00",
        "2024-01-31 24:30:00",
        "2024-01-31 10:00:00.25",
        "2024-02-30 10:00:00",
        "2024-01-31",
        "1921-01-01 00:00:00.000001",
        "x",
    ],
    "float64": ["1e400", "0.1", " 7", "+9", "-.5", "5e-324", "x", "", "0.30000000000000004", "123456789.123456789"],
    "int64": ["7", " 8", "+9", "-0", "9223372036854775807", "9223372036854775808", "x", "", "\t3\n"],
}


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_are_read_as_python_reads_them(owner: ChdbConnection, address: str, kind: str) -> None:
    read = {"date": dt.date, "timestamp": dt.datetime, "float64": float, "int64": int}[kind]

    def by_hand(text: str) -> Any:
        try:
            found = getattr(read, "fromisoformat", read)(text.strip())
        except ValueError:
            return None
        return None if kind == "int64" and found >= 2**63 else found

    del owner
    dialect = ClickHouse(address)
    try:
        dialect.register("texts", pa.table({"at": range(len(TEXTS[kind])), "text": TEXTS[kind]}))
        texts = dialect.table("texts")
        found = texts.select(at=texts["at"], cell=dialect.try_cast(texts["text"], kind))
        with dialect.stream(dialect.backend.compile(found.order_by("at"))) as batches:
            assert batches.read_all()["cell"].to_pylist() == [by_hand(text) for text in TEXTS[kind]]
        strict = texts.select(cell=texts["text"].cast(kind))
        with pytest.raises(maskwise.InputError, match="no numbers or dates"):  # noqa: SIM117 - raised inside
            with dialect.stream(dialect.backend.compile(strict)) as batches:
                batches.read_all()
    finally:
        dialect.close()


def test_decimals_become_the_nearest_floats(owner: ChdbConnection, address: str) -> None:
    del owner
    rng = random.Random(1)  # noqa: S311 - test data
    numbers = [decimal.Decimal(rng.randrange(10**30)).scaleb(-10) for _ in range(300)]
    dialect = ClickHouse(address)
    try:
        dialect.register("numbers", pa.table({"d": pa.array(numbers, pa.decimal128(30, 10))}))
        found = dialect.table("numbers")
        with dialect.stream(dialect.backend.compile(found.select(f=found["d"].cast("float64")))) as batches:
            assert batches.read_all()["f"].to_pylist() == [float(number) for number in numbers]
    finally:
        dialect.close()


def test_distinct_values_are_counted_and_not_estimated(owner: ChdbConnection, address: str) -> None:
    del owner
    dialect = ClickHouse(address)
    try:
        dialect.create("many", "SELECT toInt64(number) AS x FROM numbers(300000)", view=True)
        many = dialect.table("many")
        with dialect.stream(dialect.backend.compile(many.aggregate(n=many["x"].nunique()))) as batches:
            assert batches.read_all()["n"].to_pylist() == [300_000]
    finally:
        dialect.close()


@pytest.mark.slow
def test_moments_without_a_zone_are_those_that_the_owner_sees(tmp_path: Path) -> None:
    """In another process, whose clock is Berlin's: what is seen goes in, is masked, and comes out."""
    script = """
import sys, chdb, maskwise
folder = sys.argv[1]
owner = chdb.connect(folder)
owner.query("CREATE TABLE p (a Int8, s DateTime, t DateTime) ENGINE = MergeTree ORDER BY tuple()")
owner.query("INSERT INTO p SELECT 1, '2020-07-01 08:00:00', '2020-01-01 09:00:00' FROM numbers(4)")
policy = {"requirements": [{"qid": ["a", "s"], "k": 2}]}
maskwise.anonymize("p", policy, "m", engine=f"chdb:///{folder}")
maskwise.anonymize("p", policy, folder + "/out.csv", engine=f"chdb:///{folder}")
print(owner.query("SELECT DISTINCT s, t FROM m", "TSV").bytes().decode())
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | {"TZ": "Europe/Berlin"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = "[2020-07-01T08:00:00, 2020-07-01T08:00:00]"
    assert done.stdout.strip() == f"{seen}\t2020-01-01 09:00:00.000000"
    assert cells(tmp_path / "out.csv")[1][1:] == [seen, "2020-01-01 09:00:00"]


# Names and places


def test_names_keep_every_letter(owner: ChdbConnection, address: str) -> None:
    names = ["back\\slash", "back`quote", 'dou"ble', "sin'gle", "*", "a.b", "%s", "{x}", "tab\there", "c1", "é"]
    rows = {name: [f"{i % 2}{name}" for i in range(8)] for name in names}
    owner.insert("given", pa.table(rows))
    owner.run("CREATE DATABASE `my data`")
    owner.run(r"CREATE TABLE `my data`.`od\`d\\x` ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM given")
    policy = {"attributes": dict.fromkeys(names[:3], "suppress"), "requirements": [{"qid": names[:3], "k": 4}]}
    maskwise.anonymize("my data.od`d\\x", policy, "my data.ma`s\\ked", engine=address)
    with owner.stream(r"SELECT * FROM `my data`.`ma\`s\\ked`") as batches:
        found = batches.read_all()
    assert found.column_names == names
    assert sorted(found.to_pylist(), key=str) == sorted(pa.table(rows).to_pylist(), key=str)


def test_the_command_masks_audits_and_applies(people: str, address: str, run: Run, folder: Path) -> None:
    (folder / "policy.yaml").write_text(json.dumps(POLICY))
    asked = ("-p", folder / "policy.yaml")
    said = run("mask", people, *asked, "-o", "masked", "--engine", address, "--solution", folder / "s.json")
    assert said.code == 0, said.err
    assert run("audit", f"{address}#masked", *asked).code == 0
    again = run("apply", people, "-s", folder / "s.json", "-o", folder / "out.csv", "--engine", address)
    assert again.code == 0, again.err
    expected = [[str(cell) for cell in row] for row in rows_of(maskwise.anonymize(table(), POLICY).data)]
    assert sorted(cells(folder / "out.csv")[1:]) == sorted(expected)


def test_a_data_frame_is_released_into_a_table(owner: ChdbConnection, address: str) -> None:
    outcome = maskwise.anonymize(table(), POLICY, "from_frame", engine=address)
    assert outcome.verdict.is_met
    assert sorted(fetch(owner, "SELECT * FROM from_frame")) == sorted(rows_of(maskwise.anonymize(table(), POLICY).data))


def test_an_ibis_table_comes_back_as_one(people: str, address: str) -> None:
    backend = ClickHouse(address).backend
    try:
        outcome = maskwise.anonymize(backend.table(people), POLICY)
        assert sorted(rows_of(outcome.data.to_pyarrow())) == sorted(rows_of(maskwise.anonymize(table(), POLICY).data))
        assert maskwise.audit(outcome.data, POLICY).is_met
        assert backend.table(people).count().to_pyarrow().as_py() == 200
    finally:
        backend.disconnect()


def test_nothing_but_the_release_is_left_in_a_session_of_the_owner(people: str, address: str) -> None:
    backend = ClickHouse(address).backend
    try:
        maskwise.audit(backend.table(people), POLICY)
        outcome = maskwise.anonymize(backend.table(people), POLICY)
        listed = backend.connection.rows("SELECT name FROM system.tables WHERE is_temporary")
        assert listed == [[outcome.data.get_name()]]
        assert outcome.data.count().to_pyarrow().as_py() == 200
        maskwise.anonymize(backend.table(people), POLICY, "released_here", engine=backend)
        assert backend.connection.rows("SELECT name FROM system.tables WHERE is_temporary") == listed
    finally:
        backend.disconnect()


def test_an_ibis_table_is_not_replaced_by_its_release(people: str, address: str) -> None:
    backend = ClickHouse(address).backend
    try:
        records = backend.table(people)
        for source in (records, records.filter(records[records.columns[0]].notnull())):
            with pytest.raises(maskwise.InputError, match="is the input"):
                maskwise.anonymize(source, POLICY, people, engine=backend)
        assert sorted(rows_of(records.to_pyarrow())) == sorted(rows_of(table()))
    finally:
        backend.disconnect()


def test_files_are_left_to_duckdb(address: str, folder: Path) -> None:
    pq.write_table(table(), folder / "people.parquet")
    with pytest.raises(maskwise.InputError, match=r"ClickHouse reads tables, and `people.parquet` is a file"):
        maskwise.anonymize(str(folder / "people.parquet"), POLICY, folder / "out.csv", engine=address)


def test_what_is_not_there_is_named(people: str, address: str, tmp_path: Path) -> None:
    with pytest.raises(maskwise.InputError, match=r"no table `peple` in the database\. Did you mean `people`"):
        maskwise.audit("peple", POLICY, engine=address)
    with pytest.raises(maskwise.InputError, match="no ClickHouse database in"):
        maskwise.audit(people, POLICY, engine=f"chdb:///{tmp_path}")
    assert not list(tmp_path.iterdir())
    with pytest.raises(maskwise.InputError, match="is written as chdb:///folder"):
        maskwise.audit(people, POLICY, engine="chdb://")
    (tmp_path / "metadata").mkdir()
    with pytest.raises(maskwise.InputError, match="works in another ClickHouse folder"):
        maskwise.audit(people, POLICY, engine=f"chdb:///{tmp_path}")


@pytest.mark.slow
def test_another_process_is_told_that_the_folder_is_in_use(people: str, address: str, folder: Path) -> None:
    (folder / "policy.yaml").write_text(json.dumps(POLICY))
    asked = ["audit", f"{address}#{people}", "-p", str(folder / "policy.yaml")]
    done = subprocess.run([sys.executable, "-m", "maskwise", *asked], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "another process is using it" in done.stderr


# A release appears whole or not at all


def left(owner: ChdbConnection) -> set[str]:
    return {name for name in known_tables(owner, None) if name.startswith("maskwise")}


@pytest.mark.parametrize("stage", ["compress", "mask", "verify"])
def test_a_run_that_fails_leaves_the_old_table(people: str, owner: ChdbConnection, address: str, stage: str) -> None:
    owner.run("CREATE TABLE masked ENGINE = Memory AS SELECT 1 AS old")

    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        maskwise.anonymize(people, POLICY, "masked", engine=address, on_event=At(stage, fail))
    assert fetch(owner, "SELECT * FROM masked") == [(1,)]
    assert not left(owner)
    maskwise.anonymize(people, POLICY, "masked", engine=address)
    assert owner.rows("SELECT toUInt32(count(*)) FROM masked") == [[200]]
    assert not left(owner)


def test_two_runs_with_one_target_leave_one_whole_table(people: str, owner: ChdbConnection, address: str) -> None:
    for _ in range(2):  # no table yet, and one to be replaced
        assert not both(lambda at: maskwise.anonymize(people, POLICY, "masked", engine=address, on_event=at))
        assert owner.rows("SELECT toUInt32(count(*)) FROM masked") == [[200]]
        assert not left(owner)


def test_a_target_that_cannot_be_written_is_refused_before_any_work(
    people: str, owner: ChdbConnection, address: str
) -> None:
    never = At("profile", lambda: pytest.fail("began to work"))
    owner.run("CREATE VIEW seen AS SELECT 1 AS old")
    for target, says in {"seen": "`seen` is a view", "nowhere.masked": "no database `nowhere`"}.items():
        with pytest.raises(WriteError, match=says):
            maskwise.anonymize(people, POLICY, target, engine=address, on_event=never)
    assert fetch(owner, "SELECT * FROM seen") == [(1,)]


STANDING_FOR = {
    "itself": "",
    **VIEWS,
    "a view with a join": 'CREATE VIEW seen AS SELECT p.* FROM people p JOIN (SELECT DISTINCT "Age" FROM people) q '
    'ON p."Age" = q."Age"',
    "a table that merges others": "CREATE TABLE seen AS people ENGINE = Merge(currentDatabase(), '^people$')",
    "a view of such a table": "CREATE TABLE first AS people ENGINE = Merge(currentDatabase(), '^people$');"
    "CREATE VIEW seen AS SELECT * FROM first",
}


@pytest.mark.parametrize("made", STANDING_FOR.values(), ids=STANDING_FOR)
def test_what_the_source_reads_is_not_replaced(people: str, owner: ChdbConnection, address: str, made: str) -> None:
    for statement in filter(None, made.split(";")):
        owner.run(statement)
    for target in (people, f"default.{people}"):
        with pytest.raises(maskwise.InputError, match="is the input"):
            maskwise.anonymize("seen" if made else people, POLICY, target, engine=address)
    assert owner.rows(f"SELECT toUInt32(count(*)) FROM {people}") == [[200]]  # noqa: S608
    assert maskwise.anonymize("seen" if made else people, POLICY, "masked", engine=address).verdict.is_met


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "number", "code"), [("compress", signal.SIGTERM, 143), ("mask", signal.SIGINT, 130), ("verify", 9, -9)]
)
def test_a_signal_in_the_middle_of_a_query_leaves_the_old_table(
    tmp_path: Path, stage: str, number: signal.Signals, code: int
) -> None:
    """The last case is a process that is killed outright."""
    folder = tmp_path / "data"
    folder.mkdir()
    make = """
import sys, chdb
owner = chdb.connect(sys.argv[1])
made = "CREATE TABLE {} ENGINE = MergeTree ORDER BY tuple() AS SELECT {}"
owner.query(made.format("masked", "1 AS old"))
owner.query(made.format("people", f"* FROM file('{sys.argv[2]}')"))
"""
    pq.write_table(table(), tmp_path / "people.parquet")
    subprocess.run([sys.executable, "-c", make, str(folder), str(tmp_path / "people.parquet")], check=True)
    (tmp_path / "policy.yaml").write_text(json.dumps(POLICY))
    without_end = "SELECT count() AS n FROM numbers(100000000000000) WHERE sipHash64(number) = 1"
    # The first query of the stage does not end; those that clean up do.
    replacing = f"""from maskwise.engines.clickhouse import connection
        once, real = [{without_end!r}], connection.ChdbConnection._wait
        def wait(self, work, target=None):
            if once:
                sql = once.pop()
                return real(self, lambda: self._session.query(sql), target)
            return real(self, work, target)
        connection.ChdbConnection._wait = wait"""
    waiting = STOPPING.replace("sys.stdin.readline()", replacing)
    asked = ["mask", "people", "-p", str(tmp_path / "policy.yaml"), "-o", "masked", "--engine", f"chdb:///{folder}"]
    process = subprocess.Popen(
        [sys.executable, "-c", waiting, stage, *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == f"{stage}\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == code, said
    assert "Traceback" not in said
    look = (
        f"import chdb; o = chdb.connect({str(folder)!r}); [print(o.query(q)) for q in ('FROM masked', 'SHOW TABLES')]"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    old, *tables = done.stdout.split()
    assert old == "1"
    if code > 0:
        assert tables == ['"masked"', '"people"']


# Settings and limits


def test_the_memory_of_a_run_is_the_limit_of_a_query(owner: ChdbConnection, chdb_folder: Path) -> None:
    del owner
    connection = ChdbConnection(chdb_folder, memory=200_000_000)
    try:
        names = ("max_memory_usage", "max_bytes_before_external_group_by", "max_bytes_before_external_sort")
        found = connection.rows(f"SELECT {', '.join(f'toString(getSetting({name!r}))' for name in names)}")
        assert found == [["150000000", "75000000", "75000000"]]
        # What does not fit is put on disk.
        grouped = "SELECT count() AS n FROM (SELECT number AS x, count() AS n FROM numbers(3000000) GROUP BY x)"
        assert fetch(connection, grouped) == [(3_000_000,)]
        with pytest.raises(maskwise.InputError, match="The memory was too little"):
            connection.rows("SELECT length(groupArray(repeat('x', 1000))) FROM numbers(1000000)")
    finally:
        connection.close()


def test_a_run_with_little_memory_gives_the_same_release(people: str, owner: ChdbConnection, address: str) -> None:
    maskwise.anonymize(people, POLICY, "masked", engine=address, memory="300MB")
    assert sorted(fetch(owner, "SELECT * FROM masked")) == sorted(rows_of(maskwise.anonymize(table(), POLICY).data))


def test_settings_are_those_of_our_session_alone(owner: ChdbConnection, chdb_folder: Path) -> None:
    other = chdb.connect(str(chdb_folder))
    try:
        asked = "SELECT toString(getSetting('join_use_nulls')), toString(getSetting('session_timezone'))"
        assert owner.rows(asked) == [["true", "UTC"]]
        assert other.query(asked, "TSV").bytes() == b"false\t\n"
    finally:
        other.close()
    known = owner.rows("SELECT name FROM system.settings")
    assert set(SETTINGS) <= {row[0] for row in known}


def test_an_error_in_the_middle_of_a_result_quotes_no_cell(owner: ChdbConnection) -> None:
    sql = "SELECT CAST(if(number = 900000, 'HIV', '1') AS Int32) AS x FROM numbers(1000000)"
    with pytest.raises(maskwise.InputError, match=r"could not read the table") as caught:
        fetch(owner, sql)
    assert "HIV" not in str(caught.value)
    assert fetch(owner, "SELECT 1 AS x") == [(1,)]


def test_a_result_that_is_not_read_to_its_end_blocks_no_other(owner: ChdbConnection) -> None:
    with owner.stream("SELECT number AS x FROM numbers(10000000)") as batches:
        assert batches.read_next_batch().num_rows > 0
    assert fetch(owner, "SELECT 1 AS x") == [(1,)]


def test_a_result_without_rows_has_its_columns(owner: ChdbConnection) -> None:
    with owner.stream("SELECT 1 AS x, 'a' AS y, count() AS n WHERE 0 GROUP BY 1") as batches:
        assert batches.read_all().schema.names == ["x", "y", "n"]
