"""Columns of which a release shows nothing are told of, with what would help."""

from __future__ import annotations

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import MaskwiseWarning


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


def test_a_column_that_shows_something_is_not_told_of() -> None:
    table = pa.table({"sex": ["F", "M", "M"] * 20, "ill": ["yes", "no", "no"] * 20})
    outcome = maskwise.anonymize(table, {"class": "ill", "requirements": [{"qid": ["sex"], "k": 5}]})
    assert not [message for message in outcome.messages if "shows nothing" in message.text]


def test_a_column_without_values_is_not_told_of() -> None:
    table = pa.table({"sex": ["F", "M"] * 20, "note": pa.nulls(40, pa.string()), "ill": ["yes", "no"] * 20})
    outcome = maskwise.anonymize(table, {"class": "ill", "requirements": [{"qid": ["sex", "note"], "k": 5}]})
    assert not [message for message in outcome.messages if "`note` shows nothing" in message.text]
