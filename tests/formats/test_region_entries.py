"""Splits of a solution file that cannot be followed are refused, by number and attribute."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import InputError
from maskwise.formats import solution_file, trace_file
from maskwise.solution.regions import RegionPart, RegionSplit
from tests.release.hand_made_regions import AGES, make_solution

SPLITS = (
    RegionSplit(0, "tree", (RegionPart("x"), RegionPart("y"))),
    RegionSplit(1, "tree", (RegionPart("a"),)),
    RegionSplit(2, "age", (RegionPart("[0, 10)", (0, 10)), RegionPart("[10, 20]", (10, AGES[1]), is_last=True))),
    RegionSplit(0, "*", (RegionPart("007"), RegionPart(None))),
)


def entries() -> dict[str, Any]:
    """A solution file with regions."""
    rows = [{"tree": "a", "*": None, "age": i, "day": None} for i in range(20)]
    found: dict[str, Any] = json.loads(solution_file.dumps(make_solution(SPLITS, {}, rows)))
    return found


def attribute(data: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(entry for entry in data["attributes"] if entry["name"] == name)
    return found


def part(at: int, **changes: Any) -> Callable[[dict[str, Any]], Any]:
    """Change the first part of a split."""
    return lambda data: data["regions"][at]["parts"][0].update(changes)


NOT_THERE, NOT_SHOWN, OVERLAP, LABELS = "not there", "does not have", "overlap", "labels"
BROKEN: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a region that is not there yet": (lambda data: data["regions"][0].update(region=1), NOT_THERE),
    "a region below 0": (lambda data: data["regions"][0].update(region=-1), NOT_THERE),
    "another attribute": (lambda data: data["regions"][0].update(attribute="nowhere"), NOT_THERE),
    "no part": (lambda data: data["regions"][0].update(parts=[]), NOT_THERE),
    "a value of no tree": (part(0, shown="elsewhere"), NOT_SHOWN),
    "a value outside its region": (part(1, shown="c"), NOT_SHOWN),
    "a value above its region": (part(1, shown="y"), NOT_SHOWN),
    "a missing cell below a value": (part(1, shown=None), NOT_SHOWN),
    "ends of a text": (part(0, ends=[0, 10]), NOT_SHOWN),
    "ends beside the breaks": (part(2, ends=[0, 9], shown="[0, 9)"), NOT_SHOWN),
    "ends that are no numbers": (part(2, ends=[0, float("nan")]), NOT_SHOWN),
    "no ends": (part(2, ends=None), NOT_SHOWN),
    "another label": (part(2, shown="[0, 9)"), NOT_SHOWN),
    "an end that it does not hold": (part(2, ends=[0, 20], shown="[0, 20)"), NOT_SHOWN),
    "a last interval that is not": (part(2, is_last=True, shown="[0, 10]"), NOT_SHOWN),
    "nothing": (part(2, ends=[10, 10], shown="[10, 10)"), NOT_SHOWN),
    "a value and one below it": (lambda data: data["regions"][0]["parts"].append({"shown": "a"}), OVERLAP),
    "the same twice": (lambda data: data["regions"][0]["parts"].append({"shown": "x"}), OVERLAP),
    "missing cells twice": (lambda data: data["regions"][3]["parts"].append({"shown": None}), OVERLAP),
    "overlapping intervals": (
        lambda data: data["regions"][2]["parts"].append({"shown": "[0, 20]", "ends": [0, 20], "is_last": True}),
        OVERLAP,
    ),
    "labels of no region": (lambda data: attribute(data, "tree")["regional"].append("z"), LABELS),
    "no labels": (lambda data: attribute(data, "tree").pop("regional"), "labels|cut"),
    "labels without regions": (lambda data: data.pop("regions"), LABELS),
    "a value that its tree does not have": (lambda data: attribute(data, "tree")["shown"].append("other"), "values"),
    "another root": (lambda data: attribute(data, "age").update(root="[0, 99]"), "values"),
    "dates that there are not": (lambda data: attribute(data, "day").update(breaks=[0, 10**12]), "values"),
    "a part without a label": (lambda data: data["regions"][0].update(parts=[{}]), "regions.0.parts.0.shown"),
    "a part that is a text": (lambda data: data["regions"][0].update(parts=["x"]), "regions.0.parts.0"),
}


@pytest.mark.parametrize(("change", "says"), BROKEN.values(), ids=BROKEN)
def test_splits_that_cannot_be_followed_are_refused(change: Callable[[dict[str, Any]], Any], says: str) -> None:
    data = entries()
    solution_file.loads(json.dumps(data))
    change(data)
    with pytest.raises(InputError, match=f"is no solution file.*({says})"):
        solution_file.loads(json.dumps(data))


@pytest.mark.slow
def test_a_hundred_thousand_splits_one_below_the_other_are_read() -> None:
    """A chain of regions as deep as that is followed without recursion."""
    n = 100_000
    data = entries()
    chain = [{"region": i, "attribute": "*", "parts": [{"shown": "007"}]} for i in range(n)]
    data["regions"] = [*data["regions"][:3], *chain[:1]]
    # Each region after the first shows the same value again, which takes the same rows.
    first = 1 + sum(len(split["parts"]) for split in data["regions"]) - 1
    data["regions"] += [{**link, "region": first + i} for i, link in enumerate(chain[1:])]
    found = solution_file.loads(json.dumps(data))
    assert found.regions is not None
    assert found.regions.n_regions == 1 + 5 + n


def test_a_line_of_the_trace_has_the_regions_that_were_split() -> None:
    rows = [{"age": age, "job": "ab"[age % 2], "risk": "xy"[age > 4]} for age in range(9) for _ in range(6)]
    asked = {"class": "risk", "requirements": [{"qid": ["age", "job"], "k": 5}]}
    outcome = maskwise.anonymize(pa.Table.from_pylist(rows), asked, method="regions")
    lines = [json.loads(line) for line in trace_file.dumps(outcome.steps).splitlines()]
    assert outcome.solution.regions is not None
    splits = [(split.region, split.attribute) for split in outcome.solution.regions.splits]
    assert splits
    assert [(region, line["attribute"]) for line in lines for region in line["regions"]] == splits
