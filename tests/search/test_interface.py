"""The seam between searches and the rest: a request for counts, and a run from these counts to a Solution."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
import maskwise.compress.compress as compress_module
from maskwise.compress.compress import compress
from maskwise.compress.compressed_table import Compact, CompressedTables
from maskwise.compress.request import ClassRequest, CountRequest, TableRequest
from maskwise.errors import InputError
from maskwise.formats.policy_file import read_policy
from maskwise.policy.attributes import Kind
from maskwise.profile.columns import Column, Profile
from maskwise.profile.profile import profile
from maskwise.progress import Event, StageBegun, StepTaken
from maskwise.search import registry
from maskwise.search.bounds import list_bounds, list_requests
from maskwise.search.build_solution import build_solution
from maskwise.search.curve import start_curve
from maskwise.search.grow_trees import grow_forest
from maskwise.search.interface import NoProgress, Problem, Progress
from maskwise.search.options import SearchKeywords, SearchOptions
from maskwise.search.registry import SearchRegistration, start_search
from maskwise.search.topdown import Choice, TopDown, descend
from maskwise.search.value_trees import codings_of
from maskwise.solution.solution import Solution
from maskwise.table.read import read
from maskwise.values.message import note
from maskwise.values.stages import Stage
from tests.properties.tables import POLICY, people_table

SEX_AGE = {
    "class": "cls",
    "attributes": {"sex": {"taxonomy": {"any": ["f", "m"]}}, "job": "suppress"},
    "requirements": [{"qid": ["sex", "job"], "k": 2}],
}


# A search that maskwise does not have: it takes the first valid refinement, whatever that is worth.


class FirstChooser:
    def __init__(self, state: TopDown) -> None:
        self.state = state

    def choose(self) -> Choice | None:
        valid = self.state.frontier[self.state.cut.alive[self.state.frontier]]
        return Choice(int(valid.min()), 0.0, 0.0, 0.0) if len(valid) else None

    def refine(self, node: int) -> tuple[str, str | None, tuple[str | None, ...]]:
        return self.state.refine(node)


class FirstSearch:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.trees = grow_forest(problem.profile, problem.policy.floors())
        self.tables = list_requests(problem.profile, problem.policy)

    @property
    def request(self) -> CountRequest:
        return CountRequest(codings_of(self.trees), self.tables)

    @property
    def coded_trees(self) -> Any:
        return self.trees

    def run(self, counts: CompressedTables, progress: Progress) -> Solution:
        progress.stage(Stage.SEARCH)
        bounds = list_bounds(self.problem.profile, self.problem.policy, self.tables)
        state = TopDown(self.trees, counts.tables, bounds, has_class=self.problem.has_class)
        curve = start_curve(self.problem, state)
        steps, ending = descend(FirstChooser(state), curve, self.problem.options.limits, progress.step)
        messages = [note("Whatever came first.")]
        return build_solution(self.problem, self.trees, state, steps, curve, ending, messages=messages)

    def rerun(self, counts: CompressedTables, n_steps: int) -> Solution:
        raise NotImplementedError


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    one = SearchRegistration("first", None, f"{__name__}:FirstSearch")
    monkeypatch.setattr(registry, "SEARCHES", (*registry.SEARCHES, one))


class Heard:
    def __init__(self) -> None:
        self.stages: list[str] = []
        self.steps: list[Any] = []
        self.points: list[Any] = []

    def __call__(self, event: Event) -> None:
        if isinstance(event, StageBegun):
            self.stages.append(str(event))
        elif isinstance(event, StepTaken):
            self.steps.append(event.step)
            self.points.append(event.point)


@pytest.mark.slow
@pytest.mark.usefixtures("registered")
def test_a_new_search_is_one_module_and_one_line() -> None:
    people, heard = people_table(0, 300), Heard()
    outcome = maskwise.anonymize(people, POLICY, method="first", on_event=heard)
    assert outcome.verdict.is_met
    assert (outcome.solution.method, outcome.solution.ending) == ("first", "maximal")
    assert outcome.steps == tuple(heard.steps)
    assert outcome.curve[1:] == tuple(heard.points)
    assert outcome.steps != maskwise.anonymize(people, POLICY).steps
    assert outcome.notes[-1] == "Whatever came first."
    assert outcome.solution.columns == tuple(outcome.data.column_names)
    stages = list(heard.stages)
    assert stages == ["read", "profile", "compress", "search", "attack", "check", "mask", "verify", "assess"]
    assert len(maskwise.anonymize(people, POLICY, method="first", max_steps=2).steps) == 2
    assert (
        maskwise.Masker(POLICY, method="first", encode="label").fit(people.to_pandas()).solution_.cuts
        == outcome.solution.cuts
    )


@pytest.mark.usefixtures("registered")
def test_options_are_checked_against_the_searches_that_there_are() -> None:
    with pytest.raises(InputError, match=r"The method is one of `tdr`, `bug`, `regions`, `first`; found `last`"):
        SearchOptions(method="last")
    with pytest.raises(InputError, match="A criterion is for the method `tdr`; `first` has its own measure"):
        SearchOptions(method="first", criterion="infogain")
    with pytest.raises(InputError, match="An effort is for the method `regions`"):
        SearchOptions(method="first", effort=1)


def test_a_method_has_the_criteria_it_is_registered_with(monkeypatch: pytest.MonkeyPatch) -> None:
    one = SearchRegistration("first", "score", f"{__name__}:FirstSearch")
    monkeypatch.setattr(registry, "SEARCHES", (*registry.SEARCHES, one))
    assert SearchOptions(method="first").search is one
    with pytest.raises(InputError, match="The criterion of the method `first` is one of `score`; found `infogain`"):
        SearchOptions(method="first", criterion="infogain")


@pytest.mark.slow
@pytest.mark.parametrize("one", registry.SEARCHES, ids=lambda one: f"{one.method} {one.criterion}")
def test_every_search_starts_from_the_counts_it_asks_for(one: SearchRegistration) -> None:
    """The same counts give the same solution again: a run changes none of them."""
    policy = read_policy(POLICY)
    profiled, table = profile(read(people_table(1, 300)), policy, keep_rare=one.starts_from_raw_values)
    options = SearchOptions(method=one.method, criterion=one.criterion or "score")
    assert options.search is one
    search = start_search(Problem(profiled, policy, options, table.names))
    counts = compress(table, profiled, search.request)
    assert [compact.attributes for compact in counts.tables] == [each.attributes for each in search.request.tables]
    before = [compact.counts.copy() for compact in counts.tables]
    first, again = search.run(counts, NoProgress()), search.run(counts, NoProgress())
    assert first == again
    assert first.steps
    assert first.columns == table.names
    for was, compact in zip(before, counts.tables, strict=True):
        assert (was == compact.counts).all()


def test_a_search_needs_no_table() -> None:
    """Counts made by hand: two values of six records each, which two classes tell apart."""
    policy = read_policy({"class": "cls", "attributes": {"a": "suppress"}, "requirements": [{"qid": ["a"], "k": 5}]})
    counts_by_class = np.array([[6, 0], [0, 6]])
    column = Column(
        "a", Kind.SUPPRESS, pa.array(["x", "y"]), np.arange(2), counts_by_class, np.zeros(2, np.int64), ("x", "y")
    )
    problem = Problem(
        Profile((column,), "cls", 2, 12, 0, (), {}), policy, SearchOptions(criterion="score"), ("a", "cls")
    )
    search = start_search(problem)
    assert search.request.tables == (TableRequest((0,)),)
    (coding,) = search.request.codings
    codes = coding.code_of_value[:2, None].astype(np.uint8)
    counted = CompressedTables((Compact((0,), codes, np.array([[6], [6]])),))
    solution = search.run(counted, NoProgress())
    assert [(step.attribute, step.after) for step in solution.steps] == [("a", ("x", "*"))]
    assert solution.columns == ("a", "cls")


# Counting by class.


def by_class(unmasked: tuple[str, ...]) -> Any:
    """The rows of two attributes by class, grouped by the odds of unmasked columns."""
    table = pa.table(
        {
            "sex": ["f", "f", "m", "m", "f", "m"],
            "job": ["x", "x", "y", "y", "x", "x"],
            "town": ["u", "v", "u", "u", "v", "v"],
            "nested": [[1], [2], [3], [4], [5], [6]],
            "cls": ["Y", "N", "Y", "Y", None, "N"],
        }
    )
    policy = read_policy(SEX_AGE)
    profiled, records = profile(read(table), policy)
    trees = grow_forest(profiled, dict.fromkeys(policy.masked, 1))
    request = CountRequest(codings_of(trees), classes=ClassRequest("cls", unmasked))
    return compress(records, profiled, request)


def counted(table: Any) -> dict[Any, list[int]]:
    groups = [None] * len(table.rows.codes) if table.group_of_row is None else table.group_of_row.tolist()
    keys = zip(table.rows.codes.tolist(), groups, strict=True)
    return {(*codes, group): n for (codes, group), n in zip(keys, table.rows.counts.tolist(), strict=True)}


@pytest.mark.parametrize("unmasked", [("town",), (), ("nested",)], ids=["too few", "no column", "nested cells"])
def test_without_bins_rows_are_counted_once(unmasked: tuple[str, ...]) -> None:
    """Odds of values with fewer than 20 records are not told apart."""
    found = by_class(unmasked).classes
    assert counted(found) == {(0, 1, None): [1, 1, 1], (1, 2, None): [0, 2, 0], (1, 1, None): [1, 0, 0]}


# Options.


def test_keywords_and_options_are_the_same() -> None:
    names = {field.name for field in fields(SearchOptions)}
    assert set(SearchKeywords.__annotations__) == names - {"seed"}
    assert names - {"seed"} <= set(maskwise.Masker(encode="label").get_params())


def test_an_unknown_argument_is_a_type_error() -> None:
    for function in (maskwise.anonymize, maskwise.evaluate):
        with pytest.raises(TypeError, match=r"There is no argument `methd`. Did you mean `method`\?"):
            function(people_table(0, 30), POLICY, methd="bug")  # type: ignore[call-arg]


def test_options_are_checked_before_anything_is_read() -> None:
    for function in (maskwise.anonymize, maskwise.evaluate):
        with pytest.raises(InputError, match="The method is one of `tdr`, `bug`, `regions`; found `up`"):
            function("nowhere.csv", POLICY, method="up")


def test_rows_that_are_counted_by_class_are_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = read_policy(POLICY | {"requirements": [{"qid": ["age", "job", "zone"], "k": 2}]})
    table = read(people_table(3, 300))
    profiled, table = profile(table, policy)
    codings = codings_of(grow_forest(profiled, dict.fromkeys(policy.masked, 1)))
    all_, one = TableRequest((0, 1, 2)), TableRequest((0,))
    by_itself = compress(table, profiled, CountRequest(codings, (all_, one)))
    n_recoded: list[tuple[str, ...]] = []
    original = compress_module.recode
    monkeypatch.setattr(
        compress_module,
        "recode",
        lambda t, lookups, *a, **k: n_recoded.append(tuple(lookups)) or original(t, lookups, *a, **k),
    )
    by_class = compress(table, profiled, CountRequest(codings, (all_, one), ClassRequest("cls")))
    assert [_as_counts(each) for each in by_class.tables] == [_as_counts(each) for each in by_itself.tables]
    assert n_recoded == [("age",)]


def _as_counts(compact: Compact) -> dict[tuple[int, ...], list[int]]:
    """The counters of each row, which must be there once."""
    found = {
        tuple(codes): counts for codes, counts in zip(compact.codes.tolist(), compact.counts.tolist(), strict=True)
    }
    assert len(found) == len(compact.codes)
    return found
