"""Masking rows that a solution was not found on."""

from __future__ import annotations

import datetime as dt
from typing import Any

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
    return maskwise.anonymize(table, {**POLICY, **more}, criterion="score").solution


def rows(**columns: list[object]) -> pa.Table:
    return pa.table({"Age": [25, 45], "Job": ["a", "b"], "c": ["x", "y"], **columns})


def test_unknown_texts_are_shown_as_the_root_and_counted() -> None:
    masked = apply(read(rows(Job=["a", "astronaut"])), solution())
    assert as_frame(masked.table)["Job"].to_pylist() == ["a", "*"]
    assert masked.unknown == {"Job": Unknown(1, 1)}


OUTSIDE = {
    "numbers": [-5, 0, 99, 120],
    "decimals": [-0.5, 0.0, 99.0, 99.5],
    "texts": ["-5", "0", "99", "100"],
    "texts with decimals": ["-0.01", "0.0", "99", "99.01"],
}
"""Four ages each, of which the first and the last lie outside the range from 0 to 99."""


@pytest.mark.slow
@pytest.mark.parametrize("ages", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("most_steps", [0, 256])
def test_numbers_outside_every_interval_are_shown_as_the_range_or_outside(
    ages: list[object], most_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compared by the engine, and looked up one by one."""
    monkeypatch.setattr("maskwise.release.mask._MOST_STEPS", most_steps)
    saved = solution()
    labels, beyond = saved.cut("Age").labels, "[0, 99] or outside"
    masked = apply(read(rows(Age=ages, Job=["a"] * 4, c=["x"] * 4)), saved)
    assert as_frame(masked.table)["Age"].to_pylist() == [beyond, labels[0], labels[-1], beyond]
    assert (masked.outside, masked.n_outside_dropped) == ({"Age": 2}, 0)


@pytest.mark.slow
@pytest.mark.parametrize("ages", OUTSIDE.values(), ids=OUTSIDE)
def test_rows_outside_every_interval_are_left_out_where_this_is_asked(ages: list[object]) -> None:
    saved = solution()
    labels = saved.cut("Age").labels
    masked = apply(read(rows(Age=ages, Job=["a", "b", "c", "d"], c=["x"] * 4)), saved, outside="drop")
    shown = as_frame(masked.table)
    assert shown["Age"].to_pylist() == [labels[0], labels[-1]]
    assert shown["Job"].to_pylist() == ["b", "*"]
    assert (masked.outside, masked.n_outside_dropped) == ({"Age": 2}, 2)


def test_a_missing_cell_is_not_outside() -> None:
    masked = apply(read(rows(Age=[None, 120])), solution(), outside="drop")
    assert as_frame(masked.table)["Age"].to_pylist() == ["[0, 99]"]
    assert (masked.outside, masked.n_outside_dropped) == ({"Age": 1}, 1)


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"outside": "refuse"}, {"strict": True}, {"strict": True, "outside": "drop"}])
def test_rows_outside_every_interval_are_refused_where_this_is_asked(how: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"outside every interval.*`Age` in 1 record") as raised:
        apply(read(rows(Age=[25, 1234])), solution(), **how)
    assert "1234" not in str(raised.value)
    assert not apply(read(rows()), solution(), **how).outside


def test_there_is_no_fourth_way() -> None:
    with pytest.raises(InputError, match="`outside` is one of"):
        apply(read(rows()), solution(), outside="keep")


@pytest.mark.slow
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("outside", ["root", "drop", "refuse"])
def test_dates_after_the_range_are_outside(texts: bool, outside: str) -> None:
    """A range that ends with 2024 does not hold an admission of January 2025."""
    days = [dt.date(2024, 1 + i % 12, 1 + i % 28) for i in range(48)]
    table = pa.table({"Day": days, "c": ["xy"[day.month > 6] for day in days]})
    policy = {
        "class": "c",
        "attributes": {"Day": {"interval": [dt.date(2024, 1, 1), dt.date(2024, 12, 31)]}},
        "requirements": [{"qid": ["Day"], "k": 6}],
    }
    saved = maskwise.anonymize(table, policy).solution
    later: list[Any] = [dt.date(2024, 12, 31), dt.date(2025, 1, 1), dt.date(2025, 1, 31)]
    table = read(pa.table({"Day": [str(day) for day in later] if texts else later, "c": ["x"] * 3}))
    if outside == "refuse":
        with pytest.raises(InputError, match="`Day` in 2 records"):
            apply(table, saved, outside=outside)
        return
    masked = apply(table, saved, outside=outside)
    last, beyond = saved.cut("Day").labels[-1], "[2024-01-01, 2024-12-31] or outside"
    assert last.endswith(", 2024-12-31]")
    assert as_frame(masked.table)["Day"].to_pylist() == ([last] if outside == "drop" else [last, beyond, beyond])
    assert masked.outside == {"Day": 2}


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


@pytest.mark.slow
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
