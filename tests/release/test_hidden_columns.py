"""Columns of which a release shows nothing are told of, with what would help."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import MaskwiseWarning
from maskwise.report.report import report as make_report
from maskwise.values.message import Audience


def test_a_column_of_rare_values_is_warned_of() -> None:
    table = pa.table({"job": [f"job {i % 20}" for i in range(60)], "ill": ["yes", "no"] * 30})
    asked = {"class": "ill", "requirements": [{"qid": ["job"], "k": 5}]}
    with pytest.warns(MaskwiseWarning, match=r"`job` shows nothing: each of its 20 values has fewer than 5 records"):
        outcome = maskwise.anonymize(table, asked)
    assert set(outcome.data["job"].to_pylist()) == {"*"}


def test_a_column_that_gave_way_to_others_is_noted() -> None:
    table = pa.table({"sex": ["F", "M"] * 30, "ill": ["yes", "no"] * 30, "kin": ["yes", "no"] * 30})
    asked = {
        "class": "ill",
        "attributes": {"sex": "suppress"},
        "requirements": [{"qid": ["sex"], "k": 5}, {"qid": ["sex"], "sensitive": {"kin": ["yes"]}, "confidence": 0.6}],
    }
    outcome = maskwise.anonymize(table, asked)
    assert set(outcome.data["sex"].to_pylist()) == {"*"}
    (told,) = [message for message in outcome.messages if "shows nothing" in message.text]
    assert not told.is_warning
    assert told.for_recipient is None


def test_all_columns_that_gave_way_stand_in_one_note_wherever_it_is_read() -> None:
    n = 60
    table = pa.table(
        {
            "age": [20 + i % 30 for i in range(n)],
            "town": ["Bonn", "Köln", "Trier"] * (n // 3),
            "sex": ["F", "F", "F", "M"] * (n // 4),
            "shown": ["yes", "no"] * (n // 2),
            "ill": ["yes", "no"] * (n // 2),
        }
    )
    kept = {"qid": ["age", "town", "sex"], "k": 40}
    asked: dict[str, Any] = {
        "class": "ill",
        "attributes": {
            "age": {"interval": [0, 99]},
            "town": {"taxonomy": {"Any": ["Bonn", "Köln", "Trier"]}},
            "sex": "suppress",
        },
        "requirements": [kept, {"qid": ["shown"], "k": 5}],
    }
    outcome = maskwise.anonymize(table, asked)
    nothing = {name for name in outcome.data.column_names if len(set(outcome.data[name].to_pylist())) == 1}
    (told,) = [message.text for message in outcome.messages if "nothing: every record" in message.text]
    assert told.startswith("`age`, `town` and `sex` show nothing: every record has the same label.")
    assert set(re.findall("`([a-z]+)`", told)) == nothing == {"age", "town", "sex"}
    assert told in make_report(outcome, Audience.OWNER).data["notes"]
    early = {**asked, "requirements": [{**kept, "k": 5}], "drop": ["shown"]}
    stopped = maskwise.anonymize(table, early, max_steps=1)
    assert any("search was stopped before it came to" in message.text for message in stopped.messages)


def test_a_column_of_one_number_has_nothing_to_show() -> None:
    table = pa.table({"age": [40] * 40, "sex": ["F", "M"] * 20, "ill": ["yes", "no"] * 20})
    outcome = maskwise.anonymize(
        table,
        {
            "class": "ill",
            "attributes": {"age": {"interval": [0, 99]}},
            "requirements": [{"qid": ["age", "sex"], "k": 5}],
        },
    )
    assert not [message for message in outcome.messages if "shows nothing" in message.text]


def test_a_column_that_shows_something_is_not_told_of() -> None:
    table = pa.table({"sex": ["F", "M", "M"] * 20, "ill": ["yes", "no", "no"] * 20})
    outcome = maskwise.anonymize(table, {"class": "ill", "requirements": [{"qid": ["sex"], "k": 5}]})
    assert not [message for message in outcome.messages if "shows nothing" in message.text]


def test_a_column_without_values_is_not_told_of() -> None:
    table = pa.table({"sex": ["F", "M"] * 20, "note": pa.nulls(40, pa.string()), "ill": ["yes", "no"] * 20})
    outcome = maskwise.anonymize(table, {"class": "ill", "requirements": [{"qid": ["sex", "note"], "k": 5}]})
    assert not [message for message in outcome.messages if "`note` shows nothing" in message.text]
