"""What only a process can show: signals, limits, streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Run, drop_identifiers, folder, frame, group_sizes

ENV = {**os.environ, "PYTHONWARNINGS": "ignore", "COLUMNS": "200"}
LOOSE = "class: C\nattributes: {A: {interval: [0, 1000]}, B: suppress}\nrequirements: [{qid: [A, B], k: 50}]\n"

SLOW_VERIFY = """
import sys, time
import maskwise.release.publish
def wait(*_, **__):
    print("verifying", flush=True)
    time.sleep(60)
maskwise.release.publish.verify = wait
from maskwise.cli.app import main
sys.exit(main())
"""
SLOW_SEARCH = """
import sys, time
from maskwise.cli.terminal import Terminal
def wait(self, step):
    if step.step == 1:
        print("searching", flush=True)
        time.sleep(30)  # a signal ends the sleep only after its handler has run, and then it goes on
Terminal.step = wait
from maskwise.cli.app import main
sys.exit(main())
"""
SMALL_DISK = """
import json, resource, sys
from maskwise.cli.app import main
data, policy, folder, suffixes = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
main(["mask", data, "-p", policy, "-o", folder + "/warm.csv", "--quiet"])  # compiles, so that nothing else is written
resource.setrlimit(resource.RLIMIT_FSIZE, (512, resource.RLIM_INFINITY))
codes = {s: main(["mask", data, "-p", policy, "-o", folder + "/out" + s, "--quiet"]) for s in suffixes}
print(json.dumps(codes))
"""


def start(*arguments: object, code: str | None = None, ignored: signal.Signals | None = None) -> subprocess.Popen[str]:
    def set_signals() -> None:
        # A shell's background job ignores Ctrl-C and hands that down; a person's terminal does not.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if ignored is not None:
            signal.signal(ignored, signal.SIG_IGN)

    program = [sys.executable, "-c", code] if code else [sys.executable, "-m", "maskwise.cli"]
    return subprocess.Popen(
        [*program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENV,
        preexec_fn=set_signals,  # noqa: PLW1509 - the tests have no threads
    )


@pytest.fixture
def stopping() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that must not outlive their test."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A csv that takes a moment to write."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    records = duckdb.connect().sql(
        "SELECT i AS Id, i * 7919 % 1000 AS A, 'b' || (i * 104729 % 7) AS B, repeat('x', 200) || i AS Long, "
        "CASE WHEN i * 7919 % 1000 > 400 THEN 'hi' ELSE 'lo' END AS C FROM range(300000) t(i)"
    )
    records.write_csv(str(path))
    return path


def until_a_draft_appears(path: Path, process: subprocess.Popen[str], seconds: float = 60) -> str:
    """Wait for the temporary file that a release is written to, and return its name."""
    end = time.monotonic() + seconds
    known = set(folder_names(path))
    while time.monotonic() < end and process.poll() is None:
        fresh = set(folder_names(path)) - known
        if fresh:
            return fresh.pop()
        time.sleep(0.002)
    pytest.fail(f"no draft appeared; the process ended with {process.poll()}: {process.communicate()[1]}")


def folder_names(path: Path) -> list[str]:
    return os.listdir(path)  # noqa: PTH208 - only names, fast


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_ends_while_it_writes_leaves_the_old_release(
    tmp_path: Path, large: Path, stopping: list, number: int
) -> None:
    (tmp_path / "p.yaml").write_text(LOOSE, encoding="utf-8")
    (tmp_path / "out.csv").write_bytes(b"the old release\n")
    process = start("mask", large, "-p", tmp_path / "p.yaml", "-o", tmp_path / "out.csv")
    stopping.append(process)
    draft = until_a_draft_appears(tmp_path, process)
    assert draft != "out.csv"
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert (tmp_path / "out.csv").read_bytes() == b"the old release\n"
    if number == signal.SIGTERM:
        assert set(folder_names(tmp_path)) == {"p.yaml", "out.csv"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143), (signal.SIGINT, 130)]
)
def test_a_process_that_ends_before_the_verdict_releases_nothing(
    tmp_path: Path, data: Path, policy: Path, stopping: list, number: int, code: int
) -> None:
    before = folder(tmp_path)
    process = start("mask", data, "-p", policy, "-o", tmp_path / "out.csv", code=SLOW_VERIFY)
    stopping.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "verifying\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code
    if number == signal.SIGINT:
        assert "nothing was" in err
        assert "before the search began" not in err
    assert not (tmp_path / "out.csv").exists()
    if number != signal.SIGKILL:
        assert folder(tmp_path) == before


@pytest.mark.slow
def test_ctrl_c_during_the_search_leaves_a_verified_release(
    tmp_path: Path, data: Path, policy: Path, stopping: list
) -> None:
    slow = SLOW_SEARCH.replace("time.sleep(30)", "time.sleep(1)")
    arguments = ("-o", tmp_path / "out.csv", "--trace", tmp_path / "t.jsonl")
    process = start("mask", data, "-p", policy, *arguments, code=slow)
    stopping.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "searching\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "stopped early (interrupted)" in err
    table = frame(tmp_path / "out.csv")
    assert group_sizes(table, ["Age", "Edu", "Job"]).min() >= 5
    assert group_sizes(table, ["Age", "Sex"]).min() >= 8
    assert len((tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.slow
def test_a_command_under_nohup_outlives_its_terminal(tmp_path: Path, data: Path, policy: Path, stopping: list) -> None:
    slow = SLOW_SEARCH.replace("time.sleep(30)", "time.sleep(1)")
    process = start("mask", data, "-p", policy, "-o", tmp_path / "out.csv", code=slow, ignored=signal.SIGHUP)
    stopping.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "searching\n"
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "stopped early" not in err
    assert group_sizes(frame(tmp_path / "out.csv"), ["Age", "Sex"]).min() >= 8


@pytest.mark.slow
def test_sigterm_during_the_search_leaves_nothing(tmp_path: Path, data: Path, policy: Path, stopping: list) -> None:
    before = folder(tmp_path)
    process = start("mask", data, "-p", policy, "-o", tmp_path / "out.csv", code=SLOW_SEARCH)
    stopping.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "searching\n"
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 143
    assert folder(tmp_path) == before


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_release_and_no_half_file(tmp_path: Path, data: Path, policy: Path) -> None:
    suffixes = [".csv", ".tsv", ".parquet", ".arrow", ".csv.gz"]
    target = tmp_path / "target"
    target.mkdir()
    for suffix in suffixes:
        (target / f"out{suffix}").write_bytes(b"the old release\n")
    done = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, str(data), str(policy), str(target), *suffixes],
        capture_output=True,
        text=True,
        env=ENV,
        check=False,
    )
    assert json.loads(done.stdout) == dict.fromkeys(suffixes, 2), done.stderr
    assert done.stderr.count("file too large") == len(suffixes)
    assert done.stderr.count(f"`{target}`") == len(suffixes)
    (target / "warm.csv").unlink()
    assert folder(target) == {f"out{suffix}": b"the old release\n" for suffix in suffixes}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".arrow", ".parquet.gz", ".arrow.gz"])
def test_every_format_can_be_written_by_a_fresh_process(
    tmp_path: Path, run: Run, data: Path, policy: Path, suffix: str
) -> None:
    # In this process some other test may have imported what the writer forgot to.
    process = start("mask", data, "-p", policy, "-o", tmp_path / f"out{suffix}")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert run("audit", tmp_path / f"out{suffix}", "-p", policy).code == 0


@pytest.mark.slow
def test_a_pipe_gets_the_result_and_nothing_else(tmp_path: Path, data: Path, policy: Path) -> None:
    drop_identifiers(policy)
    process = start("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--json")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out)["rows"] == 200
    assert err == ""


@pytest.mark.slow
def test_neither_colours_nor_progress_go_into_a_pipe(tmp_path: Path, data: Path, policy: Path) -> None:
    drop_identifiers(policy)
    process = start("mask", data, "-p", policy, "-o", tmp_path / "out.csv")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Age, Edu, Job" in out
    assert "\x1b" not in out + err
    assert "\r" not in out + err
    assert all(line.startswith("note: ") for line in err.splitlines()), err


@pytest.mark.slow
def test_an_error_goes_to_standard_error_with_its_exit_code(tmp_path: Path, policy: Path) -> None:
    process = start("mask", tmp_path / "nowhere.csv", "-p", policy, "-o", tmp_path / "out.csv")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_commands_run_where_the_system_has_no_sighup() -> None:
    code = "import signal; del signal.SIGHUP; from maskwise.cli.app import main; print(main(['--help']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENV, check=False)
    assert done.stdout.splitlines()[-1:] == ["0"], done.stderr


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_failure(tmp_path: Path, data: Path, policy: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-m", "maskwise.cli", "audit", str(data), "-p", str(policy)],
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        env=ENV,
        check=False,
        cwd=tmp_path,
    )
    os.close(write_end)
    assert "Traceback" not in done.stderr
    assert "maskwise failed" not in done.stderr
