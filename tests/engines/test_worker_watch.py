"""Waiting for workers that never come ends."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import maskwise

pytest.importorskip("pyspark", reason="notyet: needs the spark extra")

from maskwise.engines.spark.session import SETTING, watch_workers


class Cluster:
    """What a Spark context says of a cluster, and a job that ends when it is cancelled."""

    def __init__(self, n_workers: int, limit: str, master: str = "spark://nobody:7077") -> None:
        self.master, self._limit, self._n_workers = master, limit, n_workers
        self.cancelled = threading.Event()

    def getConf(self) -> Any:  # noqa: N802 - Spark's name
        return {SETTING: self._limit}

    @property
    def _jsc(self) -> Any:
        return self

    def sc(self) -> Any:
        return self

    def statusTracker(self) -> Any:  # noqa: N802 - Spark's name
        return self

    def getExecutorInfos(self) -> list[str]:  # noqa: N802 - Spark's name
        return ["driver", *["worker"] * self._n_workers]

    def getActiveJobIds(self) -> list[int]:  # noqa: N802 - Spark's name
        return [1]

    def cancelJobsWithTag(self, tag: str) -> None:  # noqa: N802 - Spark's name
        assert tag == "ours"
        self.cancelled.set()

    def work(self, seconds: float) -> None:
        """Wait for a worker; Spark raises an error if the job is cancelled."""
        if self.cancelled.wait(seconds):
            raise OSError("cancelled")


def test_a_job_that_no_worker_takes_up_is_cancelled_with_a_clear_error() -> None:
    cluster: Any = Cluster(0, "0.05")
    with (
        pytest.raises(
            maskwise.InputError, match=r"No worker .* `spark://nobody:7077` .* within 0.05 seconds.*" + SETTING
        ),
        watch_workers(cluster, "ours", poll=0.01),
    ):
        cluster.work(20)


@pytest.mark.parametrize(("n_workers", "master"), [(1, "spark://somebody:7077"), (0, "local[2]")])
def test_a_job_with_workers_may_take_as_long_as_it_needs(n_workers: int, master: str) -> None:
    cluster: Any = Cluster(n_workers, "0.05", master)
    with watch_workers(cluster, "ours", poll=0.01):
        cluster.work(0.2)
    assert not cluster.cancelled.is_set()


@pytest.mark.parametrize("limit", ["soon", "0", "-1", "nan"])
def test_a_limit_that_is_no_number_of_seconds_is_refused(limit: str) -> None:
    cluster: Any = Cluster(1, limit)
    with pytest.raises(maskwise.InputError, match="number of seconds above 0"), watch_workers(cluster, "ours"):
        pass
