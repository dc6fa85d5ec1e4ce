"""The recount of many sets of columns from rows of small numbers, against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.policy.requirements.lkc import LKC
from maskwise.table.read import read
from maskwise.verify import coded_records
from maskwise.verify import verify as recount
from maskwise.verify.coded_records import RecountRows

N_CODES = (2, 90, 3, 1, 5, 2, 4)


@pytest.mark.slow
@pytest.mark.parametrize(("together", "cells"), [(1 << 14, 1 << 16), (30, 1 << 16), (1 << 14, -(10**9))])
@pytest.mark.parametrize("n_counts", [1, 3])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_set_has_the_groups_of_a_plain_count(
    monkeypatch: pytest.MonkeyPatch, size: int, n_counts: int, together: int, cells: int
) -> None:
    # Columns as one where cells are few; nearly none of them; and all groups found by sorting.
    monkeypatch.setattr(coded_records, "_MOST_TOGETHER", together)
    monkeypatch.setattr(coded_records, "_MOST_CELLS", cells)
    rng = np.random.default_rng(size)
    codes = rng.integers(0, np.array(N_CODES)[:, None], (len(N_CODES), 400)).astype(np.uint8)
    counts = rng.integers(1, 4, (400, n_counts))
    sets = list(combinations(range(len(N_CODES)), size))
    found = list(RecountRows(codes, N_CODES, counts).alike(sets))
    assert [at for at, _, _ in found] == list(range(len(sets)))
    for (_, different, n), one in zip(found, sets, strict=True):
        groups: dict[tuple[int, ...], Any] = {}
        for row, own in zip(codes[list(one)].T.tolist(), counts, strict=True):
            groups[tuple(row)] = groups.get(tuple(row), 0) + own
        expected = Counter(tuple(total.tolist()) for total in groups.values())
        assert dict(zip(map(tuple, different.tolist()), n.tolist(), strict=True)) == expected
        assert different.tolist() == sorted(different.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("column", ["text", "float", "date"])
def test_records_that_come_over_one_by_one_lead_to_the_same_verdict(
    monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    rng = np.random.default_rng(3)
    n = 500
    cells = {
        "text": [["it's", "", "*", "ß", None][c] for c in rng.integers(0, 5, n)],
        "float": [[0.0, -0.0, float("nan"), 1.5, None][c] for c in rng.integers(0, 5, n)],
        "date": pa.array(rng.integers(0, 5, n), pa.int32()).cast(pa.date32()),
    }[column]
    names = [f"a{i}" for i in range(6)]
    columns = {name: rng.integers(0, 20, n) for name in names}
    table = pa.table({**columns, "b": cells, "ill": rng.choice(["hiv", "flu"], n)})
    asked = {"lkc": {"attributes": [*names, "b"], "L": 2}, "k": 3, "sensitive": {"ill": ["hiv"]}, "confidence": 0.6}
    found = []
    for separate, listed in ((10**9, 0), (0, 0), (0, 1 << 28)):
        monkeypatch.setattr(recount, "MOST_SEPARATE", separate)
        monkeypatch.setattr(coded_records, "_MOST_LISTED", listed)
        found.append(maskwise.audit(table, {"requirements": [asked]}).findings)
    assert found[0] == found[1] == found[2]


def test_a_table_without_records_has_no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recount, "MOST_SEPARATE", 0)
    names = [f"a{i}" for i in range(4)]
    table = pa.table({name: pa.array([], pa.string()) for name in names})
    (found,) = recount.verify(read(table), [LKC(tuple(names), 2, 3)]).findings
    assert (found.n_groups, found.n_rows, found.n_violating_groups) == (0, 0, 0)
