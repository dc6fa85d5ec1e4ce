"""The commonest rows of a release."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from maskwise.release.common_rows import MOST_COLUMNS, common_rows
from maskwise.table.read import read

CELL = st.sampled_from(["a", "B", "é", "", None])


@given(st.lists(st.tuples(CELL, CELL), max_size=30), st.integers(1, 6), st.randoms(use_true_random=False))
def test_they_are_those_of_plain_python_in_any_order(
    rows: list[tuple[str | None, str | None]], most: int, rng: random.Random
) -> None:
    shuffled = rng.sample(rows, len(rows))
    table = pa.table({name: pa.array([row[i] for row in shuffled], pa.string()) for i, name in enumerate("xy")})

    def rank(counted: tuple[tuple[str | None, ...], int]) -> tuple[object, ...]:
        return (-counted[1], *((text is None, (text or "").encode()) for text in counted[0]))

    expected = sorted(Counter(rows).items(), key=rank)[:most]
    assert [
        (tuple(dict(row.shown).values()), row.n_records) for row in common_rows(read(table), ["x", "y"], most)
    ] == expected


def test_of_many_columns_the_first_are_looked_at() -> None:
    names = [f"c{i}" for i in range(40)]
    (row,) = common_rows(read(pa.table({name: ["a", "a"] for name in names})), names)
    assert row.shown == tuple((name, "a") for name in names[:MOST_COLUMNS])


def test_without_columns_there_are_none() -> None:
    assert common_rows(read(pa.table({"x": ["a"]})), []) == ()
