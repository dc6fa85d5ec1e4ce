"""Spark: no table, file or folder that a source reads is replaced by its release, whatever stands in between."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.engines.spark.source_places import SourcePlaces
from maskwise.errors import WriteError
from maskwise.session.session import Session
from tests.engines.conftest import rows_of
from tests.engines.test_locations import table

POLICY = {"requirements": [{"qid": ["Age", "Sex"], "k": 5}]}


@pytest.fixture
def people(session: Any) -> Any:
    """Two hundred people as a table of the catalog, with views of it."""
    session.createDataFrame(table()).write.saveAsTable("raw_people")
    session.sql("CREATE VIEW people_seen AS SELECT * FROM raw_people WHERE Age IS NOT NULL")
    session.sql("CREATE VIEW people_seen_twice AS SELECT * FROM people_seen")
    session.table("people_seen").createOrReplaceTempView("people_now")
    yield session
    session.catalog.dropTempView("people_now")
    for view in ("people_seen_twice", "people_seen"):
        session.sql(f"DROP VIEW {view}")
    session.sql("DROP TABLE raw_people")


def location(session: Any, name: str) -> Path:
    (found,) = [
        row.data_type for row in session.sql(f"DESCRIBE EXTENDED {name}").collect() if row.col_name == "Location"
    ]
    return Path(found.removeprefix("file:"))


def sources(session: Any) -> dict[str, Any]:
    """Every way to read the table."""
    import ibis

    frame = session.table("raw_people")
    where = location(session, "raw_people")
    named = frame.columns
    return {
        "a frame": frame,
        "a query": frame.filter("Age > 3").select(*named),
        "a view": "people_seen",
        "a view of a view": "people_seen_twice",
        "a temporary view": "people_now",
        "a subquery": session.sql(
            "SELECT * FROM (SELECT 31 AS Age, 'F' AS Sex) WHERE Age IN (SELECT Age FROM raw_people)"
        ),
        "its files": session.read.parquet(str(where)),
        "one of its files": session.read.parquet(str(next(where.glob("*.parquet")))),
        "its folder by name": f"{where}/",
        "its files by a pattern": f"{where}/*.parquet",
        "a cached frame": frame.cache(),
        "records one by one": frame.rdd.map(tuple).toDF(frame.schema),
        "an Ibis table": ibis.pyspark.connect(session).table("people_seen"),
    }


def why_refused(session: Any, source: Any, target: str | Path) -> str:
    """What is said of a target; nothing if it was written to."""
    try:
        maskwise.anonymize(source, POLICY, target, engine=session)
    except maskwise.InputError as error:
        return str(error)
    return ""


def test_no_table_is_replaced_by_a_release_that_is_made_of_it(people: Any) -> None:
    before = sorted(rows_of(people.table("raw_people").toArrow()))
    for what, source in sources(people).items():
        for target in ("raw_people", "default.Raw_People"):
            assert (
                why_refused(people, source, target) == f"`{target}` is the input. Write the release to another table."
            ), what
    people.catalog.clearCache()
    assert sorted(rows_of(people.table("raw_people").toArrow())) == before


def test_a_table_that_the_source_does_not_read_is_replaced(people: Any) -> None:
    people.range(3).write.saveAsTable("raw_people_2")
    try:
        maskwise.anonymize("people_now", POLICY, "raw_people_2", engine=people)
        assert people.table("raw_people_2").count() == people.table("people_now").count()
    finally:
        people.sql("DROP TABLE raw_people_2")


@pytest.mark.parametrize("view", ["people_seen", "people_now"])
def test_a_view_is_not_replaced(people: Any, view: str) -> None:
    for source, kind, said in (
        (people.createDataFrame(table()), WriteError, "is a view, so it cannot be replaced"),
        ("raw_people", maskwise.InputError, "is the input"),
    ):
        with pytest.raises(kind, match=f"`{view}` {said}"):
            maskwise.anonymize(source, POLICY, view, engine=people)
    assert people.table(view).count()


def test_no_file_of_a_table_is_replaced_and_none_is_put_beside_them(people: Any) -> None:
    where = location(people, "raw_people")
    file = next(where.glob("*.parquet"))
    before = {path: path.read_bytes() for path in where.iterdir()}
    read = sources(people)
    by_name = ("its folder by name", "its files by a pattern")
    for what, source in read.items():
        assert "is the input" in why_refused(people, source, file), what
        if what in by_name or what in {"one of its files", "records one by one"}:
            continue
        for target in (where / "masked.parquet", f"{where}/masked/"):
            assert f"is inside `{where}`, which is the input" in why_refused(people, source, target), what
    people.catalog.clearCache()
    assert {path: path.read_bytes() for path in where.iterdir()} == before


def test_a_link_to_a_file_is_that_file(session: Any, tmp_path: Path) -> None:
    raw, link = tmp_path / "raw folder", tmp_path / "link"
    raw.mkdir()
    pq.write_table(table(), raw / "people é.parquet")
    link.symlink_to(raw)
    before = (raw / "people é.parquet").read_bytes()
    frame = session.read.parquet(str(raw / "people é.parquet"))
    with pytest.raises(maskwise.InputError, match="is the input"):
        maskwise.anonymize(frame, POLICY, link / "people é.parquet")
    assert (raw / "people é.parquet").read_bytes() == before
    maskwise.anonymize(frame, POLICY, link / "masked.parquet")
    assert (raw / "people é.parquet").read_bytes() == before
    shutil.rmtree(raw)


def test_lines_of_a_text_file_are_its_file(session: Any, tmp_path: Path) -> None:
    raw = tmp_path / "people.csv"
    raw.write_text("\n".join(f"{i % 4},{'FM'[i % 2]}" for i in range(40)))
    lines = session.sparkContext.textFile(str(raw)).map(lambda line: tuple(line.split(",")))
    with pytest.raises(maskwise.InputError, match=r"people\.csv` is the input"):
        maskwise.anonymize(lines.toDF("Age string, Sex string"), POLICY, raw)
    assert raw.read_text().startswith("0,F\n")


def test_a_session_does_not_replace_what_it_reads(people: Any) -> None:
    where = location(people, "raw_people")
    file = next(where.glob("*.parquet"))
    before = file.read_bytes()
    for source in (people.table("people_seen"), "people_seen"):
        with Session(source, engine=people) as opened:
            search = opened.search(POLICY)
            with pytest.raises(maskwise.InputError, match="is the input"):
                search.write(where, name=file.name)
    assert file.read_bytes() == before


def test_places_meet_where_one_is_in_the_other() -> None:
    def at(*files: str) -> SourcePlaces:
        return SourcePlaces(files=frozenset(files))

    assert at("file:///a/b").meet(at("file:///a/b/c.parquet"))
    assert at("hdfs://n/a/b/c").meet(at("hdfs://n/a"))
    assert not at("file:///a/b").meet(at("file:///a/bc", "hdfs://n/a/b"))
    assert SourcePlaces(frozenset(["c.d.people"])).meet(SourcePlaces(frozenset(["c.d.people"])))
    assert at("hdfs://n/a").paths() == []
