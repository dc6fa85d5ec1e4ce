"""A search with a budget takes the same steps, and suppresses the same records, as its plain twin."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.registry import start_search
from maskwise.solution.solution import Solution
from maskwise.table.read import read
from tests.properties.tables import problems
from tests.reference.suppression import SuppressingBottomUp, SuppressingReference
from tests.reference.topdown import Reference

SHARES = (10, 25, 50, 80)
MODELS = ["k", "templates", "mixed", "distinct", "entropy", "recursive", "equal", "lkc"]


def solve(problem: dict[str, Any], share: int, shown_as: str, **how: Any) -> Solution:
    policy = read_policy({**problem["policy"], "suppress": {"share": f"{share}%", "as": shown_as}})
    profiled, table = profile(
        read(pa.Table.from_pylist(problem["records"])), policy, keep_rare=how.get("method") == "bug"
    )
    search = start_search(Problem(profiled, policy, SearchOptions(**how)))
    return search.run(compress(table, profiled, search.request), NoProgress())


def suppressed(solution: Solution, shown: list[dict[str, Any]]) -> set[int]:
    """The records that the combinations of a solution name."""
    assert solution.suppression is not None
    return {
        i
        for i, seen in enumerate(shown)
        for one in solution.suppression.combinations
        if tuple(seen[name] for name in one.qid) in set(one.labels)
    }


def agree(problem: dict[str, Any], share: int, shown_as: str, criterion: str = "score") -> None:
    """Compare a top-down search with its twin, step by step."""
    most, as_root = share * len(problem["records"]) // 100, shown_as == "root"
    given = (problem["records"], problem["attributes"], problem["requirements"], "cls", criterion)
    reference = SuppressingReference(*given, most=most, as_root=as_root)
    if not Reference(*given).is_feasible():
        return
    expected = reference.run()
    solution = solve(problem, share, shown_as, criterion=criterion)
    assert [(s.attribute, s.before, list(s.after)) for s in solution.steps] == [
        (e["attribute"], e["from"], e["to"]) for e in expected
    ]
    for step, e in zip(solution.steps, expected, strict=True):
        assert step.info_gain == pytest.approx(e["info_gain"], abs=1e-9)
        assert step.loss == pytest.approx(e["loss"], abs=1e-9)
        assert list(step.requirements) == pytest.approx(e["requirements"], abs=1e-12)
    assert solution.suppression is not None
    assert solution.suppression.n_counted == len(reference.gone)
    # The combinations name these records and no other.
    assert suppressed(solution, reference.masked()) == reference.gone


@pytest.mark.parametrize("shown_as", ["removed", "root"])
@settings(max_examples=30, deadline=None)
@given(problem=problems(["k"]), share=st.sampled_from(SHARES))
def test_every_step_of_k_anonymity_is_the_twins(shown_as: str, problem: dict[str, Any], share: int) -> None:
    agree(problem, share, shown_as)


@pytest.mark.slow
@pytest.mark.parametrize("shown_as", ["removed", "root"])
@settings(max_examples=60, deadline=None)
@given(problem=problems(MODELS), share=st.sampled_from(SHARES))
def test_every_step_of_other_models_is_the_twins(shown_as: str, problem: dict[str, Any], share: int) -> None:
    agree(problem, share, shown_as)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(problem=problems(["mixed"]), share=st.sampled_from(SHARES))
def test_every_step_by_information_gain_is_the_twins(problem: dict[str, Any], share: int) -> None:
    agree(problem, share, "removed", "infogain")


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(problem=problems(MODELS), share=st.sampled_from(SHARES), shown_as=st.sampled_from(["removed", "root"]))
def test_a_search_with_a_budget_begins_as_one_without(problem: dict[str, Any], share: int, shown_as: str) -> None:
    assume(Reference(problem["records"], problem["attributes"], problem["requirements"], "cls").is_feasible())
    plain = read_policy(problem["policy"])
    profiled, table = profile(read(pa.Table.from_pylist(problem["records"])), plain)
    search = start_search(Problem(profiled, plain, SearchOptions(criterion="score")))
    alone = search.run(compress(table, profiled, search.request), NoProgress())
    steps = solve(problem, share, shown_as, criterion="score").steps
    assert steps[: len(alone.steps)] == alone.steps


@pytest.mark.slow
@pytest.mark.parametrize("shown_as", ["removed", "root"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(MODELS), share=st.sampled_from(SHARES))
def test_bottom_up_stops_where_its_twin_does(shown_as: str, problem: dict[str, Any], share: int) -> None:
    most, as_root = share * len(problem["records"]) // 100, shown_as == "root"
    given = (problem["records"], problem["attributes"], problem["requirements"], "cls")
    assume(Reference(*given).is_feasible())
    reference = SuppressingBottomUp(*given, most=most, as_root=as_root)
    expected = reference.run()
    solution = solve(problem, share, shown_as, method="bug")
    assert [(s.attribute, list(s.before), s.after) for s in solution.steps] == [
        (e["attribute"], list(e["before"]), e["after"]) for e in expected
    ]
    figures = [float(figure) for figure in reference.figures(reference.shown)]
    assert [r.figure for r in solution.reached] == pytest.approx(figures)
    gone = reference.budget.settle(reference.shown)
    assert suppressed(solution, reference.masked()) == gone
