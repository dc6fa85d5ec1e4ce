"""Runs of the command on a cluster, in a process of their own, each with something that goes wrong in the middle.

`python -m tests.engines.spark_cluster_run WORKER-PID` reads a JSON list a line: whether a session is kept from run to
run, or the command starts one; what goes wrong, in which stage; and the command's arguments. It answers each with a
line: the exit code and what was said.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from maskwise.cli.app import main
from maskwise.cli.terminal import Terminal
from maskwise.progress import StageBegun
from tests.engines.spark_cluster import executors_of, until


def executors() -> list[int]:
    """The processes that do the work now."""
    return executors_of(int(sys.argv[1]))


def context() -> Any:
    from pyspark import SparkContext

    return SparkContext._active_spark_context  # noqa: SLF001 - the one that maskwise started


def is_in_the_middle() -> bool:
    """Whether some tasks of a stage are done and some are not."""
    tracker = context().statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(stage.numCompletedTasks > 0 and stage.numActiveTasks > 0 for stage in stages if stage is not None)


def send(number: signal.Signals, *pids: int) -> None:
    for pid in pids:
        os.kill(pid, number)


@contextlib.contextmanager
def held() -> Iterator[list[int]]:
    """Both executors stand still in the middle of a stage."""
    workers = until(lambda: found if len(found := executors()) == 2 else None)
    try:
        until(lambda: is_in_the_middle() and _still(workers))
        yield workers
    finally:
        send(signal.SIGCONT, *[pid for pid in workers if pid in executors()])


def _still(workers: list[int]) -> bool:
    """Stop them; if they had come to the end of the stage before, let them go on to the next."""
    send(signal.SIGSTOP, *workers)
    if not is_in_the_middle():
        send(signal.SIGCONT, *workers)
        return False
    return True


def lose_one() -> None:
    with held() as workers:
        send(signal.SIGKILL, workers[0])
        until(lambda: workers[0] not in executors())


def lose_all() -> None:
    with held() as workers:
        send(signal.SIGKILL, *workers)
    # New ones take their place until the master gives up.
    while not over.wait(0.05):
        with contextlib.suppress(ProcessLookupError):
            send(signal.SIGKILL, *executors())


def lose_driver() -> None:
    with held():
        context()._gateway.proc.kill()  # noqa: SLF001 - our own child
        context()._gateway.proc.wait()  # noqa: SLF001 - as above


def interrupt(number: signal.Signals) -> None:
    with held():
        os.kill(os.getpid(), number)


FAULTS: dict[str, Callable[[], None]] = {
    "nothing": lambda: None,
    "lose one": lose_one,
    "lose all": lose_all,
    "lose driver": lose_driver,
    "interrupt": lambda: interrupt(signal.SIGINT),
    "terminate": lambda: interrupt(signal.SIGTERM),
}


over = threading.Event()
"""The command has ended."""


def keep(master: str, *, is_kept: bool) -> None:
    """Have a session that lives, or none."""
    from pyspark.sql import SparkSession

    found = None if context() is None else SparkSession.builder.getOrCreate()
    if found is not None and (not is_kept or context()._jsc.sc().isStopped()):  # noqa: SLF001 - not to be seen in Python
        found.stop()
    if is_kept:
        SparkSession.builder.master(master).getOrCreate()


def run(is_kept: bool, fault: str, stage: str, arguments: list[str]) -> dict[str, Any]:
    """Run a command, and let something go wrong in the middle of a stage."""
    keep(arguments[-1], is_kept=is_kept)
    over.clear()
    done: list[BaseException | None] = []

    def go_wrong() -> None:
        try:
            FAULTS[fault]()
            done.append(None)
        except BaseException as error:  # noqa: BLE001 - told below
            done.append(error)

    def at(self: Terminal, begun: StageBegun) -> None:
        del self
        if context() is not None and not threads:
            # As in the other tests: a new executor takes seconds of processor time to compile what runs once.
            context().setLocalProperty("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        if begun.stage == stage:
            threads.append(threading.Thread(target=go_wrong))
            threads[0].start()

    threads: list[threading.Thread] = []
    Terminal.stage = at  # type: ignore[method-assign]
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        code = main(arguments)
    over.set()
    for thread in threads:
        thread.join()
    assert done == [None] * (stage != ""), done
    return {"code": code, "said": said.getvalue()}


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(*json.loads(line))) + "\n")
        sys.stdout.flush()
