"""Spark's results come a few partitions at a time, and what does not fit the memory given is kept in files."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file


@pytest.mark.slow
def test_a_result_comes_a_few_partitions_at_a_time_and_in_order(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from maskwise.engines.spark import queries

    monkeypatch.setattr(queries, "_MOST_BYTES", 1)
    session.sparkContext.setJobGroup("batches", "a result")
    frame = session.range(0, 1000, 1, 7).selectExpr("id", "CAST(id AS STRING) AS text")
    batches = list(queries.arrow_batches(frame, queries.arrow_schema(frame)))
    n_jobs = len(session.sparkContext.statusTracker().getJobIdsForGroup("batches"))
    assert pa.Table.from_batches(batches).to_pydict() == {
        "id": list(range(1000)),
        "text": [str(i) for i in range(1000)],
    }
    # Four partitions before their size is known, then one at a time.
    assert n_jobs == 4


@pytest.mark.slow
def test_a_compressed_table_beyond_the_memory_given_is_kept_in_files(session: Any) -> None:
    rng = random.Random(3)  # noqa: S311 - test data
    n = 20_000
    columns = {name: [rng.randrange(900) for _ in range(n)] for name in ("a", "b", "c")}
    table = pa.table(
        {
            **columns,
            "risk": [["low", "high"][(x + y) % 3 > 0] for x, y in zip(*list(columns.values())[:2], strict=True)],
        }
    )
    policy = {"class": "risk", "requirements": [{"qid": ["a", "b", "c"], "k": 20}]}
    expected = maskwise.anonymize(table, policy)
    outcome = maskwise.anonymize(session.createDataFrame(table), policy, memory="1MB")
    assert any("kept in temporary files" in str(message.text) for message in outcome.solution.messages)
    found, whole = (
        [line for line in solution_file.dumps(one.solution).splitlines() if "temporary files" not in line]
        for one in (outcome, expected)
    )
    assert found == whole
