"""Entries with rules and grids in a policy file: what is read, what is written, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maskwise.certificate.public_policy import public_policy, read_public_policy
from maskwise.errors import PolicyError
from maskwise.formats.policy_file import policy_files, read_policy, to_data

ASKED = [{"qid": ["A"], "k": 3}]


def policy_of(entry: Any) -> Any:
    return read_policy({"attributes": {"A": entry}, "requirements": ASKED})


@pytest.mark.parametrize(
    "entry",
    [
        {"prefix": [5, 3]},
        {"prefix": [5, 3], "root": "anywhere", "other": "under abroad", "weight": 2.0},
        {"prefix": [2], "taxonomy": {"any": {"east": ["02*"]}}, "at_least": 1},
        {"steps": {"widths": [5, 10], "from": 3}},
        {"calendar": ["day", "month"]},
        {"interval": {"range": [0, 100], "on": 5}, "clamp": [5, None]},
        {"interval": {"on": "month"}},
    ],
)
def test_an_entry_is_written_as_it_is_read(entry: Any) -> None:
    policy = policy_of(entry)
    again = read_policy(to_data(policy))
    assert again.attributes == policy.attributes
    assert again.fingerprint() == policy.fingerprint()
    assert to_data(again) == to_data(policy)


def test_the_hash_of_a_policy_knows_its_rules() -> None:
    entries: list[Any] = [{"prefix": [5, 3]}, {"prefix": [5, 2]}, {"suffix": [5, 3]}, {"prefix": [5, 3], "root": "any"}]
    entries += ["interval", {"interval": {"on": 5}}, {"interval": {"on": 10}}]
    entries.append({"prefix": [5, 3], "other": "under others"})
    assert len({policy_of(entry).fingerprint() for entry in entries}) == len(entries)


def test_levels_may_be_named() -> None:
    assert policy_of({"calendar": ["day", "month", "year"], "at_least": "month"}).attributes[0].at_least == 2
    said = {"attributes": {"B": {"calendar": ["day", "month", "year"], "release": "year"}}, "requirements": ASKED}
    assert read_policy(said).attributes[0].release == 1
    with pytest.raises(PolicyError, match=r"`moth` is no level of `calendar`\. Did you mean `month`"):
        policy_of({"calendar": ["day", "month"], "at_least": "moth"})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("prefix", "whole numbers from 1 to 255"),
        ({"prefix": [3], "suffix": [2]}, "a rule such as"),
        ({"prefix": [3], "interval": [0, 9]}, "a rule such as"),
        ({"prefix": [3], "rooot": "x"}, "`rooot` is not a key that belongs here. Did you mean `root`"),
        ({"prefx": [3]}, "`prefx` is not a key that belongs here. Did you mean `prefix`"),
        ({"prefix": [3], "at_least": 2}, "its taxonomy has levels 0 to 1"),
        ({"prefix": [3], "at_least": -1}, "at_least is at least 0"),
        ({"prefix": [3], "clamp": [1, 2]}, "clamp is for an attribute with interval"),
        ({"suppress": None, "other": "under x"}, "other goes with a rule"),
        ({"taxonomy": {"any": ["a"]}, "root": "x"}, "root goes with a rule"),
        ({"prefix": [3], "root": ""}, "`root` is empty"),
        ({"prefix": [3], "other": None}, "such as `other: under other values`; found nothing"),
        ({"grow": None}, "found nothing"),
        ({"interval": {"range": [0, 9]}}, "on: month"),
        ({"interval": {"range": [0, 9], "onn": 5}}, "Did you mean `on`"),
        ({"interval": {"range": [0], "on": 5}}, "two values"),
        ({"interval": {"range": [9, 0], "on": 5}}, "upside down"),
        ({"interval": {"range": [0, 9], "on": "moon"}}, "`on` is one of"),
        ({"interval": [0, 9], "on": 5}, "`on` is not a key that belongs here"),
    ],
)
def test_mistakes_are_said_with_a_remedy(entry: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        policy_of(entry)


def test_a_key_that_goes_with_a_rule_is_not_called_unknown() -> None:
    with pytest.raises(PolicyError) as found:
        policy_of({"grow": "frequency", "other": "under x"})
    assert len(found.value.mistakes) == 1
    assert "other goes with a rule" in found.value.mistakes[0]


def test_mistakes_of_a_file_have_their_line(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(
        "attributes:\n  A: {prefix: [1, 3]}\n  B: {calendar: [moth]}\nrequirements: [{qid: [A, B], k: 2}]\n"
    )
    with pytest.raises(PolicyError) as found:
        read_policy(path)
    assert [mistake.split(":")[0] for mistake in found.value.mistakes] == ["policy.yaml, line 2", "policy.yaml, line 3"]


def test_a_taxonomy_file_beside_a_rule_is_read(tmp_path: Path) -> None:
    (tmp_path / "regions.yaml").write_text("any: {east: ['02*'], west: ['9**']}\n")
    path = tmp_path / "policy.yaml"
    path.write_text("attributes: {A: {prefix: [2], taxonomy: regions.yaml}}\nrequirements: [{qid: [A], k: 2}]\n")
    rule = read_policy(path).attributes[0].rule
    assert rule is not None
    assert rule.path("021") == ("east", "02*")
    assert policy_files(path) == (path, tmp_path / "regions.yaml")


def test_recipients_are_told_the_rule_and_not_the_tree_above_it() -> None:
    told = public_policy(policy_of({"prefix": [2], "taxonomy": {"any": {"east": ["02*"]}}, "other": "under abroad"}))
    assert told["attributes"] == {"A": {"masked_by": "taxonomy", "rule": {"prefix": [2]}}}
    assert read_public_policy(told).policy.masked == ("A",)
