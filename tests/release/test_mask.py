"""Masking rows that a solution was not found on."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import InputError
from maskwise.release.frames import as_frame
from maskwise.release.mask import Unknown, apply, drop_columns
from maskwise.solution.solution import Solution
from maskwise.table.read import read

POLICY = {
    "class": "c",
    "attributes": {"Age": {"interval": [0, 99]}, "Job": "suppress"},
    "requirements": [{"qid": ["Age"], "k": 3}, {"qid": ["Job"], "k": 3}],
    "drop": ["Name"],
}


def solution(**more: object) -> Solution:
    table = pa.table(
        {
            "Age": [20, 30, 40, 50] * 3,
            "Job": ["a", "a", "b", "b"] * 3,
            "Name": [str(i) for i in range(12)],
            "c": ["x", "x", "y", "y"] * 3,
        }
    )
    return maskwise.anonymize(table, {**POLICY, **more}).solution


def rows(**columns: list[object]) -> pa.Table:
    return pa.table({"Age": [25, 45], "Job": ["a", "b"], "c": ["x", "y"], **columns})


def test_unknown_texts_are_shown_as_the_root_and_counted() -> None:
    masked = apply(read(rows(Job=["a", "astronaut"])), solution())
    assert as_frame(masked.table)["Job"].to_pylist() == ["a", "*"]
    assert masked.unknown == {"Job": Unknown(1, 1)}


def test_numbers_outside_the_range_are_shown_in_the_outermost_interval() -> None:
    saved = solution()
    masked = apply(read(rows(Age=[-5, 120])), saved)
    labels = saved.cut("Age").labels
    assert as_frame(masked.table)["Age"].to_pylist() == [labels[0], labels[-1]]
    assert masked.outside == {"Age": 2}


def test_a_column_that_the_release_did_not_have_is_left_out_and_named() -> None:
    masked = apply(read(rows(email=["e", "f"], NAME=["n", "m"])), solution())
    assert masked.table.names == ("Age", "Job", "c")
    # A dropped column is known, whatever the case of its letters.
    assert masked.left_out == ("email",)


def test_strict_refuses_what_the_solution_does_not_know() -> None:
    with pytest.raises(InputError, match="`Job` in 1 record; the column `email` itself"):
        apply(read(rows(Job=["a", "astronaut"], email=["e", "f"])), solution(), strict=True)


def test_records_with_a_missing_cell_are_dropped_where_the_policy_drops_them() -> None:
    masked = apply(read(rows(Age=[None, 45])), solution(missing="drop"))
    assert (masked.n_dropped, as_frame(masked.table).num_rows) == (1, 1)


def test_missing_cells_are_refused_where_the_policy_refuses_them() -> None:
    with pytest.raises(InputError, match="1 missing cell"):
        apply(read(rows(Age=[None, 45])), solution(missing="error"))


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], "holds ISO dates, but the solution expects"),
        (["25", "elderly"], "holds 1 cell that should be .*first in record 2"),
    ],
)
def test_cells_of_another_kind_are_refused_without_being_quoted(cells: list[object], says: str) -> None:
    with pytest.raises(InputError, match=says) as raised:
        apply(read(rows(Age=cells)), solution())
    assert "elderly" not in str(raised.value)


def test_dropping_nothing_changes_nothing() -> None:
    table = read(rows())
    assert drop_columns(table, ["nowhere"]) is table
    assert drop_columns(table, ["Age"]).names == ("Job", "c")
