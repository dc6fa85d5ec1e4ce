"""What is counted by the engine, and what follows from counts that are there already."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.compress import compress as module
from maskwise.compress.compressed_table import CompressedTables

ROWS: list[dict[str, Any]] = [
    {"sex": "fm"[i % 2], "job": "abc"[i % 3], "risk": [None, "no", "yes"][i * 7 % 11 % 3]} for i in range(60)
]


@pytest.mark.parametrize(("qids", "n"), [([["sex", "job"]], 0), ([["sex"], ["job"]], 1)])
def test_rows_that_were_counted_by_class_are_not_counted_again(
    monkeypatch: pytest.MonkeyPatch, qids: list[list[str]], n: int
) -> None:
    asked: list[object] = []
    found: list[CompressedTables] = []
    compress, recode = module.compress, module.recode
    monkeypatch.setattr(module, "recode", lambda *args, **options: asked.append(args) or recode(*args, **options))

    def keep(*args: Any) -> CompressedTables:
        found.append(compress(*args))
        return found[-1]

    monkeypatch.setattr("maskwise.pipeline.solving.compress", keep)
    policy = {"class": "risk", "requirements": [{"qid": qid, "k": 2} for qid in qids]}
    maskwise.anonymize(pa.Table.from_pylist(ROWS), policy, criterion="conditional")
    (tables,) = found
    assert len(asked) == n
    for table, qid in zip(tables.tables, qids, strict=True):
        sizes = Counter(tuple(row[name] for name in qid) for row in ROWS)
        assert sorted(table.counts[:, 0].tolist()) == sorted(sizes.values())
