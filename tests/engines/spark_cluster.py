"""A small Spark cluster that the tests start and stop again: a master, a worker, and executors that are processes."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For processes that live only seconds."""
SETTINGS = f"""\
spark.executor.cores 1
spark.executor.memory 512m
spark.executor.extraJavaOptions {QUICK}
spark.driver.extraJavaOptions {QUICK}
spark.driver.memory 1g
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.ui.enabled false
spark.sql.shuffle.partitions 2
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.default.parallelism 2
spark.deploy.maxExecutorRetries 1
spark.sql.adaptive.enabled false
"""


class Cluster:
    """A standalone cluster on this machine, whose worker has room for two executors."""

    def __init__(self) -> None:
        import pyspark

        self.folder = Path(tempfile.mkdtemp(prefix="maskwise-cluster-"))
        (self.folder / "spark-defaults.conf").write_text(SETTINGS)
        self._home = Path(pyspark.__file__).parent
        self.environment = os.environ | {
            "SPARK_HOME": str(self._home),
            "SPARK_CONF_DIR": str(self.folder),
            "SPARK_DAEMON_JAVA_OPTS": QUICK,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self._made("local")),
        }
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"spark://127.0.0.1:{port}"
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            self.master = self._start("master", "--port", str(port))
            self.worker = self._start(
                "worker", "--cores", "2", "--memory", "1g", "--work-dir", str(self._made("work")), self.url
            )
            until(self._is_ready)
        except BaseException:
            self.stop()
            raise

    def _is_ready(self) -> bool:
        said = (self.folder / "worker.log").read_text()
        assert self.master.poll() is self.worker.poll() is None, said
        return "Successfully registered with master" in said

    def _made(self, name: str) -> Path:
        (self.folder / name).mkdir(exist_ok=True)
        return self.folder / name

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        program = [self._home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}.{kind.title()}"]
        with (self.folder / f"{kind}.log").open("ab") as log:
            process = subprocess.Popen(
                [*program, "--host", "127.0.0.1", "--webui-port", "0", *arguments],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self.environment,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def executors(self) -> list[int]:
        """The processes that do the work now."""
        return executors_of(self.worker.pid)

    def stop(self) -> None:
        """End every process, the executors among them, and remove everything."""
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


def executors_of(worker: int) -> list[int]:
    """The executors that a worker started and that are alive."""
    found = []
    for threads in Path(f"/proc/{worker}/task").glob("*/children"):
        found += [int(pid) for pid in threads.read_text().split()]
    return sorted(pid for pid in found if b"CoarseGrainedExecutorBackend" in _command(pid))


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def until(happened: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for something, looking again and again; return what it was."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
    return found
