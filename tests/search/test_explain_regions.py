"""Why regions are not split any further, against a recount row by row in plain Python."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.policy.attributes import Kind
from maskwise.report.report import report
from maskwise.solution.reasons import MISSING, Reason, ReasonKind
from maskwise.solution.solution import Solution
from maskwise.values.message import Audience
from tests.properties.tables import POLICY, people_table
from tests.reference.region_walk import is_true, sets_of, walk

NAMES = ("age", "job", "edu")
TREE = {"any": {"A": ["a1", "a2", "a3"], "B": {"C": ["c1", "c2"], "b1": None}}}
LEAVES = ["a1", "a2", "a3", "c1", "c2", "b1"]


def rows(seed: int, n: int = 140) -> list[dict[str, Any]]:
    rng = random.Random(seed)  # noqa: S311 - test data
    found = []
    for _ in range(n):
        age, job, edu = rng.randint(0, 12), rng.choice(["p", "q", "r", "*", "rare"]), rng.choice(LEAVES)
        job = "p" if job == "rare" and rng.random() < 0.9 else job
        chance = 0.1 + 0.6 * ((age > 6) ^ (edu[0] == "a")) + 0.2 * (job == "q")
        missing = rng.random() < 0.15
        found.append({"age": None if missing else age, "job": job, "edu": edu, "risk": "yn"[rng.random() < chance]})
    return found


def solve(seed: int, **more: Any) -> tuple[maskwise.Outcome, list[dict[str, Any]]]:
    table = rows(seed)
    k = 5 + seed
    policy = {
        "class": "risk",
        "attributes": {"age": {"interval": [0, 12]}, "job": "suppress", "edu": {"taxonomy": TREE}},
        "requirements": [{"qid": ["age", "job", "edu"], "k": k}, {"qid": ["job", "edu"], "k": k + 9}],
    }
    return maskwise.anonymize(pa.Table.from_pylist(table), policy, method="regions", why=True, **more), table


@pytest.fixture(scope="module", params=[0, 1, 2])
def solved(request: pytest.FixtureRequest) -> tuple[maskwise.Outcome, list[dict[str, Any]]]:
    return solve(request.param)


def smallest_after(outcome: maskwise.Outcome, table: list[dict[str, Any]], reason: Reason, pieces: list[Any]) -> float:
    """By how much the groups that a split touches miss their k at worst: what is asked over what is left."""
    solution = outcome.solution
    assert solution.regions is not None
    a = NAMES.index(reason.attribute)
    worst = 0.0
    for requirement in outcome.policy.requirements:
        if reason.attribute not in requirement.qid:
            continue
        on = [NAMES.index(name) for name in requirement.qid]
        groups: Counter[Any] = Counter()
        touched = set()
        for row in table:
            held = sets_of(solution.regions, solution.cuts, row)
            is_here = walk(solution.regions, solution.cuts, row)[0] == reason.region
            if is_here:
                touched.add(tuple(held[i] for i in on))
                held[a] = piece_of(solution, reason, pieces, row[reason.attribute], held[a])
                touched.add(tuple(held[i] for i in on))
            groups[tuple(held[i] for i in on)] += 1
        assert requirement.k is not None
        worst = max([worst, *(requirement.k / groups[key] for key in touched if groups[key])])
    return worst


def piece_of(solution: Solution, reason: Reason, pieces: list[Any], cell: Any, held: Any) -> Any:
    cut = solution.cut(reason.attribute)
    # Of a region that shows `*` a value of that name may be told, so what is left comes last.
    has_rest = pieces[-1] == reason.shown and cut.kind is not Kind.INTERVAL
    told = pieces[:-1] if has_rest else pieces
    for label in told:
        if label == cell if cut.kind is Kind.SUPPRESS else holds(cut, label, cell):
            return label, frozenset(), True
    return held[0], held[1] | set(told), held[2]


def holds(cut: Any, label: str | None, cell: Any) -> bool:
    return (label is None) == (cell is None) and is_true(cut_with(cut, label), label, cell)


def cut_with(cut: Any, label: str | None) -> Any:
    """The cut with the ends of an interval that it does not show yet among its breaks."""
    from dataclasses import replace

    if cut.kind is not Kind.INTERVAL or label is None:
        return cut
    ends = [int(text) for text in label[1:-1].split(", ")]
    return replace(cut, breaks=tuple(sorted({*cut.breaks, *ends})), root="none")


def tree_splits(outcome: maskwise.Outcome, table: list[dict[str, Any]], reason: Reason) -> list[list[Any]]:
    """Every split of a region by a tree attribute, from its rows and the tree."""
    solution = outcome.solution
    assert solution.regions is not None
    cells = [row[reason.attribute] for row in table if walk(solution.regions, solution.cuts, row)[0] == reason.region]
    n_all = Counter(row[reason.attribute] for row in table)
    floor = max(one.k or 0 for one in outcome.policy.requirements)
    cut = solution.cut(reason.attribute)
    if cut.taxonomy is None:
        # A value that is called like what hides values is never told.
        below = {text: [text] for text in sorted(set(cells) - {"*"})}
    else:
        node = reason.shown
        while True:
            below = {child: cut.taxonomy.at_or_below(child) for child in cut.taxonomy.children(node)}
            below = {child: inside for child, inside in below.items() if set(cells) & set(inside)}
            told = [child for child in below if sum(n_all[text] for text in below[child]) >= floor]
            if len(below) != 1 or not told or not cut.taxonomy.children(told[0]):
                break
            node = told[0]
    told = [child for child, inside in below.items() if sum(n_all[text] for text in inside) >= floor]
    rest = [] if all(any(cell in below[child] for child in told) for cell in cells) else [reason.shown]
    together = [[*told, *rest]] if told and len(told) + len(rest) > 1 else []
    alone = [[child, reason.shown] for child in told] if len(told) + len(rest) > 2 else []
    return [*together, *alone]


@pytest.mark.slow
def test_what_a_split_would_leave_is_what_a_recount_finds(solved: Any) -> None:
    outcome, table = solved
    assert outcome.why()
    for reason in outcome.why():
        if not reason.instead:
            continue
        pieces = [None if label == MISSING else label for label in reason.instead]
        worst = smallest_after(outcome, table, reason, pieces)
        assert (worst > 1) == (reason.kind is ReasonKind.BREAKS)
        if reason.breaks:
            asked = outcome.policy.requirements[reason.breaks[0].requirement]
            assert worst == asked.k / reason.figure
            assert f"a group of {reason.figure:,} record" in reason.text


def test_a_requirement_is_named_only_if_every_split_breaks_one(solved: Any) -> None:
    outcome, table = solved
    kinds = Counter(reason.kind for reason in outcome.why() if reason.attribute != "age")
    assert kinds[ReasonKind.BREAKS]
    for reason in outcome.why():
        if reason.attribute == "age":
            continue
        worst = [smallest_after(outcome, table, reason, pieces) for pieces in tree_splits(outcome, table, reason)]
        if reason.kind is ReasonKind.TOO_FEW:
            assert not worst
        elif reason.kind is ReasonKind.BREAKS:
            assert min(worst) > 1
            assert min(worst) == outcome.policy.requirements[reason.requirement].k / reason.figure
        else:
            assert min(worst) <= 1


def test_the_largest_regions_have_reasons_and_all_records_are_counted(solved: Any) -> None:
    outcome, table = solved
    solution = outcome.solution
    for a, (name, coarser) in enumerate(zip(NAMES, outcome.reasons.coarser, strict=True)):
        sizes: Counter[int] = Counter()
        for row in table:
            region, shown = walk(solution.regions, solution.cuts, row)
            is_told = sets_of(solution.regions, solution.cuts, row)[a][2]
            is_exact = shown[a] in LEAVES if name == "edu" else name == "job" and is_told
            if not is_exact and shown[a] is not None:
                sizes[region] += 1
        assert (coarser.n_records, coarser.n_regions) == (sum(sizes.values()), len(sizes))
        own = outcome.why(name)
        assert [reason.n_records for reason in own] == sorted(sizes.values(), reverse=True)[:10]
        assert all(sizes[reason.region] == reason.n_records for reason in own)


def test_a_search_that_was_stopped_says_so() -> None:
    outcome, _ = solve(0, max_steps=1)
    kinds = {reason.kind for reason in outcome.why()}
    assert ReasonKind.STOPPED in kinds
    assert ReasonKind.TELLS_NOTHING not in kinds


def test_the_summary_of_an_attribute_is_in_the_owners_report(solved: Any) -> None:
    outcome, _ = solved
    data = report(outcome, Audience.OWNER)
    texts = [entry["sentence"] for entry in data.data["why"]["attributes"]]
    assert all("show less than the finest values" in text for text in texts)
    assert texts[0] in data.to_markdown()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["persons", "earlier"])
def test_where_rows_do_not_add_up_no_requirement_is_named(what: str) -> None:
    table = people_table(5, 300)
    policy: dict[str, Any] = {**POLICY, "requirements": [{"qid": ["age", "job", "zone"], "k": 40}]}
    against: list[Any] = []
    if what == "persons":
        table = table.append_column("who", pa.array([f"n{i % 100}" for i in range(300)]))
        policy["person"] = {"column": "who", "release": "pseudonym"}
    else:
        against = [maskwise.anonymize(table, policy).solution]
    outcome = maskwise.anonymize(table, policy, method="regions", effort=1, seed=1, why=True, against=against)
    assert outcome.reasons is not None
    assert outcome.reasons.reasons
    assert not any(reason.breaks for reason in outcome.reasons.reasons)
    roots = {cut.attribute: cut.root for cut in outcome.solution.cuts}
    unit = "who" if what == "persons" else None
    for one in outcome.reasons.coarser:
        if one.attribute == "job":
            hidden = [row for row in outcome.data.to_pylist() if row["job"] == roots["job"]]
            assert one.n_records == (len({row[unit] for row in hidden}) if unit else len(hidden))
