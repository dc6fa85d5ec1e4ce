"""The commands on a release by regions, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import POLICY, Run, frame, group_sizes

ONE_QID = POLICY.replace("  - {qid: [Age, Sex], k: 8}\n", "").replace("[Name]", "[Id, Name, Zip]")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    names = ("r.csv", "s.json", "public.md", "o.html", "t.jsonl", "c.json", "curve.csv", "again.csv", "a.csv")
    (tmp_path / "p.yaml").write_text(ONE_QID, encoding="utf-8")
    return {name: tmp_path / name for name in (*names, "p.yaml")}


@pytest.mark.slow
def test_later_rows_are_masked_as_the_table_was(data: Path, files: dict[str, Path], run: Run) -> None:
    how = ("--method", "regions", "--keep-order", "--solution", files["s.json"])
    masked = run("mask", data, "-p", files["p.yaml"], "-o", files["r.csv"], *how)
    assert masked.code == 0, masked.err
    assert group_sizes(frame(files["r.csv"]), ["Age", "Edu", "Job"]).min() >= 5
    assert "none of the further splits that the search tries is safe and tells more of Risk" in masked.out
    assert "combinations of labels" in masked.out
    applied = run("apply", data, "--solution", files["s.json"], "-o", files["again.csv"], "--keep-order", "--strict")
    # Columns that the policy leaves out are known, so that even a strict run takes the table itself.
    assert applied.code == 0, applied.err
    assert files["again.csv"].read_bytes() == files["r.csv"].read_bytes()


@pytest.mark.slow
def test_every_command_takes_a_release_by_regions(data: Path, files: dict[str, Path], run: Run) -> None:
    beside = [
        text
        for option, name in (
            ("--solution", "s.json"),
            ("--report", "public.md"),
            ("--owner-report", "o.html"),
            ("--trace", "t.jsonl"),
            ("--certificate", "c.json"),
            ("--curve", "curve.csv"),
        )
        for text in (option, files[name])
    ]
    masked = run("mask", data, "-p", files["p.yaml"], "-o", files["r.csv"], "--method", "regions", "--json", *beside)
    assert masked.code == 0, masked.err
    found = json.loads(masked.out)
    n_splits = found["regions"]["splits"]
    steps = [json.loads(line) for line in files["t.jsonl"].read_text().splitlines()]
    assert n_splits == sum(len(step["regions"]) for step in steps)
    assert n_splits == len(json.loads(files["s.json"].read_text())["regions"])
    assert [entry["name"] for entry in found["why"]["attributes"]] == ["Age", "Edu", "Job"]
    assert f"{n_splits} split" not in files["public.md"].read_text()
    assert run("verify", files["c.json"], files["r.csv"]).code == 0
    assert run("audit", files["r.csv"], "-p", files["p.yaml"]).code == 0
    population = ("--population", data, "--solution", files["s.json"])
    assert run("risk", files["r.csv"], "-p", files["p.yaml"], *population).code == 0
    original = ("--solution", files["s.json"], "--original", data)
    attacked = run("attack", files["r.csv"], "-p", files["p.yaml"], *original)
    assert attacked.code == 0, attacked.err
    assert "labels: not run. Regions have cuts of their own" in attacked.out
    against = run("mask", data, "-p", files["p.yaml"], "-o", files["a.csv"], "--against", files["s.json"])
    assert against.code == 0, against.err


@pytest.mark.slow
def test_an_owners_report_is_made_also_where_reasons_are_not_found(
    data: Path, files: dict[str, Path], run: Run
) -> None:
    files["p.yaml"].write_text(f"{ONE_QID}\nsuppress: 5%\n", encoding="utf-8")
    masked = run("mask", data, "-p", files["p.yaml"], "-o", files["r.csv"], "--owner-report", files["o.html"])
    assert masked.code == 0, masked.err
    assert "Suppressed records" in files["o.html"].read_text(encoding="utf-8")
    refused = run("mask", data, "-p", files["p.yaml"], "-o", files["a.csv"], "--why")
    assert "Reasons (why) are not found" in refused.err


def test_regions_suppress_no_records(data: Path, files: dict[str, Path], run: Run) -> None:
    files["p.yaml"].write_text(f"{ONE_QID}\nsuppress: 5%\n", encoding="utf-8")
    refused = run("mask", data, "-p", files["p.yaml"], "-o", files["r.csv"], "--method", "regions")
    assert refused.code == 2
    assert "The method `regions` suppresses no records" in refused.err
    assert "Delete `suppress`, or use the method `tdr`." in refused.err
    assert not files["r.csv"].exists()


@pytest.mark.parametrize("how", [["--as-published"], ["--criterion", "infogain"]])
def test_what_does_not_fit_regions_is_refused(data: Path, files: dict[str, Path], run: Run, how: list[str]) -> None:
    refused = run("mask", data, "-p", files["p.yaml"], "-o", files["r.csv"], "--method", "regions", *how)
    assert refused.code == 2
    assert "Traceback" not in refused.err
    assert not files["r.csv"].exists()
