"""Weights and levels of attributes: every search and its plain twin take the same steps on random tables."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import maskwise
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.search.options import SearchOptions
from maskwise.solution.solution import Solution
from maskwise.table.read import read
from tests.properties import test_conditional_against_reference as by_condition
from tests.properties.tables import problems
from tests.properties.test_bottomup_against_reference import agree as agree_upward
from tests.reference.topdown import MISSING, Reference

ASKED = ["k", "templates", "mixed"]


def table_of(problem: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(problem["records"])


def search(problem: dict[str, Any], **options: Any) -> Solution:
    """The solution alone, without a release."""
    return solve(
        read(table_of(problem)), read_policy(problem["policy"]), SearchOptions(as_published=True, **options)
    ).solution


def agree(problem: dict[str, Any], criterion: str) -> None:
    """Compare the search with the reference, step by step, or that both find the policy infeasible."""
    reference = Reference(problem["records"], problem["attributes"], problem["requirements"], "cls", criterion)
    if not reference.is_feasible():
        with pytest.raises(maskwise.InfeasibleError):
            search(problem, criterion=criterion)
        return
    start = [float(reference.figure(requirement)) for requirement in problem["requirements"]]
    expected = reference.run()
    solution = search(problem, criterion=criterion)
    assert [(s.attribute, s.before, list(s.after)) for s in solution.steps] == [
        (e["attribute"], e["from"], e["to"]) for e in expected
    ]
    for step, e in zip(solution.steps, expected, strict=True):
        assert (step.info_gain, step.loss, step.score) == pytest.approx(
            (e["info_gain"], e["loss"], e["score"]), abs=1e-9
        )
        assert list(step.requirements) == pytest.approx(e["requirements"], abs=1e-12)
    assert list(solution.curve[0].requirements) == pytest.approx(start)
    for a in problem["attributes"]:
        shown = {record[a.name] for record in reference.masked()} - {MISSING}
        assert shown <= set(solution.cut(a.name).labels)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["score", "infogain"])
@settings(max_examples=20, deadline=None)
@given(problem=problems(ASKED, preferring=True))
def test_every_refinement_is_the_twins(criterion: str, problem: dict[str, Any]) -> None:
    agree(problem, criterion)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(problem=problems(ASKED, preferring=True, whole=True))
def test_every_generalization_is_the_twins(problem: dict[str, Any]) -> None:
    agree_upward(problem)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(problem=problems(["k"], preferring=True, whole=True))
def test_every_refinement_by_conditional_gain_is_the_twins(problem: dict[str, Any]) -> None:
    reference = Reference(problem["records"], problem["attributes"], problem["requirements"], "cls")
    if not reference.is_feasible():
        with pytest.raises(maskwise.InfeasibleError):
            search(problem, criterion="conditional")
        return
    by_condition.agree(problem, is_told=False)
    by_condition.agree(problem, is_told=True)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(problem=problems(ASKED, preferring=True))
def test_no_cell_is_shown_above_its_level(problem: dict[str, Any]) -> None:
    for options in ({"method": "bug"}, {"criterion": "score"}, {"max_steps": 0}):
        try:
            outcome = maskwise.anonymize(table_of(problem), problem["policy"], keep_order=True, **options)  # type: ignore[arg-type]
        except (maskwise.InfeasibleError, maskwise.errors.UnfinishedError):
            continue
        for a in problem["attributes"]:
            for cell, raw in zip(outcome.data[a.name].to_pylist(), problem["records"], strict=True):
                if a.kind == "suppress" and a.at_least:
                    assert cell == raw[a.name]
                if a.kind == "taxonomy" and a.at_least and cell is not MISSING:
                    assert len(a.path_to(cell)) > a.at_least or cell not in a.children
