"""A release that was found together with earlier ones: joined record by record, they keep every requirement."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.attacks.attack import AttackResult
from tests.properties.tables import problems

HOW: list[dict[str, Any]] = [
    {},
    {"criterion": "infogain"},
    {"criterion": "conditional"},
    {"method": "bug"},
    {"as_published": True},
    {"method": "regions", "effort": 1},
]
IDS = ["score", "infogain", "conditional", "bug", "as published", "regions"]


def table_of(problem: dict[str, Any]) -> pa.Table:
    entries = problem["policy"]["attributes"]
    numbers = {"dose", *(name for name, entry in entries.items() if isinstance(entry, dict) and "interval" in entry)}
    names = list(problem["records"][0])
    schema = pa.schema([(name, pa.int64() if name in numbers else pa.string()) for name in names])
    return pa.Table.from_pylist(problem["records"], schema)


def joined(problem: dict[str, Any], releases: list[maskwise.Outcome]) -> list[dict[str, Any]]:
    """For each record what all releases show of each attribute, which an attacker sees who can join them."""
    shown = [release.data.to_pylist() for release in releases]
    return [
        {name: tuple(rows[i][name] for rows in shown) for name in problem["records"][0]}
        for i in range(len(problem["records"]))
    ]


def broken(problem: dict[str, Any], releases: list[maskwise.Outcome]) -> list[bool]:
    """For each requirement whether the joined releases break it, by plain Python."""
    shown, records = joined(problem, releases), problem["records"]
    return [
        any(part.is_broken(part.badness(shown, records)) for part in requirement.parts())
        for requirement in problem["requirements"]
    ]


def mask(problem: dict[str, Any], requirements: list[Any], **how: Any) -> maskwise.Outcome:
    policy = {**problem["policy"], "requirements": requirements}
    return maskwise.anonymize(table_of(problem), policy, keep_order=True, **how)


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW, ids=IDS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_joined_releases_keep_every_requirement(how: dict[str, Any], data: st.DataObject) -> None:
    problem = data.draw(problems(["all", "k", "templates", "mixed"]))
    asked = [requirement.said() for requirement in problem["requirements"]]
    # The earlier release asked for less, or of other attributes.
    names = [name for name in problem["records"][0] if name.startswith("q")]
    before = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    first = mask(
        problem,
        [{"qid": before, "k": 1 if data.draw(st.booleans()) else 2}]
        if len(problem["records"]) > 1
        else [{"qid": before, "k": 1}],
        method=data.draw(st.sampled_from(["tdr", "bug"])),
    )
    try:
        second = mask(problem, asked, against=[first.solution], **how)
    except maskwise.InfeasibleError:
        # Then the earlier release breaks something by itself.
        assert any(broken(problem, [first]))
        return
    assert not any(broken(problem, [first, second]))
    assert not any(broken(problem, [second]))
    (attack,) = (one for one in second.attacks if one.name == "composition")
    assert attack.result is AttackResult.PASSED
    shown, records = joined(problem, [first, second]), problem["records"]
    told = {name for name in names if name in first.solution.columns}
    figures = [
        float(requirement.figure([part.badness(shown, records) for part in requirement.parts()]))
        for requirement in problem["requirements"]
        if told & set(requirement.qid)
    ]
    reached = [one["reached"] for one in attack.details["requirements"]]
    assert [float("inf") if one is None else one for one in reached] == pytest.approx(figures)
    # What the release reaches by itself is told in the owner's terms, as without an earlier release.
    assert [one.requirement for one in second.solution.reached] == [one.requirement for one in second.verdict.findings]
    assert {cut.attribute for cut in second.solution.cuts} == {n for one in problem["requirements"] for n in one.qid}
    assert second.data.column_names == list(problem["records"][0])
    if second.steps:
        assert len(second.steps[-1].requirements) == len(asked)


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW, ids=IDS)
@settings(max_examples=8, deadline=None)
@given(problem=problems(["all", "k", "templates", "mixed"]))
def test_against_itself_a_release_is_the_same(how: dict[str, Any], problem: dict[str, Any]) -> None:
    asked = [requirement.said() for requirement in problem["requirements"]]
    try:
        first = mask(problem, asked, **how)
    except maskwise.InfeasibleError:
        assume(False)
    again = mask(problem, asked, against=[first.solution], **how)
    assert not any(broken(problem, [first, again]))
    if how in HOW[:2]:
        # A maximal cut can be refined nowhere, so what is known leads back to it.
        assert [cut.labels for cut in again.solution.cuts] == [cut.labels for cut in first.solution.cuts]


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(problem=problems(["k", "mixed"]), data=st.data())
def test_three_releases_keep_every_requirement(problem: dict[str, Any], data: st.DataObject) -> None:
    asked = [requirement.said() for requirement in problem["requirements"]]
    releases: list[maskwise.Outcome] = []
    for _ in range(3):
        how = data.draw(st.sampled_from(HOW))
        try:
            releases.append(mask(problem, asked, against=[one.solution for one in releases], **how))
        except maskwise.InfeasibleError:
            assert not releases
            return
    assert not any(broken(problem, releases))
    assert len(releases[-1].solution.against) == 2
