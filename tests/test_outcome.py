"""What a run says of itself in short."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import maskwise

N = 40
PEOPLE = pa.table(
    {
        "Name": [f"Pat {i}" for i in range(N)],
        "Age": [20 + i for i in range(N)],
        "Job": ["secretjob", "nurse"] * (N // 2),
        "Illness": ["Flu", "HIV", "Flu", "Flu"] * (N // 4),
        "Town": ["Bonn"] * N,
        "Risk": ["lo" if i < N / 2 else "hi" for i in range(N)],
    }
)
POLICY: dict[str, Any] = {
    "class": "Risk",
    "requirements": [
        {"qid": ["Age", "Job"], "k": 3},
        {"qid": ["Job"], "sensitive": {"Illness": ["HIV"]}, "confidence": 0.9},
    ],
    "drop": ["Town"],
}


def test_the_repr_of_an_outcome_is_short_and_has_no_cell() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY)
    text = repr(outcome)
    assert text.startswith("Outcome(40 records; k=3 on {Age, Job}: met, reaches ")
    assert text.endswith(f"2 attributes masked; {maskwise.errors.plural(len(outcome.warnings), 'warning')})")
    assert f"reaches {outcome.verdict.findings[0].figure}," in text
    assert "\n" not in text
    for cell in ("Pat", "secretjob", "HIV", "Bonn", "lo"):
        assert cell not in text, cell


def test_a_summary_says_what_was_asked_reached_shown_and_dropped() -> None:
    outcome = maskwise.anonymize(PEOPLE, POLICY, keep_order=True)
    text = outcome.summary()
    lines = text.splitlines()
    assert lines[0] == "40 records of the data frame."
    asked, shares = outcome.verdict.findings
    assert f"  k=3 on {{Age, Job}}: met, reaches {asked.figure}" in lines
    assert f"reaches {shares.figure:.4f}" in text
    assert "HIV" not in text
    ages = dict.fromkeys(outcome.data["Age"].to_pylist())
    listed = ", ".join(list(ages)[:6]) + (f" and {len(ages) - 6} more" if len(ages) > 6 else "")
    assert f"  Age (interval) shows {maskwise.errors.plural(len(ages), 'value')}: {listed}" in lines
    assert "Released as they were: Name, Illness, Risk" in lines
    assert "Left out: Town" in lines
    warnings = lines.index("Warnings:")
    assert any("`Name` is released as it is" in line for line in lines[warnings:])
    assert all(f"  {note}" in lines[lines.index("Notes:") :] for note in outcome.notes)


def test_a_summary_counts_records_that_were_left_out() -> None:
    table = PEOPLE.set_column(1, "Age", pa.array([None, None, *range(N - 2)]))
    text = maskwise.anonymize(table, {**POLICY, "missing": "drop"}).summary()
    assert text.startswith("38 records of the data frame. 2 records left out because a masked cell is missing.\n")
