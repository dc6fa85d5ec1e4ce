"""Diversity, closeness and LKC against plain Python: every step, every group, every recount."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.compress.compress import compress
from maskwise.errors import InfeasibleError
from maskwise.formats.policy_file import read_policy
from maskwise.policy.policy import Policy
from maskwise.policy.requirements.closeness import Closeness, Distance
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.diversity import Diversity, Measure
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.policy.requirements.rule import Arithmetic, Rule
from maskwise.profile.profile import profile
from maskwise.search import rule_kernels
from maskwise.search.bounds import Bound, as_rules, check_feasible
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.solution.solution import Solution
from maskwise.table.read import read
from maskwise.values.kernel import plain_loop
from maskwise.verify.measures.registry import measure_groups
from maskwise.verify.measures.spectrum import Spectrum
from tests.properties.tables import MODELS, SHARES, problems
from tests.properties.test_bottomup_against_reference import agree as agree_upward
from tests.properties.test_topdown_against_reference import agree
from tests.reference import privacy_models as models
from tests.reference.topdown import Attribute, K, Templates


def searched(records: list[dict[str, Any]], policy: Policy) -> Solution:
    """Check that a policy is feasible and search, without masking anything."""
    profiled, table = profile(read(pa.Table.from_pylist(records)), policy)
    check_feasible(profiled, policy)
    search = ScoreSearch(Problem(profiled, policy, SearchOptions()))
    return search.run(compress(table, profiled, search.request), NoProgress())


@pytest.mark.slow
@pytest.mark.parametrize("asked", [*MODELS, "all"])
def test_every_step_with_diversity_or_closeness_is_the_naive_one(asked: str) -> None:
    @settings(max_examples=30 if asked == "all" else 12, deadline=None)
    @given(problem=problems([asked]))
    def steps_agree(problem: dict[str, Any]) -> None:
        agree("score", problem)

    steps_agree()


@pytest.mark.slow
@pytest.mark.parametrize("asked", [*MODELS, "all"])
def test_every_generalization_towards_diversity_or_closeness_is_the_naive_one(asked: str) -> None:
    @settings(max_examples=15 if asked == "all" else 10, deadline=None)
    @given(problem=problems([asked]))
    def steps_agree(problem: dict[str, Any]) -> None:
        agree_upward(problem)

    steps_agree()


LARGE = [
    ("distinct", [models.Distinct(("age", "job"), "dose", 3)]),
    ("entropy", [models.Entropy(("age", "job"), "dose", Fraction("2.5"))]),
    ("recursive", [models.Recursive(("age", "job"), "dose", Fraction(3), 2)]),
    ("equal", [models.Equal(("age", "job"), "dose", Fraction("0.35"))]),
    ("ordered", [models.Ordered(("age", "job"), "dose", Fraction("0.2"))]),
    ("lkc", [models.Lkc(("age", "job", "zone"), 2, 9, (("sens", "hiv", Fraction("0.6")),))]),
    (
        "mixed",
        [
            models.Lkc(("age", "job", "zone"), 1, None, (("sens", "hiv", Fraction("0.6")),)),
            models.Ordered(("job", "age"), "sens", Fraction("0.4"), ("flu", "hiv", "cold")),
            models.Recursive(("zone", "job"), "dose", Fraction(4), 3),
            models.Entropy(("zone", "age"), "sens", Fraction("1.7")),
            K(("age", "job", "zone"), 4),
        ],
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("requirements", [case for _, case in LARGE], ids=[name for name, _ in LARGE])
def test_steps_on_tables_whose_counters_are_subtracted_are_the_naive_ones(requirements: list[Any]) -> None:
    """Three hundred rows: a split counts the smaller parts and takes them from the largest, for every counter."""
    rng = np.random.default_rng(len(requirements))
    risk = rng.random(300)
    records = [
        {"age": age, "job": job, "zone": zone, "cls": cls, "sens": sick, "dose": dose}
        for age, job, zone, cls, sick, dose in zip(
            (20 + 12 * risk).astype(int).tolist(),
            rng.choice(list("abcd"), 300, p=[0.5, 0.3, 0.1, 0.1]).tolist(),
            rng.choice(["n1", "n2", "s1", "w"], 300).tolist(),
            np.where(risk + 0.3 * rng.random(300) > 0.6, "Y", "N").tolist(),
            rng.choice(["hiv", "flu", "cold"], 300, p=[0.2, 0.3, 0.5]).tolist(),
            rng.choice([1, 2, 5, 10, None], 300).tolist(),
            strict=True,
        )
    ]
    attributes = [
        Attribute("age", "interval", low=0, high=100),
        Attribute("job", "suppress"),
        Attribute("zone", "taxonomy", root="any", children={"any": ["north", "s1", "w"], "north": ["n1", "n2"]}),
    ]
    used = {name for requirement in requirements for name in requirement.qid}
    policy = {
        "class": "cls",
        "attributes": {
            "age": {"interval": [0, 100]},
            "job": "suppress",
            "zone": {"taxonomy": {"any": {"north": ["n1", "n2"], "s1": None, "w": None}}},
        },
        "requirements": [requirement.said() for requirement in requirements],
    }
    problem = {"records": records, "requirements": requirements, "policy": policy}
    agree("score", {**problem, "attributes": [a for a in attributes if a.name in used]})
    assert len(searched(records, read_policy(policy)).steps) > 3


counts = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any)
VALUES = ("0", "1", "2", "3")
RULES: list[tuple[str, Rule, Any, Any]] = [
    ("k", Rule(Arithmetic.K, -4, 4), KAnonymity(("q",), 4), lambda c, _: Fraction(-sum(c))),
    (
        "share",
        Rule(Arithmetic.SHARE, 0.4, 2, 5),
        Template(("q",), "s", "0", Fraction(2, 5)),
        lambda c, _: Fraction(c[0], sum(c)),
    ),
    (
        "distinct",
        Rule(Arithmetic.DISTINCT, -3, 3),
        Diversity(("q",), "s", Measure.DISTINCT, Fraction(3)),
        lambda c, _: -models.n_distinct(c),
    ),
    (
        "entropy",
        Rule(Arithmetic.ENTROPY, -1.0),
        Diversity(("q",), "s", Measure.ENTROPY, Fraction(2)),
        lambda c, _: -models.bits(c),
    ),
    (
        "recursive",
        Rule(Arithmetic.RECURSIVE, 1.5, 3, 2, level=2),
        Diversity(("q",), "s", Measure.RECURSIVE, Fraction(2), Fraction(3, 2)),
        lambda c, _: models.recursive_ratio(c, 2, sum(c)),
    ),
    (
        "recursive, third place",
        Rule(Arithmetic.RECURSIVE, 4, 4, 1, level=3),
        Diversity(("q",), "s", Measure.RECURSIVE, Fraction(3), Fraction(4)),
        lambda c, _: models.recursive_ratio(c, 3, sum(c)),
    ),
    (
        "equal",
        Rule(Arithmetic.EQUAL, 0.25),
        Closeness(("q",), "s", Fraction(1, 4)),
        models.equal_distance,
    ),
    (
        "ordered",
        Rule(Arithmetic.ORDERED, 0.25),
        Closeness(("q",), "s", Fraction(1, 4), Distance.ORDERED, ("0", "1", "2", "3")),
        models.ordered_distance,
    ),
]


@pytest.mark.parametrize(("asked", "part", "plain"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
@settings(max_examples=60, deadline=None)
@given(parts=st.lists(counts, min_size=2, max_size=4), others=st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_no_refinement_makes_the_worst_group_better(
    asked: Rule, part: Any, plain: Any, parts: list[list[int]], others: list[int]
) -> None:
    """A group is split into parts: the worst of them is no better, and broken if the group is.

    The search's arithmetic, as a group and as what remains of a larger one, the recount's and the definition agree.
    """
    union = np.sum(parts, axis=0).tolist()
    whole = np.add(union, others).tolist()
    n_counted = len(VALUES) if part.counted is None or part.counted.values is None else len(part.counted.values)
    assert replace(part.rule(sum(whole)), to_figure=asked.to_figure) == asked
    rules = as_rules([Bound(0, 0, asked, 1, 1 + n_counted)], np.array([sum(whole), *whole]))

    def weigh(group: list[int]) -> tuple[float, bool]:
        counted = np.array([sum(group), *group])
        alone: tuple[float, bool] = rule_kernels.weigh_group(rules, 0, counted)
        total = np.array([sum(whole), *whole])
        as_written = plain_loop(rule_kernels.weigh)
        assert as_written(rules, 0, counted, counted, 0) == as_written(rules, 0, total - counted, total, 1) == alone
        return alone

    found = [weigh(group) for group in (union, *parts)]
    assert [bad for bad, _ in found] == pytest.approx([float(plain(group, whole)) for group in (union, *parts)])
    assert found[0][0] <= max(bad for bad, _ in found[1:]) + 1e-12
    assert plain(union, whole) <= max(plain(group, whole) for group in parts) + (
        1e-12 if asked.arithmetic is Arithmetic.ENTROPY else 0
    )
    assert not found[0][1] or any(is_broken for _, is_broken in found[1:])
    groups = [union, *parts, *([others] if any(others) else [])]
    stood = np.array(groups)
    # The parts and their union overlap; for closeness only the table they are compared with matters.
    weights = np.array([0] * (len(parts) + 1) + [1] * (len(groups) - len(parts) - 1))
    weights[0] = 1
    spectrum = Spectrum(weights, stood.sum(axis=1), {("s", str(i)): stood[:, i] for i in range(4)})
    measured = measure_groups(part, spectrum, VALUES[:n_counted])
    assert measured.is_broken[: len(found)].tolist() == [is_broken for _, is_broken in found]
    worst = [-figure if measured.is_low_bad else figure for figure in measured.figures.tolist()[: len(found)]]
    expected = [-(2**-bad) if asked.arithmetic is Arithmetic.ENTROPY else bad for bad, _ in found]
    assert worst == pytest.approx(expected)


FORMS: dict[str, tuple[list[Any], Any]] = {
    "text": (["hiv", "flu", "cold", "Flu", None], pa.string()),
    "numbers as text": (["1", "2", "10", "-3", None], pa.string()),
    "whole numbers": ([1, 2, 10, -3, None], pa.int64()),
    "numbers": ([1.0, 2.5, 10.0, -3.0, None], pa.float64()),
    "dates": ([dt.date(2024, 1, 31), dt.date(2023, 12, 1), dt.date(1999, 5, 5), None], pa.date32()),
    "dates as text": (["2024-01-31", "2023-12-01", "1999-05-05", None], pa.string()),
    "truth": ([True, False, None], pa.bool_()),
}


def value_of(cell: Any) -> Any:
    """What a cell stands for: a number, however it is written, or the cell."""
    try:
        return cell if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        return cell


def spelled(value: Any) -> str:
    """A value as a policy may write it."""
    return "true" if value is True else "false" if value is False else str(value)


@st.composite
def recounts(draw: Any) -> tuple[pa.Table, list[dict[str, Any]], list[Any]]:
    """A table, its records with cells read as values, and requirements of all kinds on it."""
    form = draw(st.sampled_from(sorted(FORMS)))
    cells, kind = FORMS[form]
    row = st.tuples(st.sampled_from(["a", "b", None]), st.integers(1, 2), st.sampled_from("xy"), st.sampled_from(cells))
    rows = draw(st.lists(row, min_size=1, max_size=30))
    names = ["p", "q", "r", "s"]
    table = pa.table(
        {
            name: pa.array(column, kind if name == "s" else None if name == "q" else pa.string())
            for name, column in zip(names, zip(*rows, strict=True), strict=True)
        }
    )
    records = [dict(zip(names, (p, q, r, value_of(s)), strict=True)) for p, q, r, s in rows]
    values = sorted({record["s"] for record in records} - {None})
    qid = st.lists(st.sampled_from(names[:3]), min_size=1, unique=True).map(tuple)
    share = st.sampled_from([Fraction(1, 4), *SHARES])
    value = st.sampled_from([*values, None])
    protected = st.lists(
        st.tuples(st.just("s"), value, share), min_size=1, max_size=2, unique_by=lambda entry: entry[1]
    ).map(tuple)
    order = st.permutations(values).map(tuple)
    column = st.just("s")
    knows = st.integers(1, 3)
    offered = [
        st.builds(K, qid, st.integers(1, 6)),
        st.builds(Templates, qid, protected),
        st.builds(models.Distinct, qid, column, st.integers(1, 4)),
        st.builds(models.Entropy, qid, column, st.sampled_from([Fraction(1), Fraction(2), Fraction("2.5")])),
        st.builds(models.Recursive, qid, column, st.sampled_from([Fraction(1), Fraction(2)]), st.integers(2, 3)),
        st.builds(models.Equal, qid, column, share),
        st.builds(models.Ordered, qid, column, share, order),
        st.builds(models.Lkc, st.just(("p", "q", "r")), knows, st.one_of(st.none(), st.integers(1, 6)), protected),
    ]
    if form not in {"text", "truth"}:
        offered.append(st.builds(models.Ordered, qid, column, share))
    return table, records, draw(st.lists(st.one_of(offered), min_size=1, max_size=3))


def as_policy(requirements: list[Any]) -> dict[str, Any]:
    """The policy that asks this, its values spelled as texts."""
    said = [requirement.said() for requirement in requirements]
    for one in said:
        if "order" in one:
            one["order"] = [spelled(value) for value in one["order"]]
        if isinstance(one.get("sensitive"), dict):
            one["sensitive"] = {"s": {spelled(value): h for value, h in one["sensitive"]["s"].items()}}
    return {"requirements": said}


def stands(part: Any, seen: list[dict[str, Any]]) -> dict[tuple[Any, ...], tuple[int, Any]]:
    """For each group of a rule its records and its badness."""
    if isinstance(part, models.Spread):
        groups = part.groups(seen, seen)
        whole = [sum(of_value) for of_value in zip(*groups.values(), strict=True)]
        return {shown: (sum(n), part.of_group(n, whole, sum(n))) for shown, n in groups.items()}
    members: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in seen:
        members.setdefault(tuple(record[name] for name in part.qid), []).append(record)
    return {shown: (len(inside), part.badness(inside, inside)) for shown, inside in members.items()}


@settings(max_examples=25, deadline=None)
@given(case=recounts())
def test_a_recount_agrees_with_plain_python(case: tuple[pa.Table, list[dict[str, Any]], list[Any]]) -> None:
    """Figure, groups, violations and the tightest groups, also where cells are missing or numbers are texts."""
    table, records, requirements = case
    verdict = maskwise.audit(table, as_policy(requirements))
    assert verdict.n_rows == len(records)
    for requirement, finding in zip(requirements, verdict.findings, strict=True):
        by_part = {part: stands(part, records) for part in requirement.parts()}
        bad = [max(worst for _, worst in groups.values()) for groups in by_part.values()]
        assert finding.figure == pytest.approx(float(requirement.figure(bad)), abs=1e-12)
        broken: dict[tuple[Any, ...], int] = {}
        groups_of: dict[tuple[Any, ...], int] = {}
        for part, groups in by_part.items():
            groups_of |= {(part.qid, shown): n for shown, (n, _) in groups.items()}
            broken |= {(part.qid, shown): n for shown, (n, worst) in groups.items() if part.is_broken(worst)}
        assert (finding.n_violating_groups, finding.n_violating_records) == (len(broken), sum(broken.values()))
        assert finding.is_met is (not broken)
        assert finding.n_groups == len(groups_of)
        assert finding.sizes == tuple(sorted(Counter(groups_of.values()).items()))
        by_subject: dict[Any, list[tuple[Any, Any]]] = {}
        for part, groups in by_part.items():
            subject = (type(part), getattr(part, "value", None))
            by_subject.setdefault(subject, []).extend((part, group) for group in groups.items())
        expected = [] if isinstance(requirement, K) else list(by_subject.values())
        assert len(finding.tightest) == len(expected)
        for tight, groups in zip(finding.tightest, expected, strict=True):
            worst = max(bad for _, (_, (_, bad)) in groups)
            part = groups[0][0]
            figure = 2.0**-worst if isinstance(part, models.Entropy) else abs(worst)
            assert tight.figure == pytest.approx(float(figure), abs=1e-12)
            alike = [(part.qid, shown, n) for part, (shown, (n, bad)) in groups if near(bad, worst)]
            shown = {(qid, tuple(None if cell is None else str(cell) for cell in cells), n) for qid, cells, n in alike}
            if tight.shown:
                assert (tight.part.qid, tight.shown, tight.n_records) in shown
            else:
                # What one person shows is not told beside a sensitive value.
                assert any((qid, n) == (tight.part.qid, tight.n_records) and n == 1 for qid, _, n in shown)


def near(one: Any, other: Any) -> bool:
    return one == other or (math.isfinite(one) and abs(one - other) < 1e-12)


@st.composite
def subsets(draw: Any) -> dict[str, Any]:
    """An LKC policy, and the same written out as a k and a template requirement for each subset."""
    problem = draw(problems(["lkc"]))
    lkc = problem["requirements"][0]
    also = draw(st.lists(st.builds(K, st.just(lkc.qid), st.integers(1, 4)), max_size=1))
    written = []
    for qid in combinations(lkc.qid, lkc.known):
        written += [] if lkc.k is None else [K(qid, lkc.k)]
        written += [Templates(qid, lkc.values)] if lkc.values else []
    policy = problem["policy"]
    return {
        "records": problem["records"],
        "lkc": lkc,
        "written": written,
        "short policy": {**policy, "requirements": [one.said() for one in (lkc, *also)]},
        "long policy": {**policy, "requirements": [one.said() for one in (*written, *also)]},
    }


@settings(max_examples=15, deadline=None)
@given(case=subsets())
def test_lkc_is_k_and_templates_on_every_subset(case: dict[str, Any]) -> None:
    short, long = read_policy(case["short policy"]), read_policy(case["long policy"])
    try:
        expected = searched(case["records"], long)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            searched(case["records"], short)
        return
    found = searched(case["records"], short)
    assert found.cuts == expected.cuts
    lkc, n_written = case["lkc"], len(case["written"])
    leads = [i for i, one in enumerate(case["written"]) if isinstance(one, K) or lkc.k is None]
    for step, other in zip(found.steps, expected.steps, strict=True):
        assert (step.attribute, step.before, step.after) == (other.attribute, other.before, other.after)
        assert (step.info_gain, step.loss, step.score) == (other.info_gain, other.loss, other.score)
        figures = [other.requirements[i] for i in leads]
        figure = max(figures) if lkc.k is None else min(figures)
        assert step.requirements == (figure, *other.requirements[n_written:])


@settings(max_examples=15, deadline=None)
@given(case=subsets())
def test_an_audit_counts_lkc_violations_on_every_subset(case: dict[str, Any]) -> None:
    """A group that breaks both k and a template of its subset is one violating group."""
    lkc, records = case["lkc"], case["records"]
    found = maskwise.audit(pa.Table.from_pylist(records), {"requirements": [lkc.said()]}).findings[0]
    groups = [
        [record for record in records if tuple(record[name] for name in qid) == shown]
        for qid in combinations(lkc.qid, lkc.known)
        for shown in {tuple(record[name] for name in qid) for record in records}
    ]
    broken = [
        group
        for group in groups
        if (lkc.k is not None and len(group) < lkc.k)
        or any(sum(r[column] == value for r in group) > h * len(group) for column, value, h in lkc.values)
    ]
    assert (found.n_groups, found.n_violating_groups) == (len(groups), len(broken))
    assert found.n_violating_records == sum(len(group) for group in broken)
    assert found.anonymity == min(len(group) for group in groups)
