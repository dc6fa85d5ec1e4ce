"""Certificates as files: what is read, and one sentence for what is not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from maskwise.errors import InputError
from maskwise.formats.certificate_file import Certificate, canonical, dumps, fingerprint, loads, read_certificate

HASH = "ab" * 32


@pytest.fixture
def certificate() -> Certificate:
    columns = {"released": ["Äge"], "masked": ["Äge"], "passed": [], "pseudonyms": [], "dropped": []}
    public = {"class": None, "attributes": {}, "requirements": [{"qid": ["Äge"], "k": 2}]}
    claimed = {
        "time": "2026-01-02T03:04:05Z",
        "made_by": {"maskwise": "1", "python": "3", "engine": {"name": "DuckDB", "version": "2"}},
        "options": {"method": "tdr"},
        "policy_hmac_sha256": HASH,
        "input": {"hmac_sha256": [HASH]},
        "attacks": [],
        "earlier_releases": [],
        "not_covered": ["Other columns."],
        "statement": None,
    }
    recounted = {"rows": 2, "columns": columns, "requirements": [{}], "risk": None, "criteria": {}}
    return Certificate({"release.csv": HASH}, public, fingerprint(public), recounted, claimed)


def test_what_is_written_is_read(certificate: Certificate) -> None:
    assert loads(dumps(certificate)) == certificate
    assert "Äge" in dumps(certificate)
    assert dumps(certificate).endswith("}\n")


def test_the_hash_of_plain_values_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"b": "ä", "a": 1}) == '{"a":1,"b":"ä"}'.encode()
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1}) != fingerprint({"a": 1, "b": 3})


def every_place(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The place of every key of a mapping that is checked."""
    found = []
    for key, value in data.items():
        here = (*place, key)
        found.append(here)
        if isinstance(value, dict) and key not in {"public", "options", "criteria"}:
            found += every_place(value, here)
    return found


def at(data: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        data = data[step]
    return data


def test_every_missing_unknown_or_misshapen_key_is_one_sentence(certificate: Certificate) -> None:
    whole = json.loads(dumps(certificate))
    optional = {("predicate", "claimed", "input", "hmac_sha256")}
    for place in every_place(whole):
        *above, key = place
        for change in ("remove", "rename", "shape"):
            data = copy.deepcopy(whole)
            holder = at(data, tuple(above))
            old = holder.pop(key)
            if change == "rename":
                holder[f"{key}s"] = old
            if change == "shape":
                holder[key] = 3.5
            if (change == "remove" and place in optional) or (change == "shape" and key == "public"):
                continue
            with pytest.raises(InputError) as caught:
                loads(json.dumps(data), "`cert.json`")
            assert str(caught.value).startswith("`cert.json` "), place
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[" * 100_000,
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        '{"a": ' + "9" * 5_000 + "}",
    ],
)
def test_what_is_not_plain_json_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not JSON"):
        loads(text, "`cert.json`")


@pytest.mark.parametrize("data", [[], 3, None, {}, {"predicateType": 3}, {"predicateType": "https://slsa.dev/v1"}])
def test_another_statement_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match="predicateType"):
        loads(json.dumps(data))


def test_a_newer_format_says_to_upgrade(certificate: Certificate) -> None:
    for change in ("type", "version"):
        data = json.loads(dumps(certificate))
        if change == "type":
            data["predicateType"] = data["predicateType"].replace("v1", "v2")
        else:
            data["predicate"]["format_version"] = 2
        with pytest.raises(InputError, match="format version 2; this maskwise reads up to 1"):
            loads(json.dumps(data))


def test_a_truth_value_is_no_version(certificate: Certificate) -> None:
    data = json.loads(dumps(certificate))
    data["predicate"]["format_version"] = True
    with pytest.raises(InputError, match="format_version"):
        loads(json.dumps(data))


def test_a_file_that_is_named_twice_is_refused(certificate: Certificate) -> None:
    data = json.loads(dumps(certificate))
    data["subject"] *= 2
    with pytest.raises(InputError, match="twice"):
        loads(json.dumps(data))


def test_keys_of_others_do_not_write_to_the_terminal(certificate: Certificate) -> None:
    data = json.loads(dumps(certificate))
    data["predicate"]["\x1b[2J"] = 1
    with pytest.raises(InputError) as caught:
        loads(json.dumps(data))
    assert "\x1b" not in str(caught.value)


def test_files_that_cannot_be_read_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    (tmp_path / "folder.json").mkdir()
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(100 << 20)
    for name in ("nowhere.json", "latin.json", "folder.json", "huge.json"):
        with pytest.raises(InputError, match=name):
            read_certificate(tmp_path / name)
