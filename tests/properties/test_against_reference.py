"""The search and the paper's pseudocode take the same steps on random tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.compress import compress
from maskwise.errors import InfeasibleError
from maskwise.formats.policy_file import read_policy
from maskwise.how import Criterion, How
from maskwise.profile import profile
from maskwise.read import read
from maskwise.rules import check_feasible
from maskwise.search import plan, search
from tests.reference.tdr import Attribute, K, Reference, Templates

TREES: list[dict[str, Any]] = [
    {"any": {"x": ["a", "b"], "y": {"z": ["c", "d"], "e": None}}},
    {"any": ["a", "b", "c", "d", "e"]},
    {"any": {"one": {"two": {"three": ["a", "b"]}}, "rest": ["c", "d", "e", "never"]}},
]


def children_of(nested: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}

    def walk(node: Any) -> list[str]:
        if node is None:
            return []
        if isinstance(node, list):
            return list(node)
        for label, below in node.items():
            found[label] = walk(below)
        return list(node)

    walk(nested)
    return {label: below for label, below in found.items() if below}


@st.composite
def problems(draw: Any, asked: list[str]) -> dict[str, Any]:
    n_attributes = draw(st.integers(1, 4))
    kinds = draw(
        st.lists(st.sampled_from(["taxonomy", "interval", "suppress"]), min_size=n_attributes, max_size=n_attributes)
    )
    n_rows = draw(st.integers(1, 30))
    with_missing = draw(st.booleans())
    texts = st.sampled_from([*"abcde", *([None] if with_missing else [])])
    numbers = st.one_of(st.integers(0, 6), *([st.none()] if with_missing else []))
    names = [f"q{i}" for i in range(n_attributes)]
    row = st.tuples(*[numbers if kind == "interval" else texts for kind in kinds], st.sampled_from(["Y", "N", "M"]))
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    records = [dict(zip([*names, "cls"], r, strict=True)) for r in rows]
    for name, kind in zip(names, kinds, strict=True):
        if kind == "interval":
            records[0][name] = 3
    entries: dict[str, Any] = {}
    attributes = []
    for name, kind in zip(names, kinds, strict=True):
        if kind == "taxonomy":
            tree = draw(st.sampled_from(TREES))
            entries[name] = {"taxonomy": tree}
            attributes.append(Attribute(name, kind, children=children_of(tree), root="any"))
        elif kind == "interval":
            entries[name] = {"interval": [0, 6]}
            attributes.append(Attribute(name, kind, low=0, high=6))
        else:
            entries[name] = "suppress"
            attributes.append(Attribute(name, kind))
    qid = st.lists(st.sampled_from(names), min_size=1, unique=True)
    ks = st.builds(lambda q, k: K(tuple(q), k), qid, st.integers(1, min(6, n_rows)))
    bounds = st.sampled_from(
        [Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction("0.9"), Fraction(1)]
    )
    protected = st.lists(
        st.tuples(st.just("sens"), st.sampled_from(["hiv", "flu", "never"]), bounds),
        min_size=1,
        max_size=2,
        unique_by=lambda entry: entry[1],
    )
    templates = st.builds(lambda q, values: Templates(tuple(q), tuple(values)), qid, protected)
    kinds_of = draw(st.sampled_from(asked))
    choice = {"k": ks, "templates": templates, "mixed": st.one_of(ks, templates)}[kinds_of]
    requirements = draw(st.lists(choice, min_size=1, max_size=3))
    for record in records:
        record["sens"] = draw(st.sampled_from(["hiv", "flu", "cold", "cold", None]))
    used = {name for requirement in requirements for name in requirement.qid}
    return {
        "records": records,
        "attributes": [a for a in attributes if a.name in used],
        "requirements": requirements,
        "policy": {
            "class": "cls",
            "attributes": entries,
            "requirements": [
                {"qid": list(r.qid), "k": r.k}
                if isinstance(r, K)
                else {"qid": list(r.qid), "sensitive": {"sens": {value: str(h) for _, value, h in r.values}}}
                for r in requirements
            ],
        },
    }


def agree(criterion: Criterion, problem: dict[str, Any]) -> None:
    """Compare the search with the reference, step by step, or that both find the policy infeasible."""
    reference = Reference(problem["records"], problem["attributes"], problem["requirements"], "cls", criterion.value)
    policy = read_policy(problem["policy"])
    profiled, table = profile(read(pa.Table.from_pylist(problem["records"])), policy)
    if any(slack < 0 for slack in reference.slack.values()):
        with pytest.raises(InfeasibleError):
            check_feasible(profiled, policy)
        return
    check_feasible(profiled, policy)
    start = [float(reference.figure(requirement)) for requirement in problem["requirements"]]
    expected = reference.run()
    trees, needs = plan(profiled, policy)
    solution = search(profiled, trees, needs, compress(table, profiled, trees, needs), policy, How(criterion=criterion))
    assert [(s.attribute, s.before, list(s.after)) for s in solution.steps] == [
        (e["attribute"], e["from"], e["to"]) for e in expected
    ]
    for step, e in zip(solution.steps, expected, strict=True):
        assert step.info_gain == pytest.approx(e["info_gain"], abs=1e-9)
        assert step.loss == pytest.approx(e["loss"], abs=1e-9)
        assert list(step.requirements) == pytest.approx(e["requirements"], abs=1e-12)
    assert [r.figure for r in solution.reached] == pytest.approx(expected[-1]["requirements"] if expected else start)


@pytest.mark.parametrize("criterion", list(Criterion))
@settings(max_examples=120, deadline=None)
@given(problem=problems(["k"]))
def test_every_step_is_the_papers(criterion: Criterion, problem: dict[str, Any]) -> None:
    agree(criterion, problem)


@settings(max_examples=120, deadline=None)
@given(problem=problems(["templates"]))
def test_every_disclosure_is_the_papers(problem: dict[str, Any]) -> None:
    agree(Criterion.SCORE, problem)


@settings(max_examples=120, deadline=None)
@given(problem=problems(["mixed"]))
def test_every_step_of_a_mixed_policy_follows_the_design(problem: dict[str, Any]) -> None:
    agree(Criterion.SCORE, problem)
