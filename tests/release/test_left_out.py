"""Which columns a release has: `drop` names those that go, `keep` those that stay, and later rows need the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

import maskwise
from maskwise.formats import solution_file
from maskwise.report.report import report
from maskwise.values.message import Audience

N = 24
PEOPLE = pa.table(
    {
        "Name": [f"person {i}" for i in range(N)],
        "Age": [20 + i for i in range(N)],
        "Sex": ["F", "M"] * (N // 2),
        "City": ["Bonn", "Ulm", "Trier"] * (N // 3),
        "Code": [f"code {i}" for i in range(N)],
        "Illness": ["Flu", "HIV", "Flu", "Flu"] * (N // 4),
        "Risk": ["lo", "hi"] * (N // 2),
    }
)
POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {"City": "suppress"},
    "requirements": [
        {"qid": ["Age", "Sex"], "k": 2},
        {"qid": ["Sex"], "sensitive": {"Illness": ["HIV"]}, "confidence": 0.9},
    ],
}
KEPT = ["Age", "Sex", "City", "Illness", "Risk"]


@pytest.mark.slow
def test_only_kept_masked_sensitive_and_class_columns_are_released(tmp_path: Path) -> None:
    outcome = maskwise.anonymize(PEOPLE, {**POLICY, "keep": ["City"]}, keep_order=True)
    assert outcome.data.column_names == KEPT
    assert outcome.solution.drop == ("Name", "Code")
    assert report(outcome, Audience.OWNER).data["dropped"] == ["Name", "Code"]
    assert report(outcome).data["dropped"] == []  # the policy does not name them
    assert not [text for text in outcome.warnings if "identif" in text or "who is who" in text]  # none is released
    dropped = maskwise.anonymize(PEOPLE, {**POLICY, "drop": ["Name", "Code"]}, keep_order=True)
    assert outcome.data.equals(dropped.data)

    path = tmp_path / "out.csv"
    maskwise.anonymize(PEOPLE, {**POLICY, "keep": []}, path)
    assert arrow_csv.read_csv(path).column_names == [name for name in KEPT if name != "City"]


@pytest.mark.slow
def test_an_entry_of_a_column_that_is_left_out_is_not_said_to_pass() -> None:
    notes = maskwise.anonymize(PEOPLE, {**POLICY, "keep": []}).notes
    assert not [note for note in notes if "passes through" in note]
    assert [note for note in maskwise.anonymize(PEOPLE, {**POLICY, "keep": ["City"]}).notes if "passes through" in note]


def test_a_kept_identifier_is_warned_of_and_the_remedy_fits() -> None:
    warnings = maskwise.anonymize(PEOPLE, {**POLICY, "keep": ["Name"]}).warnings
    (warning,) = [text for text in warnings if "attack succeeds" not in text]
    assert "`Name` is released as it is" in warning
    assert "take it out of keep" in warning
    assert "`Code`" not in warning


def test_later_rows_leave_out_what_was_not_kept(tmp_path: Path) -> None:
    solution = maskwise.anonymize(PEOPLE, {**POLICY, "keep": ["City"]}).solution
    path = tmp_path / "solution.json"
    path.write_text(solution_file.dumps(solution))
    later = PEOPLE.append_column("Phone", pa.array(["1"] * N))
    applied = maskwise.apply(later, path)
    assert applied.data.column_names == KEPT
    assert applied.left_out == ("Phone",)


def test_all_kept_columns_that_the_table_lacks_are_named_at_once() -> None:
    with pytest.raises(maskwise.PolicyError) as caught:
        maskwise.anonymize(PEOPLE, {**POLICY, "keep": ["Cty", "Agee"]})
    first, second = str(caught.value).splitlines()
    assert "`Cty`" in first
    assert "Did you mean `City`?" in first
    assert "Did you mean `Age`?" in second


def test_an_audit_does_not_ask_for_kept_columns() -> None:
    asked = {**POLICY, "keep": ["City", "Name"]}
    assert maskwise.audit(PEOPLE.select(["Age", "Sex", "Illness"]), asked).n_rows == N


def test_a_release_that_still_has_an_unkept_column_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.release.mask.drop_columns", lambda table, _: table)
    with pytest.raises(maskwise.RefusedError, match="the dropped column `Name` is still there"):
        maskwise.anonymize(PEOPLE, {**POLICY, "keep": ["City", "Code"]})


def test_a_policy_with_keep_is_written_and_read_again() -> None:
    from maskwise.formats.policy_file import to_data

    policy = maskwise.read_policy({**POLICY, "keep": ["City"]})
    assert maskwise.read_policy(json.loads(json.dumps(to_data(policy)))).keep == ("City",)
    assert "keep" not in to_data(maskwise.read_policy(POLICY))


def test_apply_names_all_columns_that_the_rows_lack() -> None:
    solution = maskwise.anonymize(PEOPLE, POLICY).solution
    with pytest.raises(maskwise.InputError) as caught:
        maskwise.apply(PEOPLE.rename_columns(["Name", "Agee", "Gender", *PEOPLE.column_names[3:]]), solution)
    first, second = str(caught.value).splitlines()
    assert first.startswith("Column `Age` is in the solution but not in the table.")
    assert first.endswith("Did you mean `Agee`?")
    assert second.startswith("Column `Sex` is in the solution but not in the table.")
