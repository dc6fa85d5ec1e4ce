"""Rules and the same trees listed give the same release, by every method; later rows go by the rule."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.formats import solution_file
from maskwise.policy.rules.registry import read_rule
from maskwise.report.report import report
from tests.policy.rules.trees import tree_of
from tests.properties.tables import children_of
from tests.reference.topdown import Attribute, K, Reference

ZIP, BORN = read_rule("prefix", [5, 3, 1]), read_rule("calendar", ["month", "year", "decade"])
RULES = {"zip": {"prefix": [5, 3, 1]}, "born": {"calendar": ["month", "year", "decade"]}}
ZIPS = ["02139", "02138", "02142", "02999", "0213", "10001", "10002", "9", "94110", "שלום!"]
DAYS = ["1987-03-14", "1987-03-15", "1987-04-01", "1988-01-01", "1979-12-31", "1980-01-01", "2001-07-07"]
NEW_ZIPS = [*ZIPS, "02137", "02000", "10099", "55555", "*", ""]
NEW_DAYS = [*DAYS, "1987-03-01", "1987-12-24", "1955-05-05", "no date"]
Rows = list[dict[str, Any]]
CELLS = st.fixed_dictionaries(
    {
        "zip": st.one_of(st.sampled_from(ZIPS), st.none()),
        "born": st.sampled_from(DAYS),
        "age": st.integers(18, 23),
        "cls": st.sampled_from("YN"),
    }
)
ROWS = st.lists(CELLS, min_size=4, max_size=30)


def policy_of(k: int, entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    asked = {"qid": ["zip", "born", "age"], "k": k}
    return {"class": "cls", "attributes": {**entries, "age": "suppress"}, "requirements": [asked], **more}


def table_of(rows: Rows) -> pa.Table:
    kinds = {"age": pa.int64()}
    return pa.Table.from_pylist(rows, pa.schema([(name, kinds.get(name, pa.string())) for name in rows[0]]))


def finest(rows: Rows) -> Rows:
    """The rows with every cell as the finest level of its rule shows it."""
    found = []
    for row in rows:
        zip_, born = None if row["zip"] is None else ZIP.path(row["zip"]), BORN.path(row["born"])
        assert born is not None
        found.append({**row, "zip": None if zip_ is None else zip_[-1], "born": born[-1]})
    return found


def listed(rows: Rows) -> dict[str, Any]:
    """The trees of the rules, as taxonomies."""
    zips = [row["zip"] for row in rows if row["zip"] is not None]
    return {
        "zip": {"taxonomy": tree_of(ZIP, zips).to_nested()},
        "born": {"taxonomy": tree_of(BORN, [row["born"] for row in rows]).to_nested()},
    }


def mask(rows: Rows, policy: dict[str, Any], **how: Any) -> maskwise.Outcome | None:
    try:
        return maskwise.anonymize(table_of(rows), policy, keep_order=True, **how)
    except maskwise.InfeasibleError:
        return None


WAYS: list[dict[str, Any]] = [{}, {"method": "bug"}, {"method": "regions"}, {"criterion": "conditional"}]


@pytest.mark.slow
@pytest.mark.parametrize("how", WAYS, ids=str)
@settings(max_examples=8)
@given(rows=ROWS, k=st.integers(1, 6))
def test_a_rule_and_its_tree_listed_give_the_same_release(how: dict[str, Any], rows: Rows, k: int) -> None:
    by_rule = mask(rows, policy_of(k, RULES), **how)
    by_list = mask(finest(rows), policy_of(k, listed(rows)), **how)
    assert (by_rule is None) == (by_list is None)
    if by_rule is not None and by_list is not None:
        assert by_rule.data.equals(by_list.data)
        assert by_rule.solution.reached == by_list.solution.reached
        again = maskwise.apply(table_of(rows), by_rule.solution, keep_order=True)
        assert again.data.equals(by_rule.data)
        assert not again.unknown


@pytest.mark.slow
@settings(max_examples=8)
@given(rows=ROWS, k=st.integers(2, 6))
def test_a_rule_and_its_tree_listed_suppress_the_same_records(rows: Rows, k: int) -> None:
    by_rule = mask(rows, policy_of(k, RULES, suppress=0.2))
    by_list = mask(finest(rows), policy_of(k, listed(rows), suppress=0.2))
    assert (by_rule is None) == (by_list is None)
    assert by_rule is None or by_list is None or by_rule.data.equals(by_list.data)


@pytest.mark.slow
@settings(max_examples=30)
@given(rows=ROWS, k=st.integers(1, 5))
def test_every_step_with_a_rule_is_the_papers(rows: Rows, k: int) -> None:
    trees = listed(rows)
    attributes = [
        Attribute(name, "taxonomy", children=_plain(trees[name]["taxonomy"]), root="*") for name in ("zip", "born")
    ]
    attributes.append(Attribute("age", "suppress"))
    plain = [{**row, "age": str(row["age"])} for row in finest(rows)]
    reference = Reference(plain, attributes, [K(("zip", "born", "age"), k)], "cls", "score")
    outcome = mask(rows, policy_of(k, RULES), as_published=True)
    assert (outcome is not None) == reference.is_feasible()
    if outcome is not None:
        steps = reference.run()
        assert [(s.attribute, s.before, list(s.after)) for s in outcome.solution.steps] == [
            (e["attribute"], e["from"], e["to"]) for e in steps
        ]
        shown = [{name: row[name] for name in ("zip", "born", "age")} for row in outcome.data.to_pylist()]
        assert shown == [{name: row[name] for name in ("zip", "born", "age")} for row in reference.masked()]


def _plain(nested: dict[str, Any]) -> dict[str, list[str]]:
    """The children of each label, where a leaf is an empty mapping."""
    return children_of(nested)


@pytest.mark.slow
@settings(max_examples=15)
@given(data=st.data(), k=st.integers(1, 4))
def test_rows_nobody_had_seen_are_masked_as_if_they_had_been_there(data: st.DataObject, k: int) -> None:
    rows = data.draw(ROWS)
    outcome = mask(rows, policy_of(k, RULES))
    assume(outcome is not None)
    assert outcome is not None
    later = [
        {**row, "zip": data.draw(st.sampled_from(NEW_ZIPS)), "born": data.draw(st.sampled_from(NEW_DAYS))}
        for row in data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=8))
    ]
    saved = solution_file.loads(solution_file.dumps(outcome.solution))
    applied = maskwise.apply(table_of(later), saved, keep_order=True)
    n_unknown = {"zip": 0, "born": 0}
    for row, shown in zip(later, applied.data.to_pylist(), strict=True):
        for name, rule in (("zip", ZIP), ("born", BORN)):
            path, labels = rule.path(row[name]), saved.cut(name).shown
            above = [label for label in ("*", *(path or ())) if label in labels]
            assert len(above) <= 1
            is_known = path is not None and len(above) == 1
            assert shown[name] == (above[0] if is_known else "*")
            n_unknown[name] += not is_known
    assert {name: lost.n_records for name, lost in applied.unknown.items() if name != "age"} == {
        name: n for name, n in n_unknown.items() if n
    }
    readable = [row for row in later if ZIP.path(row["zip"]) and BORN.path(row["born"])]
    together = mask([*rows, *readable], policy_of(k, RULES))
    if together is not None and [cut.shown for cut in together.solution.cuts] == [cut.shown for cut in saved.cuts]:
        again = maskwise.apply(table_of([*rows, *readable]), saved, keep_order=True)
        assert again.data.equals(together.data)


@pytest.mark.slow
@settings(max_examples=10)
@given(data=st.data(), k=st.integers(1, 4))
def test_later_rows_in_regions_show_only_what_is_true(data: st.DataObject, k: int) -> None:
    rows = data.draw(ROWS)
    outcome = mask(rows, policy_of(k, RULES), method="regions")
    assume(outcome is not None)
    assert outcome is not None
    saved = solution_file.loads(solution_file.dumps(outcome.solution))
    assert saved.cuts == outcome.solution.cuts
    later = [{**row, "zip": data.draw(st.sampled_from(NEW_ZIPS))} for row in rows]
    for row, shown in zip(later, maskwise.apply(table_of(later), saved, keep_order=True).data.to_pylist(), strict=True):
        assert shown["zip"] in {"*", *(ZIP.path(row["zip"]) or ())}
        assert shown["born"] in {"*", *(BORN.path(row["born"]) or ())}


@pytest.mark.slow
@settings(max_examples=10)
@given(rows=ROWS, k=st.integers(2, 6))
def test_putting_rare_values_together_changes_no_release_for_a_class(rows: Rows, k: int) -> None:
    expected = mask(rows, policy_of(k, RULES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("maskwise.profile.rule_columns.MOST_LEAVES", 1)
        found = mask(rows, policy_of(k, RULES))
        by_regions = mask(rows, policy_of(k, RULES), method="regions")
    assert (found is None) == (expected is None) == (by_regions is None)
    if found is not None and expected is not None and by_regions is not None:
        assert found.data.equals(expected.data)
        assert solution_file.dumps(found.solution) == solution_file.dumps(expected.solution)
        assert maskwise.apply(table_of(rows), by_regions.solution, keep_order=True).data.equals(by_regions.data)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tdr", "regions"])
@settings(max_examples=12)
@given(data=st.data(), k=st.integers(1, 4))
def test_equal_releases_by_rules_have_equal_public_files(method: str, data: st.DataObject, k: int) -> None:
    rows = data.draw(ROWS)
    policy = policy_of(k, RULES)
    outcome = mask(rows, policy, method=method)
    assume(outcome is not None)
    others = [dict(row) for row in rows]
    for _ in range(data.draw(st.integers(1, 4))):
        row = data.draw(st.sampled_from(others))
        row["zip"] = data.draw(st.sampled_from([z for z in ZIPS if row["zip"] and z[:3] == row["zip"][:3]] or [None]))
        row["born"] = data.draw(st.sampled_from([day for day in DAYS if day[:4] == row["born"][:4]]))
    other = mask(others, policy, method=method)
    assume(other is not None)
    assert outcome is not None
    assert other is not None
    if outcome.data.equals(other.data):
        assert _public_files(outcome) == _public_files(other)


def _public_files(outcome: maskwise.Outcome) -> tuple[str, ...]:
    public = report(outcome)
    return (
        public.to_markdown(),
        public.to_json(),
        public.to_html(),
        solution_file.dumps(outcome.solution, public=True),
    )


def test_a_solution_does_not_grow_with_the_values_and_lists_none_that_is_hidden() -> None:
    def solve(n: int) -> maskwise.Outcome:
        zips = [f"{i % 2}{i % n:04d}" for i in range(4 * n)]
        table = pa.table({"zip": zips, "sex": ["F" if i % 3 else "M" for i in range(4 * n)]})
        policy = {"attributes": {"zip": {"prefix": [5, 1]}}, "requirements": [{"qid": ["zip", "sex"], "k": 9}]}
        return maskwise.anonymize(table, policy)

    small, large = (solution_file.dumps(solve(n).solution) for n in (40, 400))
    assert abs(len(large) - len(small)) < 20
    entry = json.loads(large)["attributes"][0]
    assert entry["taxonomy"] == {"*": {"0****": {}, "1****": {}}}
    assert entry["rule"] == {"prefix": [5, 1]}
