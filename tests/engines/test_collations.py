"""Texts that a database takes for equal although their letters differ are still told apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file, trace_file
from tests.engines.conftest import in_order, load_postgres, rows_of
from tests.engines.postgres_server import Server, with_icu
from tests.engines.test_contract import CASES

JOBS, ILLNESSES = ("nurse", "Nurse", "clerk", "Clerk"), ("HIV", "hiv", "flu", "Flu", "cold")
POLICY = {
    "class": "risk",
    "requirements": [
        {"qid": ["age", "job"], "k": 11},
        {"qid": ["age", "job"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.25},
        {"qid": ["job"], "sensitive": "ill", "diversity": {"distinct": 5}},
    ],
}
AUDITED = {"requirements": [{"qid": ["job"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.1}]}


def people() -> pa.Table:
    """Every spelling of each word, so that a collation would make one of two."""
    return pa.table(
        {
            "age": pa.array([20 + i % 6 for i in range(240)], pa.int32()),
            "job": [JOBS[i % 4] for i in range(240)],
            "ill": [ILLNESSES[i % 5] for i in range(240)],
            "risk": [("low", "Low", "high")[i % 3] for i in range(240)],
        }
    )


@pytest.fixture(scope="module")
def german() -> Iterator[Server]:
    """A server that sorts as German does and knows texts that differ only in case as equal."""
    programs = with_icu()
    if programs is None:
        pytest.skip("notyet: the server that comes with the development tools has no ICU; install PostgreSQL")
    server = Server(programs, ("--locale-provider=icu", "--icu-locale=de-DE", "--locale=C.UTF-8"))
    try:
        server.run("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
        yield server
    finally:
        server.stop()


@pytest.fixture(params=["text COLLATE nocase", "varchar(9) COLLATE nocase", "citext"])
def merging(german: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    """The people in columns whose spellings are equal to the server."""
    load_postgres(german, people(), "people")
    if request.param == "citext":
        german.run("CREATE EXTENSION citext")
    for column in ("job", "ill", "risk"):
        german.run(f"ALTER TABLE people ALTER {column} TYPE {request.param}")
    assert german.run("SELECT count(DISTINCT ill) FROM people") == [(3,)]
    yield german
    german.run("DROP TABLE people; DROP TABLE IF EXISTS masked; DROP EXTENSION IF EXISTS citext")


def test_postgresql_tells_texts_apart_that_its_collation_does_not(merging: Server) -> None:
    expected = maskwise.anonymize(people(), POLICY)
    outcome = maskwise.anonymize("people", POLICY, "masked", engine=merging.url)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.verdict == expected.verdict
    assert in_order(merging.run("SELECT * FROM masked")) == in_order(rows_of(expected.data))


def test_postgresql_does_not_miss_a_protected_value_for_its_spelling(merging: Server) -> None:
    import ibis

    expected = maskwise.audit(people(), AUDITED)
    assert not expected.is_met
    assert maskwise.audit("people", AUDITED, engine=merging.url) == expected
    backend = ibis.postgres.connect(host="127.0.0.1", port=merging.port, user="owner", database="postgres")
    try:
        assert maskwise.audit(backend.table("people"), AUDITED) == expected
    finally:
        backend.disconnect()


@pytest.mark.parametrize("case", CASES)
def test_postgresql_in_german_releases_what_duckdb_does(german: Server, case: str) -> None:
    table, policy = CASES[case]
    expected = maskwise.anonymize(table, policy)
    load_postgres(german, table, "sorted")
    try:
        outcome = maskwise.anonymize("sorted", policy, "masked", engine=german.url)
        rows = german.run("SELECT * FROM masked")
    finally:
        german.run("DROP TABLE sorted; DROP TABLE IF EXISTS masked")
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.verdict == expected.verdict
    assert in_order(rows) == in_order(rows_of(expected.data))


@pytest.fixture
def merging_spark(session: Any) -> Iterator[Any]:
    """The people in columns whose spellings are equal to Spark."""
    frame = session.createDataFrame(people())
    names = ", ".join(f"{name} COLLATE UTF8_LCASE AS {name}" for name in ("job", "ill", "risk"))
    frame.selectExpr("age", *names.split(", ")).createOrReplaceTempView("lowered")
    session.sql("CREATE TABLE collated USING parquet AS SELECT * FROM lowered")
    assert session.sql("SELECT count(DISTINCT ill) FROM collated").collect()[0][0] == 3
    yield session
    session.sql("DROP TABLE collated")
    session.catalog.dropTempView("lowered")


@pytest.mark.parametrize(
    "kind", ["name", *(pytest.param(kind, marks=pytest.mark.nightly) for kind in ("frame", "ibis"))]
)
def test_spark_tells_texts_apart_that_its_collation_does_not(merging_spark: Any, kind: str) -> None:
    import ibis

    engine = merging_spark if kind == "name" else None
    opened = {
        "name": lambda: "collated",
        "frame": lambda: merging_spark.table("collated"),
        "ibis": lambda: ibis.pyspark.connect(merging_spark).table("collated"),
    }
    expected = maskwise.audit(people(), AUDITED)
    assert maskwise.audit(opened[kind](), AUDITED, engine=engine) == expected
    outcome = maskwise.anonymize(opened[kind](), POLICY, engine=engine)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(maskwise.anonymize(people(), POLICY).solution)
    left = [found.tableName for found in merging_spark.sql("SHOW TABLES").collect()]
    assert not [name for name in left if name.startswith("maskwise")]
