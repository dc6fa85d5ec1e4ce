"""What goes with a release says no more than the release: equal releases have equal public files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.formats import solution_file
from maskwise.report.report import report
from maskwise.values.message import Audience
from tests.properties.tables import problems
from tests.reference.region_walk import walk

Rows = list[dict[str, Any]]


def mask(rows: Rows, policy: dict[str, Any], **how: Any) -> maskwise.Outcome | None:
    """The outcome of masking these records; None where they are refused."""
    names = list(rows[0])
    types = {"dose": pa.int64()} | {
        name: pa.int64()
        for name, entry in policy["attributes"].items()
        if isinstance(entry, dict) and "interval" in entry
    }
    schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
    try:
        return maskwise.anonymize(pa.Table.from_pylist(rows, schema), policy, **how)
    except maskwise.MaskwiseError:
        return None


def released(outcome: maskwise.Outcome) -> list[str]:
    """The released rows, whatever their order."""
    return sorted(map(repr, outcome.data.to_pylist()))


def public_files(outcome: maskwise.Outcome) -> tuple[str, ...]:
    """Everything that may accompany a release."""
    public = report(outcome)
    forms = public.to_markdown(), public.to_json(), public.to_html()
    return (*forms, solution_file.dumps(outcome.solution, public=True))


def owners_files(outcome: maskwise.Outcome) -> tuple[str, ...]:
    """The same for the owner."""
    owners = report(outcome, Audience.OWNER)
    return owners.to_markdown(), owners.to_json(), owners.to_html()


@st.composite
def changed(draw: Any, rows: Rows, outcome: maskwise.Outcome, policy: dict[str, Any]) -> Rows:
    """The records with other cells that may be shown alike.

    A cell of a masked attribute is replaced by another one that the cut shows in the same way, and records are added
    that are left out for a missing cell. Both can change what the search finds, so that the release may still differ.
    """
    cells: dict[str, list[Any]] = {}
    shown_as: dict[str, Callable[[Any], str | None]] = {}
    for cut in outcome.solution.cuts:
        entry = policy["attributes"][cut.attribute]
        if isinstance(entry, dict) and "interval" in entry:
            cells[cut.attribute] = [*range(7)]
            shown_as[cut.attribute] = cut.show_number
        else:
            cells[cut.attribute] = [*"abcde"]
            shown_as[cut.attribute] = cut.show_text
        if policy["missing"] == "keep":
            cells[cut.attribute].append(None)
    others = [dict(row) for row in rows]
    for _ in range(draw(st.integers(0, 4))):
        row, cut = draw(st.sampled_from(others)), draw(st.sampled_from(outcome.solution.cuts))
        name = cut.attribute

        def show(cell: Any, name: str = name, cut: Any = cut) -> str | None:
            return cut.missing_text if cell is None else shown_as[name](cell)

        row[name] = draw(
            st.sampled_from([cell for cell in cells[name] if show(cell) == show(row[name])] or [row[name]])
        )
    if policy["missing"] == "drop":
        for _ in range(draw(st.integers(0, 2))):
            name = draw(st.sampled_from([cut.attribute for cut in outcome.solution.cuts]))
            others.append({**draw(st.sampled_from(rows)), name: None})
    return others


@st.composite
def changed_in_regions(draw: Any, rows: Rows, outcome: maskwise.Outcome, policy: dict[str, Any]) -> Rows:
    """The records with other cells that their regions show alike."""
    solution = outcome.solution
    assert solution.regions is not None
    others = [dict(row) for row in rows]
    for _ in range(draw(st.integers(1, 4))):
        row, cut = draw(st.sampled_from(others)), draw(st.sampled_from(solution.cuts))
        entry = policy["attributes"][cut.attribute]
        is_interval = isinstance(entry, dict) and "interval" in entry
        cells: list[Any] = [*(range(7) if is_interval else "abcde"), None]
        shown = walk(solution.regions, solution.cuts, row)[1]
        alike = [
            cell for cell in cells if walk(solution.regions, solution.cuts, {**row, cut.attribute: cell})[1] == shown
        ]
        row[cut.attribute] = draw(st.sampled_from(alike))
    return others


@pytest.mark.slow
@settings(max_examples=12)
@given(data=st.data())
def test_equal_releases_by_regions_have_equal_public_files(data: st.DataObject) -> None:
    problem = data.draw(problems(["k", "templates"], n_requirements=(1, 1), whole=True))
    policy, rows = {**problem["policy"], "missing": "keep"}, problem["records"]
    outcome = mask(rows, policy, method="regions")
    assume(outcome is not None)
    assert outcome is not None
    other = mask(data.draw(changed_in_regions(rows, outcome, policy)), policy, method="regions")
    if other is not None and released(outcome) == released(other):
        assert public_files(outcome) == public_files(other)


@pytest.mark.parametrize("how", [{}, {"method": "bug"}, {"boundaries": "exact"}, {"as_published": True}])
@pytest.mark.slow
@settings(max_examples=10)
@given(data=st.data())
def test_equal_releases_have_equal_public_files(how: dict[str, Any], data: st.DataObject) -> None:
    problem = data.draw(problems(["all", "k", "templates", "mixed"]))
    policy = {**problem["policy"], "missing": data.draw(st.sampled_from(["keep", "drop"]))}
    rows = problem["records"]
    outcome = mask(rows, policy, **how)
    assume(outcome is not None)
    assert outcome is not None
    other = mask(data.draw(changed(rows, outcome, policy)), policy, **how)
    assume(other is not None)
    assert other is not None
    if released(outcome) == released(other):
        assert public_files(outcome) == public_files(other)


NO_NUMBER = "a hidden value that is no number"
PAIRS: dict[str, tuple[Rows, Rows, dict[str, Any]]] = {
    "hidden values": (
        [{"Job": job, "C": cls} for job, cls in zip("aaabbbcd", "xyxyxyxy", strict=True)],
        [{"Job": job, "C": cls} for job, cls in zip("aaabbbce", "xyxyxyxy", strict=True)],
        {"class": "C", "attributes": {"Job": "suppress"}, "requirements": [{"qid": ["Job"], "k": 3}]},
    ),
    NO_NUMBER: (
        [{"Job": job, "C": cls} for job, cls in zip(["10"] * 3 + ["9"] * 3 + ["7", "x"], "xyxyxyxy", strict=True)],
        [{"Job": job, "C": cls} for job, cls in zip(["10"] * 3 + ["9"] * 3 + ["7", "8"], "xyxyxyxy", strict=True)],
        {"class": "C", "attributes": {"Job": "suppress"}, "requirements": [{"qid": ["Job"], "k": 2}]},
    ),
    "missing or hidden": (
        [{"Job": job, "C": "x"} for job in [*"aaabbb", "c", None]],
        [{"Job": job, "C": "x"} for job in [*"aaabbb", "c", "d"]],
        {"attributes": {"Job": "suppress"}, "requirements": [{"qid": ["Job"], "k": 3}]},
    ),
    "records left out": (
        [{"Job": job, "C": "x"} for job in "aaabbb"],
        [{"Job": job, "C": "x"} for job in [*"aaabbb", None]],
        {"attributes": {"Job": "suppress"}, "requirements": [{"qid": ["Job"], "k": 3}], "missing": "drop"},
    ),
    "protected values that no record has": (
        [{"Job": job, "Ill": "flu", "C": "x"} for job in "aaabbb"],
        [{"Job": job, "Ill": "flu", "C": "x"} for job in [*"aaabbb", None]],
        {
            "attributes": {"Job": "suppress"},
            "requirements": [{"qid": ["Job"], "sensitive": {"Ill": ["hiv"]}, "confidence": 0.5}],
            "missing": "drop",
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_these_tables_have_one_release_and_equal_public_files(pair: str) -> None:
    rows, others, policy = PAIRS[pair]
    one, two = (maskwise.anonymize(pa.Table.from_pylist(table), policy) for table in (rows, others))
    assert released(one) == released(two)
    assert public_files(one) == public_files(two)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair != NO_NUMBER])
def test_by_regions_too_these_tables_have_equal_public_files(pair: str) -> None:
    """But for one pair, whose values have another order there, and so another release."""
    rows, others, policy = PAIRS[pair]
    one, two = (maskwise.anonymize(pa.Table.from_pylist(table), policy, method="regions") for table in (rows, others))
    assert released(one) == released(two)
    assert public_files(one) == public_files(two)


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["missing or hidden", "records left out", "protected values that no record has"])
def test_the_owners_report_can_tell_such_tables_apart(pair: str) -> None:
    """So that the tests above could fail: the tables differ in what is known of them."""
    rows, others, policy = PAIRS[pair]
    one, two = (maskwise.anonymize(pa.Table.from_pylist(table), policy) for table in (rows, others))
    assert released(one) == released(two)
    assert not [form for form, other in zip(owners_files(one), owners_files(two), strict=True) if form == other]


def test_the_owners_page_can_tell_hidden_values_apart() -> None:
    rows, others, policy = PAIRS["hidden values"]
    one, two = (maskwise.anonymize(pa.Table.from_pylist(table), policy) for table in (rows, others))
    assert report(one, Audience.OWNER).to_html() != report(two, Audience.OWNER).to_html()


def test_public_files_do_not_tell_how_often_regions_were_split() -> None:
    rows = [{"Age": age, "C": "xy"[age > 4]} for age in range(9) for _ in range(4)]
    policy = {"class": "C", "attributes": {"Age": {"interval": [0, 9]}}, "requirements": [{"qid": ["Age"], "k": 4}]}
    outcome = maskwise.anonymize(pa.Table.from_pylist(rows), policy, method="regions")
    public, owners = report(outcome).data, report(outcome, Audience.OWNER).data
    assert outcome.solution.regions is not None
    n_splits = len(outcome.solution.regions.splits)
    assert n_splits
    assert (owners["regions"]["splits"], set(public["regions"])) == (n_splits, {"combinations", "sentence"})
    assert "how_it_ended" not in public


def test_the_private_solution_can_tell_hidden_values_apart() -> None:
    rows, others, policy = PAIRS["hidden values"]
    one, two = (maskwise.anonymize(pa.Table.from_pylist(table), policy).solution for table in (rows, others))
    assert solution_file.dumps(one) != solution_file.dumps(two)
