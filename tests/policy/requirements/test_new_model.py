"""A model that is registered by one call, and its measure by another, works in every command and file."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import maskwise
from maskwise import InputError, read_policy
from maskwise.formats import solution_file
from maskwise.formats.policy_file import to_data
from maskwise.policy.requirements import registry
from maskwise.policy.requirements.file_form import Key, Model
from maskwise.verify.measures.registry import register_measure
from tests.conftest import Run
from tests.policy.requirements.group_share import MODEL, GroupShare, build, measure_group_share, registered

POLICY = """\
class: Risk
attributes:
  Age: {interval: [0, 120]}
  Edu: {taxonomy: {ANY_Edu: {School: [primary, secondary], University: [bachelor, master, doctor]}}}
requirements:
  - {qid: [Age, Edu, Sex], share: 0.05}
  - {qid: [Age, Edu], share: 1/20}
  - {qid: [Age, Job], k: 4}
drop: [Id, Name, Zip]
"""
ASKED = GroupShare(("Age", "Edu", "Sex"), Fraction(1, 20))


@pytest.fixture
def share_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "share.yaml"
    path.write_text(POLICY, encoding="utf-8")
    with registered():
        yield path


def smallest_share(path: Path, qid: tuple[str, ...]) -> float:
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return min(Counter(tuple(row[name] for name in qid) for row in rows).values()) / len(rows)


def test_its_policy_is_read_and_written(share_policy: Path) -> None:
    policy = read_policy(share_policy)
    assert policy.requirements[0] == ASKED
    assert policy.implied_by() == {1: 0}
    assert policy.sensitive == ()
    again = read_policy(to_data(policy))
    assert again.requirements == policy.requirements
    assert again.fingerprint() == policy.fingerprint()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tdr", "bug"])
def test_every_command_and_file_knows_it(tmp_path: Path, run: Run, data: Path, share_policy: Path, method: str) -> None:
    out, solution = tmp_path / "out.csv", tmp_path / "solution.json"
    written, trace = tmp_path / "owner.json", tmp_path / "trace.jsonl"
    public_report = tmp_path / "report.json"
    done = run(
        "mask", data, "-p", share_policy, "-o", out, "--method", method,
        "--solution", solution, "--owner-report", written, "--report", public_report, "--trace", trace,
    )  # fmt: skip
    assert done.code == 0, done.err
    reached = smallest_share(out, ASKED.qid)
    assert reached >= 0.05
    assert "0.05 of the table in every group" in done.out
    assert f"{reached:.4f}" in done.out

    report = json.loads(written.read_text())["requirements"]
    assert report[0]["share"] == 0.05
    assert report[0]["reached"] == pytest.approx(reached)
    assert report[0]["tightest_group"]["records"] == report[0]["group_sizes"]["min"]
    assert report[1]["implied_by"] == 0
    told = json.loads(public_report.read_text())["requirements"][0]
    assert told["reached"] == report[0]["reached"]
    assert told["share"] == 0.05
    assert "tightest_group" not in told
    last = json.loads(trace.read_text().splitlines()[-1])
    assert last["requirements"][0] == pytest.approx(reached)

    saved = solution_file.read_solution(solution)
    assert saved.reached[0].requirement == ASKED
    assert saved.reached[0].figure == pytest.approx(reached)
    public = json.loads(solution_file.dumps(saved, public=True))["requirements"][0]
    assert public == {"qid": list(ASKED.qid), "share": 0.05, "reached": saved.reached[0].figure}

    audited = run("audit", out, "-p", share_policy)
    assert audited.code == 0, audited.err
    assert "0.05 of the table in every group on {Age, Edu, Sex} holds" in audited.out
    assert f"the smallest share is {reached:.4f} of 0.05 in the group" in audited.out
    assert run("audit", data, "-p", share_policy).code == 1

    applied = run("apply", data, "-s", solution, "-o", tmp_path / "again.csv")
    assert applied.code == 0, applied.err


def test_a_report_for_people_has_it(tmp_path: Path, run: Run, data: Path, share_policy: Path) -> None:
    report, curve = tmp_path / "report.md", tmp_path / "curve.csv"
    done = run(
        "mask", data, "-p", share_policy, "-o", tmp_path / "out.csv", "--report", report, "--curve", curve
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "| Age, Edu, Sex | 0.05 of the table in every group | 0." in report.read_text()
    assert "0.05 of the table in every group on {Age, Edu, Sex}" in curve.read_text()


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ({"qid": ["Age"], "share": "much"}, "`share`: a share is a number above 0 and at most 1; found `much`."),
        ({"qid": ["Age"], "share": "2"}, "A share is above 0 and at most 1; found 2."),
        ({"qid": ["Age"], "share": 0.1, "k": 5}, "`k` and `share` are two requirements. Write one line for each."),
        ({"lkc": {"attributes": ["Age"], "L": 1}, "share": 0.1}, "`lkc` and `share` are two requirements."),
        ({"qid": ["Age"], "share": 0.1, "distance": "equal"}, "`distance` and `order` go with `closeness`."),
        ({"qid": ["Age"], "share": 0.1, "confidence": 0.1}, "`confidence` does not go with `share`."),
        ({"qid": ["Age"], "shar": 0.1}, "Did you mean `share`?"),
    ],
)
def test_its_mistakes_are_said(entry: dict[str, object], complaint: str) -> None:
    with registered(), pytest.raises(InputError) as error:
        read_policy({"requirements": [entry]})
    assert complaint in str(error.value)


def test_it_is_forgotten_afterwards() -> None:
    before = registry.known_keys()
    with registered():
        assert "share" in [key.name for key in registry.known_keys()]
    assert registry.known_keys() == before
    with pytest.raises(InputError, match="`share` is not a key that belongs here"):
        read_policy({"requirements": [{"qid": ["Age"], "share": 0.1}]})


def test_a_key_has_one_meaning() -> None:
    with pytest.raises(ValueError, match="`k` is a key of another model"):
        registry.register(Model("share", (Key("k", str), Key("share")), build))
    with registered():
        with pytest.raises(ValueError, match="`share` is a key of another model"):
            registry.register(MODEL)
        with pytest.raises(ValueError, match="GroupShare has a measure already"):
            register_measure(GroupShare, measure_group_share)


def test_a_table_that_cannot_meet_it_is_not_possible() -> None:
    """A share of the whole table is always met by the most masked table."""
    import pandas as pd

    with registered():
        policy = {"requirements": [{"qid": ["Age"], "share": 1}]}
        outcome = maskwise.anonymize(pd.DataFrame({"Age": [1, 2, 3]}), policy)
    assert outcome.solution.reached[0].figure == 1
