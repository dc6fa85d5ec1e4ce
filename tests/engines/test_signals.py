"""Ctrl-C and an administrator's kill in the middle of a query: nothing is left in the database or on the disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import maskwise
from tests.conftest import folder as contents
from tests.engines.conftest import Place, load_postgres
from tests.engines.postgres_server import Server
from tests.engines.spark_cluster import until
from tests.engines.test_failures import POLICY, table, untouched

STOPPING = """
import sys
from maskwise.cli.terminal import Terminal
wanted = sys.argv.pop(1)
def stage(self, begun):
    if begun.stage == wanted:
        print(wanted, flush=True)
        sys.stdin.readline()
Terminal.stage = stage
from maskwise.cli import run
run()
"""
GATE = 7391
"""A lock that every query of the source passes through."""


@pytest.fixture
def gated(server: Server, postgres: Place) -> Iterator[psycopg.Connection]:
    """The people behind a gate; who has this connection can shut it, and a query then stands still in the middle."""
    del postgres
    load_postgres(server, table(), "people")
    passing = f"SELECT pg_advisory_lock_shared({GATE}), pg_advisory_unlock_shared({GATE})"
    server.run(f"CREATE VIEW gated AS SELECT p.* FROM people p, LATERAL ({passing} WHERE p IS NOT NULL) g")  # noqa: S608
    with psycopg.connect(server.url, autocommit=True) as keeper:
        yield keeper
    server.run("DROP VIEW gated")


def waiting(server: Server) -> bool:
    asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'maskwise' AND wait_event = 'advisory'"
    return server.run(asked) == [(1,)]


def connected(server: Server) -> bool:
    return server.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'maskwise'") != [(0,)]


@pytest.mark.parametrize(
    ("stage", "number", "code", "to_file"),
    [
        ("profile", signal.SIGTERM, 143, False),
        ("compress", signal.SIGINT, 130, False),
        ("compress", signal.SIGTERM, 143, True),
        ("mask", signal.SIGTERM, 143, False),
        ("mask", signal.SIGINT, 130, True),
        ("mask", signal.SIGKILL, -9, False),
    ],
)
def test_a_signal_in_the_middle_of_a_query_leaves_nothing_in_postgresql(
    server: Server,
    gated: psycopg.Connection,
    folder: Path,
    stage: str,
    number: signal.Signals,
    code: int,
    to_file: bool,
) -> None:
    (folder / "policy.yaml").write_text(json.dumps(POLICY))
    before = contents(folder)
    target = str(folder / "out.csv") if to_file else "masked"
    asked = ["mask", "gated", "-p", str(folder / "policy.yaml"), "-o", target, "--engine", server.url]
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPING, stage, *asked],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(folder.parent)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == f"{stage}\n", process.communicate()[1]
        gated.execute("SELECT pg_advisory_lock(%s)", [GATE])
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        until(lambda: waiting(server))
        process.send_signal(number)
        if (stage, number) == ("compress", signal.SIGINT):
            # The first asks the search to stop after its step, and the query goes on; the second ends the run.
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.3)
            process.send_signal(number)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
        gated.execute("SELECT pg_advisory_unlock_all()")
    assert process.returncode == code, said
    assert "Traceback" not in said
    until(lambda: not connected(server))
    untouched(server)
    assert "masked" not in server.tables()
    if number != signal.SIGKILL:
        assert contents(folder) == before
        assert not list(folder.parent.glob("maskwise*"))
    assert maskwise.anonymize("gated", POLICY, target, engine=server.url).verdict.is_met


def test_a_signal_before_duckdb_compresses_leaves_nothing(folder: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table(), folder / "people.parquet")
    (folder / "policy.yaml").write_text(json.dumps(POLICY))
    before = contents(folder)
    asked = ["mask", str(folder / "people.parquet"), "-p", str(folder / "policy.yaml"), "-o", str(folder / "out.csv")]
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPING, "compress", *asked],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(folder.parent)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "compress\n", process.communicate()[1]
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 143, said
    assert contents(folder) == before
    assert not list(folder.parent.glob("maskwise*"))
