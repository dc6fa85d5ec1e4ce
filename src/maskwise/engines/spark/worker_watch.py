"""Waiting for workers that never come ends: Spark itself would wait for ever."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark import SparkContext

SETTING = "spark.maskwise.workerTimeout"
"""Spark's setting for how many seconds a job may be without any worker."""
DEFAULT_SECONDS = 300.0
_POLL_SECONDS = 1.0


def seconds_to_wait(context: SparkContext) -> float:
    """How many seconds a job may be without any worker."""
    text = context.getConf().get(SETTING, str(DEFAULT_SECONDS))
    try:
        seconds = float(str(text))
    except ValueError:
        seconds = -1
    if not seconds > 0:
        msg = f"Spark's setting `{SETTING}` is a number of seconds above 0, such as 300."
        raise InputError(msg)
    return seconds


@contextmanager
def watch_workers(context: SparkContext, tag: str, poll: float = _POLL_SECONDS) -> Iterator[None]:
    """Cancel the jobs with a tag and refuse to go on if they were without a worker for too long.

    Args:
        context: Where the jobs run; on the cores of this machine there is nothing to wait for.
        tag: The tag.
        poll: Every so many seconds Spark is asked.

    Raises:
        InputError: No worker came.
    """
    if context.master.startswith("local"):
        yield
        return
    limit = seconds_to_wait(context)
    is_over, gave_up = threading.Event(), threading.Event()

    def watch() -> None:
        since = time.monotonic()
        while not is_over.wait(poll):
            with suppress(PySparkException, Py4JError, OSError):
                if not _waits(context):
                    since = time.monotonic()
                elif time.monotonic() - since >= limit:
                    gave_up.set()
                    context.cancelJobsWithTag(tag)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    except (PySparkException, Py4JError, OSError, EOFError):
        if gave_up.is_set():
            msg = (
                f"No worker of the Spark cluster `{context.master}` took up the work within {limit:g} seconds. Nothing "
                f"was released. Start workers, or give them more time by Spark's setting `{SETTING}`."
            )
            raise InputError(msg) from None
        raise
    finally:
        is_over.set()
        thread.join()


def _waits(context: SparkContext) -> bool:
    """Whether a job runs and there is no worker; the driver is listed among them."""
    tracker = context._jsc.sc().statusTracker()  # noqa: SLF001 - Python's own does not know the workers
    return len(tracker.getExecutorInfos()) <= 1 and bool(len(tracker.getActiveJobIds()))
