"""Spark's session: how one starts and ends, also when Java is gone or no worker comes, and its errors as ours."""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

from maskwise.engines.error_messages import system_reason
from maskwise.errors import InputError, WriteError
from maskwise.values.memory import for_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTEXT_LOST = ("SparkContext was shut down", "stopped SparkContext", "SparkContext has been shutdown")
_CANCEL_SECONDS = 10
"""How long workers get to end the tasks of a cancelled job."""
_POLL_SECONDS = 0.02
_NOTICE_SECONDS = 3
"""How long workers get to notice that Java is gone."""
_EXIT_SECONDS = 10
"""How long Java gets to end after its connection has."""
SETTING = "spark.maskwise.workerTimeout"
"""Spark's setting for how many seconds a job may be without any worker."""
DEFAULT_SECONDS = 300.0
_WATCH_SECONDS = 1.0
_WORKERS_LOST = ("ExecutorLostFailure", "Master removed our application", "FetchFailed")


def active_session(address: str | None) -> SparkSession | None:
    """The session that this process has already, which is its owner's; Spark allows only one at a time.

    Args:
        address: The cluster that is asked for; None takes any.
    """
    context = SparkContext._active_spark_context  # noqa: SLF001 - of any thread
    if context is None:
        return None
    if address not in {None, context.master}:
        msg = (
            f"There is already a Spark session on `{context.master}` in this process, so `{address}` cannot be used. "
            "Stop it first, or give it as the engine."
        )
        raise InputError(msg)
    with translate_errors():
        return SparkSession.builder.getOrCreate()


def start_session(address: str | None, memory: int | None) -> SparkSession:
    """Start a session on a cluster; None uses the cores of this machine."""
    builder = SparkSession.builder.appName("maskwise").master(address or "local[*]")
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    if address is None or address.startswith("local"):
        settings["spark.sql.shuffle.partitions"] = "16"
    if memory is not None:
        settings["spark.driver.memory"] = f"{for_engine(memory) >> 20}m"
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, Py4JError, OSError) as error:
        msg = f"Spark could not start ({type(error).__name__}). It needs Java 17, and a cluster that answers."
        raise InputError(msg) from None
    session.sparkContext.setLogLevel("OFF")
    logging.getLogger().addFilter(_is_not_py4j)
    return session


def _is_not_py4j(record: logging.LogRecord) -> bool:
    """Leave out the stack trace that Py4J logs when Ctrl-C ends a query."""
    return record.module not in {"java_gateway", "clientserver"}


def temporary_folders(session: SparkSession) -> list[Path]:
    """The folders where Java keeps what it spills and shuffles on this machine."""
    context = session.sparkContext
    folders = context._jvm.org.apache.spark.SparkEnv.get().blockManager().diskBlockManager().localDirs()  # noqa: SLF001 - there is no other way to ask
    return [Path(context._temp_dir).parent, *(Path(folder.getPath()) for folder in folders)]  # noqa: SLF001 - as above


def cancel_jobs(context: SparkContext, tag: str) -> None:
    """Cancel the jobs with a tag, and wait until no worker is busy with them.

    Where Java is gone its workers cannot be asked. They end by themselves as
    soon as they notice, which takes them less than a second.
    """
    end = time.monotonic() + _CANCEL_SECONDS
    try:
        context.removeJobTag(tag)
        context.cancelJobsWithTag(tag)
        tracker = context._jsc.sc().statusTracker()  # noqa: SLF001 - Python's own does not know the workers
        while any(worker.numRunningTasks() for worker in tracker.getExecutorInfos()) and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
    except (PySparkException, Py4JError, OSError):
        if not context.master.startswith("local["):
            time.sleep(_NOTICE_SECONDS)


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
def watch_workers(context: SparkContext, tag: str, poll: float = _WATCH_SECONDS) -> Iterator[None]:
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


def stop_session(session: SparkSession, folders: list[Path]) -> None:
    """Stop a session; where Java is gone, remove its temporary folders, and let the next session start it anew."""
    with warnings.catch_warnings(), suppress(PySparkException, Py4JError, OSError):
        warnings.simplefilter("ignore")  # that Java is gone was said already
        session.stop()
        return
    process = getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001 - PySpark keeps a dead one forever
    try:
        # A connection ends a moment before its process.
        ended = process is not None and process.wait(_EXIT_SECONDS) is not None
    except subprocess.TimeoutExpired:
        ended = False
    if not ended:
        return
    session.sparkContext.stop()  # the part that needs no Java, which the first try did not reach
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - as above
    SparkSession._instantiatedSession = SparkSession._activeSession = None  # noqa: SLF001 - as above
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def translate_errors(target: str | None = None) -> Iterator[None]:
    """Raise an error of Spark as one of ours, which quotes no cell.

    Args:
        target: What is being written; None while tables are read.
    """
    try:
        yield
    except (PySparkException, Py4JError, OSError, EOFError) as error:
        if isinstance(error, InputError | WriteError):
            raise
        kind = InputError if target is None else WriteError
        raise kind(_message(error, target)) from None


def _message(error: Exception, target: str | None) -> str:
    text = str(error)
    end = "" if target is None else " Nothing was released."
    if any(sign in text for sign in _WORKERS_LOST):
        return f"Spark's workers were lost, more often than it tries again.{end} Try again when they are back."
    if isinstance(error, Py4JNetworkError | ConnectionError | EOFError) or any(sign in text for sign in _CONTEXT_LOST):
        return f"The connection to Spark was lost.{end} Try again when it is back."
    reason = system_reason(error)
    if target is not None:
        return f"Spark could not write {target}: {reason or _kind(error)}. Nothing was released."
    if reason is not None:
        return f"Spark has no room to work: {reason}. Free space on its workers, or let spark.local.dir be elsewhere."
    return f"Spark could not read the table: {_kind(error)}. It may be damaged, or a csv may have uneven lines."


def _kind(error: Exception) -> str:
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    named = f"{type(error).__name__}, {condition}" if condition else type(error).__name__
    return named if not isinstance(error, AnalysisException) else f"{named}: the catalog refused"
