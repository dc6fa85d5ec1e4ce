"""The search and the paper's pseudocode take the same steps on random tables."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

from maskwise.compress.compress import compress
from maskwise.errors import InfeasibleError
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.bounds import check_feasible
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.table.read import read
from tests.properties.tables import problems
from tests.reference.topdown import Reference


def agree(criterion: str, problem: dict[str, Any], reference: Reference | None = None) -> None:
    """Compare the search with the reference, step by step, or that both find the policy infeasible."""
    if reference is None:
        reference = Reference(problem["records"], problem["attributes"], problem["requirements"], "cls", criterion)
    policy = read_policy(problem["policy"])
    given = problem["table"] if "table" in problem else pa.Table.from_pylist(problem["records"])
    profiled, table = profile(read(given, reading=policy.reading), policy)
    if not reference.is_feasible():
        with pytest.raises(InfeasibleError):
            check_feasible(profiled, policy)
        return
    check_feasible(profiled, policy)
    start = [float(reference.figure(requirement)) for requirement in reference.requirements]
    expected = reference.run()
    search = ScoreSearch(Problem(profiled, policy, SearchOptions(criterion=criterion)))
    solution = search.run(compress(table, profiled, search.request), NoProgress())
    assert [(s.attribute, s.before, list(s.after)) for s in solution.steps] == [
        (e["attribute"], e["from"], e["to"]) for e in expected
    ]
    for step, e in zip(solution.steps, expected, strict=True):
        assert step.info_gain == pytest.approx(e["info_gain"], abs=1e-9)
        assert step.loss == pytest.approx(e["loss"], abs=1e-9)
        assert step.score == pytest.approx(e["score"], abs=1e-9)
        assert list(step.requirements) == pytest.approx(e["requirements"], abs=1e-12)
    assert [r.figure for r in solution.reached] == pytest.approx(expected[-1]["requirements"] if expected else start)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["score", "infogain"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(["k"]))
def test_every_step_is_the_papers(criterion: str, problem: dict[str, Any]) -> None:
    agree(criterion, problem)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(problem=problems(["templates"]))
def test_every_disclosure_is_the_papers(problem: dict[str, Any]) -> None:
    agree("score", problem)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(problem=problems(["mixed"]))
def test_every_step_of_a_mixed_policy_follows_the_design(problem: dict[str, Any]) -> None:
    agree("score", problem)
