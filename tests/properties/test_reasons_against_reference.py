"""Every reason and every proposed change against plain Python: the raw records are masked anew and counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.formats.policy_file import read_policy
from maskwise.pipeline import solve
from maskwise.policy.attributes import Kind
from maskwise.search.options import SearchOptions
from maskwise.solution.cut import Cut
from maskwise.solution.reasons import Change, ChangeKind, Reason, ReasonKind
from maskwise.solution.solution import Ending, Solution
from maskwise.table.read import read
from tests.properties.tables import KINDS, MODELS, problems
from tests.properties.test_persons_against_reference import problems_of_persons
from tests.reference import reasons as naive
from tests.reference.persons import PersonRule
from tests.reference.topdown import MISSING, Attribute, best_border

SEARCHES: list[dict[str, Any]] = [
    {"criterion": "score"},
    {"criterion": "infogain"},
    {"method": "bug"},
    {"criterion": "conditional", "background": "none"},
    {"as_published": True},
    {"as_published": True, "method": "bug"},
    {"as_published": True, "criterion": "conditional", "background": "none"},
    {"criterion": "score", "max_steps": 1},
    {"max_steps": 2, "as_published": True},
]
WIDE = [ReasonKind.STOPPED, ReasonKind.PASSED]


def shown_by(cut: Cut, cell: Any) -> Any:
    if cell is MISSING:
        return cut.missing_text
    return cut.show_text(cell) if cut.scale is None else cut.show_number(cell)


class Checked:
    """A run, and what its reasons are compared with."""

    def __init__(self, problem: dict[str, Any], how: dict[str, Any], person: Any = None) -> None:
        self.records, self.requirements = problem["records"], problem["requirements"]
        self.attributes: dict[str, Attribute] = {a.name: a for a in problem["attributes"]}
        self.person, self.how = person, how
        table = pa.Table.from_pylist(self.records)
        table = table.set_column(table.column_names.index("sens"), "sens", table["sens"].cast(pa.string()))
        self.policy = read_policy(problem["policy"])
        try:
            solved = solve(read(table), self.policy, SearchOptions(**how))
            self.solution: Solution = solved.solution
            self.reasons = solved.explain()
        except (maskwise.InfeasibleError, maskwise.InputError):
            assume(False)
        self.cuts = {cut.attribute: cut for cut in self.solution.cuts}
        self.masked = [
            {name: shown_by(cut, record[name]) for name, cut in self.cuts.items()} for record in self.records
        ]

    def broken(self, masked: list[dict[str, Any]], requirements: list[Any] | None = None) -> Any:
        asked = self.requirements if requirements is None else requirements
        return naive.broken_rules(self.records, masked, asked, self.person)

    def refined(self, one: Reason | Change) -> list[dict[str, Any]]:
        attribute = self.attributes[one.attribute]
        return naive.refined(self.records, self.masked, attribute, one.shown, one.instead)

    def check(self) -> None:
        assert self.broken(self.masked) == {}
        for attribute in self.attributes.values():
            self.check_complete(attribute)
        for reason in self.reasons.reasons:
            self.check_reason(reason)
        self.check_wanted()
        for change in self.reasons.changes:
            assert self.broken(*self.changed(change)) == {}, change

    def check_complete(self, attribute: Attribute) -> None:
        """Every shown value that hides something has one reason, and no other has any."""
        hidden = naive.hidden_values(attribute, self.records, self.masked)
        own = self.reasons.of(attribute.name)
        if attribute.kind != "suppress":
            assert sorted(reason.shown for reason in own) == sorted(hidden)
            assert {reason.shown: reason.n_records for reason in own} == dict(hidden)
            return
        classes = {raw["cls"] for raw, seen in self.beside(attribute.name, "*")}
        if own and own[0].kind is ReasonKind.TELLS_NOTHING and not own[0].instead:
            assert len(own) == 1
            assert len(classes) == 1
            assert own[0].n_records == hidden.total()
            return
        floor = naive.floor_of(self.requirements, attribute.name)
        one_by_one = [reason for reason in own if reason.instead]
        told = {MISSING if reason.instead[0] == naive.GONE else reason.instead[0] for reason in one_by_one}
        assert len(told) == len(one_by_one)
        assert told == {value for value, n in hidden.items() if n >= floor}
        rare = sum(n for n in hidden.values() if n < floor)
        assert [reason.n_records for reason in own if not reason.instead] == ([rare] if rare else [])

    def beside(self, name: str, label: Any) -> list[Any]:
        both = zip(self.records, self.masked, strict=True)
        return [(raw, seen) for raw, seen in both if seen[name] == label]

    def check_reason(self, reason: Reason) -> None:
        rows = [raw for raw, _ in self.beside(reason.attribute, reason.shown)]
        attribute = self.attributes[reason.attribute]
        floor = naive.floor_of(self.requirements, reason.attribute)
        assert reason.text.endswith(".")
        if not reason.instead:
            self.check_whole(reason, rows, floor)
            return
        after = self.refined(reason)
        broken = self.broken(after)
        weight = attribute.weight
        gained = naive.bits(self.records, self.masked, attribute.name) - naive.bits(self.records, after, attribute.name)
        assert reason.gain == pytest.approx(weight * gained, abs=1e-9)
        if len({raw["cls"] for raw in rows}) == 1:
            assert reason.kind is ReasonKind.TELLS_NOTHING
        elif reason.breaks:
            self.check_breaks(reason, broken)
        elif reason.kind is ReasonKind.TOO_FEW or reason.figure is not None:
            sizes = [sum(seen[attribute.name] == label for seen in after) for label in self.labels(reason)]
            assert reason.figure == min(size for size in sizes if size) < floor
            assert broken
        elif reason.kind is not ReasonKind.NOT_CONSIDERED:
            assert broken == {}
            assert (reason.kind is ReasonKind.TELLS_NOTHING) == (self.solution.ending is Ending.MAXIMAL)
            assert "conditional" in self.how.values() or reason.kind in WIDE
        if attribute.kind == "interval" and "conditional" not in self.how.values() and self.how.get("as_published"):
            self.check_border(reason, rows)
        if attribute.kind == "interval" and "conditional" in self.how.values() and reason.kind is ReasonKind.BREAKS:
            self.check_every_split(reason, rows, floor)

    @staticmethod
    def labels(reason: Reason) -> list[Any]:
        return [MISSING if label == naive.GONE else label for label in reason.instead]

    def check_whole(self, reason: Reason, rows: list[Any], floor: int) -> None:
        """A value without a refinement is too rare, or no boundary fits inside it."""
        attribute = self.attributes[reason.attribute]
        if attribute.kind == "suppress":
            return
        numbers = sorted({raw[attribute.name] for raw in rows} - {MISSING})
        if reason.kind is ReasonKind.NOT_CONSIDERED:
            assert len(numbers) == 1
            return
        assert reason.kind is ReasonKind.TOO_FEW
        cells = [raw[attribute.name] for raw in rows if raw[attribute.name] is not MISSING]
        for border in numbers[1:] if self.person is None else ():
            n_left = sum(cell < border for cell in cells)
            assert min(n_left, len(cells) - n_left) < max(floor, 2)

    def check_breaks(self, reason: Reason, broken: Any) -> None:
        assert reason.kind in {ReasonKind.BREAKS, ReasonKind.NOT_CONSIDERED}
        told = {one.requirement for one in reason.breaks}
        assert told
        assert told <= set(broken)
        # What is left out follows from another requirement, which is told.
        implied = {i for i, _ in self.policy.implied_parts()}
        assert set(broken) - told <= implied
        for one in reason.breaks:
            assert any(
                qid == one.qid and figure == pytest.approx(one.figure) for qid, figure in broken[one.requirement]
            )
        assert reason.requirement == reason.breaks[0].requirement
        assert reason.figure == reason.breaks[0].figure

    def check_border(self, reason: Reason, rows: list[Any]) -> None:
        """The split is the one that the papers try."""
        members = [(raw[reason.attribute], raw["cls"]) for raw in rows]
        if len({number for number, _ in members} - {MISSING}) > 1:
            assert reason.instead[0].endswith(f", {best_border(members)})")

    def check_every_split(self, reason: Reason, rows: list[Any], floor: int) -> None:
        name = reason.attribute
        low, high = reason.instead[0].split(",")[0], reason.instead[1].split(",")[1]
        gone = (naive.GONE,) if naive.GONE in reason.instead else ()
        numbers = Counter(raw[name] for raw in rows if raw[name] is not MISSING)
        if not self.how.get("as_published") and min(numbers.values()) < max(floor, 2):
            # Boundaries are safe, so that rare numbers are split off together with others, and not at every one.
            return
        for border in sorted(numbers)[1:]:
            other = replace(reason, instead=(f"{low}, {border})", f"[{border},{high}", *gone))
            assert self.broken(self.refined(other))

    def changed(self, change: Change) -> tuple[list[dict[str, Any]], list[Any]]:
        """The masked records and the requirements with a change."""
        masked, asked = self.refined(change), list(self.requirements)
        at = change.requirement
        if change.kind is ChangeKind.LEVEL:
            assert change.column is not None
            masked = naive.less_shown(self.attributes[change.column], self.records, masked, int(change.value or 0))
            return masked, asked
        assert at is not None
        if change.kind is ChangeKind.K:
            asked[at] = replace(asked[at], k=int(change.value or 0))
        elif change.kind is ChangeKind.CONFIDENCE:
            bound = Fraction(str(change.value))
            asked[at] = replace(asked[at], values=tuple((c, v, bound) for c, v, _ in asked[at].values))
        else:
            assert change.column is not None
            asked[at] = naive.without(asked[at], change.column)
        return masked, asked

    def check_wanted(self) -> None:
        """The few refinements that would tell most are looked at, and no change for them is left out."""
        stopped = [i for i, reason in enumerate(self.reasons.reasons) if reason.breaks]
        gains = {i: self.reasons.reasons[i].gain or 0.0 for i in stopped}
        wanted = self.reasons.wanted
        assert len(wanted) == min(3, len(stopped))
        assert all(gains[i] <= gains[w] + 1e-9 for i in set(stopped) - set(wanted) for w in wanted)
        for place in wanted:
            reason = self.reasons.reasons[place]
            told = [
                change
                for change in self.reasons.changes
                if (change.attribute, change.shown, change.instead) == (reason.attribute, reason.shown, reason.instead)
            ]
            self.check_all_told(reason, told)

    def check_all_told(self, reason: Reason, told: list[Change]) -> None:
        masked = self.refined(reason)
        asked = [one.requirement for one in reason.breaks]
        others = dict.fromkeys(n for at in asked for n in self.requirements[at].qid if n != reason.attribute)
        if len(asked) == 1:
            at = asked[0]
            columns = set()
            for name in (n for n in self.requirements[at].qid if n in others):
                smaller = naive.without(self.requirements[at], name)
                changed = [smaller if i == at else one for i, one in enumerate(self.requirements)]
                if smaller is not None and not self.broken(masked, changed):
                    columns.add(name)
            assert {c.column for c in told if c.kind is ChangeKind.COLUMN} == columns
            k = getattr(self.requirements[at], "k", None)
            for smaller_k in range((k or 0) - 1, 1, -1):
                changed = [replace(one, k=smaller_k) if i == at else one for i, one in enumerate(self.requirements)]
                if not self.broken(masked, changed):
                    assert [c.value for c in told if c.kind is ChangeKind.K] == [smaller_k]
                    break
            else:
                assert not any(c.kind is ChangeKind.K for c in told)
        for name in others:
            attribute, labels = self.attributes[name], self.cuts[name].labels
            levels = [0] if labels != (self.cuts[name].root,) else []
            if attribute.kind == "taxonomy" and (deepest := naive.deepest(attribute, labels)) > 1:
                levels = [deepest - 1, *levels]
            fits = [
                level for level in levels if not self.broken(naive.less_shown(attribute, self.records, masked, level))
            ]
            assert [c.value for c in told if c.kind is ChangeKind.LEVEL and c.column == name] == fits[:1]


@pytest.mark.slow
@pytest.mark.parametrize("how", SEARCHES, ids=str)
@settings(max_examples=8, deadline=None)
@given(problem=problems(["k", "mixed"], kinds=KINDS, preferring=True))
def test_every_reason_is_what_masking_anew_shows(how: dict[str, Any], problem: dict[str, Any]) -> None:
    Checked(problem, how).check()


@settings(max_examples=10, deadline=None)
@given(problem=problems(["templates", *MODELS, "all"]), how=st.sampled_from(SEARCHES))
def test_every_privacy_model_has_reasons(problem: dict[str, Any], how: dict[str, Any]) -> None:
    Checked(problem, how).check()


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["k", "templates", *MODELS, "all"])
@settings(max_examples=8, deadline=None)
@given(problem=st.data())
def test_every_privacy_model_has_reasons_with_every_search(asked: str, problem: Any) -> None:
    Checked(problem.draw(problems([asked], preferring=True)), problem.draw(st.sampled_from(SEARCHES))).check()


@settings(max_examples=10, deadline=None)
@given(problem=problems_of_persons(["k", "templates", "mixed", "entropy", "equal"]), how=st.sampled_from(SEARCHES))
def test_reasons_count_persons(problem: dict[str, Any], how: dict[str, Any]) -> None:
    Checked(problem, how, PersonRule).check()


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(problem=problems(["k", "mixed"]), n=st.integers(0, 4))
def test_what_a_stopped_search_would_do_next_is_among_its_reasons(problem: dict[str, Any], n: int) -> None:
    whole, stopped = Checked(problem, {}), Checked(problem, {"max_steps": n})
    assume(len(whole.solution.steps) > n)
    step = whole.solution.steps[n]
    before = naive.GONE if step.before is None else step.before
    after = tuple(naive.GONE if label is None else label for label in step.after)
    cut = stopped.cuts[step.attribute]
    if before == "*" and "*" not in cut.labels:
        return  # a lone hidden value is disclosed at no cost
    told = [
        reason
        for reason in stopped.reasons.of(step.attribute)
        if reason.kind is ReasonKind.STOPPED and reason.shown == before
    ]
    if cut.kind is Kind.INTERVAL:
        # It may be split in several ways: the reason names the one that tells most of the class by itself.
        assert any(_ends(reason.instead) == _ends(after) for reason in told)
    else:
        assert any(set(reason.instead) <= set(after) for reason in told)
    assert not any(reason.kind in WIDE for reason in whole.reasons.reasons)


def _ends(labels: tuple[str, ...]) -> tuple[str, str] | None:
    """Where the first interval begins and the last one ends, if there are several; a missing cell is none."""
    intervals = [label for label in labels if label.startswith("[")]
    return (intervals[0].split(",")[0], intervals[-1].split(",")[1]) if len(intervals) > 1 else None
