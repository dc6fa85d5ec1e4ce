"""How much does Spark gain from a second core? The same run on one core and on two, stage by stage.

`python -m bench.spark_cores [rows] [--pinned] [--csv]`: the whole command, and from Spark's event log how long the
tasks of each stage worked together. Work divided by time is how many cores were busy; a stage whose figure is near one
is serial. `--pinned` lets Java's collector and compiler share the one core, as on a machine with one; else they have
the other. `--csv` writes one file instead of a folder of parquet.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from bench.blowup import FOLDER, blow_up, policy

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 1.0
"""Spark's stages are shown from so many seconds on."""
RUN = """
import json, sys, time
begin = time.time()
import maskwise
data, policy, target, engine = sys.argv[1:]
marks = []
def watch(event):
    if type(event).__name__ == "StageBegun":
        marks.append((event.stage, time.time()))
maskwise.anonymize(data, policy, target, engine=engine, on_event=watch)
marks.append(("done", time.time()))
print(json.dumps([("start", begin), *marks]))
"""


def run(data: Path, target: Path, cores: int, log: Path, *, pinned: bool) -> tuple[float, list[tuple[str, float]]]:
    """Mask once; return the seconds of the whole command and when each stage began."""
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.driver.memory": "6g",
    }
    options = " ".join(f"--conf {name}={value}" for name, value in settings.items())
    environment = os.environ | {"PYSPARK_SUBMIT_ARGS": f"{options} pyspark-shell"}
    target_text = f"{target}" if target.suffix else f"{target}/"
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", RUN, data, policy(), target_text, f"local[{cores}]"],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=(lambda: os.sched_setaffinity(0, {0})) if pinned else None,
    )
    return time.perf_counter() - begin, [(name, at) for name, at in json.loads(done.stdout.splitlines()[-1])]


def tasks(log: Path) -> Iterator[tuple[float, float, int]]:
    """Begin and end of every task of a run, in seconds, and its stage."""
    (file,) = (path for path in log.rglob("*") if path.is_file() and not path.name.startswith("."))
    for line in file.read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd":
            info = event["Task Info"]
            yield info["Launch Time"] / 1000, info["Finish Time"] / 1000, event["Stage ID"]


def measure(data: Path, target: Path, cores: int, *, pinned: bool = False) -> tuple[float, dict[str, float]]:
    """Print one run; return the seconds of the whole command and of each of our stages."""
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as log:
        whole, marks = run(data, target, cores, Path(log), pinned=pinned)
        tasks_done = list(tasks(Path(log)))
    print(f"local[{cores}]{', pinned to one core' if pinned else ''}: {whole:.1f} s", flush=True)
    for (name, begin), (_, end) in pairwise(marks):
        inside = [task for task in tasks_done if begin <= task[0] < end]
        print(f"  {name:9} {describe(inside, end - begin)}")
        for stage in sorted({task[2] for task in inside}):
            of_stage = [task for task in inside if task[2] == stage]
            seconds = max(task[1] for task in of_stage) - min(task[0] for task in of_stage)
            if seconds > SHOWN:
                longest = max(end - start for start, end, _ in of_stage)
                print(f"    stage {stage:<3} {describe(of_stage, seconds)}, longest {longest:.1f} s")
    return whole, {name: end - begin for (name, begin), (_, end) in pairwise(marks)}


def describe(tasks_done: list[tuple[float, float, int]], seconds: float) -> str:
    work = sum(end - start for start, end, _ in tasks_done)
    return f"{seconds:6.1f} s, {len(tasks_done):3} tasks, {work:6.1f} s of work, {work / seconds:4.2f} busy"


def main(rows: int, *, pinned: bool, csv: bool) -> None:
    _, parquet = blow_up(rows)
    # A folder is written and recounted by the workers; a csv is joined and recounted by DuckDB, on all cores.
    target = FOLDER / ("spark-cores.csv" if csv else "spark-cores")
    seconds_1, stages_1 = measure(parquet, target, 1, pinned=pinned)
    seconds_2, stages_2 = measure(parquet, target, 2)
    print(
        f"local[2] is {seconds_1 / seconds_2:.2f} times as fast: "
        + ", ".join(f"{n} {stages_1[n] / stages_2[n]:.2f}" for n in stages_2)
    )


if __name__ == "__main__":
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    main(sizes[0] if sizes else 10_000_000, pinned="--pinned" in sys.argv, csv="--csv" in sys.argv)
