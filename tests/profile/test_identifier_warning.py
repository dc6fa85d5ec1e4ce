"""Which columns that pass through are taken for identifiers."""

from __future__ import annotations

import datetime as dt
import decimal
import random
from typing import Any

import pyarrow as pa
import pytest

from maskwise.formats.policy_file import read_policy
from maskwise.profile.identifier_warning import forgotten_identifiers
from maskwise.table.random_part import RandomPart, take_part
from maskwise.table.read import read

N = 1_000
RNG = random.Random(7)  # noqa: S311 - test data
MOMENT = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - as written
BIRTHS = [dt.date(1930, 1, 1) + dt.timedelta(days=RNG.randrange(6_500)) for _ in range(N)]
BOOKED = [MOMENT + dt.timedelta(seconds=RNG.randrange(10**8)) for _ in range(N)]
SALARIES = [RNG.randrange(2 * 10**6, 9 * 10**6) / 100 for _ in range(N)]

IDENTIFYING: dict[str, Any] = {
    "names": [f"{first} {last}" for first in "ABCDEFGHIJ" for last in range(100)],
    "e-mail": [f"p{i}@example.org" for i in range(N)],
    "uuid": [f"{RNG.getrandbits(128):032x}" for _ in range(N)],
    "codes": [f"{i * 37 % 100_003:06}" for i in range(N)],
    "numbers in order": list(range(5_000, 5_000 + N)),
    "numbers in order, as text": [str(i) for i in range(5_000, 5_000 + N)],
    "insurance numbers": [RNG.randrange(10**9, 10**10) for _ in range(N)],
    "dates of birth": BIRTHS,
    "dates of birth, as text": [str(day) for day in BIRTHS],
    "dates spelled otherwise": [f"{day:%d.%m.%Y}" for day in BIRTHS],
    "booking times": BOOKED,
    "booking times, as text": [str(moment) for moment in BOOKED],
    "times of day": [dt.time(i // 3600 % 24, i // 60 % 60, i % 60) for i in (RNG.randrange(86_400) for _ in range(N))],
}
HARMLESS: dict[str, Any] = {
    "salaries": SALARIES,
    "salaries, as text": [f"{salary:.2f}" for salary in SALARIES],
    "salaries with a comma": [f"{salary:.2f}".replace(".", ",") for salary in SALARIES],
    "salaries, as decimals": [decimal.Decimal(f"{salary:.2f}") for salary in SALARIES],
    "whole salaries": [int(salary) for salary in SALARIES],
    "ages": [RNG.randrange(18, 90) for _ in range(N)],
    "few days": [dt.date(2024, 1, 1) + dt.timedelta(days=RNG.randrange(60)) for _ in range(N)],
    "few moments": [MOMENT + dt.timedelta(hours=RNG.randrange(48)) for _ in range(N)],
    "truths": [RNG.random() < 0.5 for _ in range(N)],
    "towns": [f"town {RNG.randrange(300)}" for _ in range(N)],
    "empty": pa.array([None] * N, pa.string()),
    "few names": [f"Pat {i}" if i < 10 else None for i in range(N)],
}


def part_of(cells: Any, share: float = 1) -> RandomPart:
    table = pa.table({"masked": ["x", "y"] * (len(cells) // 2), "cells": cells})
    part = take_part(read(table), len(cells))
    return RandomPart(part.table, part.n_all, share)


POLICY = read_policy({"requirements": [{"qid": ["masked"], "k": 2}]})


def test_dates_of_birth_differ_in_92_percent_of_the_records() -> None:
    assert 0.91 < len(set(BIRTHS)) / N < 0.94


@pytest.mark.slow
@pytest.mark.parametrize("cells", IDENTIFYING.values(), ids=IDENTIFYING)
def test_identifiers_are_warned_of(cells: Any) -> None:
    (message,) = forgotten_identifiers(part_of(cells), POLICY)
    assert message.is_warning
    assert message.text.startswith("`cells` is released as it is, and its value differs in nearly every record")
    assert "drop: [cells]" in message.text


@pytest.mark.slow
@pytest.mark.parametrize("cells", HARMLESS.values(), ids=HARMLESS)
def test_other_columns_are_not(cells: Any) -> None:
    assert forgotten_identifiers(part_of(cells), POLICY) == ()


def test_what_is_masked_protected_predicted_or_dropped_is_not_looked_at() -> None:
    names = IDENTIFYING["names"]
    for also in ({"class": "cells"}, {"drop": ["cells"]}):
        policy = read_policy({"requirements": [{"qid": ["masked"], "k": 2}], **also})
        assert forgotten_identifiers(part_of(names), policy) == ()


def test_numbers_that_count_the_records_are_known_in_a_part_of_them() -> None:
    """A tenth of the numbers from 1 to 10,000."""
    some = RNG.sample(range(10_000), N)
    assert forgotten_identifiers(part_of(some, share=0.1), POLICY)
    assert not forgotten_identifiers(part_of(some), POLICY)
