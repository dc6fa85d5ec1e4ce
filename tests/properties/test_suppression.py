"""What holds of every release with suppressed records, whichever search found it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.formats import solution_file
from tests.properties.tables import RARE_POLICY, problems, rare_people
from tests.properties.test_public_files import mask, public_files, released

SHARES = ("5%", "10%", "25%", "50%")
SEARCHES: tuple[dict[str, Any], ...] = (
    {},
    {"criterion": "infogain"},
    {"criterion": "conditional"},
    {"method": "bug"},
)
MODELS = ["k", "templates", "mixed", "distinct", "entropy", "recursive", "equal", "lkc"]


def budget(draw: Any) -> dict[str, str]:
    return {"share": draw(st.sampled_from(SHARES)), "as": draw(st.sampled_from(["removed", "root"]))}


@pytest.mark.slow
@pytest.mark.parametrize("how", SEARCHES)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_what_is_released_satisfies_everything_and_the_budget_is_kept(how: dict[str, Any], data: st.DataObject) -> None:
    problem = data.draw(problems(MODELS))
    suppress = budget(data.draw)
    policy = {**problem["policy"], "suppress": suppress}
    outcome = mask(problem["records"], policy, **how)
    assume(outcome is not None)
    assert outcome is not None
    assert outcome.suppressed is not None
    n_all = len(problem["records"])
    assert 100 * outcome.suppressed.n_records <= float(suppress["share"][:-1]) * n_all
    n_left = n_all - outcome.suppressed.n_records if suppress["as"] == "removed" else n_all
    assert len(outcome.data) == outcome.verdict.n_rows == n_left
    # Recounted by an audit that knows nothing of the search.
    assert maskwise.audit(outcome.data, {"requirements": problem["policy"]["requirements"]}).is_met
    by_part = sum(part.n_suppressed for part in outcome.suppressed.parts if part.column == "cls")
    assert by_part == outcome.suppressed.n_records


@pytest.mark.slow
@pytest.mark.parametrize("how", SEARCHES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_the_order_of_records_is_irrelevant(how: dict[str, Any], data: st.DataObject) -> None:
    problem = data.draw(problems(MODELS))
    policy = {**problem["policy"], "suppress": budget(data.draw)}
    outcome = mask(problem["records"], policy, **how)
    assume(outcome is not None)
    assert outcome is not None
    again = mask(data.draw(st.permutations(problem["records"])), policy, **how)
    assert again is not None
    assert released(outcome) == released(again)
    assert outcome.solution.suppression == again.solution.suppression


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_apply_suppresses_the_same_records_again(data: st.DataObject) -> None:
    problem = data.draw(problems(MODELS))
    policy = {**problem["policy"], "suppress": budget(data.draw)}
    how = data.draw(st.sampled_from(SEARCHES))
    outcome = mask(problem["records"], policy, keep_order=True, **how)
    assume(outcome is not None)
    assert outcome is not None
    assert outcome.suppressed is not None
    saved = solution_file.loads(solution_file.dumps(outcome.solution))
    assert saved.suppression == outcome.solution.suppression
    types = {"dose": pa.int64()} | {
        name: pa.int64()
        for name, entry in policy["attributes"].items()
        if isinstance(entry, dict) and "interval" in entry
    }
    names = list(problem["records"][0])
    schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
    applied = maskwise.apply(pa.Table.from_pylist(problem["records"], schema), saved, keep_order=True)
    assert applied.n_suppressed == outcome.suppressed.n_records
    assert applied.data.to_pylist() == outcome.data.to_pylist()


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_equal_releases_with_suppressed_records_have_equal_public_files(data: st.DataObject) -> None:
    """A table without the removed records, and one with others in their place, may give the same release."""
    problem = data.draw(problems(["k", "templates", "mixed"]))
    how = data.draw(st.sampled_from(SEARCHES))
    policy = {**problem["policy"], "suppress": budget(data.draw)}
    rows = problem["records"]
    outcome = mask(rows, policy, **how)
    assume(outcome is not None)
    assert outcome is not None
    others = [dict(row) for row in rows]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(others) - 1))
        if data.draw(st.booleans()) and len(others) > 1:
            del others[at]
        else:
            others[at] = {**others[at], **dict(data.draw(st.sampled_from(rows)))}
    other = mask(others, policy, **how)
    assume(other is not None)
    assert other is not None
    if released(outcome) == released(other):
        assert public_files(outcome) == public_files(other)


def test_nothing_public_tells_who_or_how_many_were_removed() -> None:
    table = rare_people()
    outcome = maskwise.anonymize(table, {**RARE_POLICY, "suppress": "20%"})
    assert outcome.suppressed is not None
    assert outcome.solution.suppression is not None
    assert outcome.suppressed.n_records > 0
    told = public_files(outcome)
    assert all(f"{len(table)} records" not in text for text in told)
    assert all('"combinations"' not in text and '"unshown"' not in text for text in told)
    assert f'"rows": {len(table) - outcome.suppressed.n_records}' in told[-1]
    # Without the removed records the release and all that goes with it are the same.
    assert "Up to 20 % of the records may be suppressed" in told[0]


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"criterion": "conditional"}, {"method": "bug"}], ids=str)
def test_suppressed_records_hide_among_themselves_not_among_roots_of_one_qid(how: dict[str, Any]) -> None:
    """Who shows roots on one QID only shows values on the other, so nobody can hide among them."""
    rows = [
        (a, b, c, d)
        for a, b in [("p1", "m1"), ("p1", "m2"), ("p2", "m1")]
        for c in ("u1", "u2")
        for d in ("v1", "v2")
        for _ in range(15)
    ]
    rows += [(f"ra{i}", f"rb{i}", "u1", "v1") for i in range(8)] + [("p1", "m1", f"rc{i}", f"rd{i}") for i in range(8)]
    rows.append(("p2", "m2", "u1", "v1"))
    classes = ["A" if (a == "p1") != (b == "m1") or c == d else "B" for a, b, c, d in rows]
    table = pa.table({**dict(zip("abcd", map(list, zip(*rows, strict=True)), strict=True)), "cls": classes})
    policy = {
        "class": "cls",
        "attributes": dict.fromkeys("abcd", "suppress"),
        "suppress": {"share": "3%", "as": "root"},
        "requirements": [{"qid": ["a", "b"], "k": 5}, {"qid": ["c", "d"], "k": 5}],
    }
    outcome = maskwise.anonymize(table, policy, **how)
    n_roots = sum(set(row.values()) == {"*"} for row in outcome.data.select(list("abcd")).to_pylist())
    assert n_roots == 0 or n_roots >= 5


def test_an_earlier_release_with_suppressed_records_is_refused() -> None:
    table = rare_people()
    first = maskwise.anonymize(table, {**RARE_POLICY, "suppress": "20%"})
    assert first.solution.suppression is not None
    with pytest.raises(maskwise.InputError, match="An earlier release suppressed records"):
        maskwise.anonymize(table, RARE_POLICY, against=first.solution)
