"""What is read of SQLite's cells: what they are, and what their declared types mean where all of them fit."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import maskwise
from maskwise.engines.choose import choose
from maskwise.engines.sqlite import rows as copying
from maskwise.errors import WriteError
from tests.conftest import cells as csv_cells
from tests.engines.sqlite_files import run

POLICY = {"requirements": [{"qid": ["age"], "k": 2}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "people.db"


def read(file: Path, name: str) -> dict[str, list[Any]]:
    """The columns of a table as an engine has them."""
    engine, place = choose(f"sqlite:///{file}#{name}")
    try:
        return engine.fetch(engine.scan(place)).to_pydict()  # type: ignore[no-any-return]
    finally:
        engine.close()


def fill(file: Path, declared: str, *cells: Any, sql: str = "CREATE TABLE t (c {})") -> list[Any]:
    """Put cells into a column of a declared type, and read it."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute(sql.format(declared))
        connection.executemany("INSERT INTO t VALUES (?)", [(cell,) for cell in cells])
    return read(file, "t")["c"]


@pytest.mark.parametrize(
    ("declared", "cells", "expected"),
    [
        ("INTEGER", [1, -(2**63), 2**63 - 1, None], [1, -(2**63), 2**63 - 1, None]),
        ("REAL", [1, 2.5, float("inf")], [1.0, 2.5, float("inf")]),
        ("NUMERIC", [1, 2.5], [1.0, 2.5]),
        ("", [1, 2.5, 2**53], [1.0, 2.5, float(2**53)]),
        ("TEXT", [1, "x", "a\0b", "\ufeff", ""], ["1", "x", "a\0b", "\ufeff", ""]),
        ("BLOB", [b"\xff\0", b""], [b"\xff\0", b""]),
        ("BOOLEAN", [0, 1, None], [False, True, None]),
        ("BOOLEAN", [0, 2], [0, 2]),
        ("BOOLEAN", ["yes"], ["yes"]),
        ("DATE", ["2024-02-29", None], [dt.date(2024, 2, 29), None]),
        ("DATE", ["2024-02-29", "2024-2-28"], ["2024-02-29", "2024-2-28"]),
        ("DATE", ["2024-02-30"], ["2024-02-30"]),
        ("DATE", ["infinity"], ["infinity"]),
        ("DATE", [19_782], [19_782]),
        ("datetime", ["2024-02-29 08:00:00.5"], [dt.datetime(2024, 2, 29, 8, 0, 0, 500_000)]),  # noqa: DTZ001
        ("TIMESTAMP", ["2024-02-29T08:00:00"], ["2024-02-29T08:00:00"]),
        ("TIMESTAMP", ["2024-02-29 08:00:00+00:00"], [dt.datetime(2024, 2, 29, 8, tzinfo=dt.UTC)]),
        ("TIMESTAMP", ["2024-02-29 08:00:00+01:00"], ["2024-02-29 08:00:00+01:00"]),
        ("TIMESTAMP", ["infinity+00:00"], ["infinity+00:00"]),
        ("TIME", ["08:30:00"], [dt.time(8, 30)]),
        ("DECIMAL(8, 2)", [1.1, 2, None], [Decimal("1.10"), Decimal("2.00"), None]),
        ("DECIMAL(8,2)", [1.101, 2], [1.101, 2.0]),
        ("DECIMAL(3,2)", [10.5], [10.5]),
        ("DECIMAL(30,2)", [1.1], [1.1]),
        ("DECIMAL", [1.1], [1.1]),
        ("VARCHAR(20)", [None], [None]),
        ("nonsense'); --", ["x"], ["x"]),
    ],
)
def test_cells_decide_and_the_declared_type_chooses_among_what_fits_all_of_them(
    file: Path, declared: str, cells: list[Any], expected: list[Any]
) -> None:
    sql = 'CREATE TABLE t (c "{}")' if "nonsense" in declared else "CREATE TABLE t (c {})"
    found = fill(file, declared, *cells, sql=sql)
    assert found == expected
    assert [type(cell) for cell in found] == [type(cell) for cell in expected]


def test_a_float_that_is_no_number_is_missing_in_sqlite(file: Path) -> None:
    assert fill(file, "REAL", float("nan"), -0.0) == [None, 0.0]


@pytest.mark.parametrize("declared", ["INTEGER", "REAL", "TEXT", "DATE", "TIMESTAMP", "DECIMAL(5, 1)", "", "BLOB"])
def test_a_column_without_a_cell_has_the_type_it_was_declared_with(file: Path, declared: str) -> None:
    run(file, f"CREATE TABLE t (c {declared})")
    engine, place = choose(f"sqlite:///{file}#t")
    kind = str(engine.scan(place).schema()["c"])
    engine.close()
    expected = {"INTEGER": "int64", "REAL": "float64", "TEXT": "string", "": "string", "BLOB": "binary"}
    assert kind.startswith(expected.get(declared, declared.partition("(")[0].lower()))


def test_strict_tables_are_read(file: Path) -> None:
    sql = "CREATE TABLE t (c {}) STRICT"
    assert fill(file, "INT", 3, sql=sql) == [3]
    assert fill(file, "ANY", 3, 4, sql=sql) == [3, 4]


def naive(cells: list[Any]) -> list[Any]:
    """What a column is read as, cell by cell."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    if len(kinds) <= 1:
        return cells
    if kinds == {int, float} and all(not isinstance(cell, int) or abs(cell) <= 2**53 for cell in cells):
        return [None if cell is None else float(cell) for cell in cells]
    fields = {int: "integer", float: "real", str: "text", bytes: "blob"}
    blank: dict[str, Any] = dict.fromkeys((*fields.values(), "unreadable"))
    return [None if cell is None else blank | {fields[type(cell)]: cell} for cell in cells]


@pytest.mark.parametrize("seed", range(6))
def test_cells_of_any_kind_in_any_order_are_copied_as_they_are(
    file: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kinds that come late, so that columns are widened once and again."""
    rng = random.Random(seed)  # noqa: S311 - test data
    monkeypatch.setattr(copying, "_FETCHED", 3)
    monkeypatch.setattr(copying, "_COPIED", rng.choice([1, 100, 10_000]))
    draws = [lambda: rng.randrange(9), rng.random, lambda: "x", lambda: b"y", lambda: 2**60, lambda: None]
    n = 40
    columns: dict[str, list[Any]] = {}
    for i in range(8):
        kinds = rng.sample(draws, rng.randrange(1, 4))
        starts = sorted(rng.randrange(n) for _ in kinds)
        columns[f"c{i}"] = [
            rng.choice([k for k, s in zip(kinds, starts, strict=True) if s <= at] or [draws[-1]])() for at in range(n)
        ]
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE TABLE t ({', '.join(columns)})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 8)})", zip(*columns.values(), strict=True))  # noqa: S608
    found = read(file, "t")
    for name, cells in columns.items():
        assert found[name] == naive(cells), name


def test_numbers_that_no_float_can_hold_are_not_rounded_by_later_floats(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "_FETCHED", 2)
    cells = [2**53 + 1, 2**53 + 3, 0.5, 1.5]
    assert fill(file, "", *cells) == naive(cells)


def people(file: Path, odd: list[Any], declared: str = "INTEGER") -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE TABLE people (age INTEGER, odd {declared})")
        connection.executemany("INSERT INTO people VALUES (?, ?)", [(20 + i // 4, cell) for i, cell in enumerate(odd)])


ODD = [1, 2.5, "secret", b"\x00secret", None, 2**60, "", "7"]


@pytest.mark.slow
def test_cells_of_several_kinds_cannot_be_masked_and_are_not_quoted(file: Path) -> None:
    people(file, ODD)
    asked: list[dict[str, Any]] = [
        {"requirements": [{"qid": ["odd"], "k": 2}]},
        {**POLICY, "class": "odd"},
        {"requirements": [{"qid": ["age"], "sensitive": "odd", "diversity": {"distinct": 2}}]},
        {**POLICY, "person": "odd"},
    ]
    for policy in asked:
        with pytest.raises(maskwise.InputError, match="`odd` holds cells of several kinds") as caught:
            maskwise.anonymize("people", policy, "masked", engine=f"sqlite:///{file}")
        assert "secret" not in str(caught.value)
    maskwise.anonymize("people", {**POLICY, "drop": ["odd"]}, "masked", engine=f"sqlite:///{file}")
    # As the message says: a view makes them text.
    run(file, "CREATE VIEW texts AS SELECT age, CAST(odd AS TEXT) AS odd FROM people")
    maskwise.anonymize("texts", {**POLICY, "class": "odd"}, "masked", engine=f"sqlite:///{file}")


def test_cells_of_several_kinds_pass_through_as_they_are(file: Path, tmp_path: Path) -> None:
    people(file, ODD, "BLOB")
    maskwise.anonymize("people", POLICY, "masked", engine=f"sqlite:///{file}", keep_order=True)
    found = run(file, "SELECT odd, typeof(odd) FROM masked ORDER BY rowid")
    assert found == run(file, "SELECT odd, typeof(odd) FROM people ORDER BY rowid")
    maskwise.anonymize("people", POLICY, tmp_path / "o.csv", engine=f"sqlite:///{file}", keep_order=True)
    texts = [row[1] for row in csv_cells(tmp_path / "o.csv")[1:]]
    assert texts == ["1", "2.5", "secret", "\\x00secret", "", str(2**60), "", "7"]


def test_a_text_that_is_not_utf8_is_refused_where_it_is_used_or_released(file: Path, tmp_path: Path) -> None:
    run(
        file,
        "CREATE TABLE people (age INTEGER, name TEXT)",
        "INSERT INTO people VALUES (20, CAST(x'736563726574ff' AS TEXT)), (20, 'ä')",
    )
    engine = f"sqlite:///{file}"
    with pytest.raises(maskwise.InputError, match="not UTF-8, which cannot be masked") as caught:
        maskwise.anonymize("people", {**POLICY, "class": "name"}, "masked", engine=engine)
    assert "secret" not in str(caught.value)
    for target in ("masked", str(tmp_path / "o.csv")):
        with pytest.raises(WriteError, match="`name`: some cells are texts that are not UTF-8") as refused:
            maskwise.anonymize("people", POLICY, target, engine=engine)
        assert "secret" not in str(refused.value)
    assert not (tmp_path / "o.csv").exists()
    maskwise.anonymize("people", {**POLICY, "drop": ["name"]}, "masked", engine=engine)
    assert run(file, "SELECT count(*) FROM masked") == [(2,)]


def test_texts_are_told_apart_by_their_letters_whatever_the_collation(file: Path) -> None:
    run(
        file,
        "CREATE TABLE people (age INTEGER, ill TEXT COLLATE NOCASE, town TEXT COLLATE RTRIM)",
        "CREATE INDEX by_ill ON people (ill, town, age)",
        "INSERT INTO people VALUES (1, 'hiv', 'a'), (1, 'HIV', 'a '), (1, 'Hiv', 'a'), (1, 'flu', 'a')",
    )
    policy = {"requirements": [{"qid": ["age"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.3}]}
    assert maskwise.audit("people", policy, engine=f"sqlite:///{file}").findings[0].figure == 0.25
    verdict = maskwise.audit("people", {"requirements": [{"qid": ["town"], "k": 2}]}, engine=f"sqlite:///{file}")
    assert verdict.findings[0].figure == 1


def test_columns_of_any_name_are_read_and_written(file: Path) -> None:
    names = ['say "so"', "[x]", "*", "rowid", "a.b", "'", "no such column", "select", "Ä"]
    listed = ", ".join('"' + name.replace('"', '""') + '" INTEGER' for name in names)
    run(file, f'CREATE TABLE "my ""people""" (age INTEGER, {listed})', 'CREATE TABLE "c*" AS SELECT 1 AS old')
    marks = ", ".join(["1"] * (len(names) + 1))
    for _ in range(4):
        run(file, f'INSERT INTO "my ""people""" VALUES ({marks})')  # noqa: S608
    for target in ('out "1"', "c"):
        maskwise.anonymize('MY "PEOPLE"', POLICY, target, engine=f"sqlite:///{file}")
        quoted = target.replace('"', '""')
        assert [row[1] for row in run(file, f'PRAGMA table_info("{quoted}")')] == ["age", *names]
        assert run(file, f'SELECT count(*) FROM "{quoted}"') == [(4,)]  # noqa: S608


def test_generated_columns_tables_without_rowid_and_views_are_read(file: Path) -> None:
    run(
        file,
        "CREATE TABLE g (age INTEGER PRIMARY KEY, twice INT AS (age * 2), thrice INT AS (age * 3) STORED)",
        "INSERT INTO g VALUES (2), (1)",
        "CREATE TABLE w (age INTEGER, name TEXT, PRIMARY KEY (name)) WITHOUT ROWID",
        "INSERT INTO w VALUES (1, 'b'), (2, 'a')",
        "CREATE VIEW v AS SELECT w.name, g.twice FROM w JOIN g ON g.age = w.age ORDER BY w.name DESC",
    )
    assert read(file, "g") == {"age": [1, 2], "twice": [2, 4], "thrice": [3, 6]}
    assert read(file, "w") == {"age": [2, 1], "name": ["a", "b"]}
    assert read(file, "v") == {"name": ["b", "a"], "twice": [2, 4]}
