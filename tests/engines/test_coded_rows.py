"""Distinct rows of codes that compiled loops count are those that plain Python counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.engines import coded_rows
from maskwise.engines.coded_rows import count_coded

WIDTHS = st.lists(st.sampled_from([np.uint8, np.uint8, np.uint16, np.uint32]), min_size=1, max_size=20)


@pytest.fixture(autouse=True, params=[1, 2])
def _any_number_of_records(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded_rows, "_LEAST_RECORDS", 1)
    monkeypatch.setattr(coded_rows, "n_processors", lambda: request.param)


def random_table(seed: int, n_records: int, widths: list[type[np.unsignedinteger]], n_marks: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    columns = {}
    for i, width in enumerate(widths):
        some = rng.integers(0, np.iinfo(width).max, 3, endpoint=True, dtype=width)
        columns[f"c{i}"] = pa.array(some[rng.integers(0, rng.integers(1, 4), n_records)])
    return pa.table(columns | {f"s{i}": pa.array(rng.integers(0, 2, n_records, np.uint8)) for i in range(n_marks)})


@settings(max_examples=100)
@given(seed=st.integers(0, 10**6), n_records=st.integers(1, 300), widths=WIDTHS, n_marks=st.integers(0, 3))
def test_rows_are_those_that_plain_python_counts(
    seed: int, n_records: int, widths: list[type[np.unsignedinteger]], n_marks: int
) -> None:
    table = random_table(seed, n_records, widths, n_marks)
    names = [f"c{i}" for i in range(len(widths))]
    counted = count_coded(table, names, [f"s{i}" for i in range(n_marks)])
    if sum(np.dtype(width).itemsize for width in widths) > 64:
        assert counted is None
        return
    assert counted is not None
    expected: Counter[tuple[int, ...]] = Counter()
    marked: Counter[tuple[tuple[int, ...], int]] = Counter()
    for record in table.to_pylist():
        row = tuple(record[name] for name in names)
        expected[row] += 1
        for i in range(n_marks):
            marked[row, i] += record[f"s{i}"]
    found = [
        (tuple(row), counts)
        for part in counted
        for row, counts in zip(part.codes.tolist(), part.counts.tolist(), strict=True)
    ]
    assert len(found) == len(expected)
    assert {row: counts for row, counts in found} == {  # noqa: C416 - the order does not matter
        row: [n, *(marked[row, i] for i in range(n_marks))] for row, n in expected.items()
    }


@pytest.mark.parametrize(
    ("columns", "sums"),
    [
        ({"c0": pa.array([1, None], pa.uint8())}, []),
        ({"c0": pa.array([1, 2], pa.int64())}, []),
        ({"c0": pa.array([1, 2], pa.uint8()), "s0": pa.array([300, 0], pa.uint16())}, ["s0"]),
        ({"c0": pa.array([1, 2], pa.uint8()), "s0": pa.array([None, 0], pa.uint8())}, ["s0"]),
    ],
)
def test_what_is_no_small_code_is_left_to_the_database(columns: dict[str, pa.Array], sums: list[str]) -> None:
    assert count_coded(pa.table(columns), ["c0"], sums) is None
