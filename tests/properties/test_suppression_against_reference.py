"""A search with a budget takes the same steps, and suppresses the same records, as its plain twin."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.solution.solution import Solution
from maskwise.table.read import read
from tests.properties.tables import problems
from tests.reference.suppression import SuppressingReference

SHARES = ("5%", "10%", "25%", "50%", "80%")
MODELS = ["k", "templates", "mixed", "distinct", "entropy", "recursive", "equal", "lkc"]


def solve(problem: dict[str, Any], share: str, shown_as: str, criterion: str = "score") -> tuple[Solution, int]:
    policy = read_policy({**problem["policy"], "suppress": {"share": share, "as": shown_as}})
    profiled, table = profile(read(pa.Table.from_pylist(problem["records"])), policy)
    assert policy.suppress is not None
    search = ScoreSearch(Problem(profiled, policy, SearchOptions(criterion=criterion)))
    solution = search.run(compress(table, profiled, search.request), NoProgress())
    return solution, policy.suppress.most(len(problem["records"]))


def agree(problem: dict[str, Any], share: str, shown_as: str, criterion: str = "score") -> None:
    """Compare the search with its twin, step by step."""
    most = int(float(share[:-1]) * len(problem["records"]) / 100 + 1e-9)
    reference = SuppressingReference(
        problem["records"],
        problem["attributes"],
        problem["requirements"],
        "cls",
        criterion,
        most=most,
        as_root=shown_as == "root",
    )
    if not reference.is_feasible():
        return
    expected = reference.run()
    solution, allowed = solve(problem, share, shown_as, criterion)
    assert allowed == most
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
    shown = reference.masked()
    named = {
        i
        for i, seen in enumerate(shown)
        for one in solution.suppression.combinations
        if tuple(seen[name] for name in one.qid) in set(one.labels)
    }
    assert named == reference.gone


@pytest.mark.parametrize("shown_as", ["removed", "root"])
@settings(max_examples=40, deadline=None)
@given(problem=problems(["k"]), share=st.sampled_from(SHARES))
def test_every_step_of_k_anonymity_is_the_twins(shown_as: str, problem: dict[str, Any], share: str) -> None:
    agree(problem, share, shown_as)


@pytest.mark.slow
@pytest.mark.parametrize("shown_as", ["removed", "root"])
@settings(max_examples=60, deadline=None)
@given(problem=problems(MODELS), share=st.sampled_from(SHARES))
def test_every_step_of_other_models_is_the_twins(shown_as: str, problem: dict[str, Any], share: str) -> None:
    agree(problem, share, shown_as)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(problem=problems(["mixed"], preferring=True), share=st.sampled_from(SHARES))
def test_every_step_by_information_gain_is_the_twins(problem: dict[str, Any], share: str) -> None:
    # A twin that shows levels at least would have to start there.
    assert all(a.weight > 0 for a in problem["attributes"])
    for a in problem["attributes"]:
        a.at_least = 0
    for entry in problem["policy"]["attributes"].values():
        if isinstance(entry, dict):
            entry.pop("at_least", None)
    agree(problem, share, "removed", "infogain")
