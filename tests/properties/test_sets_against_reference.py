"""Cells that hold several sensitive values: searches, recounts and attacks count each value as plain Python does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.attacks.homogeneity import NEARLY_ALL, count_alike
from maskwise.table.read import read
from maskwise.values.reading import Reading
from maskwise.values.set_cells import SetForm
from tests.properties.tables import problems
from tests.properties.test_topdown_against_reference import agree
from tests.reference.persons import PERSON, PersonReference, PersonRule, groups_of
from tests.reference.privacy_models import Equal, Grouped
from tests.reference.topdown import values_of

MODELS = ["templates", "unions", "distinct", "entropy", "recursive", "grouped", "mixed"]
pytestmark = pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")


@st.composite
def problems_of_sets(draw: Any, asked: list[str], *, with_persons: bool | None = None) -> dict[str, Any]:
    """A problem whose sensitive cells hold any number of values, as text or as lists, and maybe several by person."""
    problem: dict[str, Any] = draw(problems(asked))
    assume(not any(isinstance(one, Grouped) and isinstance(one.rule, Equal) for one in problem["requirements"]))
    records = problem["records"]
    known = sorted({record["sens"] for record in records} - {None})
    cells = st.frozensets(st.sampled_from(known), max_size=3) if known else st.just(frozenset[str]())
    for record in records:
        record["sens"] = draw(cells)
    of_persons = draw(st.booleans()) if with_persons is None else with_persons
    who = st.integers(0, draw(st.integers(0, len(records))))
    for i, record in enumerate(records):
        record[PERSON] = f"n{draw(who) if of_persons else i}"
    if of_persons:
        problem["policy"]["person"] = {"column": PERSON, "release": "pseudonym"}
    is_list = draw(st.booleans())
    if not is_list:
        for one in problem["policy"]["requirements"]:
            said = one.get("sensitive")
            if said == "sens":
                one["sensitive"] = {"sens": {"set": "|"}}
            elif isinstance(said, dict) and "sens" in said:
                one["sensitive"] = {**said, "sens": {"set": "|", **said["sens"]}}
    return {**problem, "table": as_table(records, is_list=is_list), "is_list": is_list}


def as_table(records: list[dict[str, Any]], *, is_list: bool) -> pa.Table:
    """The records with sets as lists, or as text with blanks and repeats here and there."""
    columns = {name: [record[name] for record in records] for name in records[0]}
    if is_list:
        columns["sens"] = [sorted(cell) or (None if i % 2 else []) for i, cell in enumerate(columns["sens"])]
        schema = {"sens": pa.list_(pa.string())}
    else:
        columns["sens"] = ["| ".join([*sorted(cell), *sorted(cell)[:1]]) or None for cell in columns["sens"]]
        schema = {"sens": pa.string()}
    return pa.table({name: pa.array(cells, schema.get(name)) for name, cells in columns.items()})


@pytest.mark.parametrize("asked", MODELS)
@settings(max_examples=15, deadline=None)
@given(problem=st.data())
def test_every_step_counts_the_values_of_cells(asked: str, problem: Any) -> None:
    case = problem.draw(problems_of_sets([asked]))
    of_records = "person" not in case["policy"]
    about = (case["records"], case["attributes"], case["requirements"], "infogain")
    reference = PersonReference(*about, of_records=of_records)
    agree("infogain", case, reference)


@settings(max_examples=60, deadline=None)
@given(case=problems_of_sets(MODELS))
def test_an_audit_counts_the_values_of_cells(case: dict[str, Any]) -> None:
    records = case["records"]
    asked = {key: case["policy"][key] for key in ("requirements", "person") if key in case["policy"]}
    entries = {name: entry for name, entry in case["policy"]["attributes"].items() if name == "sens"}
    verdict = maskwise.audit(case["table"], {**asked, "attributes": entries})
    for requirement, finding in zip(case["requirements"], verdict.findings, strict=True):
        rules = [PersonRule(part) for part in requirement.parts()]
        bad = [rule.badness(records, records) for rule in rules]
        assert finding.figure == pytest.approx(float(requirement.figure(bad)))
        assert finding.is_met == (not any(rule.is_broken(b) for rule, b in zip(rules, bad, strict=True)))


@settings(max_examples=30, deadline=None)
@given(case=problems_of_sets(MODELS, with_persons=False), method=st.sampled_from(["tdr", "bug", "regions"]))
def test_a_release_keeps_what_it_says(case: dict[str, Any], method: str) -> None:
    try:
        outcome = maskwise.anonymize(case["table"], case["policy"], keep_order=True, method=method)
    except maskwise.InfeasibleError:
        return
    released = [
        {**row, "sens": raw["sens"]} for row, raw in zip(outcome.data.to_pylist(), case["records"], strict=True)
    ]
    for requirement, finding in zip(case["requirements"], outcome.verdict.findings, strict=True):
        rules = [PersonRule(part) for part in requirement.parts()]
        bad = [rule.badness(released, released) for rule in rules]
        assert not any(rule.is_broken(one) for rule, one in zip(rules, bad, strict=True))
        assert finding.figure == pytest.approx(float(requirement.figure(bad)))


@settings(max_examples=30, deadline=None)
@given(case=problems_of_sets(["distinct"], with_persons=False))
def test_homogeneity_looks_at_the_values_of_cells(case: dict[str, Any]) -> None:
    records, qid = case["records"], case["requirements"][0].qid
    reading = Reading() if case["is_list"] else Reading(sets=(("sens", SetForm("|")),))
    found = count_alike(read(case["table"], reading=reading), qid, "sens")
    n = len(records)
    whole = [value for record in records for value in values_of(record["sens"])]
    same = nearly = new = 0
    skew = 0.0
    for places in groups_of(records, qid).values():
        held = [value for i in places for value in values_of(records[i]["sens"])]
        shares = {value: held.count(value) / len(places) for value in held}
        rare = [value for value, share in shares.items() if share == 1 and whole.count(value) < NEARLY_ALL * n]
        same += len(places) * (max(shares.values()) == 1)
        nearly += len(places) * (max(shares.values()) >= NEARLY_ALL)
        new += len(places) * bool(rare)
        skew = max(skew, *(share - whole.count(value) / n for value, share in shares.items()))
    assert (found.same, found.nearly_same, found.new, found.skew) == pytest.approx(
        (same / n, nearly / n, new / n, skew)
    )
