"""Records inside an engine: columns as they are counted, and columns that are not there."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from maskwise.errors import InputError
from maskwise.table.read import read
from maskwise.table.table import Table

NAN, INF = float("nan"), float("inf")


def cells(array: pa.Array) -> list[Any]:
    """A column as it is counted."""
    table = read(pa.table({"x": array}))
    found: list[Any] = table.engine.fetch(table.expr.select(x=table.column("x"))).column("x").to_pylist()
    return found


COLUMNS = {
    "not a number is missing": (pa.array([1.5, NAN, INF, None]), [1.5, None, INF, None]),
    "minus zero is zero": (pa.array([-0.0, 0.0]), [0.0, 0.0]),
    "short floats keep their spelling": (pa.array([0.1], pa.float32()), [0.1]),
    "decimals are floats": (pa.array([Decimal("1.50")]), [1.5]),
    "large whole numbers are floats": (pa.array([2**63], pa.uint64()), [2.0**63]),
    "nanoseconds are rounded": (
        pa.array([1_000], pa.timestamp("ns")),
        [dt.datetime(1970, 1, 1, 0, 0, 0, 1)],  # noqa: DTZ001
    ),
    "texts stay": (pa.array(["00501", None]), ["00501", None]),
}


@pytest.mark.parametrize(("array", "expected"), COLUMNS.values(), ids=COLUMNS.keys())
def test_a_column_is_counted_in_one_spelling(array: pa.Array, expected: list[Any]) -> None:
    found = cells(array)
    assert found == expected
    assert not any(isinstance(cell, float) and np.signbit(cell) for cell in found)


def test_only_asked_columns_are_normalized() -> None:
    table = read(pa.table({"x": [NAN], "y": [NAN], "z": ["a"]}))
    found = table.engine.fetch(table.normalized(["x", "z"]))
    assert found.column("c0").to_pylist() == [None]
    assert np.isnan(found.column("c1")[0].as_py())
    assert table.normalized(["z"]) is table.expr


def test_distinct_cells_are_counted_without_the_missing_ones() -> None:
    found = read(pa.table({"x": ["b", "a", None, "b", None]})).distinct("x")
    assert dict(zip(found.keys.to_pylist(), found.counts.tolist(), strict=True)) == {"a": 1, "b": 2}
    assert found.n_missing == 2


def test_records_with_missing_cells_are_left_out() -> None:
    table = read(pa.table({"x": [1.0, None, NAN, 4.0], "y": ["a", "b", "c", None]}))
    assert (table.n_rows(), table.without_missing(["x"]).n_rows(), table.without_missing(["x", "y"]).n_rows()) == (
        4,
        2,
        1,
    )


def test_the_first_record_with_a_cell_is_numbered_from_one() -> None:
    table = read(pa.table({"x": ["a", "b", "c", "b"]}))
    assert table.first_row_with("x", pa.array(["c", "b"])) == 2
    assert table.first_row_with("x", pa.array(["z"])) is None


def test_nested_and_binary_columns_cannot_be_counted() -> None:
    table = read(pa.table({"list": [[1]], "bytes": [b"x"], "text": ["x"]}))
    assert [table.is_countable(name) for name in table.names] == [False, False, True]


def test_a_sensitive_column_needs_cells_that_a_policy_can_spell() -> None:
    table = read(pa.table({"ill": ["HIV"], "at": [dt.datetime(2024, 4, 6)]}))  # noqa: DTZ001
    table.require_sensitive("ill")
    with pytest.raises(InputError, match=r"`at` holds timestamp.* cells, which a policy cannot name exactly"):
        table.require_sensitive("at")


PEOPLE = Table(None, None, ("Age", "Zip code", "Sex"), "people")  # type: ignore[arg-type]


def test_a_column_that_is_not_there_comes_with_a_suggestion() -> None:
    PEOPLE.require("Age")
    with pytest.raises(InputError, match=r"The table has: `Age`, `Zip code`, `Sex`\. Did you mean `Sex`\?") as caught:
        PEOPLE.require("Sexe", "is in the solution")
    assert str(caught.value).startswith("Column `Sexe` is in the solution but not in the table.")


@pytest.mark.parametrize(
    ("names", "asked", "says", "hidden"),
    [
        (("31", "HIV"), ("Age", "Ill"), "which has 2 columns. Is its first line a header?", "HIV"),
        (("zip_code", "31", "HIV"), ("Zip code", "Age"), "Did you mean `zip_code`?", "HIV"),
    ],
)
def test_a_first_line_that_may_be_a_record_is_not_quoted(
    names: tuple[str, ...], asked: tuple[str, ...], says: str, hidden: str
) -> None:
    table = Table(None, None, names, "people", has_header_line=True)  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        table.require(asked[0], among=asked)
    assert says in str(caught.value)
    assert hidden not in str(caught.value)
