"""A private release of a table: what becomes of its cells, what is written, and what is not told."""

from __future__ import annotations

import datetime as dt
import inspect
import math
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.engines.base import Feature, Gap
from maskwise.errors import InputError, PolicyError
from maskwise.formats import solution_file
from maskwise.formats.policy_file import read_policy, to_data
from maskwise.private.coded_records import code_records
from maskwise.private.domain import domains_of
from maskwise.table.read import read
from tests.private.tables import Eager, Exact, Repeatable, by_mechanisms, policy
from tests.private.test_ledger import people


def coded(table: Any, asked: Any) -> Counter[tuple[int, ...]]:
    """Every coded row and its records."""
    rows = code_records(read(table, reading=asked.reading), asked, domains_of(asked))
    columns = [*(one.tolist() for one in rows.leaves), rows.classes.tolist()]
    return Counter(dict(zip(zip(*columns, strict=True), rows.counts.tolist(), strict=True)))


STRANGE = {
    # Age: below, above, a boundary, no number, missing. Edu and Job: unknown, missing. Risk: known everywhere.
    "Age": [-5, 99, 30, None, 17.5],
    "Edu": ["primary", "kindergarten", None, "master", "bachelor"],
    "Job": ["clerk", "pilot", "nurse", None, "trader"],
    "Risk": ["lo", "hi", "hi", "lo", "lo"],
}
"""Age has steps 0, 10, 20, 30, 40 and then outside; Edu has four leaves, Job three."""


@pytest.mark.parametrize("as_text", [False, True])
def test_cells_become_leaves_and_what_is_outside_the_root_or_the_nearer_end(as_text: bool) -> None:
    ages = [None if age is None else str(age) for age in STRANGE["Age"]] if as_text else STRANGE["Age"]
    found = coded(pa.table({**STRANGE, "Age": ages}), policy())
    assert found == Counter({(0, 0, 0, 0): 1, (4, 4, 3, 1): 1, (3, 4, 1, 1): 1, (5, 3, 3, 0): 1, (1, 2, 2, 0): 1})


def test_a_text_that_is_no_number_is_outside() -> None:
    table = pa.table({"Age": ["old"], "Edu": ["primary"], "Job": ["clerk"], "Risk": ["lo"]})
    assert coded(table, policy()) == Counter({(5, 0, 0, 0): 1})


def test_records_outside_a_domain_are_left_out_where_the_policy_drops_missing_cells() -> None:
    assert coded(pa.table(STRANGE), policy(missing="drop")) == Counter({(0, 0, 0, 0): 1, (1, 2, 2, 0): 1})


def test_floats_are_equal_to_the_numbers_that_are_listed() -> None:
    """pandas makes floats of whole numbers as soon as a cell is missing, and databases spell them in several ways."""
    said = {
        "class": {"Risk": ["0", "1"]},
        "attributes": {"Level": {"suppress": ["1", "1.0", "2.5", "other"]}},
        "requirements": [{"epsilon": 1, "attributes": ["Level"]}],
    }
    table = pa.table({"Level": [1.0, 2.5, None, 7.0], "Risk": [0.0, 1.0, 1.0, None]})
    assert coded(table, read_policy(said, private=True)) == Counter({(0, 0): 1, (2, 1): 1, (4, 1): 1})


def test_a_record_of_an_undeclared_class_is_left_out() -> None:
    table = pa.table({"Age": [1, 2], "Edu": ["primary"] * 2, "Job": ["clerk"] * 2, "Risk": ["lo", "medium"]})
    assert sum(coded(table, policy()).values()) == 1


def test_a_record_is_counted_once_whatever_the_collation_of_its_column() -> None:
    """A list of values that the database takes for equal would match it several times."""
    con = ibis.duckdb.connect()
    con.raw_sql("CREATE TABLE people(Ill VARCHAR COLLATE nocase, Risk VARCHAR COLLATE nocase)")
    con.raw_sql("INSERT INTO people VALUES ('HIV', 'LO')")
    said = {
        "class": {"Risk": ["lo", "LO"]},
        "attributes": {"Ill": {"suppress": ["hiv", "HIV"]}},
        "requirements": [{"epsilon": 1, "attributes": ["Ill"]}],
    }
    assert coded(con.table("people"), read_policy(said, private=True)) == Counter({(1, 1): 1})


def told(name: str, entry: Any, **more: Any) -> Any:
    """A policy of one attribute."""
    said = {"class": {"Risk": ["lo", "hi"]}, "attributes": {name: entry}, **more}
    return read_policy({**said, "requirements": [{"epsilon": 1, "attributes": [name]}]}, private=True)


def leaves(cells: Any, entry: Any, **more: Any) -> list[int | None]:
    """The leaf of each cell, which does not depend on other cells; None if its record is left out."""
    n = len(cells)
    said = {"class": {"Risk": ["lo", "hi"]}, "attributes": {"X": entry, "Id": {"suppress": list(map(str, range(n)))}}}
    asked = read_policy({**said, **more, "requirements": [{"epsilon": 1, "attributes": ["X", "Id"]}]}, private=True)
    table = pa.table({"X": cells, "Id": list(map(str, range(n))), "Risk": ["lo"] * n})
    found, alone = ({at: leaf for leaf, at, _ in coded(some, asked)} for some in (table, table.slice(n - 1)))
    assert alone == {at: leaf for at, leaf in found.items() if at == n - 1}
    return [found.get(at) for at in range(n)]


def test_what_is_no_number_is_outside_and_infinity_at_an_end() -> None:
    entry = {"interval": {"range": [0, 40], "on": 10}}
    numbers = pa.array([math.nan, math.inf, -math.inf, 9.999999999999999, 10.0], pa.float64())
    assert leaves(numbers, entry) == [5, 4, 0, 0, 1]
    assert leaves(["nan", "NaN", "inf", "1e999", "", "x", " 12 ", "1e99"], entry) == [5, 5, 5, 5, 5, 5, 1, 4]


def test_a_database_that_fails_at_some_texts_is_refused_whatever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.engines.duckdb.DuckDB.gaps", {Feature.UNREADABLE_TEXTS: Gap.NOTYET})
    asked = told("X", {"interval": {"range": [0, 40], "on": 10}})
    for cell in ("1", "x", None):
        table = pa.table({"X": pa.array([cell], pa.string()), "Risk": ["lo"]})
        with pytest.raises(InputError, match="`X` is text, and this version of DuckDB fails"):
            coded(table, asked)
    assert coded(pa.table({"X": [1], "Risk": ["lo"]}), asked) == Counter({(0, 0): 1})


def test_a_file_may_hold_what_is_no_number(tmp_path: Path) -> None:
    pq.write_table(pa.table({"X": [math.nan, 1.0], "Risk": ["lo", "lo"]}), tmp_path / "x.parquet")
    found = coded(tmp_path / "x.parquet", told("X", {"interval": {"range": [0, 40], "on": 10}}))
    assert found == Counter({(5, 0): 1, (0, 0): 1})


def test_no_number_is_coded_beyond_the_last_part() -> None:
    """A quotient of large numbers may be rounded up to the next whole one."""
    high = 2**53 - 2
    entry = {"interval": {"range": [0, high], "on": (high + 1) // 3}}
    assert leaves([high, high - 1, 0, 2 * ((high + 1) // 3) - 1], entry, missing="drop") == [3, 2, 0, 1]
    wide = {"interval": {"range": [1, 10**15 - 1], "on": 10**11}}
    assert leaves([10**15 - 1, 10**16, -5], wide, missing="drop") == [9999, 9999, 0]


def test_ranges_begin_anywhere_and_their_boundaries_are_points_of_the_grid() -> None:
    entry = {"interval": {"range": [16, 31], "on": 10}}
    assert leaves([16, 19, 20, 29, 30, 99, 2], entry) == [0, 0, 1, 1, 2, 2, 0]
    entry = {"interval": {"range": [-7, 7], "on": 5}}
    assert leaves([-7, -6, -5, -1, 0, 4, 5, 7], entry) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_moments_have_a_grid_of_the_clock_or_the_calendar() -> None:
    times = ["2024-01-01T00:00", "2024-01-01 05:59:59", "2024-01-02", "1999-01-01", "2030-01-01", "noon", None]
    entry = {"interval": {"range": ["2024-01-01", "2024-01-02"], "on": "hour"}}
    assert leaves(times, entry) == [0, 5, 24, 0, 24, 25, 25]
    zone = dt.timezone(dt.timedelta(hours=2))
    aware = pa.array([dt.datetime(2024, 1, 1, 7, tzinfo=zone), None], pa.timestamp("us", "UTC"))
    assert leaves(aware, entry) == [5, 25]
    assert leaves(pa.array([dt.datetime(2024, 1, 1, 7)], pa.timestamp("us")), entry) == [7]  # noqa: DTZ001
    by_day = {"interval": {"range": ["2024-01-01", "2024-01-10"], "on": "day"}}
    late = pa.array([dt.datetime(2024, 1, 2, 1, tzinfo=zone)], pa.timestamp("us", "UTC"))
    assert leaves(late, by_day) == [0]


def test_times_of_day_have_a_grid_of_hours_or_minutes() -> None:
    entry = {"interval": {"range": ["06:00", "22:00"], "on": "hour"}}
    assert leaves(["06:30", "05:00:00", "23:59:59.5", "21:59", "24:10", "7", None], entry) == [0, 0, 16, 15, 17, 17, 17]
    assert leaves(pa.array([dt.time(8, 15)], pa.time64("us")), entry) == [2]


def test_cells_are_read_by_their_rule_one_by_one() -> None:
    """Whatever stands in other records: what most cells look like plays no part."""
    entry = {"icd10": ["block", "chapter"]}
    domain = domains_of(told("X", entry))[0]
    found = leaves(["E11.9", "e119", "E10", "A00", "flu", None, "12:30"], entry)
    assert found[0] == found[1] == found[2] == domain.leaves.index("E10-E14")
    assert found[3] == domain.leaves.index("A00-A09")
    assert found[4:] == [domain.n_leaves] * 3
    assert leaves(["37", "-3", "x", "500"], {"steps": [5, 20], "range": [0, 99]}) == [7, 20, 20, 20]
    other = {"weekday": ["day"], "other": "under no day"}
    assert leaves(["2024-01-01", "soon"], other) == [1, 7]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "cells"),
    [
        ({"icd10": ["category", "block", "chapter"]}, ["E11.9", "E14", "A00", "I21", "I21.0"]),
        ({"calendar": ["month", "year"], "range": ["2020-01-01", "2021-12-31"]}, ["2020-01-07", "2021-05-09"]),
        ({"interval": {"range": ["2024-01-01", "2024-01-02"], "on": "hour"}}, ["2024-01-01T07:00", "2024-01-01T20:00"]),
        ({"interval": {"range": ["06:00", "22:00"], "on": "hour"}}, ["07:10:00", "21:00:00"]),
    ],
)
def test_later_rows_are_masked_as_the_released_ones(tmp_path: Path, entry: Any, cells: list[str]) -> None:
    """Without noise, and by the solution file."""
    table = pa.table({"X": cells * 100, "Risk": [["lo", "hi"][i % 2] for i in range(len(cells))] * 100})
    said = told("X", entry)
    asked = replace(said, private=replace(said.private, epsilon=Fraction(20), steps=3))
    outcome = by_mechanisms(table, asked, mechanisms=Eager())
    assert len(outcome.released.chosen) == 3
    (tmp_path / "sol.json").write_text(solution_file.dumps(outcome.solution))
    later = maskwise.apply(table, tmp_path / "sol.json").data
    assert Counter(later["X"].to_pylist()) == Counter(outcome.data["X"].to_pylist())


@pytest.mark.parametrize("steps", [0, 2])
def test_later_numbers_beyond_the_range_are_shown_as_the_released_ones(tmp_path: Path, steps: int) -> None:
    table = pa.table({"X": [-5, 17, 99] * 100, "Risk": ["lo", "lo", "hi"] * 100})
    said = told("X", {"interval": {"range": [0, 40], "on": 10}})
    asked = replace(said, private=replace(said.private, epsilon=Fraction(20), steps=steps))
    outcome = by_mechanisms(table, asked, mechanisms=Eager())
    (tmp_path / "sol.json").write_text(solution_file.dumps(outcome.solution))
    later = maskwise.apply(table, tmp_path / "sol.json")
    assert Counter(later.data["X"].to_pylist()) == Counter(outcome.data["X"].to_pylist())
    assert not later.outside


def test_dates_have_a_grid_of_weeks() -> None:
    said = {
        "class": {"Risk": ["lo", "hi"]},
        "attributes": {"Born": {"interval": {"range": ["1990-01-01", "1990-01-31"], "on": "week"}}},
        "requirements": [{"epsilon": 1, "attributes": ["Born"]}],
    }
    days = [dt.date(1990, 1, 1), dt.date(1990, 1, 11), dt.date(1990, 2, 20), dt.date(1980, 1, 1), None]
    found = coded(pa.table({"Born": days, "Risk": ["lo"] * 5}), read_policy(said, private=True))
    # The first of January is a Monday; four more begin in the range.
    assert found == Counter({(0, 0): 2, (1, 0): 1, (4, 0): 1, (5, 0): 1})


def test_of_each_person_so_many_records_are_used() -> None:
    rng = np.random.default_rng(0)
    who = rng.integers(0, 12, 200).tolist()
    table = people(200).append_column("Id", pa.array(who))
    asked = policy(person="Id", per_person=3)
    expected = sum(min(n, 3) for n in Counter(who).values())
    assert sum(coded(table, asked).values()) == expected


@pytest.mark.parametrize("kind", [pa.decimal128(38, 0), pa.uint64()])
def test_persons_with_long_numbers_are_different_persons(kind: pa.DataType) -> None:
    """As floats they would be one, and to leave one out would let the other's records in: twice the change."""
    who = [Decimal(10**17 + i % 5) if pa.types.is_decimal(kind) else 10**17 + i % 5 for i in range(20)]
    table = people(20).append_column("Id", pa.array(who, kind))
    assert sum(coded(table, policy(person="Id", per_person=2)).values()) == 5 * 2


def test_records_of_nobody_are_taken_for_one_persons() -> None:
    table = people(10).append_column("Id", pa.array([None] * 10, pa.string()))
    assert sum(coded(table, policy(person="Id", per_person=2)).values()) == 2


def test_without_noise_the_release_has_the_counts_of_the_table() -> None:
    """Against a GROUP BY in plain Python of the cells as the cuts show them."""
    table = people(200)
    outcome = by_mechanisms(table, policy(50, steps=4), mechanisms=Eager())
    cuts = {cut.attribute: cut for cut in outcome.solution.cuts}
    assert len(outcome.released.chosen) == 4
    expected = Counter(
        (
            cuts["Age"].show_number(row["Age"]),
            cuts["Edu"].show_text(row["Edu"]),
            cuts["Job"].show_text(row["Job"]),
            row["Risk"],
        )
        for row in table.to_pylist()
    )
    least = outcome.released.cells.threshold
    shown = Counter(tuple(row.values()) for row in outcome.data.to_pylist())
    assert shown == Counter({row: n for row, n in expected.items() if n >= least})
    assert outcome.data.column_names == ["Age", "Edu", "Job", "Risk"]


def test_counts_stand_in_a_column_of_their_own() -> None:
    by_records = by_mechanisms(people(200), policy(steps=3), mechanisms=Exact()).data.to_pylist()
    by_counts = by_mechanisms(people(200), policy(steps=3, **{"as": "counts"}), mechanisms=Exact()).data
    assert Counter(tuple(row.values()) for row in by_records) == Counter(
        {tuple(row.values())[:-1]: row["count"] for row in by_counts.to_pylist()}
    )


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow"])
def test_the_release_is_of_the_kind_that_was_given(kind: str) -> None:
    given = {
        "pandas": lambda table: table.to_pandas(),
        "polars": pl.DataFrame,
        "lazy": lambda table: pl.DataFrame(table).lazy(),
        "arrow": lambda table: table,
    }[kind](people())
    outcome = by_mechanisms(given, policy(steps=1), mechanisms=Exact())
    kinds = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "arrow": pa.Table}
    assert isinstance(outcome.data, kinds[kind])


def test_an_empty_table_gives_a_release_as_any_other() -> None:
    outcome = by_mechanisms(people(3).slice(0, 0), policy(), mechanisms=Repeatable(3))
    assert outcome.released.cells.n_cells > 0


class Nothing(Exact):
    """Every count is 0 by chance, so no combination reaches the threshold."""

    def add_noise(self, counts: Any, epsilon: Fraction) -> Any:
        del epsilon
        return np.zeros(len(counts), np.int64)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["records", "counts"])
@pytest.mark.parametrize("suffix", ["csv", "parquet", None])
def test_a_release_without_rows_is_a_release_as_any_other(tmp_path: Path, suffix: str | None, form: str) -> None:
    target = None if suffix is None else tmp_path / f"out.{suffix}"
    outcome = by_mechanisms(people(), policy(steps=1, **{"as": form}), target, mechanisms=Nothing())
    assert outcome.n_rows == 0
    assert target is None or target.exists()


def test_a_column_may_be_called_count() -> None:
    said = told("count", {"suppress": ["a", "b"]})
    table = pa.table({"count": ["a", "b"] * 50, "Risk": ["lo", "hi"] * 50})
    outcome = by_mechanisms(table, said, mechanisms=Exact())
    assert outcome.solution.columns == ("count", "Risk")
    assert maskwise.apply(table, outcome.solution).data.column_names == ["count", "Risk"]


def test_no_caller_can_put_in_other_randomness() -> None:
    """Neither a seed nor mechanisms: a certificate would call them OpenDP's."""
    known = inspect.signature(maskwise.anonymize_privately).parameters
    assert not {"seed", "random_state", "mechanisms"} & set(known)


def test_the_account_of_epsilon_is_exact() -> None:
    for per_person in (1, 3):
        person = {"person": "Name"} if per_person > 1 else {}
        asked = policy("0.7", per_person=per_person, **person)
        outcome = by_mechanisms(people(), asked, mechanisms=Repeatable(1))
        assert sum(line.epsilon for line in outcome.released.spent) * per_person == asked.private.epsilon  # type: ignore[union-attr]


def test_a_recount_of_the_written_file_is_part_of_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another table were written, nothing would be released."""
    import maskwise.private.run as module

    real = module._opened  # noqa: SLF001 - what is broken on purpose

    def other(shown: pa.Table, table: Any, target: Any) -> Any:
        return real(shown.slice(1), table, target)

    monkeypatch.setattr(module, "_opened", other)
    with pytest.raises(maskwise.RefusedError):
        by_mechanisms(people(200), policy(steps=1), tmp_path / "out.csv", mechanisms=Exact())
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "tsv"])
def test_formulas_are_escaped_and_recounted(tmp_path: Path, suffix: str) -> None:
    said = {
        "class": {"Risk": ["-lo", "=hi"]},
        "attributes": {"Job": {"suppress": ["@clerk", "+nurse"]}},
        "requirements": [{"epsilon": 5, "attributes": ["Job"], "steps": 1}],
    }
    table = pa.table({"Job": ["@clerk", "+nurse"] * 30, "Risk": ["-lo", "=hi"] * 30})
    outcome = by_mechanisms(table, said, tmp_path / f"out.{suffix}", escape_formulas=True, mechanisms=Repeatable(1))
    assert outcome.n_records


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="`Job` is in the policy but not in the table"):
        by_mechanisms(people().drop_columns("Job"), policy(), mechanisms=Exact())


def test_a_private_policy_is_refused_where_tables_are_recounted() -> None:
    for call in (maskwise.anonymize, maskwise.audit, maskwise.risk, maskwise.attack):
        with pytest.raises(PolicyError, match="cannot be recounted"):
            call(people(), policy())


def test_a_session_says_that_it_cannot_release_privately() -> None:
    with maskwise.Session(people()) as session:
        for asked in (policy(), to_data(policy())):
            (remark,) = session.check(asked)
            assert remark.is_mistake
            assert "asks for epsilon=1" in remark.text
            with pytest.raises(PolicyError, match="maskwise mask"):
                session.search(asked)


def test_a_policy_without_epsilon_is_not_for_a_private_release() -> None:
    with pytest.raises(InputError, match="asks for no `epsilon`"):
        by_mechanisms(people(), {"requirements": [{"qid": ["Age"], "k": 2}]}, mechanisms=Exact())
