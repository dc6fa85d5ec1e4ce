"""Only counts travel: never the records, and never more for more refinements."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.engines.postgres import cells as postgres_cells
from tests.engines.conftest import Place

N = 6000


def records() -> pa.Table:
    """Many records of few kinds, each with a number of its own that nobody needs to see."""
    rng = random.Random(1)  # noqa: S311 - test data
    ages = [20 + rng.randrange(12) for _ in range(N)]
    return pa.table(
        {
            "id": pa.array(range(N), pa.int64()),
            "age": pa.array(ages, pa.int32()),
            "job": [rng.choice(["clerk", "nurse", "judge"]) for _ in range(N)],
            "sex": [rng.choice("FM") for _ in range(N)],
            "ill": [rng.choice(["flu", "cold", "HIV"]) for _ in range(N)],
            "risk": [["low", "high"][age % 5 > 1] for age in ages],
        }
    )


POLICY = {
    "class": "risk",
    "requirements": [
        {"qid": ["age", "job"], "k": 5},
        {"qid": ["age", "sex"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.6},
    ],
}
MOST_GROUPS = 12 * 3
MOST_SIZES = 120
"""Different sizes of groups, over all sets of columns that the risk is counted on."""
MOST_KINDS = (12 + 3 + 2) * 2


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each fetch of any engine brought over."""
    from maskwise.engines.duckdb import DuckDB
    from maskwise.engines.postgres.dialect import Postgres

    kinds: list[Any] = [DuckDB, Postgres]
    try:
        from maskwise.engines.spark.dialect import Spark
    except ImportError:
        pass
    else:
        kinds.append(Spark)
    rows: list[int] = []

    def counting(stream: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def count(self: Any, sql: str) -> Iterator[Any]:
            with stream(self, sql) as batches:
                rows.append(0)
                yield _Watched(batches, rows)

        return count

    for kind in kinds:
        monkeypatch.setattr(kind, "stream", counting(kind.stream))
    return rows


class _Watched:
    """A stream whose rows are counted as they come."""

    def __init__(self, batches: Any, rows: list[int]) -> None:
        self._batches, self._rows = batches, rows

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self._batches:
            self._rows[-1] += batch.num_rows
            yield batch

    def read_all(self) -> pa.Table:
        found: pa.Table = self._batches.read_all()
        self._rows[-1] += found.num_rows
        return found


@pytest.mark.parametrize(("criterion", "n_parts"), [("score", 1), ("conditional", 10 * 2)])
def test_no_fetch_is_larger_than_the_counts(
    remote_place: Place, fetched: list[int], criterion: str, n_parts: int
) -> None:
    """DuckDB runs in this process, where a part of the records is looked at for leaks.

    By conditional gain groups are counted by ten bins of what unmasked columns tell, and by class.
    """
    data, engine = remote_place.load(records())
    target = remote_place.target() or "pushed_down"
    maskwise.anonymize(data, POLICY, target, engine=engine, criterion=criterion)
    assert fetched
    assert max(fetched) <= max(MOST_KINDS, MOST_GROUPS * n_parts, MOST_SIZES)
    assert sum(fetched) < (N / 10 if criterion == "score" else N / 5)


def test_postgresql_sends_less_than_a_percent_of_its_bytes(postgres: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured where the server's answers come in."""
    sent: list[int] = []
    read = postgres_cells.read_csv

    def counting(blocks: Iterator[Any], schema: pa.Schema) -> AbstractContextManager[pa.RecordBatchReader]:
        def count() -> Iterator[Any]:
            for block in blocks:
                sent.append(len(block))
                yield block

        return read(count(), schema)

    monkeypatch.setattr(postgres_cells, "read_csv", counting)
    big = pa.concat_tables([records()] * 20)
    postgres.anonymize(big, POLICY)
    assert sum(sent) < big.nbytes / 100


def test_more_refinements_ask_no_more_questions(place: Place, fetched: list[int]) -> None:
    asked = []
    for max_steps in (1, None):
        fetched.clear()
        outcome, _ = place.anonymize(records(), POLICY, max_steps=max_steps)
        asked.append((len(outcome.steps), len(fetched)))
    (few, asked_for_few), (many, asked_for_many) = asked
    assert few < many
    assert asked_for_few == asked_for_many


def test_spark_runs_as_many_jobs_for_one_refinement_as_for_all(session: Any) -> None:
    jobs, steps = [], []
    frame = session.createDataFrame(records()).persist()
    for max_steps in (1, 2, None):
        group = f"refinements-{max_steps}"
        session.sparkContext.setJobGroup(group, "a run")
        outcome = maskwise.anonymize(frame, POLICY, max_steps=max_steps)
        jobs.append(len(session.sparkContext.statusTracker().getJobIdsForGroup(group)))
        steps.append(len(outcome.steps))
    frame.unpersist()
    assert steps[0] < steps[1] < steps[2]
    assert jobs[0] == jobs[1] == jobs[2] > 0
