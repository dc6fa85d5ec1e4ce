"""Bottom-up generalization: what the paper says about its Figure 1 (ICDM 2004, Examples 1 and 2)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from tests.reference.bottomup import BottomUp
from tests.reference.topdown import Attribute, K, anonymity

VID = ("Relationship", "Race", "Workclass")
FIGURE_1 = [
    ("c1", "b2", "a3", 0, 4),
    ("c1", "b2", "c3", 0, 4),
    ("c1", "b2", "d3", 0, 3),
    ("c1", "c2", "a3", 2, 1),
    ("c1", "c2", "b3", 2, 2),
    ("d1", "c2", "b3", 4, 0),
    ("d1", "c2", "e3", 2, 0),
    ("d1", "d2", "b3", 2, 1),
    ("d1", "d2", "e3", 2, 0),
]
RECORDS: list[dict[str, Any]] = [
    {**dict(zip(VID, vid, strict=True)), "C": label} for *vid, yes, no in FIGURE_1 for label in ["Y"] * yes + ["N"] * no
]
HIERARCHIES: dict[str, Any] = {
    "Relationship": {"g1": {"e1": ["a1", "b1"], "f1": ["c1", "d1"]}},
    "Race": {"g2": {"e2": ["a2", "b2"], "f2": ["c2", "d2"]}},
    "Workclass": {"h3": {"a3": None, "b3": None, "f3": ["c3", "d3"], "e3": None}},
}
ATTRIBUTES = [
    Attribute("Relationship", "taxonomy", {"g1": ["e1", "f1"], "e1": ["a1", "b1"], "f1": ["c1", "d1"]}, "g1"),
    Attribute("Race", "taxonomy", {"g2": ["e2", "f2"], "e2": ["a2", "b2"], "f2": ["c2", "d2"]}, "g2"),
    Attribute("Workclass", "taxonomy", {"h3": ["a3", "b3", "f3", "e3"], "f3": ["c3", "d3"]}, "h3"),
]
INFO_LOSS_F2 = 0.000805
"""H(14, 4) - 13/18 H(10, 3) - 5/18 H(4, 1), by hand: c2 holds 10Y3N and d2 holds 4Y1N."""


def vids(rows: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    """How many records share each value on VID, that is a(vid)."""
    return Counter(tuple(row[name] for name in VID) for row in rows)


def policy(k: int) -> dict[str, Any]:
    return {
        "class": "C",
        "attributes": {name: {"taxonomy": tree} for name, tree in HIERARCHIES.items()},
        "requirements": [{"qid": list(VID), "k": k}],
    }


def check_example_2(rows: list[dict[str, Any]]) -> None:
    assert vids(rows)["d1", "f2", "e3"] == 4
    assert vids(rows)["d1", "f2", "b3"] == 7
    assert {name for _, name, _ in vids(rows)} == {"b2", "f2"}
    assert min(vids(rows).values()) == 3


def test_figure_1_has_anonymity_2_at_two_vids() -> None:
    assert anonymity(RECORDS, VID) == 2
    assert [vid for vid, n in vids(RECORDS).items() if n == 2] == [("d1", "c2", "e3"), ("d1", "d2", "e3")]


def test_the_reference_finds_the_one_critical_generalization() -> None:
    """Example 1 also calls e1 valid; no record has a value below it, so generalizing to it moves nothing."""
    search = BottomUp(RECORDS, ATTRIBUTES, [K(VID, 3)], "C")
    candidates = {g.after: g for g in search.candidates()}
    assert list(candidates) == ["f1", "e2", "f2", "f3"]
    assert [after for after, g in candidates.items() if search.anonymity_gain(g) > 0] == ["f2"]
    (step,) = search.run()
    assert (step["attribute"], step["before"], step["after"]) == ("Race", ("c2", "d2"), "f2")
    assert (step["anonymity_gain"], step["requirements"]) == (Fraction(1), [Fraction(3)])
    assert step["info_loss"] == step["ip"] == pytest.approx(INFO_LOSS_F2, abs=5e-7)
    check_example_2(search.masked())


def test_a_surplus_of_anonymity_counts_for_nothing() -> None:
    """Section 3: with K = 9 the step from 7 to 11 gains 2, and with K = 11 it gains 4."""
    for k, gain in ((9, 2), (11, 4)):
        last = BottomUp(RECORDS, ATTRIBUTES, [K(VID, k)], "C").run()[-1]
        assert (last["after"], last["requirements"], last["anonymity_gain"]) == ("f1", [11], gain)
        assert last["ip"] == pytest.approx(last["info_loss"] / gain)


def test_steps_of_example_1() -> None:
    outcome = maskwise.anonymize(pa.Table.from_pylist(RECORDS), policy(3), method="bug", as_published=True)
    (step,) = outcome.steps
    assert (step.step, step.attribute, step.before, step.after) == (1, "Race", ("c2", "d2"), "f2")
    assert (step.anonymity_gain, step.requirements) == (1, (3,))
    assert step.info_loss == step.ip == pytest.approx(INFO_LOSS_F2, abs=5e-7)
    check_example_2(outcome.data.to_pylist())
    assert outcome.verdict.findings[0].anonymity == 3


def test_a_table_that_meets_the_requirement_is_released_as_it_is() -> None:
    outcome = maskwise.anonymize(pa.Table.from_pylist(RECORDS), policy(2), method="bug", as_published=True)
    assert outcome.steps == ()
    assert outcome.data.to_pylist() == RECORDS


@pytest.mark.slow
@pytest.mark.parametrize("k", range(4, 30, 5))
def test_the_path_to_a_larger_k_on_figure_1_is_the_references(k: int) -> None:
    search = BottomUp(RECORDS, ATTRIBUTES, [K(VID, k)], "C")
    expected = search.run()
    outcome = maskwise.anonymize(pa.Table.from_pylist(RECORDS), policy(k), method="bug", as_published=True)
    assert [(s.attribute, s.before, s.after, s.anonymity_gain, *s.requirements) for s in outcome.steps] == [
        (e["attribute"], e["before"], e["after"], e["anonymity_gain"], *e["requirements"]) for e in expected
    ]
    assert outcome.data.select(list(VID)).to_pylist() == search.masked()
