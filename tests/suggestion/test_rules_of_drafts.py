"""A draft uses the rule that fits the codes of a column, and columns that form a hierarchy."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.policy.rules.registry import RULE_KEYS
from maskwise.suggestion.roles import Role

N = 600


def entries(**cells: list[Any]) -> dict[str, Any]:
    found = maskwise.suggest(pa.table(cells))
    return {column.name: column.masking.entry for column in found.columns if column.masking is not None}


def drawn(values: list[str], seed: int = 1) -> list[str]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [rng.choice(values) for _ in range(N)]


ISCO = ["2512", "2211", "5120", "9112", "7231", "3251", "1120", "4110"]
NACE = ["62.01", "01.11", "47.11", "86.10", "85.20", "41.20", "56.10", "64.19"]
NAICS = ["111110", "332710", "441110", "484121", "522110", "541511", "621111", "722511"]
DATES = [*(f"19{i}-0{i % 9 + 1}-11" for i in range(20, 99)), "unknown"]
SEX = drawn(["F", "M"])
PLACES = {f"town{i}": (f"county{i % 12}", f"state{i % 4}") for i in range(48)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values", "entry"),
    [
        ("isco_code", ISCO, {"isco": ["unit", "minor", "submajor", "major"]}),
        ("industry", NACE, {"nace": ["class", "group", "division", "section"]}),
        ("naics", NAICS, {"naics": ["national", "industry", "group", "subsector", "sector"]}),
        ("source_ip", ["10.1.2.3", "10.1.2.4", "192.0.2.7", "2001:db8::1"], {"network": [24, 16, 8]}),
        ("host", ["mail.example.org", "www.example.org", "a.b.example.de", "x.example.fr"], {"domain": [3, 2, 1]}),
        ("postcode", ["8001", "3011", "9000", "4051"], {"prefix": [2, 1]}),
        ("zip", ["02139", "10001", "94105", "60601"], {"prefix": [3, 2, 1]}),
        ("nationality", ["DE", "FR", "AT", "NL"], {"un": ["country", "subregion", "region"]}),
        ("birth_date", DATES, {"calendar": ["month", "year", "decade"]}),
        ("age", [*map(str, range(20, 90)), "unknown"], {"steps": [5, 10, 20]}),
    ],
)  # fmt: skip
def test_a_code_system_is_known_by_its_name_and_its_cells(name: str, values: list[str], entry: dict[str, Any]) -> None:
    if "un" in entry:
        pytest.importorskip("countryinfo")
    assert entries(**{name: drawn(values), "sex": SEX})[name] == {**entry, "other": "under other values"}


def test_numbers_that_no_name_tells_to_be_codes_stay_numbers() -> None:
    codes = drawn(ISCO)
    assert "interval" in entries(score=codes, sex=SEX)["score"]


def test_a_city_stands_below_its_county_and_its_state() -> None:
    city = drawn(list(PLACES))
    county, state = ([PLACES[name][i] for name in city] for i in (0, 1))
    found = entries(city=city, county=county, state=state, sex=SEX)
    assert found["city"] == {"from_column": ["county", "state"]}
    assert found["county"] == {"from_column": ["state"]}


def test_one_contradiction_is_enough_for_no_hierarchy() -> None:
    city = drawn(list(PLACES))
    state = [PLACES[name][1] for name in city]
    state[7] = "state9"
    assert "from_column" not in str(entries(city=city, state=state, sex=SEX))


def test_what_few_records_confirm_is_chance() -> None:
    rng = random.Random(3)  # noqa: S311 - no secret
    team = [f"team{i // 2}" for i in range(40)]
    room = {name: rng.choice("ABCDE") for name in team}
    found = entries(team=team, room=[room[name] for name in team], age=[20 + i % 30 for i in range(40)])
    assert "from_column" not in str(found)


def test_diagnoses_are_told_apart_by_chapter() -> None:
    codes = [f"{letter}{i}.{i % 9}" for letter in "ACEFIJKMN" for i in range(10, 40)]
    found = maskwise.suggest(pa.table({"diagnosis": drawn(codes), "sex": SEX, "age": [20 + i % 60 for i in range(N)]}))
    (column,) = [column for column in found.columns if column.role is Role.SENSITIVE]
    assert column.masking is not None
    assert column.masking.entry["icd10"] == ["code", "category", "block", "chapter"]
    asked = [one.entry for one in found.requirements if "diversity" in one.entry]
    assert [entry["by"] for entry in asked] == ["level 1"]


def test_diagnoses_of_one_chapter_are_told_apart_by_block() -> None:
    codes = [f"C{i}.{i % 9}" for i in range(10, 97)]
    found = maskwise.suggest(pa.table({"diagnosis": drawn(codes), "sex": SEX, "age": [20 + i % 60 for i in range(N)]}))
    assert [one.entry["by"] for one in found.requirements if "diversity" in one.entry] == ["level 2"]


def test_codes_of_the_clinical_modification_are_known_by_their_length() -> None:
    codes = [f"S{i}.{j}01A" for i in range(20, 90) for j in range(2)]
    found = maskwise.suggest(pa.table({"diagnosis": drawn(codes), "sex": SEX}))
    assert any("cm" in str(column.masking) for column in found.columns)


@pytest.mark.slow
def test_a_draft_with_every_rule_masks_its_table() -> None:
    city = drawn(list(PLACES))
    data = pa.table({
        "city": city,
        "state": [PLACES[name][1] for name in city],
        "isco": drawn(ISCO, 2),
        "diagnosis": drawn([f"{letter}{i}" for letter in "ACEFIJKMN" for i in range(10, 40)], 3),
        "ip": [f"10.{i % 3}.{i % 7}.{i % 250}" for i in range(N)],
        "age": drawn([*map(str, range(20, 90)), "unknown"], 4),
    })  # fmt: skip
    found = maskwise.suggest(data, risk=0.2)
    used = {key for column in found.columns if column.masking for key in column.masking.entry if isinstance(key, str)}
    assert used & RULE_KEYS == {"isco", "icd10", "network", "steps"}
    outcome = maskwise.anonymize(data, found.policy)
    assert outcome.verdict.is_met


@pytest.mark.slow
def test_more_columns_than_are_hashed_at_a_time_are_drafted() -> None:
    rng = random.Random(5)  # noqa: S311 - no secret
    answers = {f"q{i}": [rng.choice("abc") for _ in range(60)] for i in range(300)}
    found = maskwise.suggest(
        pa.table({"age": [20 + i % 40 for i in range(60)], "sex": SEX[:60], **answers, "q_copy": answers["q1"]})
    )
    assert len(found.named(Role.QUASI_IDENTIFIER)) == 30
    assert {"age", "sex"} <= set(found.named(Role.QUASI_IDENTIFIER))
    assert found.named(Role.REPEATED) == ("q_copy",)
