"""Sensitive columns: their values however they are spelled, and protected values that no record has."""

from __future__ import annotations

import pyarrow as pa
import pytest

from maskwise import InputError, PolicyError
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import check_sensitive
from maskwise.profile.sensitive import named_values, take_sensitive, unseen_values
from maskwise.table.read import read
from maskwise.values.message import Audience, Level

ILL = pa.table(
    {"Age": [1, 2, 3, 4, 5], "Ill": ["flu", "hiv", "flu", None, "none"], "Code": ["1", "1.0", "2", "2", "3"]}
)


def asked(**requirement: object) -> object:
    return read_policy({"requirements": [{"qid": ["Age"], **requirement}]})


def test_values_come_once_in_their_order_the_missing_one_last() -> None:
    ill, code = take_sensitive(read(ILL), "Ill"), take_sensitive(read(ILL), "Code")
    assert ill.values() == ("flu", "hiv", "none", None)
    assert ill.values(["none", "flu"]) == ("none", "flu", None)
    assert [ill.n_records(value) for value in ill.values()] == [2, 1, 1, 1]
    assert len(code.values()) == 4
    assert code.n_records(*code.spellings_of("1e0")) == 2
    assert sorted(code.spellings_of("1")) == ["1", "1.0"]
    assert code.keys_of("1").to_pylist() == ["1"]


def test_a_column_that_a_policy_cannot_spell_is_refused() -> None:
    with pytest.raises(InputError, match="cannot name exactly"):
        take_sensitive(read(pa.table({"Ill": [b"1", b"2"]})), "Ill")


def test_a_protected_value_that_no_record_has_is_named_to_the_owner_only() -> None:
    policy = asked(sensitive={"Ill": ["hiv", "HIV"]}, confidence=0.5)
    (message,) = unseen_values(policy, check_sensitive(read(ILL), policy))
    assert (message.level, message.audience) == (Level.WARNING, Audience.OWNER)
    assert "`HIV` of `Ill`" in message.text
    assert "Did you mean `hiv`" in message.text
    assert message.for_recipient is None


def test_a_union_is_one_message_and_only_a_note_of_how_codes_begin_while_some_of_it_occurs() -> None:
    policy = asked(sensitive={"Ill": {"any": ["fl*", "F1*", "F2*", "h*"]}}, confidence=0.5)
    (message,) = unseen_values(policy, check_sensitive(read(ILL), policy))
    assert (message.level, message.audience) == (Level.NOTE, Audience.OWNER)
    assert "`F1*` and `F2*` of `Ill` occur in no record" in message.text.replace("`F1*`, `F2*`", "`F1*` and `F2*`")


def test_a_union_of_which_nothing_occurs_and_a_misspelt_value_are_one_warning_each() -> None:
    policy = asked(sensitive={"Ill": {"any": ["F1*", "F2*"]}}, confidence=0.5)
    (message,) = unseen_values(policy, check_sensitive(read(ILL), policy))
    assert message.is_warning
    assert "are protected but occur in no record. Are they spelled as in the data?" in message.text
    policy = asked(sensitive={"Ill": {"any": ["hiv", "HIV", "flus", "F2*"]}}, confidence=0.5)
    note, warning = unseen_values(policy, check_sensitive(read(ILL), policy))
    assert (note.is_warning, warning.is_warning) == (False, True)
    assert "`HIV`: Did you mean `hiv`?" in warning.text
    assert "`flus`" in warning.text


def test_no_cell_of_the_data_is_suggested() -> None:
    policy = asked(sensitive={"Ill": ["fluu"]}, confidence=0.5)
    (message,) = unseen_values(policy, check_sensitive(read(ILL), policy))
    assert "`flu`" not in message.text


def test_the_values_a_policy_names_are_its_own() -> None:
    policy = asked(sensitive={"Ill": {"hiv": 0.5, "~": 0.9}})
    assert named_values(policy.requirements, policy.trees) == {"Ill": ["hiv"]}


@pytest.mark.parametrize(
    ("requirement", "says"),
    [
        ({"sensitive": "Ill", "closeness": 0.3, "distance": "ordered"}, "no order of their own"),
        ({"sensitive": "Ill", "closeness": 0.3, "distance": "ordered", "order": ["flu", "hiv"]}, "lacks 1 value"),
    ],
)
def test_an_order_that_the_values_do_not_have_is_refused(requirement: dict[str, object], says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        check_sensitive(read(ILL), asked(**requirement))


def test_too_many_values_for_diversity_are_refused() -> None:
    table = pa.table({"Age": range(300), "Ill": [f"v{i}" for i in range(300)]})
    with pytest.raises(PolicyError, match="300 different values"):
        check_sensitive(read(table), asked(sensitive="Ill", diversity={"distinct": 2}))
