"""What does a whole run cost where the data is, beside one GROUP BY of the same columns with the same settings?

`python -m bench.beside_groupby postgres|spark [rows [memory]]`: the papers' blow-up of Adult, 14 attributes
in one QID, k = 50, from table to table on PostgreSQL, from parquet to a folder of parquet on Spark with
two cores. Both are measured in one run, in seconds of the clock and of all processors: the server's, Java's and our
own. Spark's GROUP BY is the mean of one before and one after the run. On PostgreSQL the GROUP BY has the settings that
the run asks for. Of two runs the first warms up what is compiled; the second is shown.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow.parquet as pq
from tests.engines.postgres_server import Server

import maskwise
from bench.blowup import CLASS, FOLDER, blow_up, blow_up_parquet, policy
from bench.engines import load
from maskwise.engines.postgres.dialect import share_memory
from maskwise.values.memory import parse_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLOCK = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """What something took."""

    seconds: float = 0
    busy: float = 0
    """Processor seconds of all processes."""
    stages: dict[str, tuple[float, float]] = field(default_factory=dict)


def processor_seconds(pid: int, *, with_children: bool) -> float:
    """The processor time of a process, or of the children that it has had."""
    found = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    chosen = found[13:15] if with_children else found[11:13]
    return sum(map(int, chosen)) / _CLOCK


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def seconds_so_far(pid: int) -> float:
    """The processor time of a process that may end meanwhile."""
    try:
        return processor_seconds(pid, with_children=False)
    except OSError:
        return 0


@contextmanager
def measured(busy: Callable[[], float]) -> Iterator[Cost]:
    cost = Cost()
    begin, before = time.perf_counter(), busy()
    yield cost
    cost.seconds = time.perf_counter() - begin
    cost.busy = busy() - before


def mask(data: Any, target: str, engine: Any, busy: Callable[[], float], memory: str | None = None) -> Cost:
    """Mask once, stage by stage."""
    marks: list[tuple[str, float, float]] = []

    def note(event: Any) -> None:
        stage = getattr(event, "stage", None)
        if stage is not None and (not marks or marks[-1][0] != str(stage)):
            marks.append((str(stage), time.perf_counter(), busy()))

    with measured(busy) as cost:
        maskwise.anonymize(data, policy(), target, engine=engine, memory=memory, on_event=note)
        marks.append(("end", time.perf_counter(), busy()))
    for (name, begin, before), (_, end, after) in pairwise(marks):
        cost.stages[name] = end - begin, after - before
    return cost


def table(title: str, group: Cost, run: Cost) -> None:
    print(f"| {title} | seconds | ratio | processor seconds | ratio |\n| --- | --- | --- | --- | --- |")
    print(f"| GROUP BY of 14 columns | {group.seconds:.2f} | 1.0 | {group.busy:.2f} | 1.0 |")
    ratios = run.seconds / group.seconds, run.busy / group.busy
    print(f"| maskwise, whole run | {run.seconds:.2f} | {ratios[0]:.1f} | {run.busy:.2f} | {ratios[1]:.1f} |")
    for name, (seconds, busy) in run.stages.items():
        print(f"| &nbsp; {name} | {seconds:.2f} | | {busy:.2f} | |")


def on_postgres(rows: int, memory: str) -> None:
    server = Server()
    try:
        load(server.url, rows)
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE adult")
            allowed = [
                int(connection.execute(f"SHOW {name}").fetchone()[0])  # type: ignore[index]
                for name in ("max_parallel_workers_per_gather", "max_parallel_workers")
            ]
        work_mem, n_workers = share_memory(parse_memory(memory) or 0, *allowed)
        main = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])

        def busy() -> float:
            # The time of a connection that has ended is its parent's.
            ended = processor_seconds(main, with_children=True)
            return ended + sum(map(seconds_so_far, children(main))) + time.process_time()

        names = [field.name for field in pq.read_schema(blow_up(rows)[1]) if field.name != CLASS]
        keys = ", ".join(f'"{name}"' for name in names)
        settings = f"SET work_mem = '{work_mem}kB'; SET max_parallel_workers_per_gather = {n_workers}; "
        settings += "SET hash_mem_multiplier = 2; "
        for _ in range(2):
            with measured(busy) as group:
                server.run(f"{settings}SELECT count(*) FROM (SELECT {keys}, count(*) FROM adult GROUP BY {keys}) q")
            # Else the second run waits until the server has looked through what the first one wrote.
            server.run("DROP TABLE IF EXISTS adult_masked")
            run = mask("adult", "adult_masked", server.url, busy, memory)
        table(f"PostgreSQL, {rows:,} rows, `--memory {memory}`", group, run)
    finally:
        server.stop()


def on_spark(rows: int, memory: str) -> None:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - needs Java

    parquet = blow_up_parquet(rows)
    builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", "16")
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    for name, value in (settings | {"spark.driver.memory": f"{(parse_memory(memory) or 0) >> 20}m"}).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    java = session.sparkContext._gateway.proc.pid  # noqa: SLF001 - there is no other way

    def busy() -> float:
        return processor_seconds(java, with_children=False) + time.process_time()

    names = [field.name for field in pq.read_schema(parquet) if field.name != CLASS]

    def group() -> Cost:
        with measured(busy) as cost:
            counted = session.read.parquet(str(parquet)).groupBy(*(f"`{name}`" for name in names)).count()
            counted.write.format("noop").mode("overwrite").save()
        return cost

    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        for _ in range(2):
            before = group()
            target = Path(folder) / "masked"
            shutil.rmtree(target, ignore_errors=True)
            run = mask(str(parquet), f"{target}/", session, busy, memory)
    after = group()
    both = Cost((before.seconds + after.seconds) / 2, (before.busy + after.busy) / 2)
    table(f"Spark, two cores, {rows:,} rows", both, run)
    print(f"GROUP BY before and after: {before.busy:.2f} and {after.busy:.2f} processor seconds")
    session.stop()


if __name__ == "__main__":
    which = sys.argv[1] if len(sys.argv) > 1 else "postgres"
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    measure = on_spark if which == "spark" else on_postgres
    measure(size, sys.argv[3] if len(sys.argv) > 3 else "4GB")
