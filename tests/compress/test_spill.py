"""What does not fit the memory goes to files, and the result is the same."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.compress import spill
from maskwise.compress.spill import Workspace
from maskwise.formats import solution_file, trace_file
from maskwise.values import memory
from maskwise.values.memory import memory_of_run, parse_memory


def people(n: int = 700) -> pa.Table:
    rng = random.Random(8)  # noqa: S311 - test data
    ages = [rng.randint(17, 90) for _ in range(n)]
    return pa.table(
        {
            "age": ages,
            "hours": [rng.choice([None, 20, 35, 40, 60]) for _ in range(n)],
            "job": [rng.choice(["clerk", "nurse", "judge", "cook", "smith"]) for _ in range(n)],
            "ill": [rng.choice(["flu", "cold", "HIV"]) for _ in range(n)],
            "risk": [["low", "high"][age + rng.randint(-9, 9) > 45] for age in ages],
        }
    )


POLICY = {
    "class": "risk",
    "requirements": [
        {"qid": ["age", "hours", "job"], "k": 4},
        {"qid": ["age", "job"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.8},
    ],
}


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every array that a run keeps goes to a file."""
    monkeypatch.setattr("maskwise.pipeline.masking_run.for_search", lambda memory: 0 * memory)
    monkeypatch.setattr(spill, "_LEAST", 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [{}, {"method": "bug"}, {"criterion": "conditional"}],
    ids=["top-down", "bottom-up", "conditional"],
)
def test_a_run_in_files_gives_the_same_bytes(how: dict[str, Any], request: pytest.FixtureRequest) -> None:
    expected = maskwise.anonymize(people(), POLICY, keep_order=True, **how)
    request.getfixturevalue("no_memory")
    outcome = maskwise.anonymize(people(), POLICY, keep_order=True, **how)
    # DuckDB's folder to spill to lives as long as its connection; the files of a workspace have no name at all.
    assert not [path for path in Path(tempfile.gettempdir()).glob("maskwise-*") if path.is_file()]
    assert outcome.steps
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.data == expected.data
    assert not any("temporary files" in note for note in expected.notes)
    assert any("were kept in temporary files" in note for note in outcome.notes)


@pytest.mark.parametrize("budget", [None, 0, 5_000], ids=["memory", "file", "first memory, then file"])
def test_rows_arrive_in_order_wherever_they_are_kept(budget: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "_LEAST", 1)
    workspace = Workspace(budget)
    rows = workspace.rows(3, np.uint16)
    batches = [np.add.outer(np.arange(i * 100, i * 100 + 100 - i), [0, 7, 9]) for i in range(20)]
    for batch in batches:
        rows.add(list(batch.T))
    found = rows.finish()
    assert (workspace.spilled > 0) == (budget is not None)
    assert type(found) is np.ndarray
    assert found.flags.writeable
    assert np.array_equal(found, np.concatenate(batches))
    assert workspace.rows(3, np.uint16).finish().shape == (0, 3)


def test_memory_that_is_given_back_is_used_again() -> None:
    workspace = Workspace(1 << 20)
    for _ in range(20):
        workspace.zeros(1 << 19, np.uint8)
    assert workspace.spilled == 0
    kept = [workspace.zeros(1 << 19, np.uint8) for _ in range(4)]
    assert workspace.spilled == 1 << 20
    kept[3][:] = 5
    assert kept[3].sum() == 5 << 19
    assert kept[2].sum() == 0


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> None:
        del given
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(spill, "_reserve", full)
    with pytest.raises(maskwise.InputError, match=r"has no room for its 0.1 GiB \(no space left on device\)"):
        Workspace(0).zeros(1 << 27, np.uint8)


def test_a_folder_for_temporary_files_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(maskwise.InputError, match="no temporary file could be opened"):
        Workspace(0).zeros(1 << 20, np.int64)


def test_memory_is_what_was_asked_or_what_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory_of_run(parse_memory("500MB")) == 500_000_000
    assert memory_of_run(parse_memory("2GiB")) == 2 << 30
    for wrong in ("4", "0GB", "4 GB", "-1GB", "4GG"):
        with pytest.raises(maskwise.InputError, match="no amount of memory"):
            parse_memory(wrong)
    whole = memory_of_run(parse_memory(None))
    monkeypatch.setattr(memory, "_limits", lambda: [10_000])
    assert memory_of_run(parse_memory(None)) == 8_000 < whole


LARGE = """
import os, resource, sys
# Two threads wherever it runs, each of which takes memory.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
from maskwise.pipeline import masking_run as pipeline
data, limit, spills = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "spills"
if not spills:
    pipeline.for_search = lambda memory: 1 << 60
qid = [f"a{i}" for i in range(6)]
ill = {"ill": [str(i) for i in range(24)]}
policy = {"class": "risk", "requirements": [{"qid": qid, "sensitive": ill, "confidence": 0.9}]}
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    outcome = pipeline.anonymize(data, policy, sys.argv[4], memory="240MB", max_steps=20)
except MemoryError:
    print("MemoryError")
else:
    print(len(outcome.steps), *(note for note in outcome.notes if "temporary" in note))
"""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="never: other systems do not count memory this way")
def test_a_compressed_table_larger_than_memory_is_searched(tmp_path: Path) -> None:
    """The limit is the system's, on all memory of the process that is not a file's."""
    n, limit = 1_000_000, 1000 << 20
    rng = np.random.default_rng(1)
    columns = {f"a{i}": rng.integers(0, 60, n) for i in range(6)}
    columns |= {"risk": rng.integers(0, 2, n), "ill": rng.integers(0, 24, n)}
    data = tmp_path / "large.parquet"
    pq.write_table(pa.table(columns), data)
    said = {}
    for mode in ("spills", "does not"):
        given = [str(data), str(limit), mode, str(tmp_path / "out.parquet")]
        # Arrow's own pool reserves a gigabyte at once, whether it is used or not.
        setting = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
        command = [sys.executable, "-c", LARGE, *given]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=setting)
        said[mode] = done.stdout + done.stderr
    assert said["spills"].startswith("20 "), said
    assert "were kept in temporary files" in said["spills"]
    # Python hears of it as MemoryError; where a library meets the limit first, the process ends in its own way.
    assert not said["does not"].startswith("20 ")
