"""Regions against their plain twin: steps, validity of every state, several QIDs, row order, no class."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.compress import class_tables
from maskwise.engines.base import Lookup
from maskwise.engines.value_scores import SCORE
from maskwise.errors import InfeasibleError, InputError
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.search.options import SearchOptions
from maskwise.search.regions import search as region_search
from maskwise.search.regions.region_arrays import SCALE
from maskwise.search.regions.teacher import Lesson, TaughtRecords, add_up
from maskwise.search.regions.variants import RegionVariant
from maskwise.solution.solution import Ending, Solution
from maskwise.table.read import read
from maskwise.table.table import Table
from tests.properties.tables import POLICY, people_table, problems
from tests.reference.persons import PERSON, PersonRule
from tests.reference.regions import Regional

OPTIONS = {"method": "regions", "effort": 1, "boundaries": "exact"}


@contextmanager
def taught_by_column(table: pa.Table, depth: int) -> Iterator[None]:
    """Take what is taught of a record from its columns t0 to t3: two targets of a first and a second order.

    The last unmasked column, a number for each record, stands in for the bins.
    """
    in_order = table.sort_by("place")
    taught = np.stack([in_order[f"t{c}"].to_numpy() for c in range(4)], axis=1).reshape(-1, 2, 2) << 20

    def score(records: Table, unmasked: list[str], *_: Any) -> tuple[Table, Lookup]:
        placed = records.expr.mutate(**{SCORE: records.column(unmasked[-1]).cast("int64")})
        return replace(records, expr=records.engine.materialize(placed)), Lookup(pa.array(range(len(taught))), None)

    def teach(counted: Any, **_: Any) -> Lesson:
        rows, row = np.unique(counted.rows.codes, axis=0, return_inverse=True)
        own = taught[counted.group_of_row]
        records = TaughtRecords(row.ravel(), own, None, np.zeros((len(own), 0)), np.zeros(0, np.bool_))
        return Lesson(rows.astype(np.int64), add_up(own, row.ravel(), len(rows)), records)

    with (
        patch.object(class_tables, "score_by_odds", score),
        patch.object(region_search, "teach_counts", teach),
        patch.object(region_search, "RegionVariant", lambda: RegionVariant(depth=depth)),
    ):
        yield


def with_lessons(problem: dict[str, Any], seed: int) -> tuple[pa.Table, dict[str, Any], list[list[tuple[int, int]]]]:
    """The table with what is taught beside, the policy, and the same as the twin takes it."""
    rng = random.Random(seed)  # noqa: S311 - test data
    lessons = [[rng.randint(-900, 900), rng.randint(1, 250), rng.randint(-900, 900), rng.randint(1, 250)]]
    lessons += [[rng.randint(-900, 900), rng.randint(1, 250)] * 2 for _ in problem["records"][1:]]
    table = pa.Table.from_pylist(problem["records"])
    for c in range(4):
        table = table.append_column(f"t{c}", pa.array([lesson[c] for lesson in lessons]))
    table = table.append_column("place", pa.array(range(len(lessons))))
    table = table.drop_columns(["sens"]).add_column(0, "sens", table["sens"].cast(pa.string()))
    used = {a.name for a in problem["attributes"]}
    entries = {n: e for n, e in problem["policy"]["attributes"].items() if n in used or n == "sens"}
    gone = [n for n in table.column_names if n.startswith("q") and n not in used]
    policy = {**problem["policy"], "attributes": entries, "drop": gone}
    taught = [[(a << 20, b << 20), (c << 20, d << 20)] for a, b, c, d in lessons]
    return table, policy, taught


def solved(table: pa.Table, policy: dict[str, Any], depth: int, **more: Any) -> Solution:
    with taught_by_column(table, depth):
        return solve(read(table), read_policy(policy), SearchOptions(**OPTIONS, **more)).solution


def masked(problem: dict[str, Any], seed: int, stop: int) -> Any:
    """What is released after so many steps; None if nothing can be."""
    table, policy, _ = with_lessons(problem, seed)
    with taught_by_column(table, 1):
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
    with taught_by_column(table, depth):
        try:
            found = maskwise.anonymize(table, policy, against=[first.solution], **OPTIONS).solution
        except InfeasibleError:
            assert not is_feasible
            return
    assert is_feasible
    assert found.regions is not None
    steps = [(split.region, split.attribute, [part.shown for part in split.parts]) for split in found.regions.splits]
    assert steps == [(i, name, [label(shown) for shown in after]) for i, name, _, after in twin.run()]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"requirements": [{"qid": ["age"], "sensitive": {"job": ["a"]}, "confidence": 0.9}]},
            "only requirements on the size",
        ),
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
