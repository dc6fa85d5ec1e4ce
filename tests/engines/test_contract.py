"""What every engine promises: the same table and policy give the same release, cut and trace."""

from __future__ import annotations

import datetime as dt
import decimal
import random
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file, trace_file
from maskwise.table.endpoints import closing, open_data
from maskwise.values.number_spellings import NumberForm
from maskwise.values.reading import Reading
from tests.engines.conftest import Place, in_order, rows_of


def numbers(n: int = 160) -> pa.Table:
    """Every kind of ordered column, with missing cells and the odd numbers that floats have."""
    rng = random.Random(5)  # noqa: S311 - test data
    ages = [rng.randint(18, 80) for _ in range(n)]
    odd = [float("nan"), -0.0, 0.0, None]
    day = dt.date(2020, 1, 1)
    moment = dt.datetime(2020, 1, 1, 8)  # noqa: DTZ001 - as written
    return pa.table(
        {
            "age": pa.array([None if i % 40 == 7 else age for i, age in enumerate(ages)], pa.int32()),
            "size": pa.array([odd[i % 8] if i % 8 < 4 else rng.randint(0, 6) / 4 for i in range(n)], pa.float64()),
            "small": pa.array([rng.choice([0.1, 0.2, 2.5]) for _ in range(n)], pa.float32()),
            "pay": pa.array([decimal.Decimal(rng.randint(100, 400)) / 100 for _ in range(n)], pa.decimal128(8, 2)),
            "born": pa.array([day + dt.timedelta(days=rng.randrange(9)) for _ in range(n)], pa.date32()),
            "seen": pa.array([moment + dt.timedelta(hours=rng.randrange(5)) for _ in range(n)], pa.timestamp("us")),
            "typed": pa.array([rng.choice(["7", " 8", "+9", "10"]) for _ in range(n)]),
            "risk": pa.array([None if i % 50 == 3 else ["low", "high"][age > 45] for i, age in enumerate(ages)]),
        }
    )


def texts(n: int = 200) -> pa.Table:
    """Texts that quoting, collation and case could spoil, beside a sensitive column."""
    rng = random.Random(9)  # noqa: S311 - test data
    words = ["a", "A", "Ä", "b,c", 'say "so"', "two\nlines", "", "\\N", "x'y", "zz", "Z", "1.0", "%s"]
    ill = [rng.choices(["flu", "HIV", "cold", None], [8, 1, 4, 1])[0] for _ in range(n)]
    return pa.table(
        {
            "word": pa.array([None if i % 31 == 0 else rng.choice(words) for i in range(n)]),
            "paid": pa.array([rng.choice([True, False, None]) for _ in range(n)]),
            "code": pa.array([rng.randint(1, 4) for _ in range(n)], pa.int16()),
            "ill": pa.array(ill),
            "note": pa.array([f"{rng.choice(words)}{i}" for i in range(n)]),
            "risk": pa.array([["low", "high"][(i * 7 % 13) > 6] for i in range(n)]),
        }
    )


def many(n: int = 1400) -> pa.Table:
    """More values than a CASE takes, so that they are looked up."""
    rng = random.Random(2)  # noqa: S311 - test data
    zips = [f"{rng.randrange(700):05d}" for _ in range(n)]
    return pa.table({"zip": zips, "sex": [rng.choice("FM") for _ in range(n)], "risk": [z[-1] > "4" for z in zips]})


def codes(n: int = 160) -> pa.Table:
    """Codes and addresses whose trees are made by rules, some of them missing."""
    rng = random.Random(6)  # noqa: S311 - test data
    ill = [rng.choice(["E11.9", "E10.1", "I10", "J45.0", "J06.9", None]) for _ in range(n)]
    return pa.table(
        {
            "ill": pa.array(ill),
            "country": pa.array([rng.choice(["DE", "FR", "KE", "BR"]) for _ in range(n)]),
            "mail": pa.array([f"u{i}@{rng.choice(['mail.example.org', 'example.com'])}" for i in range(n)]),
            "address": pa.array([f"192.0.{rng.randrange(3)}.{rng.randrange(9)}" for _ in range(n)]),
            "seen": pa.array([dt.date(2020, 1, 1) + dt.timedelta(days=rng.randrange(30)) for _ in range(n)]),
            "pay": pa.array([rng.randrange(50, 400) for _ in range(n)], pa.int32()),
            "risk": pa.array([["low", "high"][one is not None and one[0] == "E"] for one in ill]),
        }
    )


ILLNESSES = {"any": {"viral": ["flu", "HIV"], "other": ["cold"]}}
TREE = {"Any": {"Left": ["1", "2"], "Right": ["3", "4"]}}
CASES: dict[str, tuple[pa.Table, dict[str, Any]]] = {
    "numbers": (
        numbers(),
        {
            "class": "risk",
            "requirements": [
                {"qid": ["age", "size", "small"], "k": 4},
                {"qid": ["pay", "born"], "k": 5},
                {"qid": ["seen", "typed"], "k": 6},
            ],
        },
    ),
    "numbers, missing ones dropped": (
        numbers(),
        {"class": "risk", "missing": "drop", "requirements": [{"qid": ["age", "size"], "k": 5}]},
    ),
    "texts": (
        texts(),
        {
            "class": "risk",
            "attributes": {"word": "suppress", "paid": "suppress", "code": {"taxonomy": TREE}},
            "requirements": [
                {"qid": ["word", "code"], "k": 4},
                {"qid": ["paid", "code"], "sensitive": {"ill": ["HIV", None]}, "confidence": 0.4},
                {"qid": ["paid", "word"], "sensitive": "ill", "diversity": {"distinct": 2}},
                {"qid": ["code", "paid"], "sensitive": "ill", "closeness": 0.6},
            ],
            "drop": ["note"],
        },
    ),
    "words and numbers for missing cells": (
        texts(),
        {
            "class": "risk",
            "attributes": {"word": "suppress", "code": "suppress"},
            "requirements": [{"qid": ["word", "code"], "k": 4}],
            "na_values": ["zz", "Z", 3, "flu"],
            "keep": ["paid"],
        },
    ),
    "sensitive values together, and not released": (
        texts(),
        {
            "class": "risk",
            "attributes": {
                "word": "suppress",
                "paid": "suppress",
                "code": {"taxonomy": TREE},
                "ill": {"taxonomy": ILLNESSES},
            },
            "requirements": [
                {"qid": ["word", "code"], "sensitive": {"ill": {"any": ["co*", None]}}, "confidence": 0.6},
                {"qid": ["paid", "code"], "sensitive": {"ill": {"any": ["viral"], "cold": 0.7}}, "confidence": 0.9},
                {"qid": ["paid", "word"], "sensitive": "ill", "diversity": {"distinct": 2}, "by": "level 1"},
                {"qid": ["code", "paid"], "sensitive": "note", "diversity": {"distinct": 3}, "by": "prefix 1"},
            ],
            "drop": ["ill", "note"],
        },
    ),
    "a sensitive column generalized": (
        texts(),
        {
            "class": "risk",
            "attributes": {"word": "suppress", "paid": "suppress", "ill": {"taxonomy": ILLNESSES, "release": 1}},
            "requirements": [
                {"qid": ["word", "paid"], "sensitive": {"ill": {"any": ["HIV", "c*"]}}, "confidence": 0.7}
            ],
            "drop": ["note"],
        },
    ),
    "many sensitive values": (
        many().append_column(
            "ill", pa.array([None if i % 50 == 9 else f"{'ABC'[i % 3]}{i % 331}" for i in range(1400)])
        ),
        {
            "class": "risk",
            "requirements": [
                {"qid": ["sex"], "sensitive": {"ill": {"any": [["A*", "B1*", None], ["B*"]]}}, "confidence": 0.5},
                {"qid": ["sex"], "sensitive": "ill", "diversity": {"distinct": 4}, "by": "prefix 1"},
            ],
            "drop": ["ill", "zip"],
        },
    ),
    "columns called as those of the engine": (
        many()
        .select(["zip", "sex", "risk"])
        .rename_columns(["row", "c1", "person"])
        .append_column("n", pa.array([f"{i % 7}" for i in range(1400)]))
        .append_column("records", pa.array(range(1400)))
        .append_column("s0", pa.array([None, "x"] * 700)),
        {
            "class": "person",
            "attributes": {"row": "suppress"},
            "requirements": [
                {"qid": ["row", "c1", "n"], "k": 2},
                {"qid": ["c1"], "sensitive": "s0", "diversity": {"distinct": 2}},
            ],
        },
    ),
    "rules": (
        numbers().append_column("zip", pa.array([f"{i * 37 % 90:04d}" if i % 23 else None for i in range(160)])),
        {
            "class": "risk",
            "attributes": {
                "zip": {"prefix": [4, 3, 2]},
                "born": {"calendar": ["day", "week"]},
                "seen": {"time_of_day": ["hour", "shift"]},
                "age": {"steps": [5, 20]},
                "pay": {"interval": {"on": "0.5"}},
            },
            "requirements": [{"qid": ["zip", "born"], "k": 3}, {"qid": ["seen", "age", "pay"], "k": 4}],
        },
    ),
    "dates as countries write them": (
        numbers()
        .append_column(
            "admitted", pa.array([f"{i % 28 + 1}.{i % 12 + 1:02}.2024 {i % 24}:{i % 60:02}" for i in range(160)])
        )
        .append_column(
            "left", pa.array([f" {i % 12 + 1}/{i % 28 + 1:02}/2024" if i % 9 else None for i in range(160)])
        ),
        {
            "class": "risk",
            "dates": {"admitted": "DD.MM.YYYY", "left": "MM/DD/YYYY"},
            "attributes": {
                "admitted": {"interval": ["2023-01-01", "2025-01-01"]},
                "left": {"calendar": ["day", "month", "year"]},
            },
            "requirements": [{"qid": ["admitted", "left"], "k": 3}],
            "drop": ["seen", "born", "pay"],
        },
    ),
    "numbers as countries write them": (
        numbers()
        .append_column(
            "weight", pa.array([f"{40 + i * 7 % 60},{i % 4 * 25:02}" if i % 13 else None for i in range(160)])
        )
        .append_column(
            "cost", pa.array([f"{i % 5 + 1}.{i * 37 % 1000:03}{',50' if i % 2 else ''}" for i in range(160)])
        )
        .append_column("charge", pa.array([f"{i % 9 + 1}\u202f{i * 53 % 1000:03},{i % 3}" for i in range(160)]))
        .append_column(
            "excess", pa.array([f"{'-' if i % 5 else ''}{i % 4},{'5' if i % 3 else '50'}" for i in range(160)])
        ),
        {
            "class": "risk",
            "numbers": {"weight": "1234,5", "cost": "1.234,5", "charge": "1 234,5", "excess": "1234,5"},
            "attributes": {"weight": {"interval": [0, 120]}, "cost": {"steps": [500, 2000]}, "charge": "suppress"},
            "requirements": [
                {"qid": ["weight", "cost", "charge"], "k": 3},
                {"qid": ["weight"], "sensitive": "excess", "closeness": 0.4, "distance": "ordered"},
            ],
            "drop": ["seen", "born", "pay"],
        },
    ),
    "rules for codes": (
        codes(),
        {
            "class": "risk",
            "attributes": {
                "ill": {"icd10": ["category", "block", "chapter"]},
                "country": {"un": ["country", "subregion", "region"]},
                "mail": {"domain": [2, 1]},
                "address": {"network": [24, 8]},
                "seen": {"weekday": ["day", "part"]},
                "pay": {"rounded": [10, 100]},
            },
            "requirements": [{"qid": ["ill", "country", "pay"], "k": 3}, {"qid": ["mail", "address", "seen"], "k": 4}],
        },
    ),
    "a class that is a number": (
        numbers().append_column("paid", pa.array([f" {i * 7 % 160}.5" if i % 11 else None for i in range(160)])),
        {"class": {"paid": "number"}, "requirements": [{"qid": ["age", "born"], "k": 5}], "drop": ["seen"]},
    ),
    "many values": (
        many(),
        {"class": "risk", "attributes": {"zip": "suppress"}, "requirements": [{"qid": ["zip", "sex"], "k": 2}]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_release_the_cut_and_the_trace_are_duckdbs(other_place: Place, case: str) -> None:
    table, policy = CASES[case]
    expected = maskwise.anonymize(table, policy, why=True)
    outcome, rows = other_place.anonymize(table, policy, why=True)
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert outcome.steps
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.verdict == expected.verdict
    assert outcome.reasons == expected.reasons
    assert outcome.n_dropped == expected.n_dropped
    assert outcome.common == expected.common
    assert in_order(rows) == in_order(rows_of(expected.data))


@pytest.mark.parametrize("form", ["1.234,5", "1 234,5", "1'234.5"])
def test_numbers_of_a_form_are_read_as_python_reads_them(other_place: Place, form: str) -> None:
    cells = ["3,5", "1.234,50", "1.234", "12\u00a0345,6", "1'234.5", "-0,00", "+007,10", ",5", "\u22123,5", "0.125"]
    cells += ["x", None]
    data, engine = other_place.load(pa.table({"cost": cells}))
    table = open_data(data, engine, None, None, Reading(numbers=(("cost", NumberForm(form)),)))
    with closing(table):
        found = table.engine.fetch(table.expr.select(x=table.column("cost"))).column(0).to_pylist()
    expected = [None if cell is None else NumberForm(form).to_usual(cell) for cell in cells]
    assert sorted(found, key=str) == sorted(expected, key=str)


def test_a_byte_order_mark_is_a_letter_of_its_cell(place: Place) -> None:
    table = pa.table({"age": [1, 1, 2, 2] * 5, "ill": ["\ufeffhiv", "\ufeffhiv", "\ufeffhiv", "flu"] * 5})
    policy = {"requirements": [{"qid": ["age"], "sensitive": {"ill": ["\ufeffhiv"]}, "confidence": 0.8}]}
    outcome, rows = place.anonymize(table, policy)
    assert outcome.verdict.findings[0].figure == 0.75
    assert sum(row[1] == "\ufeffhiv" for row in rows) == 15


def test_bottom_up_is_duckdbs(other_place: Place) -> None:
    table, policy = CASES["numbers, missing ones dropped"]
    expected = maskwise.anonymize(table, policy, method="bug")
    outcome, rows = other_place.anonymize(table, policy, method="bug")
    assert outcome.steps == expected.steps
    assert in_order(rows) == in_order(rows_of(expected.data))


@pytest.mark.parametrize(
    "case", ["texts", "sensitive values together, and not released", "a sensitive column generalized"]
)
def test_later_rows_are_masked_as_duckdb_does(other_place: Place, case: str) -> None:
    table, policy = CASES[case]
    solution = maskwise.anonymize(table, policy).solution
    later = pa.table(
        {
            "word": pa.array(["a", "new", None, "=1+1"]),
            "paid": pa.array([True, None, False, True]),
            "code": pa.array([1, 9, None, 4], pa.int16()),
            "ill": pa.array(["flu", "'-x", "cold", "-x"]),
            "risk": pa.array(["low", "=2", None, "+3"]),
        }
    )
    expected = maskwise.apply(later, solution, escape_formulas=True)
    data, engine = other_place.load(later)
    applied = maskwise.apply(data, solution, other_place.target(), escape_formulas=True, engine=engine)
    assert (applied.unknown, applied.verdict) == (expected.unknown, expected.verdict)
    assert in_order(other_place.rows(applied.data)) == in_order(rows_of(expected.data))


@pytest.mark.parametrize(
    ("outside", "is_text"),
    [("root", False), ("drop", False), ("refuse", False), ("strict", False), ("root", True), ("refuse", True)],
)
def test_later_numbers_outside_every_interval_are_treated_alike(place: Place, outside: str, is_text: bool) -> None:
    """The first and the last row lie outside a range, or outside two."""
    n = 60
    day = dt.date(2024, 1, 1)
    days = [day + dt.timedelta(days=i * 6) for i in range(n)]
    table = pa.table({"age": [20 + i for i in range(n)], "day": days, "risk": ["xy"[i > 30] for i in range(n)]})
    policy = {
        "class": "risk",
        "attributes": {"age": {"interval": [0, 99]}, "day": {"interval": [day, dt.date(2024, 12, 31)]}},
        "requirements": [{"qid": ["age"], "k": 5}, {"qid": ["day"], "k": 5}],
    }
    solution = maskwise.anonymize(table, policy).solution
    ages = [-1, 0, 99, None, 100]
    later: dict[str, list[Any]] = {
        "age": [str(age) if age is not None and is_text else age for age in ages],
        "day": [dt.date(2023, 12, 31), day, dt.date(2024, 12, 31), day, dt.date(2025, 1, 15)],
        "risk": list("abcde"),
    }
    if is_text:
        later["day"] = [str(one) for one in later["day"]]
    data, engine = place.load(pa.table(later))
    if outside in {"refuse", "strict"}:
        how: dict[str, Any] = {"strict": True} if outside == "strict" else {"outside": outside}
        with pytest.raises(maskwise.InputError, match="`age` in 2 records; `day` in 2 records"):
            maskwise.apply(data, solution, place.target(), engine=engine, **how)
        return
    applied = maskwise.apply(data, solution, place.target(), engine=engine, outside=outside)
    age, days_shown = solution.cut("age").labels, solution.cut("day").labels
    beyond = ("[0, 99] or outside", "[2024-01-01, 2024-12-31] or outside")
    inside = [(age[0], days_shown[0], "b"), (age[-1], days_shown[-1], "c"), ("[0, 99]", days_shown[0], "d")]
    expected = inside if outside == "drop" else [(*beyond, "a"), *inside, (*beyond, "e")]
    assert in_order(place.rows(applied.data)) == in_order(expected)
    assert applied.outside == {"age": 2, "day": 2}
    assert applied.n_outside_dropped == (2 if outside == "drop" else 0)


def test_an_audit_of_raw_records_is_duckdbs(other_place: Place) -> None:
    policy = {
        "requirements": [
            {"qid": ["word", "code"], "k": 4},
            {"qid": ["word", "paid"], "sensitive": {"ill": ["HIV", "flu"]}, "confidence": 0.5},
            {"qid": ["word", "paid"], "sensitive": {"ill": {"any": ["f*", "HIV", None]}}, "confidence": 0.5},
        ]
    }
    data, engine = other_place.load(texts())
    assert maskwise.audit(data, policy, engine=engine) == maskwise.audit(texts(), policy)


def test_a_cell_that_is_no_number_is_refused_without_quoting_it(place: Place) -> None:
    table = texts().append_column("mixed", pa.array(["12"] * 150 + ["secret"] * 50))
    data, engine = place.load(table)
    policy = {"attributes": {"mixed": "interval"}, "requirements": [{"qid": ["mixed"], "k": 2}]}
    with pytest.raises(maskwise.InputError, match="50 of its cells are no numbers") as caught:
        maskwise.anonymize(data, policy, place.target(), engine=engine)
    assert "secret" not in str(caught.value)


def test_a_shuffle_keeps_every_record(place: Place) -> None:
    table, policy = CASES["numbers"]
    expected = rows_of(maskwise.anonymize(table, policy, keep_order=True).data)
    _, rows = place.anonymize(table, policy, shuffle=True)
    assert rows != expected
    assert in_order(rows) == in_order(expected)


def test_a_seed_cannot_repeat_the_order_of_a_table_that_has_none(remote_place: Place) -> None:
    table, policy = CASES["many values"]
    with pytest.raises(maskwise.InputError, match="no seed repeats a random one"):
        remote_place.anonymize(table, policy, shuffle=True, seed=1)


def test_a_release_that_fails_the_recount_is_not_handed_out(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from maskwise.release import publish as gate

    table, policy = CASES["many values"]
    found = gate.verify
    monkeypatch.setattr("maskwise.release.publish.verify", lambda *given: replace(found(*given), n_rows=1))
    with pytest.raises(maskwise.RefusedError, match="1 record written, not"):
        place.anonymize(table, policy)
