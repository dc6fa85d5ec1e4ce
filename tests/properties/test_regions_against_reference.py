"""Regions against their plain twin: steps, validity of every state, several QIDs, row order, no class."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.errors import InfeasibleError, InputError
from maskwise.formats.policy_file import read_policy
from maskwise.formats.solution_file import dumps, loads
from maskwise.pipeline import solve
from maskwise.policy.budget import Suppressed
from maskwise.search.options import SearchOptions
from maskwise.search.regions import paid_splits
from maskwise.search.regions import search as region_search
from maskwise.search.regions.region_arrays import SCALE
from maskwise.search.regions.teacher import Lesson, TaughtRecords, add_up
from maskwise.search.regions.variants import RegionVariant
from maskwise.solution.solution import Ending, Solution
from maskwise.table.read import read
from tests.properties.tables import POLICY, people_table, problems
from tests.reference.persons import PERSON, PersonRule
from tests.reference.regions import Regional

OPTIONS = {"method": "regions", "effort": 1, "boundaries": "exact"}


def taught_by_column(codes: Any, columns: Any, classes: Any, **_: Any) -> Any:
    """Take what is taught of a record from its last unmasked columns: two targets of a first and a second order."""
    del classes
    cells = np.column_stack([np.array(column.to_pylist(), np.int64) for column in columns[-4:]])
    taught = cells.reshape(len(cells), 2, 2) << 20
    rows, row = np.unique(codes, axis=0, return_inverse=True)
    records = TaughtRecords(row.ravel(), taught, None, np.zeros((len(codes), 0)), np.zeros(0, np.bool_))
    return Lesson(rows, add_up(taught, row.ravel(), len(rows)), records)


def with_lessons(problem: dict[str, Any], seed: int) -> tuple[pa.Table, dict[str, Any], list[list[tuple[int, int]]]]:
    """The table with what is taught beside, the policy, and the same as the twin takes it."""
    rng = random.Random(seed)  # noqa: S311 - test data
    lessons = [[rng.randint(-900, 900), rng.randint(1, 250), rng.randint(-900, 900), rng.randint(1, 250)]]
    lessons += [[rng.randint(-900, 900), rng.randint(1, 250)] * 2 for _ in problem["records"][1:]]
    table = pa.Table.from_pylist(problem["records"])
    for c in range(4):
        table = table.append_column(f"t{c}", pa.array([lesson[c] for lesson in lessons]))
    table = table.drop_columns(["sens"]).add_column(0, "sens", table["sens"].cast(pa.string()))
    used = {a.name for a in problem["attributes"]}
    entries = {n: e for n, e in problem["policy"]["attributes"].items() if n in used or n == "sens"}
    gone = [n for n in table.column_names if n.startswith("q") and n not in used]
    policy = {**problem["policy"], "attributes": entries, "drop": gone}
    taught = [[(a << 20, b << 20), (c << 20, d << 20)] for a, b, c, d in lessons]
    return table, policy, taught


def solved(table: pa.Table, policy: dict[str, Any], depth: int, **more: Any) -> Solution:
    with (
        patch.object(region_search, "teach_rows", taught_by_column),
        patch.object(region_search, "RegionVariant", lambda: RegionVariant(depth=depth)),
    ):
        return solve(read(table), read_policy(policy), SearchOptions(**OPTIONS, **more)).solution


def masked(problem: dict[str, Any], seed: int, stop: int) -> Any:
    """What is released after so many steps; None if nothing can be."""
    table, policy, _ = with_lessons(problem, seed)
    with (
        patch.object(region_search, "teach_rows", taught_by_column),
        patch.object(region_search, "RegionVariant", lambda: RegionVariant(depth=1)),
    ):
        try:
            return maskwise.anonymize(table, policy, keep_order=True, max_steps=stop, **OPTIONS)
        except InfeasibleError:
            return None


def label(shown: Any) -> Any:
    if not isinstance(shown, tuple):
        return shown
    low, high, closed = shown
    return f"[{low}, {high}{']' if closed else ')'}"


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    problem=problems(["k", "templates", "mixed", "distinct", "recursive"], n_requirements=(1, 1), whole=True),
    seed=st.integers(0, 2**20),
    depth=st.integers(0, 3),
)
def test_every_split_is_the_best_with_what_is_below_it(problem: dict[str, Any], seed: int, depth: int) -> None:
    table, policy, taught = with_lessons(problem, seed)
    twin = Regional(problem["records"], problem["attributes"], problem["requirements"], taught, depth, SCALE)
    assume(twin.is_valid(list(range(len(problem["records"])))))
    solution = solved(table, policy, depth)
    assert solution.regions is not None
    expected = list(twin.run())
    found = [
        (split.region, split.attribute, step.before, [part.shown for part in split.parts])
        for split, step in zip(solution.regions.splits, solution.steps, strict=True)
    ]
    assert found == [(i, name, label(before), [label(shown) for shown in after]) for i, name, before, after in expected]
    assert solution.ending is Ending.MAXIMAL


@st.composite
def problems_of_persons(draw: Any, n_requirements: tuple[int, int]) -> dict[str, Any]:
    """A problem whose records are about fewer persons, who differ from record to record."""
    problem: dict[str, Any] = draw(problems(["k"], n_requirements=n_requirements, whole=True))
    most = draw(st.integers(1, len(problem["records"])))
    for record in problem["records"]:
        record[PERSON] = f"n{draw(st.integers(1, most))}"
    problem["policy"]["person"] = {"column": PERSON, "release": "pseudonym"}
    return problem


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(problem=problems_of_persons((1, 2)), seed=st.integers(0, 2**20), depth=st.integers(0, 3))
def test_every_split_counts_a_person_once_in_each_part(problem: dict[str, Any], seed: int, depth: int) -> None:
    table, policy, taught = with_lessons(problem, seed)
    twin = Regional(problem["records"], problem["attributes"], problem["requirements"], taught, depth, SCALE)
    assume(twin.is_valid(list(range(len(problem["records"])))))
    # Where every person has one row, regions of several QIDs are split further together, which the twin does not do.
    rows = {(*(record[a.name] for a in problem["attributes"]), record[PERSON]) for record in problem["records"]}
    assume(len(problem["requirements"]) == 1 or len(rows) > twin.count(list(range(len(problem["records"])))))
    solution = solved(table, policy, depth)
    assert solution.regions is not None
    found = [(split.region, split.attribute, [part.shown for part in split.parts]) for split in solution.regions.splits]
    assert found == [(i, name, [label(shown) for shown in after]) for i, name, _, after in twin.run()]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(problem=problems_of_persons((1, 3)), seed=st.integers(0, 2**20), stop=st.integers(0, 12))
def test_what_a_release_of_persons_says_is_what_it_has(problem: dict[str, Any], seed: int, stop: int) -> None:
    outcome = masked(problem, seed, stop)
    if outcome is None:
        return
    shown = outcome.data.to_pylist()
    for requirement, reached in zip(problem["requirements"], outcome.solution.reached, strict=True):
        (rule,) = (PersonRule(part) for part in requirement.parts())
        bad = rule.badness(shown, problem["records"])
        assert not rule.is_broken(bad)
        assert reached.figure == -bad
    for step in outcome.solution.steps:
        assert min(step.requirements) >= 1
    kept = [point.information_kept for point in outcome.solution.curve]
    assert all(0.0 <= before <= after + 1e-9 <= 1.0 + 1e-6 for before, after in itertools.pairwise(kept))


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    problem=problems(["k", "templates", "mixed", "distinct"], n_requirements=(1, 1), whole=True),
    seed=st.integers(0, 2**20),
    depth=st.integers(0, 2),
    k=st.integers(1, 8),
)
def test_every_split_is_safe_in_each_combination_of_known_labels(
    problem: dict[str, Any], seed: int, depth: int, k: int
) -> None:
    table, policy, taught = with_lessons(problem, seed)
    records, names = problem["records"], [a.name for a in problem["attributes"]]
    assume(len(records) >= k)
    first = maskwise.anonymize(table, {**policy, "requirements": [{"qid": names, "k": k}]}, keep_order=True)
    known = list(zip(*(first.data[name].to_pylist() for name in names), strict=True))
    twin = Regional(records, problem["attributes"], problem["requirements"], taught, depth, SCALE, known=known)
    is_feasible = twin.is_valid(list(range(len(records))))
    with (
        patch.object(region_search, "teach_rows", taught_by_column),
        patch.object(region_search, "RegionVariant", lambda: RegionVariant(depth=depth)),
    ):
        try:
            found = maskwise.anonymize(table, policy, against=[first.solution], **OPTIONS).solution
        except InfeasibleError:
            assert not is_feasible
            return
    assert is_feasible
    assert found.regions is not None
    steps = [(split.region, split.attribute, [part.shown for part in split.parts]) for split in found.regions.splits]
    assert steps == [(i, name, [label(shown) for shown in after]) for i, name, _, after in twin.run()]


@settings(max_examples=40, deadline=None)
@given(
    problem=problems(["k", "mixed"], n_requirements=(1, 1), whole=True),
    seed=st.integers(0, 2**20),
    share=st.sampled_from([10, 25, 50]),
)
def test_the_first_split_that_costs_records_gains_most_for_each(problem: dict[str, Any], seed: int, share: int) -> None:
    table, policy, taught = with_lessons(problem, seed)
    n = len(problem["records"])
    twin = Regional(problem["records"], problem["attributes"], problem["requirements"], taught, 1, SCALE)
    assume(twin.is_valid(list(range(n))))
    free = list(twin.run())
    least_gain = 0.1
    with patch.object(paid_splits, "LEAST_GAIN", least_gain):
        solution = solved(table, {**policy, "suppress": f"{share}%"}, 1)
    assert solution.regions is not None
    assert solution.suppression is not None
    splits = [
        (split.region, split.attribute, [part.shown for part in split.parts]) for split in solution.regions.splits
    ]
    expected = [(i, name, [label(shown) for shown in after]) for i, name, _, after in free]
    assert splits[: len(expected)] == expected
    best = [
        (i, name, [label(shown) for shown in after]) for i, name, after in twin.best_paid(n * share // 100, least_gain)
    ]
    if best:
        assert splits[len(expected)] in best
        assert solution.suppression.n_counted
    else:
        assert len(splits) == len(expected)
        assert not solution.suppression.combinations


@settings(max_examples=12, deadline=None)
@given(
    problem=problems(["k", "mixed", "distinct", "recursive", "equal"], n_requirements=(1, 3)),
    seed=st.integers(0, 2**20),
    budget=st.tuples(st.sampled_from([10, 50]), st.sampled_from(["removed", "root"])),
    stop=st.one_of(st.none(), st.integers(0, 12)),
    consistency=st.sampled_from(["free", "free", "mostly"]),
)
def test_what_is_left_is_safe_and_later_rows_are_suppressed_alike(
    problem: dict[str, Any], seed: int, budget: tuple[int, str], stop: int | None, consistency: str
) -> None:
    table, policy, _ = with_lessons(problem, seed)
    policy |= {"suppress": {"share": f"{budget[0]}%", "as": budget[1]}, "consistency": consistency}
    with (
        patch.object(region_search, "teach_rows", taught_by_column),
        patch.object(region_search, "RegionVariant", lambda: RegionVariant(depth=1)),
        patch.object(paid_splits, "LEAST_GAIN", 0.1),
    ):
        try:
            outcome = maskwise.anonymize(table, policy, keep_order=True, max_steps=stop, **OPTIONS)
        except InfeasibleError:
            return
    said = outcome.solution.suppression
    assert said is not None
    assert 100 * said.n_counted <= budget[0] * table.num_rows
    assert len(outcome.data) == table.num_rows - (said.n_counted if budget[1] == "removed" else 0)
    is_lost = check_by_records(problem, table, outcome.solution)
    assert sum(is_lost) == said.n_counted
    verdict = maskwise.audit(outcome.data, {"requirements": policy["requirements"]})
    assert verdict.is_met
    assert [one.figure for one in outcome.solution.reached] == pytest.approx([one.figure for one in verdict.findings])
    saved = loads(dumps(outcome.solution))
    again = maskwise.apply(table, saved, keep_order=True)
    assert again.data.equals(outcome.data)
    assert again.n_suppressed == said.n_counted
    for cut in outcome.solution.cuts:
        shown = set(outcome.data[cut.attribute].to_pylist()) - {None}
        assert shown == set(outcome.solution.shown_labels(cut))
    kept = [point.information_kept for point in outcome.solution.curve]
    assert len(kept) == len(outcome.solution.steps) + 1
    assert all(-1e-9 <= one <= 1.0 + 1e-9 for one in kept)


def check_by_records(problem: dict[str, Any], table: pa.Table, solution: Solution) -> list[bool]:
    """Check every rule, record by record, against somebody who can tell who is suppressed; say who is."""
    said = solution.suppression
    assert said is not None
    rows = maskwise.apply(table, replace(solution, suppression=None), keep_order=True).data.to_pylist()
    qid = [cut.attribute for cut in solution.cuts]
    combinations = {labels for one in said.combinations for labels in one.labels}
    is_lost = [tuple(row[name] for name in qid) in combinations for row in rows]
    records = problem["records"]
    if said.shown_as is Suppressed.REMOVED:
        rows, records = (
            [one for one, is_gone in zip(all_of_them, is_lost, strict=True) if not is_gone]
            for all_of_them in (rows, records)
        )
    else:
        # Also those whose labels on a QID are roots anyway.
        apart = dict.fromkeys(qid, "suppressed")
        rows = [row | apart if is_gone else row for row, is_gone in zip(rows, is_lost, strict=True)]
    for requirement in problem["requirements"]:
        for rule in requirement.parts():
            assert not rule.is_broken(rule.badness(rows, records))
    return is_lost


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"requirements": [{"qid": ["age"], "sensitive": {"job": ["a"]}, "confidence": 0.9}]},
            "only requirements on the size",
        ),
        ({"consistency": "mostly"}, "at the same place"),
        ({"suppress": "5%"}, "suppresses nobody"),
    ],
)
def test_what_cannot_be_counted_of_persons_is_refused(change: dict[str, Any], complaint: str) -> None:
    table = people_table(5, 60).append_column(PERSON, pa.array([f"n{i % 20}" for i in range(60)]))
    policy = {"class": "cls", "person": PERSON, "requirements": [{"qid": ["age"], "k": 2}], **change}
    with pytest.raises(InputError, match=complaint):
        maskwise.anonymize(table, policy, **OPTIONS)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(problem=problems(["all"], n_requirements=(1, 3)), seed=st.integers(0, 2**20), stop=st.integers(0, 12))
def test_every_state_is_safe_by_every_requirement(problem: dict[str, Any], seed: int, stop: int) -> None:
    """The recount inside `anonymize` refuses what is not, so does the twin of every privacy model here."""
    outcome = masked(problem, seed, stop)
    if outcome is None:
        return
    shown = outcome.data.to_pylist()
    records = problem["records"]
    for requirement in problem["requirements"]:
        for rule in requirement.parts():
            assert not rule.is_broken(rule.badness(shown, records))
    for cut in outcome.solution.cuts:
        assert {row[cut.attribute] for row in shown} - {None} <= set(cut.labels)
    assert len(outcome.solution.steps) <= stop


@settings(max_examples=15, deadline=None)
@given(problem=problems(["k", "mixed"], n_requirements=(1, 2)), seed=st.integers(0, 2**20), other=st.integers(0, 99))
def test_neither_the_order_of_rows_nor_a_step_limit_changes_the_way(
    problem: dict[str, Any], seed: int, other: int
) -> None:
    table, policy, _ = with_lessons(problem, seed)
    try:
        whole = solved(table, policy, 2)
    except InfeasibleError:
        return
    order = list(range(table.num_rows))
    random.Random(other).shuffle(order)  # noqa: S311 - test data
    again = solved(table.take(order), policy, 2)
    assert again.regions == whole.regions
    assert again.steps == whole.steps
    short = solved(table, policy, 2, max_steps=len(whole.steps) // 2)
    assert short.steps == whole.steps[: len(whole.steps) // 2]


@pytest.mark.slow
@pytest.mark.parametrize("has_class", [True, False])
def test_people_are_masked_region_by_region(*, has_class: bool) -> None:
    table = people_table(5, 2_000)
    policy = POLICY if has_class else {key: value for key, value in POLICY.items() if key != "class"}
    policy = policy if has_class else {**policy, "drop": ["cls"]}
    outcome = maskwise.anonymize(table, policy, method="regions", seed=3, keep_order=True)
    assert outcome.verdict.is_met
    assert outcome.solution.regions is not None
    assert outcome.solution.regions.n_regions > 20
    again = maskwise.anonymize(table.slice(0), policy, method="regions", seed=3, keep_order=True)
    assert again.data.equals(outcome.data)


def test_several_qids_are_split_further_together() -> None:
    """Regions that are one group on a QID are split at the same place, though each alone is too small."""
    rng = np.random.default_rng(1)
    n = 400
    old, rich = rng.integers(0, 2, n), rng.integers(0, 2, n)
    table = pa.table(
        {
            "age": old * 40 + rng.integers(20, 30, n),
            "pay": rich * 100 + rng.integers(0, 10, n),
            "cls": np.where((old + rich + rng.random(n)) > 1.2, "Y", "N"),
        }
    )
    policy = {"class": "cls", "requirements": [{"qid": ["age"], "k": 150}, {"qid": ["pay"], "k": 150}]}
    outcome = maskwise.anonymize(table, policy, method="regions", seed=0, effort=1)
    # No four regions of 150 fit into 400 records, but two intervals of each attribute do.
    assert len(outcome.solution.cut("age").labels) == len(outcome.solution.cut("pay").labels) == 2
    assert any(len(step.regions) > 1 for step in outcome.solution.steps)


@settings(max_examples=40, deadline=None)
@given(
    problem=problems(["k", "mixed"], n_requirements=(2, 3)),
    seed=st.integers(0, 2**20),
    wanted=st.lists(st.sampled_from(["free", "mostly", "global"]), min_size=4, max_size=4),
)
def test_with_values_that_mean_the_same_everywhere_every_step_is_safe_by_the_values_behind_labels(
    problem: dict[str, Any], seed: int, wanted: list[str]
) -> None:
    table, policy, _ = with_lessons(problem, seed)
    entries = {
        name: (entry if isinstance(entry, dict) else {entry: None}) | ({"consistency": one} if name != "sens" else {})
        for (name, entry), one in zip(policy["attributes"].items(), [*wanted, "free"], strict=False)
    }
    try:
        solution = solved(table, {**policy, "attributes": entries}, 1)
    except InfeasibleError:
        return
    for step in solution.steps:
        for asked, figure in zip(problem["requirements"], step.requirements, strict=True):
            assert figure >= asked.k if hasattr(asked, "k") else figure <= max(h for _, _, h in asked.values)
