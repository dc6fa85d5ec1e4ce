"""Requirements on persons: the search takes the steps of a naive one, and releases keep what they say."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.profile.profile import profile
from maskwise.search.interface import Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.table.read import read
from tests.properties.tables import MODELS, problems
from tests.properties.test_topdown_against_reference import agree as agree_with
from tests.reference.persons import PERSON, PersonConditional, PersonReference, PersonRule, groups_of

SPREADS = [name for name in MODELS if name not in ("lkc", "unions", "grouped")]
ASKED = ["k", "templates", "mixed", *SPREADS]


@st.composite
def problems_of_persons(draw: Any, asked: list[str], *, is_constant: bool | None = None) -> dict[str, Any]:
    """A problem whose records are about fewer persons; `is_constant` if all records of a person show the same."""
    problem: dict[str, Any] = draw(problems(asked))
    records = problem["records"]
    persons = st.integers(0, draw(st.integers(0, len(records))))
    who = draw(st.lists(persons, min_size=len(records), max_size=len(records)))
    constant = draw(st.booleans()) if is_constant is None else is_constant
    first: dict[int, dict[str, Any]] = {}
    for record, number in zip(records, who, strict=True):
        record[PERSON] = f"n{number}"
        if constant:
            same = first.setdefault(number, record)
            record.update({name: same[name] for name in record if name.startswith("q")})
    problem["policy"]["person"] = {"column": PERSON, "release": "pseudonym"}
    return problem


def agree(criterion: str, problem: dict[str, Any]) -> None:
    """Compare the search with the reference that counts persons, step by step."""
    reference = PersonReference(problem["records"], problem["attributes"], problem["requirements"], criterion)
    agree_with(criterion, problem, reference)


@settings(max_examples=10, deadline=None)
@given(problem=problems_of_persons(["k"]))
def test_every_step_counts_persons_for_k(problem: dict[str, Any]) -> None:
    agree("score", problem)


@settings(max_examples=12, deadline=None)
@given(problem=problems_of_persons(["templates", "mixed"]))
def test_every_step_counts_persons_for_shares(problem: dict[str, Any]) -> None:
    agree("score", problem)


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
@settings(max_examples=12, deadline=None)
@given(problem=st.data())
def test_every_step_counts_persons_for_every_model(asked: str, problem: Any) -> None:
    agree("infogain", problem.draw(problems_of_persons([asked])))


@settings(max_examples=10, deadline=None)
@given(problem=problems_of_persons(["k", "templates", "mixed", "entropy"]))
def test_every_step_by_conditional_gain_counts_persons(problem: dict[str, Any]) -> None:
    used = {*(a.name for a in problem["attributes"]), "cls", PERSON}
    drop = [name for name in problem["records"][0] if name not in used and name not in ("sens", "dose")]
    entries = {name: entry for name, entry in problem["policy"]["attributes"].items() if name in used}
    policy = {**problem["policy"], "attributes": entries, "drop": drop, "person": PERSON}
    reference = PersonConditional(problem["records"], problem["attributes"], problem["requirements"])
    assume(reference.is_feasible())
    solution = solve(
        read(pa.Table.from_pylist(problem["records"])),
        read_policy(policy),
        SearchOptions(criterion="conditional", background="none", as_published=True),
    ).solution
    expected = reference.run()
    assert [(s.attribute, s.before, list(s.after)) for s in solution.steps] == [
        (e["attribute"], e["from"], e["to"]) for e in expected
    ]
    for step, e in zip(solution.steps, expected, strict=True):
        assert (step.info_gain, step.loss) == pytest.approx((e["info_gain"], e["loss"]), abs=1e-9)
        assert list(step.requirements) == pytest.approx(e["requirements"], abs=1e-12)


def recount(released: list[dict[str, Any]], problem: dict[str, Any]) -> list[Any]:
    """The figures of a release by brute force: its own cells and pseudonyms."""
    found = []
    for requirement in problem["requirements"]:
        rules = [PersonRule(part) for part in requirement.parts()]
        found.append(requirement.figure([rule.badness(released, released) for rule in rules]))
        assert not any(rule.is_broken(rule.badness(released, released)) for rule in rules)
    return found


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(problem=problems_of_persons(["k", "mixed"]), data=st.data())
def test_a_release_keeps_what_it_says_of_persons(problem: dict[str, Any], data: Any) -> None:
    how = data.draw(st.sampled_from([{}, {"method": "bug"}, {"criterion": "conditional"}]))
    table = pa.Table.from_pylist(problem["records"])
    differs = len({(*(r[a.name] for a in problem["attributes"]), r[PERSON]) for r in problem["records"]})
    refusals: tuple[type[Exception], ...] = (maskwise.InfeasibleError,)
    if how.get("method") == "bug" and differs > len({record[PERSON] for record in problem["records"]}):
        refusals += (maskwise.InputError,)
    try:
        outcome = maskwise.anonymize(table, problem["policy"], keep_order=True, **how)
    except refusals:
        return
    released = outcome.data.to_pylist()
    figures = recount(released, problem)
    assert [finding.figure for finding in outcome.verdict.findings] == pytest.approx([float(f) for f in figures])
    pairs = {(raw[PERSON], new[PERSON]) for raw, new in zip(problem["records"], released, strict=True)}
    n_persons = len({record[PERSON] for record in problem["records"]})
    assert len(pairs) == len({new for _, new in pairs}) == n_persons == outcome.verdict.n_persons


@settings(max_examples=12, deadline=None)
@given(problem=problems_of_persons(ASKED))
def test_an_audit_counts_persons_as_brute_force_does(problem: dict[str, Any]) -> None:
    records = problem["records"]
    for column in ("sens", "dose"):
        assert column in records[0]
    table = pa.Table.from_pylist(records)
    verdict = maskwise.audit(table, {key: problem["policy"][key] for key in ("requirements", "person")})
    for requirement, finding in zip(problem["requirements"], verdict.findings, strict=True):
        rules = [PersonRule(part) for part in requirement.parts()]
        bad = [rule.badness(records, records) for rule in rules]
        assert finding.figure == pytest.approx(float(requirement.figure(bad)))
        assert finding.is_met == (not any(rule.is_broken(b) for rule, b in zip(rules, bad, strict=True)))
        groups = groups_of(records, requirement.qid)
        sizes = sorted(len({records[i][PERSON] for i in places}) for places in groups.values())
        assert sorted(size for size, n in finding.sizes for _ in range(n)) == sizes
        assert finding.n_rows == len(records)
        assert verdict.n_persons == len({record[PERSON] for record in records})


@settings(max_examples=10, deadline=None)
@given(problem=problems_of_persons(["k", "templates"], is_constant=True))
def test_persons_with_one_row_are_counted_as_records_of_a_table_without_repeats(problem: dict[str, Any]) -> None:
    """Of persons whose QID never changes, k and shares are those of a table with one record for each."""
    policy = read_policy(problem["policy"])
    profiled, table = profile(read(pa.Table.from_pylist(problem["records"])), policy)
    search = ScoreSearch(Problem(profiled, policy, SearchOptions()))
    for compact in compress(table, profiled, search.request).tables:
        assert compact.persons is None
        assert int(compact.counts[:, 0].sum()) == len({record[PERSON] for record in problem["records"]})
