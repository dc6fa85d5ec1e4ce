"""The conditional criterion against its plain twin: steps, validity, maximality, and the loops below it."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from math import log2
from typing import Any
from unittest.mock import patch

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.compress import class_tables
from maskwise.engines.base import Lookup
from maskwise.engines.value_scores import SCORE
from maskwise.errors import InfeasibleError
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.policy.attributes import Kind
from maskwise.policy.requirements.rule import Arithmetic, Rule
from maskwise.profile.columns import Column
from maskwise.search.bounds import Bound, as_rules
from maskwise.search.conditional import chooser as conditional
from maskwise.search.conditional import gain_kernels, growing_tree
from maskwise.search.conditional import search as conditional_search
from maskwise.search.groups import split_kernels
from maskwise.search.groups.splitting import try_splits
from maskwise.search.options import SearchOptions
from maskwise.solution.solution import Ending
from maskwise.table.read import read
from maskwise.table.table import Table
from maskwise.values import processors
from maskwise.values.scales import Scale
from tests.properties.tables import ATTRIBUTES, KINDS, POLICY, REQUIREMENTS, people_table, problems
from tests.reference.conditional import Conditional
from tests.reference.topdown import K

OPTIONS = SearchOptions(criterion="conditional", as_published=True)
SENSITIVE = ("hiv", "flu", "cold", None)


def as_told(table: Table, unmasked: list[str], *_: Any) -> tuple[Table, Lookup]:
    """Take the last unmasked column for the score, each of whose values is a bin."""
    cell = table.column(unmasked[-1])
    known = {text: place for place, text in enumerate(SENSITIVE) if text is not None}
    score = ibis.cases(*((cell == text, place) for text, place in known.items()), else_=len(known))
    scored = table.engine.materialize(table.expr.mutate(**{SCORE: score.cast("int64")}))
    return replace(table, expr=scored), Lookup(pa.array(range(len(SENSITIVE))), None)


def solved(problem: dict[str, Any], policy: dict[str, Any], *, work: int | None = None) -> Any:
    """Search with bins that a column spells out."""
    table = pa.Table.from_pylist(problem["records"])
    # Text also where all cells are missing, and the last column.
    table = table.drop_columns(["sens"]).append_column("sens", table["sens"].cast(pa.string()))
    with ExitStack() as stack:
        stack.enter_context(patch.object(class_tables, "score_by_odds", as_told))
        if work is not None:
            stack.enter_context(patch.object(conditional, "EXACT_WORK", work))
        return solve(read(table), read_policy(policy), OPTIONS).solution


def agree(problem: dict[str, Any], *, is_told: bool) -> None:
    """Compare search and reference, step by step.

    Args:
        problem: A table and what is asked.
        is_told: Whether an unmasked column splits the groups.
    """
    names = [a.name for a in problem["attributes"]]
    used = {*names, "cls", *(["sens"] if is_told else [])}
    every = problem["records"][0]
    drop = [name for name in every if name not in used]
    entries = {name: entry for name, entry in problem["policy"]["attributes"].items() if name in used}
    policy = {**problem["policy"], "attributes": entries, "drop": drop}
    bins = [record["sens"] for record in problem["records"]] if is_told else None
    reference = Conditional(problem["records"], problem["attributes"], problem["requirements"], "cls", bins=bins)
    assume(all(slack >= 0 for slack in reference.slack.values()))
    solution = solved(problem, policy)
    expected = reference.run()
    assert [(s.attribute, s.before, list(s.after)) for s in solution.steps] == [
        (e["attribute"], e["from"], e["to"]) for e in expected
    ]
    for step, e in zip(solution.steps, expected, strict=True):
        assert (step.info_gain, step.loss, step.score) == pytest.approx(
            (e["info_gain"], e["loss"], e["score"]), abs=1e-9
        )
        assert list(step.requirements) == pytest.approx(e["requirements"], abs=1e-12)
    assert solution.ending is Ending.MAXIMAL
    assert not reference.options()


@settings(max_examples=30, deadline=None)
@given(problem=problems(["k"]))
def test_every_step_has_the_best_conditional_gain(problem: dict[str, Any]) -> None:
    agree(problem, is_told=False)


@settings(max_examples=20, deadline=None)
@given(problem=problems(["k", "mixed"]))
def test_threads_that_share_the_work_find_the_same_steps(problem: dict[str, Any]) -> None:
    with (
        patch.object(conditional, "ROWS_FOR_THREADS", 0),
        patch.object(conditional_search, "ROWS_FOR_THREADS", 0),
        patch.object(processors, "n_processors", lambda: 3),
    ):
        agree(problem, is_told=False)


@settings(max_examples=20, deadline=None)
@given(problem=problems(["k"], whole=True))
def test_what_an_unmasked_column_tells_is_no_gain(problem: dict[str, Any]) -> None:
    agree(problem, is_told=True)


@settings(max_examples=20, deadline=None)
@given(problem=problems(["templates", "mixed"], whole=True))
def test_templates_and_mixed_policies_follow_the_design(problem: dict[str, Any]) -> None:
    """The sensitive column is unmasked, so it also tells."""
    agree(problem, is_told=True)


def mixed_people(seed: int, n: int) -> pa.Table:
    """A class that follows all three columns."""
    rng = np.random.default_rng(seed)
    age, job, zone = rng.integers(20, 80, n), rng.choice(list("abcd"), n), rng.choice(["n1", "n2", "s1", "s2", "w"], n)
    risk = (age > 50) + 1.5 * (job == "b") + np.isin(zone, ["n1", "n2", "w"]) + rng.normal(0, 0.5, n)
    return pa.table({"age": age, "job": job, "zone": zone, "cls": np.where(risk > 1.5, "Y", "N")})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_steps_on_larger_tables_are_the_plain_ones(seed: int) -> None:
    """Groups of many rows, two QIDs, all three kinds of attributes."""
    people = mixed_people(seed, 250)
    requirements = [K(("age", "job", "zone"), 2), K(("job", "zone"), 6)]
    reference = Conditional(people.to_pylist(), ATTRIBUTES, requirements, "cls")
    expected = reference.run()
    asked = [{"qid": ["age", "job", "zone"], "k": 2}, {"qid": ["job", "zone"], "k": 6}]
    outcome = maskwise.anonymize(people, {**POLICY, "requirements": asked}, criterion="conditional", as_published=True)
    assert len(expected) > 5
    assert {e["attribute"] for e in expected} == {"age", "job", "zone"}
    assert [(s.attribute, s.before, list(s.after), list(s.requirements)) for s in outcome.steps] == [
        (e["attribute"], e["from"], e["to"], e["requirements"]) for e in expected
    ]
    assert outcome.data.select(["age", "job", "zone"]).to_pylist() == reference.masked()


def smallest(table: pa.Table, qid: tuple[str, ...]) -> int:
    return min(Counter(zip(*(table[name].to_pylist() for name in qid), strict=True)).values())


@pytest.mark.slow
def test_stopping_after_any_step_is_safe() -> None:
    people = people_table(2, 200)
    whole = maskwise.anonymize(people, POLICY, criterion="conditional", as_published=True)
    assert len(whole.steps) > 8
    for most in range(len(whole.steps) + 1):
        part = maskwise.anonymize(people, POLICY, criterion="conditional", as_published=True, max_steps=most)
        assert part.steps == whole.steps[:most]
        assert part.solution.ending is (Ending.STEPS if most < len(whole.steps) else Ending.MAXIMAL)
        assert maskwise.audit(part.data, POLICY).is_met
        figures = [smallest(part.data, requirement.qid) for requirement in REQUIREMENTS]
        assert all(n >= requirement.k for n, requirement in zip(figures, REQUIREMENTS, strict=True))
        assert [reached.figure for reached in part.solution.reached] == figures
        if most:
            assert list(part.steps[-1].requirements) == figures


@pytest.mark.slow
@pytest.mark.parametrize("work", [0, None])
def test_every_way_of_searching_ends_valid_and_maximal(work: int | None) -> None:
    """Weighing lazily may take other steps, but never stop short."""
    people = people_table(4, 250)
    with patch.object(conditional, "EXACT_WORK", conditional.EXACT_WORK if work is None else work):
        outcome = maskwise.anonymize(people, POLICY, criterion="conditional", as_published=True)
    assert all(smallest(outcome.data, requirement.qid) >= requirement.k for requirement in REQUIREMENTS)
    reference = Conditional(people.to_pylist(), ATTRIBUTES, REQUIREMENTS, "cls")
    assert reference.options()
    reference.show(outcome.data.to_pylist())
    assert not reference.options()


@settings(max_examples=20, deadline=None)
@given(problem=problems(["k", "templates", "mixed"], whole=True))
def test_weighing_lazily_ends_valid_and_maximal(problem: dict[str, Any]) -> None:
    reference = Conditional(
        problem["records"],
        problem["attributes"],
        problem["requirements"],
        "cls",
        bins=[r["sens"] for r in problem["records"]],
    )
    assume(all(slack >= 0 for slack in reference.slack.values()))
    solution = solved(problem, problem["policy"], work=0)
    rows = [
        {
            cut.attribute: cut.missing_text
            if (cell := record[cut.attribute]) is None
            else cut.show_number(cell)
            if cut.kind is Kind.INTERVAL
            else cut.show_text(cell)
            for cut in solution.cuts
        }
        for record in problem["records"]
    ]
    reference.show(rows)
    assert all(part.badness(reference.shown, problem["records"]) <= part.limit() for part in reference.active)
    assert not reference.options()


@settings(max_examples=12, deadline=None)
@given(problem=problems(["k"], kinds=["taxonomy"], n_requirements=(1, 1)))
def test_weighing_lazily_takes_the_same_steps_where_gains_do_not_change(problem: dict[str, Any]) -> None:
    """Values of a single tree share no records, so refining one changes no other's gain."""
    assume(len(problem["attributes"]) == 1)
    assert solved(problem, problem["policy"], work=0).steps == solved(problem, problem["policy"]).steps


@pytest.mark.slow
def test_row_order_changes_nothing() -> None:
    """Not with unmasked columns either."""
    n = 300
    rng = np.random.default_rng(3)
    people = people_table(5, n)
    told = np.asarray(people["age"]) + rng.normal(0, 15, n)
    people = people.append_column("pay", pa.array([None if i % 11 == 0 else x for i, x in enumerate(told.round())]))
    people = people.append_column("town", pa.array(rng.choice(["u", "v", None], n).tolist(), pa.string()))
    turned = people.take(pa.array(rng.permutation(n)))
    one, other = (
        maskwise.anonymize(table, POLICY, criterion="conditional", as_published=True) for table in (people, turned)
    )
    assert len(one.steps) > 3
    assert one.steps == other.steps
    assert one.solution.cuts == other.solution.cuts
    assert one.notes == other.notes


def test_what_cannot_be_met_is_said() -> None:
    with pytest.raises(InfeasibleError):
        maskwise.anonymize(people_table(0, 5), POLICY, criterion="conditional")


# The loops.


@st.composite
def grouped(draw: Any, n_counts: int) -> tuple[split_kernels.Groups, list[dict[str, Any]], int]:
    """Groups of rows with a code and counters each, and the same as lists; code 5 stands for a missing value."""
    made = []
    for _ in range(draw(st.integers(1, 4))):
        row = st.tuples(st.integers(0, 5), st.lists(st.integers(0, 4), min_size=n_counts, max_size=n_counts))
        made.append({"shown": draw(st.sampled_from([7, 7, 8])), "rows": draw(st.lists(row, min_size=1, max_size=6))})
    # Rows are filled up to whole words.
    codes = np.array([[0, code, *[0] * 6] for group in made for code, _ in group["rows"]], np.uint8)
    counts = np.array([counters for group in made for _, counters in group["rows"]], np.int64)
    size = np.array([len(group["rows"]) for group in made])
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    total = np.array([np.sum([counters for _, counters in group["rows"]], axis=0) for group in made])
    shown = np.array([[3] * len(made), [group["shown"] for group in made]], np.int32)
    nothing = np.zeros(0, np.int64)
    groups = split_kernels.Groups(
        codes,
        codes.view(np.uint64),
        counts,
        codes.copy().view(np.uint64),
        counts.copy(),
        start,
        size,
        total,
        shown,
        nothing,
        np.zeros((0, 1, n_counts), np.int64),
        np.zeros((1, n_counts), np.int64),
        nothing,
        np.array([len(made), 0]),
    )
    return groups, [group for group in made if group["shown"] == 7], n_counts


def bits_of(counters: Any) -> float:
    n = sum(counters)
    return -sum(c * log2(c / n) for c in counters if c) if n else 0.0


def parts_of(rows: list[Any], part: Any, n_counts: int) -> list[list[int]]:
    """The counters of each part."""
    found: dict[Any, list[int]] = {}
    for code, counters in rows:
        mine = found.setdefault(part(code), [0] * n_counts)
        for c, n in enumerate(counters):
            mine[c] += n
    return list(found.values())


def told_by(made: list[dict[str, Any]], part: Any, n_counts: int) -> float:
    whole = sum(bits_of(p) for group in made for p in parts_of(group["rows"], lambda _: 0, n_counts))
    return whole - sum(bits_of(p) for group in made for p in parts_of(group["rows"], part, n_counts))


@settings(max_examples=30, deadline=None)
@given(found=grouped(3), slot=st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_what_refinements_tell_is_counted_as_in_plain_python(found: Any, slot: list[int]) -> None:
    groups, made, n = found
    hist, side = np.full((7, 3), 99), np.full(3, 99)
    gain = gain_kernels.gain_of_children(groups, 1, 7, np.array(slot, np.int32), hist[:3])
    assert gain == pytest.approx(told_by(made, lambda code: slot[code], n), abs=1e-9)
    values, splits, inner = np.zeros(6), np.zeros(5), np.zeros(6)
    gain_kernels.gains_of_values(groups, 1, 7, values, hist[:6], side)
    assert values.tolist() == pytest.approx([told_by(made, lambda c, v=v: c == v, n) for v in range(6)], abs=1e-9)
    gain_kernels.gains_of_splits(groups, 1, 7, 0, 5, splits, hist[:6], np.full((2, 3), 99))
    at = [told_by(made, lambda c, b=b: 2 if c == 5 else c >= b, n) for b in range(5)]
    assert splits[1:].tolist() == pytest.approx(at[1:], abs=1e-9)
    gain_kernels.gains_of_splits(groups, 1, 7, 0, 6, inner, hist, np.full((2, 3), 99))
    at = [told_by(made, lambda c, b=b: c >= b, n) for b in range(6)]
    assert inner[1:].tolist() == pytest.approx(at[1:], abs=1e-9)
    assert gain_kernels.bits(groups.total[0]) == pytest.approx(bits_of(groups.total[0].tolist()), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(found=grouped(2), k=st.integers(1, 6), share=st.sampled_from([(1, 3), (1, 2), (3, 4)]))
def test_the_worst_group_of_each_split_is_that_of_plain_python(found: Any, k: int, share: tuple[int, int]) -> None:
    """Counters: records, then those with either of two sensitive values. The last rule is not enforced."""
    groups, made, _ = found
    # Some records have neither value.
    raw = groups.words.copy()
    counts = np.stack([raw.sum(axis=1) + 1, raw[:, 1]], axis=1)
    groups.total[:] = np.add.reduceat(counts, groups.start, axis=0)
    groups = groups._replace(words=counts)
    made = [
        {**group, "rows": [(code, [sum(counters) + 1, counters[1]]) for code, counters in group["rows"]]}
        for group in made
    ]
    over, under = share
    bounds = [
        Bound(0, 0, Rule(Arithmetic.K, -k, k)),
        Bound(1, 0, Rule(Arithmetic.SHARE, over / under, over, under), first=1, stop=2),
        Bound(2, 0, Rule(Arithmetic.K, -99, 99), counts=False),
    ]
    worst, is_valid = try_splits(groups, as_rules(bounds, counts.sum(axis=0)), 1, 7, 0, 5)
    for b in range(1, 5):
        parts = [
            part
            for group in made
            for part in parts_of(group["rows"], lambda code, b=b: 2 if code == 5 else code >= b, 2)
        ]
        size = max((-n for n, _ in parts), default=-np.inf)
        assert is_valid[b] == all(n >= k and s * under <= over * n for n, s in parts)
        # Where a split is not valid, nobody asks how bad it would be.
        if is_valid[b]:
            assert worst[:, b].tolist() == pytest.approx([size, max((s / n for n, s in parts), default=-np.inf), size])


# Intervals.


@settings(max_examples=30, deadline=None)
@given(
    n_records=st.one_of(
        st.lists(st.integers(1, 5), min_size=1, max_size=30), st.lists(st.integers(1, 5), min_size=257, max_size=600)
    ),
    floor=st.integers(0, 20),
)
def test_bins_part_the_numbers_and_the_outer_ones_hold_enough(n_records: list[int], floor: int) -> None:
    sizes = np.array(n_records)
    starts = growing_tree._bins(sizes, floor)  # noqa: SLF001 - what is checked
    assert (starts[0], starts[-1]) == (0, len(sizes))
    assert (np.diff(starts) > 0).all()
    assert len(starts) - 1 <= growing_tree.MOST_BINS
    held = np.add.reduceat(sizes, starts[:-1])
    if len(starts) > 2:
        assert min(held[0], held[-1]) >= floor
    if len(sizes) <= growing_tree.MOST_BINS:
        tried = [b for b in range(1, len(sizes)) if sizes[:b].sum() >= floor <= sizes[b:].sum()]
        assert starts[1:-1].tolist() == tried
    else:
        # Without its last number, a bin holds no more than its share.
        inner = [sizes[a : b - 1].sum() for a, b in pairwise(starts[1:-1])]
        assert max(inner, default=0) <= sizes.sum() / growing_tree.MOST_BINS


@settings(max_examples=30, deadline=None)
@given(
    counts=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=2, max_size=25),
    missing=st.integers(0, 3),
    data=st.data(),
)
def test_an_interval_tree_has_room_for_every_split(counts: list[Any], missing: int, data: Any) -> None:
    """Split at random until nothing is left to split: parts cover the whole, one missing value splits off first."""
    n = len(counts)
    column = Column(
        "q",
        Kind.INTERVAL,
        pa.array(range(n)),
        np.arange(n),
        np.array(counts, np.int64),
        np.array([missing, 0], np.int64),
        numbers=10 * np.arange(n),
        scale=Scale.INTEGER,
        range=(-5, 10 * n),
    )
    tree = growing_tree.start_tree(column, 1)
    assert tree.nodes[0].label == f"[-5, {10 * n}]"
    assert tree.nodes[0].counts.tolist() == [sum(c[0] for c in counts) + missing, sum(c[1] for c in counts)]
    assert tree.code_of_value.tolist() == list(range(n + 1))
    leaves = [0]
    while wide := [node for node in leaves if np.diff(tree.bins_of(node))[0] > 1]:
        node = data.draw(st.sampled_from(wide))
        low, high = tree.bins_of(node)
        tree.split(node, data.draw(st.integers(low + 1, high - 1)))
        first = int(tree.first_child[node])
        children = list(range(first, tree.n_grown))
        assert len(children) == 2 + (node == 0 and missing > 0)
        assert sum(tree.nodes[child].counts for child in children).tolist() == tree.nodes[node].counts.tolist()
        leaves = [leaf for leaf in leaves if leaf != node] + children
    absent = [leaf for leaf in leaves if tree.nodes[leaf].label is None]
    assert len(absent) == (missing > 0)
    shown = sorted((leaf for leaf in leaves if leaf not in absent), key=lambda leaf: tree.preorder[leaf])
    assert [tree.bins_of(leaf) for leaf in shown] == [(b, b + 1) for b in range(n)]
    ends = [int(end) for leaf in shown for end in re.findall(r"-?\d+", tree.nodes[leaf].label)]
    assert ends == [-5, *(e for b in range(1, n) for e in (10 * b, 10 * b)), 10 * n]
    assert KINDS[1] == tree.kind
