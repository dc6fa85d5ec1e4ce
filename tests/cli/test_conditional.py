"""The conditional criterion on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import maskwise
from tests.conftest import Result, Run, frame, group_sizes

CONDITIONAL = ("--criterion", "conditional")


@pytest.mark.slow
def test_a_run_leaves_a_safe_release_and_its_trace(data: Path, policy: Path, tmp_path: Path, run: Run) -> None:
    files = {
        name: tmp_path / name for name in ("out.csv", "owner-report.json", "solution.json", "trace.jsonl", "curve.csv")
    }
    options = [f"--{path.stem}={path}" for name, path in files.items() if name != "out.csv"]
    result = run("mask", data, "-p", policy, "-o", files["out.csv"], *CONDITIONAL, *options)
    assert result.code == 0, result.err
    shown = frame(files["out.csv"])
    assert group_sizes(shown, ["Age", "Edu", "Job"]).min() >= 5
    assert group_sizes(shown, ["Age", "Sex"]).min() >= 8
    assert maskwise.audit(files["out.csv"], policy).is_met
    assert json.loads(files["solution.json"].read_text())["criterion"] == "conditional"
    lines = [json.loads(line) for line in files["trace.jsonl"].read_text().splitlines()]
    assert lines
    assert all(line["info_gain"] > 0 for line in lines)
    assert len(files["curve.csv"].read_text().splitlines()) == len(lines) + 2


@pytest.mark.slow
def test_a_saved_solution_masks_the_same_rows_alike(data: Path, policy: Path, tmp_path: Path, run: Run) -> None:
    out, solution, again = tmp_path / "out.csv", tmp_path / "solution.json", tmp_path / "again.csv"
    masked = run("mask", data, "-p", policy, "-o", out, *CONDITIONAL, "--solution", solution, "--keep-order")
    assert masked.code == 0, masked.err
    assert run("apply", data, "-s", solution, "-o", again, "--keep-order").code == 0
    assert frame(again).equals(frame(out))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*CONDITIONAL, "--effort", "2"], "An effort is for the method `regions`, and at least 1; others search once"),
        (["--method", "regions", "--effort", "0"], "at least 1"),
        ([*CONDITIONAL, "--background", "boosting"], "odds"),
        ([*CONDITIONAL, "--method", "bug"], "A criterion is for the method `tdr`"),
        (
            ["--criterion", "score", "--background", "odds"],
            "A background is for the criterion `conditional` and the method `regions`",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(
    data: Path, policy: Path, tmp_path: Path, refused: Callable[..., Result], options: list[str], said: str
) -> None:
    refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", *options, says=[said])


def test_without_a_class_it_says_what_to_do(
    data: Path, policy: Path, tmp_path: Path, refused: Callable[..., Result]
) -> None:
    policy.write_text(policy.read_text().replace("class: Risk\n", ""))
    refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", *CONDITIONAL, says=["needs a class", "`score`"])
