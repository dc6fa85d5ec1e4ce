"""Columns that look like the key of a person with several records."""

from __future__ import annotations

import datetime as dt
import random
import warnings
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.datasets import ADULT_QIDS, load_adult
from maskwise.formats.policy_file import read_policy
from maskwise.profile.person_keys import is_named_as_key, repeated_person_keys, warn_of_keys
from maskwise.table import random_part
from maskwise.table.random_part import take_part
from maskwise.table.read import read
from tests.engines.test_contract import many, numbers, texts

N_PEOPLE = 200


def visits(seed: int = 1) -> pa.Table:
    """Some 600 visits of 200 people, whose sex and race stay the same."""
    rng = random.Random(seed)  # noqa: S311 - test data
    day = dt.date(2024, 1, 1)
    rows = []
    for person in range(N_PEOPLE):
        sex, race, age = rng.choice("FM"), rng.choice("abcd"), rng.randrange(20, 90)
        rows += [
            {
                "sex": sex,
                "race": race,
                "age": age + rng.randrange(2),
                "card": 7_000 + 13 * person,
                "zip": f"{rng.randrange(150):05}",
                "job": rng.choice(["cook", "clerk", "smith"]),
                "day": day + dt.timedelta(days=rng.randrange(150)),
                "fee": rng.randrange(200) / 4,
                "floor": rng.randrange(200) // 8,
            }
            for _ in range(rng.randrange(1, 6))
        ]
    rng.shuffle(rows)
    return pa.Table.from_pylist(rows)


def keys_of(table: pa.Table, **policy: Any) -> list[str]:
    """The columns that are warned of."""
    asked = read_policy({"requirements": [{"qid": ["sex", "race", "age"], "k": 2}], **policy})
    opened = read(table)
    part = take_part(opened, table.num_rows)
    return list(repeated_person_keys(opened, asked, part))


@pytest.mark.slow
def test_a_key_is_known_by_what_its_records_share() -> None:
    assert keys_of(visits()) == ["card"]
    assert keys_of(visits(), drop=["card"]) == ["card"]
    as_text = visits().set_column(3, "card", visits()["card"].cast(pa.string()))
    assert keys_of(as_text) == ["card"]


def test_a_key_is_known_in_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of the records would tear people apart, so all records of some people are looked at."""
    monkeypatch.setattr(random_part, "MOST_RECORDS", 250)
    assert keys_of(visits()) == ["card"]


def test_a_column_of_chance_with_as_many_values_is_no_key() -> None:
    cards = visits()["card"].to_pylist()
    random.Random(2).shuffle(cards)  # noqa: S311 - test data
    assert keys_of(visits().set_column(3, "card", pa.array(cards))) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["patient_id", "customerNo", "SSN", "person", "id", "Member Number"])
def test_a_column_named_as_a_key_needs_only_repeated_values(name: str) -> None:
    cards = visits()["card"].to_pylist()
    random.Random(2).shuffle(cards)  # noqa: S311 - test data
    table = visits().set_column(3, name, pa.array(cards))
    assert is_named_as_key(name)
    assert keys_of(table, drop=[name]) == [name]
    unique = table.set_column(3, name, pa.array(range(table.num_rows)))
    assert keys_of(unique) == []


@pytest.mark.parametrize(
    "name", ["zip", "occupation", "age", "education-num", "priors_count", "fnlwgt", "width", "valid", "sex_code"]
)
def test_other_names_are_no_keys(name: str) -> None:
    assert not is_named_as_key(name)


def test_the_message_says_what_to_write() -> None:
    (message,) = warn_of_keys(("card",), None, 0)
    assert message.text.startswith("`card` looks like the key of a person with several records. ")
    assert message.text.endswith("write person: card in the policy.")


@pytest.mark.parametrize("is_masked", [False, True])
def test_mask_says_how_few_persons_a_group_has(*, is_masked: bool) -> None:
    """Four records of each person are no four persons: where 8 records are asked, a group has fewer people."""
    rng = random.Random(5)  # noqa: S311 - test data
    rows = [{"id": i // 4, "sex": "FM"[i // 4 % 2], "age": 20 + rng.randrange(40)} for i in range(400)]
    qid = ["sex", "age", *["id"] * is_masked]
    policy: dict[str, Any] = {"requirements": [{"qid": qid, "k": 8}]}
    policy |= {"attributes": {"id": "suppress"}} if is_masked else {"drop": ["id"]}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        released = maskwise.anonymize(pa.Table.from_pylist(rows), policy, keep_order=True).data.to_pylist()
    groups: dict[tuple[str, ...], set[int]] = {}
    for shown, row in zip(released, rows, strict=True):
        groups.setdefault(tuple(shown[name] for name in qid), set()).add(row["id"])
    fewest = min(map(len, groups.values()))
    assert fewest < 8
    text = next(str(one.message) for one in said if "key of a person" in str(one.message))
    assert f"where k=8 is asked, a group of this release has only {fewest} value" in text


def test_the_bundled_tables_have_no_such_key() -> None:
    adult = load_adult()
    opened = read(adult)
    for qid in ADULT_QIDS.values():
        asked = read_policy({"class": "income", "requirements": [{"qid": list(qid), "k": 20}]})
        assert repeated_person_keys(opened, asked, take_part(opened, adult.num_rows)) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "qid"),
    [(numbers(), ["age", "size"]), (texts(), ["paid", "code"]), (many(), ["sex"])],
    ids=["numbers", "texts", "many"],
)
def test_the_tables_of_the_engines_contract_have_no_such_key(table: pa.Table, qid: list[str]) -> None:
    outcome = maskwise.anonymize(table, {"class": "risk", "requirements": [{"qid": qid, "k": 4}]})
    assert not [text for text in outcome.warnings if "key of a person" in text]
