"""The command line with a policy that asks for an epsilon."""

from __future__ import annotations

import json
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Run, cells, csv_text
from tests.private.tables import Eager

POLICY = """\
class: {Risk: [lo, hi]}
attributes:
  Age: {interval: {range: [0, 40], on: 10}}
  Edu: {taxonomy: {ANY: {School: [primary, secondary], University: [bachelor, master]}}}
  Job: {suppress: [clerk, nurse, trader]}
requirements:
  - {epsilon: 1.0, attributes: [Age, Edu, Job], steps: 3}
"""
HEADER = ("Name", "Age", "Edu", "Job", "Risk", "Zip")


class SameResult(Eager):
    """The same result for any table whose records are in the same cells: a constant choice, and constant counts."""

    def choose(self, scores: Any, sensitivity: int, epsilon: Fraction) -> int:
        del scores, sensitivity, epsilon
        return 0

    def add_noise(self, counts: Any, epsilon: Fraction) -> Any:
        del epsilon
        return np.full(len(counts), 12, np.int64)


def rows(n: int, seed: int) -> list[tuple[str, ...]]:
    """Records in four combinations of School or University and a class, whatever the seed; all else differs."""
    draw = np.random.default_rng(seed)
    made = [("primary", "lo"), ("primary", "hi"), ("master", "lo"), ("master", "hi")]
    return [
        (f"n{i * seed}", str(draw.integers(0, 9)), edu, draw.choice(["clerk", "nurse"]), risk, str(draw.integers(1e5)))
        for i, (edu, risk) in enumerate(made[int(draw.integers(4)) if i > 3 else i] for i in range(n))
    ]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "people.csv").write_text(csv_text(HEADER, rows(60, 1)))
    return tmp_path


def mask(run: Run, folder: Path, *more: object, data: str = "people.csv", out: str = "out.csv") -> Any:
    return run("mask", folder / data, "-p", folder / "policy.yaml", "-o", folder / out, *more)


def test_a_release_has_the_attributes_and_the_class_and_nothing_else(run: Run, given: Path) -> None:
    pytest.importorskip("opendp")
    done = mask(run, given)
    assert done.code == 0, done.err
    header, *records = cells(given / "out.csv")
    assert header == ["Age", "Edu", "Job", "Risk"]
    assert {record[3] for record in records} <= {"lo", "hi"}
    assert "Every other column is left out." in done.out


@pytest.mark.slow
def test_public_files_of_two_tables_with_the_same_result_are_the_same(
    run: Run, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More records, other names, ages and jobs, cells outside the domains: what nobody released is nowhere."""
    monkeypatch.setattr("maskwise.private.run.OpenDPMechanisms", SameResult)
    strange = [("x", "no number", "kindergarten", "pilot", "lo", ""), ("y", "", "", "", "medium", "1")]
    # Refinements are of age, so its root holds what is outside it; both tables have such a record.
    first = [*rows(60, 1), ("z", "", "primary", "clerk", "lo", "2")]
    second = [*rows(170, 2), ("w", "abc", "kindergarten", "pilot", "lo", "3"), *strange]
    names = ("sol.json", "trace.jsonl", "rep.md", "rep.html", "rep.json", "out.csv", "cert.json")
    found = []
    for i, records in enumerate((first, second)):
        folder = given / str(i)
        folder.mkdir()
        (folder / "policy.yaml").write_text(POLICY)
        (folder / "people.csv").write_text(csv_text(HEADER, records))
        said = []
        for report in ("rep.md", "rep.html", "rep.json"):
            beside = ["--solution", folder / "sol.json", "--trace", folder / "trace.jsonl", "--report", folder / report]
            beside += ["--certificate", folder / "cert.json", "--certificate-key", given / "key"]
            done = mask(run, folder, *beside, "--json")
            assert done.code == 0, done.err
            said.append(done.out + done.err)
        certificate = json.loads((folder / "cert.json").read_text())
        certificate["predicate"]["claimed"]["time"] = ""
        (folder / "cert.json").write_text(json.dumps(certificate))
        assert json.loads((folder / "rep.json").read_text())["records"] > 0
        found.append((said, {name: (folder / name).read_bytes() for name in names}))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "option",
    [
        ["--seed", "1"],
        ["--why"],
        ["--keep-order"],
        ["--shuffle"],
        ["--strict-leaks"],
        ["--numbers", "midpoint"],
        ["--method", "bug"],
        ["--max-steps", "3"],
        ["--against", "sol.json"],
        ["--curve", "curve.csv"],
        ["--owner-report", "own.md"],
    ],
)
def test_options_that_a_private_release_cannot_follow_are_refused(
    run: Run, given: Path, option: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(given)
    done = mask(run, given, *option)
    assert done.code == 2
    assert "does not go with a policy that asks for an `epsilon`" in " ".join(done.err.split())
    assert not (given / "out.csv").exists()


def test_a_ledger_refuses_what_is_too_much(run: Run, given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.private.run.OpenDPMechanisms", SameResult)
    ledger = ["--ledger", given / "ledger.json", "--total-epsilon", "1.5"]
    assert mask(run, given, *ledger).code == 0
    done = mask(run, given, *ledger, out="second.csv")
    assert done.code == 2
    assert "1.5 are allowed" in " ".join(done.err.split())
    assert not (given / "second.csv").exists()
    assert stat.S_IMODE((given / "ledger.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--ledger", "l.json"], "needs --total-epsilon"),
        (["--total-epsilon", "1"], "go with --ledger"),
        (["--ledger", "l.json", "--total-epsilon", "much"], "a number above 0"),
    ],
)
def test_options_of_a_ledger_go_together(
    run: Run, given: Path, options: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(given)
    done = mask(run, given, *options)
    assert done.code == 2
    assert expected in " ".join(done.err.split())


def test_a_ledger_goes_with_epsilon_only(run: Run, given: Path) -> None:
    (given / "policy.yaml").write_text("requirements: [{qid: [Age], k: 2}]")
    done = mask(run, given, "--ledger", given / "l.json", "--total-epsilon", "1")
    assert done.code == 2
    assert "go with a policy that asks for an `epsilon`" in " ".join(done.err.split())


def test_the_certificate_states_epsilon_and_the_ledger_and_can_be_checked(
    run: Run, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maskwise.private.run.OpenDPMechanisms", SameResult)
    ledger = ["--ledger", given / "ledger.json", "--total-epsilon", "3"]
    assert mask(run, given, "--certificate", given / "cert.json", *ledger).code == 0
    claimed = json.loads((given / "cert.json").read_text())["predicate"]["claimed"]
    assert claimed["private"]["epsilon"] == 1.0
    assert claimed["private"]["neighbours"] == "adding or removing one record"
    assert claimed["private"]["ledger"] == {"spent": 1.0, "allowed": 3.0, "releases": 1}
    checked = run("verify", given / "cert.json", given / "out.csv", "--policy", given / "policy.yaml")
    assert checked.code == 0, checked.err
    (given / "out.csv").write_text((given / "out.csv").read_text() + "< 10,School,*,lo\n")
    assert run("verify", given / "cert.json", given / "out.csv").code == 1


def test_later_rows_are_masked_alike_and_said_to_be_unprotected(
    run: Run, given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maskwise.private.run.OpenDPMechanisms", SameResult)
    assert mask(run, given, "--solution", given / "sol.json").code == 0
    done = run("apply", given / "people.csv", "-s", given / "sol.json", "-o", given / "later.csv", "--keep-order")
    assert done.code == 0, done.err
    assert "epsilon does not protect them" in " ".join(done.err.split())
    released, later = (cells(given / name) for name in ("out.csv", "later.csv"))
    assert later[0] == released[0]
    assert {tuple(row) for row in later[1:]} <= {tuple(row) for row in released[1:]}
    assert "may accompany the release" in (given / "sol.json").read_text()


def test_an_audit_cannot_show_epsilon(run: Run, given: Path) -> None:
    done = run("audit", given / "people.csv", "-p", given / "policy.yaml")
    assert done.code == 2
    assert "No table shows by itself how it was made" in " ".join(done.err.split())
