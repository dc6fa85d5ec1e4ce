"""What a dialect declares, and what every stream of a result promises."""

from __future__ import annotations

from collections.abc import Iterator

import ibis
import pyarrow as pa
import pytest

from maskwise.engines.base import Feature, Gap
from maskwise.engines.choose import REGISTERED, choose, start_beside
from maskwise.engines.sql import Engine
from maskwise.errors import InputError

GAPS = {
    "DuckDB": {},
    "PostgreSQL": {
        Feature.FILES: Gap.NEVER,
        Feature.RECORD_ORDER: Gap.NEVER,
        Feature.LOCAL_RECORDS: Gap.NEVER,
    },
    "Spark": {Feature.RECORD_ORDER: Gap.NEVER, Feature.LOCAL_RECORDS: Gap.NEVER},
}


@pytest.fixture
def engine() -> Iterator[Engine]:
    started, _ = choose(None)
    yield started
    started.close()


@pytest.mark.parametrize("registered", REGISTERED, ids=lambda registered: registered.name)
def test_a_registered_dialect_declares_its_name_and_gaps(registered: object) -> None:
    try:
        dialect = registered.load()  # type: ignore[attr-defined]
    except ImportError:
        pytest.skip("notyet: needs an extra")
    assert dialect.name == registered.name  # type: ignore[attr-defined]
    assert dialect.gaps == GAPS[dialect.name]


def test_an_engine_can_what_is_no_gap(engine: Engine) -> None:
    assert all(engine.can(feature) for feature in Feature)
    engine.dialect.gaps = {Feature.FILES: Gap.NEVER}
    assert [engine.can(feature) for feature in Feature] == [False, True, True, True]


def test_an_engine_that_is_given_is_used(engine: Engine) -> None:
    assert choose("people.csv", engine)[0] is engine


def test_anything_else_is_no_engine() -> None:
    with pytest.raises(InputError, match=r"An engine is a name, an address, .*; found int"):
        choose("people.csv", 3)


def test_an_error_in_the_middle_of_a_result_quotes_no_cell(engine: Engine) -> None:
    sql = "SELECT CAST(CASE WHEN range = 900000 THEN 'HIV' ELSE '1' END AS INTEGER) AS x FROM range(1000000)"
    with pytest.raises(InputError, match="could not read the table") as caught:
        engine.dialect.query(sql)
    assert "HIV" not in str(caught.value)
    assert engine.dialect.query("SELECT 1 AS x").to_pydict() == {"x": [1]}


def test_a_result_that_is_not_read_to_its_end_blocks_no_other(engine: Engine) -> None:
    with engine.dialect.stream("SELECT range AS x FROM range(1000000)") as batches:
        assert batches.read_next_batch().num_rows > 0
    assert engine.dialect.query("SELECT 1 AS x").num_rows == 1


def test_what_an_engine_made_is_dropped_when_it_is_closed(engine: Engine) -> None:
    engine.register(pa.table({"x": [1]}))
    table = engine.scan(pa.table({"x": [1, 2]}))
    engine.group_each(table, [table.c0], None)
    names = "SELECT table_name AS name FROM information_schema.tables WHERE table_name LIKE 'maskwise%'"
    assert engine.dialect.query(names).num_rows > 0
    engine.close()
    assert engine.dialect.query(names).num_rows == 0


def test_only_what_an_engine_materialized_is_discarded(engine: Engine) -> None:
    made = engine.materialize(engine.scan(pa.table({"x": [1]})))
    engine.discard(pa.table({"x": [1]}))
    assert engine.fetch(made).num_rows == 1
    engine.discard(made)
    with pytest.raises(InputError, match="could not read the table"):
        engine.fetch(made)


def test_a_connection_beside_has_tables_of_its_own(engine: Engine) -> None:
    second = start_beside(engine)
    engine.dialect.create("mine", "SELECT 1 AS x", view=False)
    second.dialect.create("mine", "SELECT 2 AS x", view=False)
    assert [one.dialect.query("FROM mine").to_pylist() for one in (engine, second)] == [[{"x": 1}], [{"x": 2}]]
    # Both count towards the same limit of memory.
    limits = [one.dialect.query("SELECT current_setting('memory_limit')") for one in (engine, second)]
    assert limits[0] == limits[1]


def test_a_database_of_its_owner_has_nothing_beside_it() -> None:
    backend = ibis.duckdb.connect()
    backend.raw_sql("SET default_collation = 'nocase'")
    of_owner, _ = choose(None, backend)
    second = start_beside(of_owner)
    assert second.dialect.query("SELECT 'a' = 'A' AS same").to_pylist() == [{"same": False}]
