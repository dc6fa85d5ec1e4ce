"""Every figure of a risk against brute force on random tables, and what happens at the edges."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.risks.risk import ColumnSet, Risk
from tests.reference import risk as brute

NAMES = ("*", "n", "row", "Ill", "who")
CELLS = st.sampled_from(["a", "b", "c", "", "1", None])
PERSONS = st.sampled_from(["p", "q", "r", "s"])
POLICY = {
    "class": "row",
    "attributes": {"*": "suppress", "n": "suppress"},
    "requirements": [
        {"qid": ["*", "n"], "k": 3},
        {"qid": ["n"], "sensitive": "Ill", "diversity": {"distinct": 2}},
    ],
    "drop": ["who"],
}
BY_PERSON = {key: value for key, value in POLICY.items() if key != "drop"} | {"person": "who"}
LIMITS = (0.05, 0.09, 0.2, 0.33)


def rows_strategy(least: int = 0) -> Any:
    row = st.tuples(CELLS, CELLS, CELLS, CELLS, PERSONS).map(lambda cells: dict(zip(NAMES, cells, strict=True)))
    return st.lists(row, min_size=least, max_size=30)


def as_table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in NAMES})


def check(found: Risk, rows: list[dict[str, Any]], person: str | None) -> None:
    shown = ["*", "n", "row", "Ill"]
    assert [one.columns for one in found.qids] == [("*", "n"), ("n",), ("Ill",)]
    for one in (*found.qids, found.everything):
        sizes = brute.groups(rows, one.columns, person).values()
        expected = brute.prosecutor(sizes, LIMITS)
        assert one.above == pytest.approx(expected.pop("above"))
        assert {key: asdict(one)[key] for key in expected} == pytest.approx(expected)
        assert (one.n_groups, one.smallest) == (len(sizes), min(sizes, default=0))
    assert found.everything.columns == tuple(shown)
    assert [one.k for one in (*found.qids, found.everything)] == [3, 3, None, 3]
    more = {(one.qid, one.column): one for one in found.one_more}
    assert set(more) == {(qid, c) for qid in (("*", "n"), ("n",)) for c in shown if c not in qid}
    for (qid, column), one in more.items():
        sizes = brute.groups(rows, [*qid, column], person).values()
        n = sum(sizes)
        assert one.smallest == min(sizes, default=0)
        assert one.below_k == pytest.approx(sum(size for size in sizes if size < 3) / n if n else 0)
    assert {(one.qid, one.column) for one in found.disclosures} == {
        (qid, c) for qid in (("*", "n"), ("n",)) for c in ("Ill", "row")
    }
    for guess in found.disclosures:
        expected = brute.disclosure(rows, guess.qid, guess.column, person)
        assert {key: asdict(guess)[key] for key in expected} == pytest.approx(expected)
        assert guess.guess_rate >= guess.base_rate, "who knows more guesses no worse"
    below = [size for size in brute.groups(rows, shown, person).values() if size < 3]
    n = found.everything.n_records
    assert found.everything.below_k == pytest.approx(sum(below) / n if n else 0)


@settings(max_examples=25)
@given(rows=rows_strategy())
def test_figures_of_records_are_those_of_brute_force(rows: list[dict[str, Any]]) -> None:
    found = maskwise.risk(as_table(rows), POLICY)
    assert found.unit == "record"
    check(found, rows, None)


@settings(max_examples=15)
@given(rows=rows_strategy())
def test_figures_of_persons_are_those_of_brute_force(rows: list[dict[str, Any]]) -> None:
    found = maskwise.risk(as_table(rows), BY_PERSON)
    assert found.unit == "person"
    check(found, rows, "who")


@settings(max_examples=15)
@given(rows=rows_strategy(1), more=rows_strategy())
def test_figures_of_a_population_are_those_of_brute_force(
    rows: list[dict[str, Any]], more: list[dict[str, Any]]
) -> None:
    found = maskwise.risk(as_table(rows), POLICY, population=as_table([*rows, *more]))
    for one in found.populations:
        expected = brute.population(rows, [*rows, *more], one.qid)
        assert {key: asdict(one)[key] for key in expected} == pytest.approx(expected)
        assert one.n_population == len(rows) + len(more)
    assert [one.qid for one in found.populations] == [("*", "n"), ("n",)]


ROW = dict(zip(NAMES, ("a", "b", "c", "d", "p"), strict=True))


def test_a_single_record_is_found_for_certain() -> None:
    found = maskwise.risk(as_table([ROW]), POLICY)
    assert [(one.highest, one.average, one.unique) for one in found.qids] == [(1, 1, 1)] * 3
    assert {guess.guess_rate for guess in found.disclosures} == {1}


def test_a_table_without_records_has_no_risk() -> None:
    found = maskwise.risk(as_table([]), POLICY, population_size=10, population=as_table([ROW]))
    assert (found.everything.smallest, found.everything.highest, found.everything.unique) == (0, 0, 0)
    assert {one.estimate for one in found.estimates} == {None}
    assert all(one.note for one in found.estimates)
    assert {one.marketer for one in found.populations} == {0}


def test_without_a_class_or_sensitive_column_nothing_is_guessed() -> None:
    found = maskwise.risk(as_table([ROW, ROW]), {"requirements": [{"qid": ["n"], "k": 2}], "drop": ["who"]})
    assert not found.disclosures
    assert [one.columns_are for one in found.qids] == [ColumnSet.QID]


def test_a_qid_of_every_column_leaves_no_other_to_know() -> None:
    found = maskwise.risk(as_table([ROW, ROW]), {"requirements": [{"qid": list(NAMES), "k": 2}]})
    assert not found.one_more
    assert found.everything.n_groups == found.qids[0].n_groups == 1


def test_dropped_columns_are_not_known() -> None:
    table = as_table([ROW, {**ROW, "who": "q"}])
    assert maskwise.risk(table, POLICY).everything.unique == 0
    kept = {key: value for key, value in POLICY.items() if key != "drop"}
    assert maskwise.risk(table, kept).everything.unique == 1


def test_equal_texts_of_two_columns_do_not_cancel_out() -> None:
    """The key of a set of columns is an exclusive or, in which equal hashes would vanish."""
    table = pa.table({"a": ["x", "y", "x"], "b": ["x", "y", "x"]})
    found = maskwise.risk(table, {"requirements": [{"qid": ["a", "b"], "k": 2}]})
    assert (found.qids[0].n_groups, found.qids[0].smallest) == (2, 1)


def test_a_sample_with_more_records_than_its_population_is_refused() -> None:
    with pytest.raises(maskwise.InputError, match="1 record and the table 2"):
        maskwise.risk(as_table([ROW, ROW]), POLICY, population=as_table([ROW]))
    with pytest.raises(maskwise.InputError, match="--population-size"):
        maskwise.risk(as_table([ROW, ROW]), POLICY, population_size=1)


def test_a_combination_that_the_population_lacks_is_refused() -> None:
    other = {**ROW, "n": "secret"}
    with pytest.raises(maskwise.InputError, match="no part of it") as refused:
        maskwise.risk(as_table([ROW, other]), POLICY, population=as_table([ROW, ROW, ROW]))
    assert "secret" not in str(refused.value)


def test_a_population_with_some_of_the_quasi_identifiers_is_compared_on_those() -> None:
    people = as_table([ROW, ROW]).select(["n"])
    found = maskwise.risk(as_table([ROW]), POLICY, population=people)
    assert [one.qid for one in found.populations] == [("n",)]
    with pytest.raises(maskwise.InputError, match=r"lacks `\*` and `n`|lacks `\*`, `n`"):
        maskwise.risk(as_table([ROW]), POLICY, population=as_table([ROW]).select(["Ill"]))


def test_a_raw_population_is_masked_by_the_solution() -> None:
    ages = [20 + i % 40 for i in range(200)]
    people = pa.table({"age": ages, "c": ["xy"[age > 35] for age in ages]})
    policy = {"class": "c", "requirements": [{"qid": ["age"], "k": 10}]}
    outcome = maskwise.anonymize(people.slice(0, 120), policy)
    found = maskwise.risk(outcome.data, policy, population=people, solution=outcome.solution)
    (one,) = found.populations
    shown = [{"age": outcome.solution.cut("age").show_number(age)} for age in ages]
    released = [{"age": cell} for cell in outcome.data["age"].to_pylist()]
    expected = brute.population(released, shown, ["age"])
    assert {key: asdict(one)[key] for key in expected} == pytest.approx(expected)
    with pytest.raises(maskwise.InputError, match="no part of it"):
        maskwise.risk(outcome.data, policy, population=people)
    with pytest.raises(maskwise.InputError, match="no population is given"):
        maskwise.risk(outcome.data, policy, solution=outcome.solution)


def test_thresholds_are_named_and_numbered() -> None:
    found = maskwise.risk(as_table([ROW] * 11), POLICY, thresholds=["ema-0070", 0.5])
    assert found.thresholds == {"ema-0070": 0.09, "0.5": 0.5}
    assert found.qids[0].above == {0.09: 1, 0.5: 0}
    assert maskwise.risk(as_table([ROW] * 12), POLICY).qids[0].above[0.09] == 0


def test_it_is_plain_json() -> None:
    found = maskwise.risk(as_table([ROW, ROW]), POLICY, population_size=30, population=as_table([ROW] * 3))
    data = found.to_data()
    assert json.loads(json.dumps(data)) == data
    assert data["qids"][0]["above"] == dict.fromkeys(["0.05", "ema-0070", "0.2", "0.33"], 1.0)
