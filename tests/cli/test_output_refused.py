"""Where a release cannot go, or memory is too little: that is said, and not that the input is damaged."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run, folder

Refused = Callable[..., object]
NO_FILES = Path("/proc")


@pytest.mark.parametrize("size", ["1MB", "2MB"])
def test_too_little_memory_is_not_blamed_on_the_csv(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, size: str
) -> None:
    refused(
        *("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--memory", size),
        says=["memory was too little", "--memory", "free space in"],
        hides=["csv format", "database"],
    )


@pytest.mark.slow
@pytest.mark.skipif(not os.access(NO_FILES, os.W_OK), reason="the folder is found out before")
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.parquet", "x.parquet.gz", "x.arrow", "x/"])
def test_a_folder_that_takes_no_file_is_not_blamed_on_the_input(
    data: Path, policy: Path, refused: Refused, name: str
) -> None:
    target = f"{NO_FILES}/{name}"
    refused(
        "mask",
        data,
        "-p",
        policy,
        "-o",
        target,
        says=["could not be written to `/proc`"],
        hides=["damaged", "people.csv", ".part"],
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a" * 241 + ".csv", "ä" * 120 + ".parquet", "b" * 250 + "/"])
def test_a_long_name_is_written(tmp_path: Path, run: Run, data: Path, policy: Path, name: str) -> None:
    solution = tmp_path / ("s" * 250 + ".json")
    result = run("mask", data, "-p", policy, "-o", f"{tmp_path}/{name}", "--solution", solution)
    assert result.code == 0, result.err
    assert json.loads(solution.read_text(encoding="utf-8"))["rows"] == 200
    assert {data.name, policy.name, name.rstrip("/"), solution.name} == set(folder(tmp_path)) or name.endswith("/")


@pytest.mark.parametrize("option", ["-o", "--report"])
def test_a_name_longer_than_file_systems_allow_is_refused(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, option: str
) -> None:
    more = [] if option == "-o" else ["-o", tmp_path / "out.csv"]
    name = f"{tmp_path}/{'a' * 300}.{'csv' if option == '-o' else 'md'}"
    refused("mask", data, "-p", policy, option, name, *more, says=["longer than 255 bytes"])


@pytest.mark.parametrize("option", ["-o", "--solution", "--trace", "--report"])
def test_no_file_that_the_policy_names_is_written_over(tmp_path: Path, data: Path, run: Run, option: str) -> None:
    tree = tmp_path / "edu.csv"
    tree.write_text("primary;School;Any\nsecondary;School;Any\nbachelor;Uni;Any\nmaster;Uni;Any\n", encoding="utf-8")
    policy = tmp_path / "p.yaml"
    asked = "attributes: {Edu: {taxonomy: edu.csv}}\nrequirements: [{qid: [Edu], k: 2}]\n"
    policy.write_text(asked, encoding="utf-8")
    target = tree
    if option in {"--trace", "--report"}:
        target = tmp_path / "edu.txt"
        policy.write_text(asked.replace("edu.csv", target.name), encoding="utf-8")
        tree.rename(target)
    before = target.read_bytes()
    more = [] if option == "-o" else ["-o", tmp_path / "out.csv"]
    result = run("mask", data, "-p", policy, *more, option, target)
    assert (result.code, "is the input" in result.err) == (2, True)
    assert target.read_bytes() == before


@pytest.mark.parametrize("option", ["-o", "--solution"])
def test_only_a_file_is_written_over(tmp_path: Path, data: Path, policy: Path, run: Run, option: str) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    more = [] if option == "-o" else ["-o", tmp_path / "out.csv"]
    result = run("mask", data, "-p", policy, *more, option, pipe)
    assert (result.code, "is a device or a pipe" in result.err) == (2, True)
    assert pipe.is_fifo()


@pytest.mark.slow
def test_a_link_stays_a_link(tmp_path: Path, data: Path, policy: Path, run: Run) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "release.csv", tmp_path / "link.csv"
    link.symlink_to(real)
    assert run("mask", data, "-p", policy, "-o", link).code == 0
    assert (link.is_symlink(), real.is_file()) == (True, True)
    real.write_text("old", encoding="utf-8")
    assert run("mask", data, "-p", policy, "-o", link).code == 0
    assert real.read_text("utf-8") != "old"
    assert link.is_symlink()
