"""A Spark cluster whose executors are processes that die in the middle: the same release, or none.

The tests of this file follow each other in one process that runs the commands: each executor takes seconds to start.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import maskwise
from tests.conftest import folder as contents
from tests.engines.conftest import needs_spark
from tests.engines.spark_cluster import Cluster
from tests.engines.test_failures import POLICY, table
from tests.engines.test_locations import in_csv


def environment(cluster: Cluster) -> dict[str, str]:
    """That of a process that talks to a cluster, and has the tests and the package that is tested."""
    paths = [Path(__file__).parents[2], Path(maskwise.__file__).parents[1]]
    return cluster.environment | {"PYTHONPATH": os.pathsep.join(map(str, paths))}


class Runs:
    """A process that runs commands on a cluster, one after the other."""

    def __init__(self, cluster: Cluster, home: Path) -> None:
        self.cluster, self.home = cluster, home
        for name in ("people", "here", "out"):
            (home / name).mkdir()
        for first in range(0, 200, 25):
            pq.write_table(table().slice(first, 25), home / "people" / f"{first:03}.parquet")
        (home / "policy.yaml").write_text(json.dumps(POLICY))
        self._source = contents(home / "people")
        # What Java says goes to a file, so that no pipe fills up.
        self._log = (home / "log").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.engines.spark_cluster_run", str(cluster.worker.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=environment(cluster),
            cwd=home / "here",
            start_new_session=True,
        )

    def mask(self, fault: str, stage: str, output: str, *, kept: bool = True) -> tuple[int, str]:
        """Run once; the source, the folder around it and Spark's own folders are as before, but for the output."""
        line = json.dumps([kept, fault, stage, self.arguments(output)])
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline() or "{}")
        assert answer, (self.home / "log").read_text()
        assert contents(self.home / "people") == self._source
        assert not list((self.home / "here").iterdir())
        return answer["code"], answer["said"]

    def arguments(self, output: str) -> list[str]:
        """The command that masks into a file or folder."""
        told = ["mask", f"{self.home}/people/", "-p", f"{self.home}/policy.yaml", "-o", f"{self.home}/out/{output}"]
        return [*told, "--quiet", "--keep-order", "--engine", self.cluster.url]

    def out(self) -> dict[str, bytes | None]:
        """What was released so far."""
        return contents(self.home / "out")

    def scratch(self) -> list[Path]:
        """Files that Spark left behind on the driver's side or in its workers' folders, but for what they said."""
        kept = [path for place in ("local", "work") for path in (self.cluster.folder / place).rglob("*")]
        return [path for path in kept if path.is_file() and path.name not in {"stdout", "stderr"}]

    def stop(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)  # with Java, which has its output
        self._process.communicate()
        self._log.close()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    needs_spark()
    cluster = Cluster()
    try:
        started = Runs(cluster, tmp_path_factory.mktemp("cluster"))
        try:
            yield started
        finally:
            started.stop()
    finally:
        cluster.stop()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What DuckDB releases of the same people."""
    target = tmp_path_factory.mktemp("whole") / "whole.csv"
    maskwise.anonymize(table(), POLICY, target, keep_order=True)
    return target.read_bytes()


@pytest.mark.nightly
def test_spark_releases_the_same_when_an_executor_dies_while_it_compresses(runs: Runs, whole: bytes) -> None:
    assert runs.mask("lose one", "compress", "a.csv") == (0, "")
    assert runs.out() == {"a.csv": whole}


def test_spark_releases_the_same_when_an_executor_dies_while_it_writes(
    runs: Runs, whole: bytes, tmp_path: Path
) -> None:
    before = runs.out()
    assert runs.mask("lose one", "mask", "b/") == (0, "")
    assert runs.out() == {**before, "b": None}
    assert in_csv(f"{runs.home}/out/b", tmp_path / "b.csv") == whole


@pytest.mark.nightly
def test_spark_leaves_nothing_when_it_is_told_to_end_while_it_writes(runs: Runs) -> None:
    before = runs.out()
    code, _ = runs.mask("terminate", "mask", "c.csv")
    assert code == 143
    assert runs.out() == before


@pytest.mark.nightly
def test_spark_releases_nothing_when_all_executors_die_for_good(runs: Runs) -> None:
    """The next test shows that the cluster can be used again."""
    before = runs.out()
    code, said = runs.mask("lose all", "mask", "d.csv")
    assert code == 2
    # Spark says that its workers or, if the master gave up first, that its own connection is lost.
    assert "lost" in said
    assert "Nothing was released." in said
    assert runs.out() == before


def test_spark_releases_nothing_when_its_driver_dies_and_starts_again(runs: Runs, whole: bytes) -> None:
    before = runs.out()
    code, said = runs.mask("lose driver", "mask", "e.csv", kept=False)
    assert code == 2
    assert "The connection to Spark was lost. Nothing was released." in said
    assert runs.out() == before
    assert not runs.scratch()
    assert runs.mask("nothing", "", "e.csv", kept=False) == (0, "")
    assert runs.out() == {**before, "e.csv": whole}
    assert not runs.scratch()


def test_a_run_ends_that_no_worker_takes_up(runs: Runs) -> None:
    """The last test of the cluster: it ends its worker."""
    from maskwise.engines.spark.session import SETTING

    before = runs.out()
    cluster = runs.cluster
    os.killpg(cluster.worker.pid, signal.SIGKILL)
    cluster.worker.wait(30)
    done = subprocess.run(
        [sys.executable, "-m", "maskwise", *runs.arguments("f.csv")],
        env=environment(cluster) | {"PYSPARK_SUBMIT_ARGS": f"--conf {SETTING}=2 pyspark-shell"},
        cwd=runs.home / "here",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert f"No worker of the Spark cluster `{cluster.url}` took up the work within 2 seconds." in done.stderr
    assert runs.out() == before
