"""A private release of a table: what becomes of its cells, what is written, and what is not told."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import InputError, PolicyError
from maskwise.formats.policy_file import read_policy
from maskwise.private.coded_records import code_records
from maskwise.private.domain import domains_of
from maskwise.private.run import anonymize_privately
from maskwise.table.read import read
from tests.private.tables import Eager, Exact, Repeatable, policy
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


def test_dates_have_a_grid_of_days() -> None:
    said = {
        "class": {"Risk": ["lo", "hi"]},
        "attributes": {"Born": {"interval": ["1990-01-01", "1990-01-31"], "grid": 10}},
        "requirements": [{"epsilon": 1, "attributes": ["Born"]}],
    }
    days = [dt.date(1990, 1, 1), dt.date(1990, 1, 11), dt.date(1990, 2, 20), dt.date(1980, 1, 1), None]
    found = coded(pa.table({"Born": days, "Risk": ["lo"] * 5}), read_policy(said, private=True))
    assert found == Counter({(0, 0): 2, (1, 0): 1, (3, 0): 1, (4, 0): 1})


def test_of_each_person_so_many_records_are_used() -> None:
    rng = np.random.default_rng(0)
    who = rng.integers(0, 12, 200).tolist()
    table = people(200).append_column("Id", pa.array(who))
    asked = policy(person="Id", per_person=3)
    expected = sum(min(n, 3) for n in Counter(who).values())
    assert sum(coded(table, asked).values()) == expected


def test_records_of_nobody_are_taken_for_one_persons() -> None:
    table = people(10).append_column("Id", pa.array([None] * 10, pa.string()))
    assert sum(coded(table, policy(person="Id", per_person=2)).values()) == 2


def test_without_noise_the_release_has_the_counts_of_the_table() -> None:
    """Against a GROUP BY in plain Python of the cells as the cuts show them."""
    table = people(200)
    outcome = anonymize_privately(table, policy(50, steps=4), mechanisms=Eager())
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
    by_records = anonymize_privately(people(200), policy(steps=3), mechanisms=Exact()).data.to_pylist()
    by_counts = anonymize_privately(people(200), policy(steps=3, **{"as": "counts"}), mechanisms=Exact()).data
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
    outcome = anonymize_privately(given, policy(steps=1), mechanisms=Exact())
    kinds = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "lazy": pl.LazyFrame, "arrow": pa.Table}
    assert isinstance(outcome.data, kinds[kind])


def test_an_empty_table_gives_a_release_as_any_other() -> None:
    outcome = anonymize_privately(people(3).slice(0, 0), policy(), mechanisms=Repeatable(3))
    assert outcome.released.cells.n_cells > 0


def test_the_account_of_epsilon_is_exact() -> None:
    for per_person in (1, 3):
        person = {"person": "Name"} if per_person > 1 else {}
        asked = policy("0.7", per_person=per_person, **person)
        outcome = anonymize_privately(people(), asked, mechanisms=Repeatable(1))
        assert sum(line.epsilon for line in outcome.released.spent) * per_person == asked.private.epsilon  # type: ignore[union-attr]


def test_a_recount_of_the_written_file_is_part_of_every_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another table were written, nothing would be released."""
    import maskwise.private.run as module

    real = module._opened  # noqa: SLF001 - what is broken on purpose

    def other(shown: pa.Table, table: Any, target: Any) -> Any:
        return real(shown.slice(1), table, target)

    monkeypatch.setattr(module, "_opened", other)
    with pytest.raises(maskwise.RefusedError):
        anonymize_privately(people(200), policy(steps=1), tmp_path / "out.csv", mechanisms=Exact())
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "tsv"])
def test_formulas_are_escaped_and_recounted(tmp_path: Path, suffix: str) -> None:
    said = {
        "class": {"Risk": ["-lo", "=hi"]},
        "attributes": {"Job": {"suppress": ["@clerk", "+nurse"]}},
        "requirements": [{"epsilon": 5, "attributes": ["Job"], "steps": 1}],
    }
    table = pa.table({"Job": ["@clerk", "+nurse"] * 30, "Risk": ["-lo", "=hi"] * 30})
    outcome = anonymize_privately(
        table, said, tmp_path / f"out.{suffix}", escape_formulas=True, mechanisms=Repeatable(1)
    )
    assert outcome.n_records


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="`Job` is in the policy but not in the table"):
        anonymize_privately(people().drop_columns("Job"), policy(), mechanisms=Exact())


def test_a_private_policy_is_refused_where_tables_are_recounted() -> None:
    for call in (maskwise.anonymize, maskwise.audit, maskwise.risk, maskwise.attack):
        with pytest.raises(PolicyError, match="cannot be recounted"):
            call(people(), policy())


def test_a_policy_without_epsilon_is_not_for_a_private_release() -> None:
    with pytest.raises(InputError, match="asks for no `epsilon`"):
        anonymize_privately(people(), {"requirements": [{"qid": ["Age"], "k": 2}]}, mechanisms=Exact())
