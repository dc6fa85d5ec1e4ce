"""Masking by regions, against a walk through the splits row by row."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import maskwise
from maskwise.errors import InputError
from maskwise.formats import solution_file
from maskwise.policy.attributes import Kind
from maskwise.profile import column_counts as counting
from maskwise.profile.profile import profile
from maskwise.release.frames import as_frame
from maskwise.release.mask import apply, mask
from maskwise.solution.cut import MissingShown
from maskwise.solution.region_codes import Codes
from maskwise.solution.region_rows import find_regions, number_numbers, number_texts
from maskwise.solution.regions import RegionPart, RegionSplit
from maskwise.table.read import read
from tests.reference.region_walk import is_true, walk
from tests.release.hand_made_regions import AGES, NAMES, SUPPRESS, Case, cases, make_solution

FEW = settings(max_examples=12)


def cells(table: Any) -> list[tuple[str | None, ...]]:
    """The masked cells, in the order of the rows' notes."""
    found = sorted(as_frame(table).to_pylist(), key=lambda row: int(row["note"]))
    return [tuple(row[name] for name in NAMES) for row in found]


def expected(case: Case, rows: list[dict[str, Any]]) -> list[tuple[str | None, ...]]:
    regions = case.solution.regions
    assert regions is not None
    return [walk(regions, case.solution.cuts, row)[1] for row in rows]


def code_rows(case: Case, rows: list[dict[str, Any]]) -> Any:
    """The numbers of rows, as masking gives them to the search for regions."""
    codes = [Codes.of(cut) for cut in case.solution.cuts]
    columns = []
    for one in codes:
        values = [row[one.cut.attribute] for row in rows]
        if one.cut.kind is Kind.INTERVAL:
            found = number_numbers(one, np.array([0 if value is None else value for value in values]))
        else:
            found = number_texts(one, ["" if value is None else value for value in values])
        columns.append(np.where([value is None for value in values], one.missing, found))
    return codes, np.column_stack(columns)


@given(cases())
def test_every_row_is_in_the_region_that_the_splits_lead_to(case: Case) -> None:
    rows = [*case.rows, *case.later]
    codes, coded = code_rows(case, rows)
    regions = case.solution.regions
    assert regions is not None
    found = find_regions(regions, codes, coded).tolist()
    assert found == [walk(regions, case.solution.cuts, row)[0] for row in rows]
    assert max(found) < regions.n_regions


@FEW
@given(cases())
def test_a_table_and_the_same_rows_later_are_masked_as_the_splits_say(case: Case) -> None:
    table = read(case.table(case.rows))
    profiled, table = profile(table, case.policy, keep_rare=True)
    shown = expected(case, case.rows)
    assert cells(mask(table, case.solution, profiled.columns)) == shown
    later = apply(table, case.solution)
    assert cells(later.table) == shown
    assert not later.outside


@FEW
@given(cases())
def test_what_nobody_had_seen_stays_in_the_region_before_and_no_label_is_false(case: Case) -> None:
    shown = expected(case, case.later)
    masked = apply(read(case.table(case.later)), case.solution)
    assert cells(masked.table) == shown
    n_outside = dict.fromkeys(NAMES, 0)
    for row, labels in zip(case.later, shown, strict=True):
        for cut, label in zip(case.solution.cuts, labels, strict=True):
            cell = row[cut.attribute]
            if label == cut.outside_label:
                n_outside[cut.attribute] += 1
                assert not cut.breaks[0] <= cell <= cut.breaks[-1]
            else:
                assert is_true(cut, label, cell)
    assert masked.outside == {name: n for name, n in n_outside.items() if n}


@FEW
@given(cases())
def test_outside_and_strict_go_by_what_the_regions_show(case: Case) -> None:
    table = read(case.table(case.later))
    shown = expected(case, case.later)
    inside = [labels for labels in shown if not any(str(label).endswith(" or outside") for label in labels)]
    dropped = apply(table, case.solution, outside="drop")
    assert (cells(dropped.table), dropped.n_outside_dropped) == (inside, len(shown) - len(inside))
    if len(inside) < len(shown):
        with pytest.raises(InputError, match="outside every interval"):
            apply(table, case.solution, outside="refuse")
    else:
        apply(table, case.solution, outside="refuse")
    is_known = all(
        cut.missing is not MissingShown.UNSEEN if row[cut.attribute] is None else _is_known(cut, row[cut.attribute])
        for row in case.later
        for cut in case.solution.cuts
    )
    if is_known and len(inside) == len(shown):
        apply(table, case.solution, strict=True)
    else:
        with pytest.raises(InputError, match="does not know"):
            apply(table, case.solution, strict=True)


def _is_known(cut: Any, cell: Any) -> bool:
    return cut.kind is Kind.INTERVAL or cut.knows(cell)


@given(cases())
def test_regions_survive_their_file(case: Case) -> None:
    assert solution_file.loads(solution_file.dumps(case.solution)) == case.solution


@FEW
@given(cases())
def test_the_order_of_rows_changes_nothing(case: Case) -> None:
    table = case.table(case.rows)
    places = list(range(len(case.rows)))
    random.Random(1).shuffle(places)  # noqa: S311 - test data
    once, again = (apply(read(one), case.solution).table for one in (table, table.take(places)))
    assert cells(once) == cells(again)
    # The order that the rows have is the order in which they are written.
    assert as_frame(again)["note"].to_pylist() == [str(place) for place in places]


def test_a_number_beyond_a_coded_end_is_inside_only_where_the_label_has_no_end() -> None:
    """130 is `≥ 10` where a region says so, but not `[0, 20]`."""
    splits = (
        RegionSplit(0, "tree", (RegionPart("x"),)),
        RegionSplit(1, "age", (RegionPart("[0, 10)", (0, 10)), RegionPart("≥ 10", (10, AGES[1]), is_last=True))),
    )
    rows = [{"tree": tree, SUPPRESS: "7", "age": 130, "day": None} for tree in "ac"]
    solution = make_solution(splits, {"age": (False, True)}, rows)
    masked = apply(read(Case(rows, [], solution, None).table(rows)), solution)
    assert as_frame(masked.table)["age"].to_pylist() == ["≥ 10", "[0, 20] or outside"]
    assert masked.outside == {"age": 1}


def test_numbers_counted_by_ranges_and_values_not_told_apart_are_masked_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """More numbers and texts than are told apart: of numbers ranges are counted, rare texts are one value."""
    monkeypatch.setattr(counting, "MOST_VALUES", 12)
    rng = random.Random(3)  # noqa: S311 - test data
    rows = []
    for _ in range(240):
        pay, job = rng.randrange(5_000), rng.choice(["p", "q", "r", f"own {rng.randrange(90)}"])
        rows.append({"pay": pay, "job": job, "risk": "xy"[(pay > 2_000) ^ (job == "q")]})
    table = pa.Table.from_pylist(rows)
    policy = {"class": "risk", "attributes": {"job": "suppress"}, "requirements": [{"qid": ["pay", "job"], "k": 12}]}
    outcome = maskwise.anonymize(table, policy, method="regions", keep_order=True, why=True)
    solution = outcome.solution
    assert solution.regions is not None
    assert len(solution.regions.splits) > 1
    assert solution.cut("job").hides_more
    shown = [tuple(row[cut.attribute] for cut in solution.cuts) for row in outcome.data.to_pylist()]
    assert shown == [walk(solution.regions, solution.cuts, row)[1] for row in rows]
    assert as_frame(apply(read(table), solution).table).to_pylist() == outcome.data.to_pylist()


def test_a_whole_range_without_an_end_holds_every_later_number() -> None:
    rows = {"x": [i % 20 for i in range(60)], "s": ["F", "M"] * 30, "c": ["a", "a", "b"] * 20}
    policy = {
        "class": "c",
        "attributes": {"x": {"interval": [0, 50], "clamp": [None, 50]}, "s": "suppress"},
        "requirements": [{"qid": ["x", "s"], "k": 60}],
    }
    solution = maskwise.anonymize(pa.table(rows), policy, method="regions").solution
    later = maskwise.apply(pa.table({"x": [99, -1], "s": ["F"] * 2, "c": ["a"] * 2}), solution, keep_order=True)
    assert later.data["x"].to_pylist() == ["≥ 0", "≥ 0 or outside"]
