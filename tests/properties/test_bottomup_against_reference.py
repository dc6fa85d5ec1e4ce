"""Bottom-up generalization and the paper's pseudocode take the same steps on random tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.bottomup import BottomUp as Climber
from maskwise.search.bottomup_search import BottomUpSearch
from maskwise.search.bounds import list_bounds
from maskwise.search.curve import start_curve
from maskwise.search.interface import Problem
from maskwise.search.options import Limits, SearchOptions
from maskwise.table.read import read
from tests.properties.tables import ATTRIBUTES, POLICY, REQUIREMENTS, children_of, people_table, problems
from tests.reference.bottomup import BottomUp
from tests.reference.topdown import Attribute, K, Reference, Templates


def long_and_short(asked: list[str], **options: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Problems on all attributes together, and others in which a part of them is done early."""
    return st.one_of(problems(asked, whole=True, **options), problems(asked, **options))


EVERYTHING = long_and_short(["k", "templates", "mixed"])


def run_unpruned(table: pa.Table, policy: dict[str, Any]) -> Sequence[Any]:
    """The steps of a bottom-up search in which no candidate is pruned; nothing else in this file knows its inside."""
    asked = read_policy(policy)
    profiled, source = profile(read(table), asked)
    search = BottomUpSearch(Problem(profiled, asked, SearchOptions(method="bug")))
    tables = compress(source, profiled, search.request).tables
    bounds = list_bounds(profiled, asked, search.request.tables)
    state = Climber(search.trees, tables, bounds, has_class=profiled.class_name is not None)
    curve = start_curve(search.problem, state, upward=True)
    return tuple(state.run(curve, Limits(), lambda *_: True, prune=False)[0])


def reference_of(problem: dict[str, Any]) -> BottomUp:
    return BottomUp(problem["records"], problem["attributes"], problem["requirements"], "cls")


def table_of(problem: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(problem["records"])


def is_met(rows: list[dict[str, Any]], requirement: K | Templates) -> bool:
    """Recount the groups of a masked table, sensitive columns beside, with no help from either search."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in requirement.qid), []).append(row)
    if isinstance(requirement, K):
        return all(len(group) >= requirement.k for group in groups.values())
    return all(
        Fraction(sum(row[column] == value for row in group), len(group)) <= h
        for group in groups.values()
        for column, value, h in requirement.values
    )


def same_steps(steps: Sequence[Any], expected: list[dict[str, Any]]) -> None:
    assert [(s.step, s.attribute, s.before, s.after) for s in steps] == [
        (e["step"], e["attribute"], e["before"], e["after"]) for e in expected
    ]
    for step, e in zip(steps, expected, strict=True):
        assert step.info_loss == pytest.approx(e["info_loss"], rel=1e-9, abs=1e-12)
        assert step.anonymity_gain == pytest.approx(float(e["anonymity_gain"]), rel=1e-9, abs=1e-12)
        assert step.ip == (None if e["ip"] is None else pytest.approx(e["ip"], rel=1e-9, abs=1e-12))
        assert list(step.requirements) == pytest.approx([float(figure) for figure in e["requirements"]], rel=1e-9)


def agree(problem: dict[str, Any]) -> None:
    """Compare the search with the reference, step by step, or that both find the policy infeasible."""
    reference = reference_of(problem)
    if not reference.is_feasible():
        with pytest.raises(maskwise.InfeasibleError):
            maskwise.anonymize(table_of(problem), problem["policy"], method="bug", as_published=True)
        return
    expected = reference.run()
    outcome = maskwise.anonymize(table_of(problem), problem["policy"], method="bug", as_published=True)
    same_steps(outcome.steps, expected)
    reached = [float(figure) for figure in reference.figures(reference.shown)]
    assert [r.figure for r in outcome.solution.reached] == pytest.approx(reached, rel=1e-9)
    names = [a.name for a in problem["attributes"]]
    assert outcome.data.select(names).to_pylist() == reference.masked()


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(problem=problems(["k"], kinds=["taxonomy"], n_requirements=(1, 1), whole=True))
def test_every_generalization_is_the_papers(problem: dict[str, Any]) -> None:
    agree(problem)


@settings(max_examples=12, deadline=None)
@given(problem=long_and_short(["k"], kinds=["taxonomy"], n_requirements=(2, 3)))
def test_gains_are_averaged_over_several_quasi_identifiers(problem: dict[str, Any]) -> None:
    agree(problem)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(problem=long_and_short(["k"]))
def test_intervals_merge_and_values_hide_as_the_design_says(problem: dict[str, Any]) -> None:
    agree(problem)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(problem=long_and_short(["templates"]))
def test_generalizing_towards_templates_follows_the_design(problem: dict[str, Any]) -> None:
    agree(problem)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(problem=long_and_short(["mixed"], n_requirements=(2, 4)))
def test_generalizing_towards_a_mixed_policy_follows_the_design(problem: dict[str, Any]) -> None:
    agree(problem)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_generalizations_of_larger_tables_are_the_papers(seed: int) -> None:
    people = people_table(seed, 400)
    expected = BottomUp(people.to_pylist(), ATTRIBUTES, REQUIREMENTS, "cls").run()
    assert len(expected) > 10
    assert sum(e["ip"] is not None for e in expected) > 1
    same_steps(maskwise.anonymize(people, POLICY, method="bug", as_published=True).steps, expected)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [[3], [1, 5], [1, 2, 5, 6]])
@pytest.mark.parametrize("n_missing", [1, 2, 3, 4])
def test_missing_numbers_are_shown_where_every_part_is_large_enough(numbers: list[int], n_missing: int) -> None:
    """With k = 3 on the column, one or two records without a number keep the whole range together."""
    cells = [*(number for number in numbers for _ in range(6)), *[None] * n_missing]
    records = [
        {"q": cell, "s": "ab"[i % 2], "cls": "Y" if i % 3 or cell in {None, 2} else "N"} for i, cell in enumerate(cells)
    ]
    tree = {"any": ["a", "b"]}
    problem = {
        "records": records,
        "attributes": [
            Attribute("q", "interval", low=0, high=6),
            Attribute("s", "taxonomy", children=children_of(tree), root="any"),
        ],
        "requirements": [K(("q", "s"), 3)],
        "policy": {
            "class": "cls",
            "attributes": {"q": {"interval": [0, 6]}, "s": {"taxonomy": tree}},
            "requirements": [{"qid": ["q", "s"], "k": 3}],
        },
    }
    assert any(row["q"] is None for row in reference_of(problem).masked()) == (n_missing >= 3)
    agree(problem)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(problem=EVERYTHING)
def test_pruning_changes_no_step(problem: dict[str, Any]) -> None:
    assume(reference_of(problem).is_feasible())
    pruned = maskwise.anonymize(table_of(problem), problem["policy"], method="bug", as_published=True).steps
    assert tuple(run_unpruned(table_of(problem), problem["policy"])) == pruned


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_pruning_changes_no_step_of_larger_tables(seed: int) -> None:
    people = people_table(seed, 3000)
    pruned = maskwise.anonymize(people, POLICY, method="bug", as_published=True).steps
    assert len(pruned) > 10
    assert tuple(run_unpruned(people, POLICY)) == pruned


@settings(max_examples=12, deadline=None)
@given(problem=EVERYTHING)
def test_what_was_generalized_meets_the_policy_by_an_independent_count(problem: dict[str, Any]) -> None:
    assume(reference_of(problem).is_feasible())
    outcome = maskwise.anonymize(table_of(problem), problem["policy"], method="bug", as_published=True)
    rows = outcome.data.to_pylist()
    assert [(r["cls"], r["sens"]) for r in rows] == [(r["cls"], r["sens"]) for r in problem["records"]]
    assert all(is_met(rows, requirement) for requirement in problem["requirements"])


@settings(max_examples=12, deadline=None)
@given(problem=EVERYTHING)
def test_anonymity_never_falls_and_confidence_never_rises_on_the_way_up(problem: dict[str, Any]) -> None:
    reference = reference_of(problem)
    assume(reference.is_feasible())
    steps = maskwise.anonymize(table_of(problem), problem["policy"], method="bug", as_published=True).steps
    path = [[float(figure) for figure in reference.figures(reference.shown)], *(step.requirements for step in steps)]
    for now, then in pairwise(path):
        for requirement, was, became in zip(problem["requirements"], now, then, strict=True):
            assert became >= was if isinstance(requirement, K) else became <= was


def test_an_attribute_is_left_alone_once_all_that_is_asked_of_it_is_met() -> None:
    """Hiding values of `q0` would lose no information, but only `q1` and then `q2` are in a group that is too small."""
    records = [{"q0": "ab"[i % 2], "q1": "abcd"[i % 4], "q2": "aaaaabcd"[i % 8], "cls": "YN"[i % 2]} for i in range(16)]
    requirements: list[K | Templates] = [K(("q0",), 8), K(("q1",), 5), K(("q2",), 3)]
    names = ["q0", "q1", "q2"]
    problem = {
        "records": records,
        "attributes": [Attribute(name, "suppress") for name in names],
        "requirements": requirements,
        "policy": {
            "class": "cls",
            "attributes": dict.fromkeys(names, "suppress"),
            "requirements": [{"qid": list(r.qid), "k": r.k} for r in requirements if isinstance(r, K)],
        },
    }
    steps = reference_of(problem).run()
    assert {step["attribute"] for step in steps} == {"q1", "q2"}
    agree(problem)


def test_a_k_beyond_all_records_cannot_be_reached() -> None:
    people = people_table(0, 29)
    with pytest.raises(maskwise.InfeasibleError):
        maskwise.anonymize(people, POLICY, method="bug", as_published=True)


def test_row_order_changes_no_generalization() -> None:
    people = people_table(5, 500)
    turned = people.take(list(reversed(range(500))))
    steps = [maskwise.anonymize(source, POLICY, method="bug", as_published=True).steps for source in (people, turned)]
    assert len(steps[0]) > 10
    assert steps[0] == steps[1]


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_a_star_in_the_data_is_hidden_from_the_start(k: int) -> None:
    records = [{"q": value, "cls": label} for value in "**aabbbc" for label in ["Y", "Y" if value < "b" else "N"]]
    expected = BottomUp(records, [Attribute("q", "suppress")], [K(("q",), k)], "cls").run()
    assert all(e["before"][0] != "*" for e in expected)
    policy = {"class": "cls", "attributes": {"q": "suppress"}, "requirements": [{"qid": ["q"], "k": k}]}
    same_steps(
        maskwise.anonymize(pa.Table.from_pylist(records), policy, method="bug", as_published=True).steps, expected
    )


@settings(max_examples=12, deadline=None)
@given(problem=EVERYTHING)
def test_the_reference_stops_at_the_first_state_that_meets_the_policy(problem: dict[str, Any]) -> None:
    reference = reference_of(problem)
    assume(reference.is_feasible())
    reference.run()
    states = [
        [{**raw, **shown} for raw, shown in zip(problem["records"], state, strict=True)] for state in reference.states
    ]
    met = [all(is_met(rows, requirement) for requirement in problem["requirements"]) for rows in states]
    assert met == [False] * (len(met) - 1) + [True]


@settings(max_examples=12, deadline=None)
@given(problem=EVERYTHING)
def test_the_reference_only_ever_merges_what_is_shown(problem: dict[str, Any]) -> None:
    """Each step gives the values it names one value in common, in every record that shows them, and moves no other."""
    reference = reference_of(problem)
    assume(reference.is_feasible())
    steps = reference.run()
    of_name = {a.name: a for a in problem["attributes"]}
    assert len(reference.states) == len(steps) + 1
    for step, now, then in zip(steps, reference.states, reference.states[1:], strict=False):
        for was, became in zip(now, then, strict=True):
            for name, a in of_name.items():
                old, new = reference.text(a, was[name]), reference.text(a, became[name])
                assert new == (step["after"] if name == step["attribute"] and old in step["before"] else old)


@settings(max_examples=12, deadline=None)
@given(problem=problems(["k"], kinds=["interval"], n_requirements=(1, 1)), k=st.integers(1, 6))
def test_the_reference_starts_an_interval_where_refining_it_alone_ends(problem: dict[str, Any], k: int) -> None:
    alone = problem["attributes"][0]
    requirements: list[K | Templates] = [K((alone.name,), min(k, len(problem["records"])))]
    down = Reference(problem["records"], [alone], requirements, "cls")
    down.run()
    up = BottomUp(problem["records"], [alone], requirements, "cls")
    assert up.masked() == down.masked()
    assert up.run() == []
