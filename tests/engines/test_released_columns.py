"""Every engine warns of the same columns: those that tell masked ones, identifiers, and keys of persons."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.table import random_part
from tests.engines.conftest import Place

POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": {
        "sex": {"taxonomy": {"Any": ["F", "M"]}},
        "age": {"interval": [0, 99]},
        "town": "suppress",
    },
    "requirements": [{"qid": ["sex", "age", "town"], "k": 40}],
    "drop": ["patient_id"],
}


def people(n: int = 600) -> pa.Table:
    """Records of 200 patients, with columns of every kind that tell something, and some that do not."""
    rng = random.Random(3)  # noqa: S311 - test data
    moment = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - as written
    rows = []
    for i in range(n):
        sex, age = "FM"[i // 3 % 2], 20 + i // 3 % 60
        rows.append(
            {
                "patient_id": f"P{i // 3:04}",
                "sex": sex,
                "age": age,
                "town": rng.choice("abcdefgh"),
                "title": "Ms" if sex == "F" else "Mr",
                "age_cat": "young" if age < 40 else "old",
                "age_copy": age,
                "booked": moment + dt.timedelta(seconds=rng.randrange(10**7)),
                "born": dt.date(1950, 1, 1) + dt.timedelta(days=rng.randrange(20_000)),
                "paid": rng.randrange(10**6) / 100,
                "visit": i,
                "ward": rng.choice(["north", "south"]),
                "flag": rng.random() < 0.5,
                "risk": rng.choice(["low", "high"]),
            }
        )
    return pa.Table.from_pylist(rows)


@pytest.mark.parametrize("most", [random_part.MOST_RECORDS, 400])
def test_all_kinds_of_columns_are_warned_of(place: Place, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_part, "MOST_RECORDS", most)
    outcome, _ = place.anonymize(people(), POLICY, criterion="score")
    said = {text.split("`")[1]: text for text in outcome.warnings}
    is_part = most < 600
    assert set(said) == {"title", "age_cat", "age_copy", "booked", "patient_id"}
    assert "tells the hidden value of `sex` in 100 % of all records" in said["title"]
    assert "follows from `age`, in more detail than the label of `age` in " in said["age_cat"]
    assert "repeats `age` cell by cell" in said["age_copy"]
    assert said["booked"].startswith("`booked`, `born`, `visit` are released as they are")
    assert "write person: patient_id" in said["patient_id"]
    assert ("This is an estimate from some 400 records." in said["title"]) == is_part


def test_strict_leaks_writes_nothing(place: Place) -> None:
    with pytest.raises(maskwise.LeakError, match="`title` is released and tells"):
        place.anonymize(people(), POLICY, criterion="score", strict_leaks=True)
    harmless = people().drop_columns(["title", "age_cat", "age_copy"])
    outcome, rows = place.anonymize(harmless, POLICY, criterion="score", strict_leaks=True)
    assert len(rows) == outcome.verdict.n_rows == 600
