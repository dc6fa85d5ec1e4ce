"""Two releases of the same people: what is decided, linked and bounded, held against plain Python."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.attacks.attack import AttackResult
from maskwise.values.message import Audience

TREE = {"Any": {"L": ["a", "b"], "R": ["c", "d"]}}
ABOVE = {"a": "L", "b": "L", "c": "R", "d": "R"}
POLICY = {
    "attributes": {"Age": {"interval": [0, 99]}, "Job": {"taxonomy": TREE}, "Sex": "suppress"},
    "requirements": [{"qid": ["Age", "Job", "Sex"], "k": 3}],
}


def age(number: int, breaks: list[int]) -> str:
    at = max(i for i, low in enumerate(breaks[:-1]) if low <= number)
    return f"[{breaks[at]}, {breaks[at + 1]}{']' if at == len(breaks) - 2 else ')'}"


def job(leaf: str, level: int) -> str:
    return ["Any", ABOVE[leaf], leaf][level]


def inside(label: str, raw: Any) -> bool:
    """Whether a raw value may be behind a label, one value at a time."""
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return int(low) <= raw < int(high) + label.endswith("]")
    return label in {"Any", "*", raw, ABOVE.get(raw)}


Cut = tuple[list[int], int, bool]
CUTS = st.tuples(
    st.sets(st.sampled_from([20, 40, 50, 60, 80])).map(lambda inner: [0, *sorted(inner), 99]),
    st.integers(0, 2),
    st.booleans(),
)


def people(seed: int, n: int = 60) -> list[tuple[int, str, str]]:
    rng = random.Random(seed)  # noqa: S311 - test data
    return [(rng.randrange(100), rng.choice("abcd"), rng.choice("FM")) for _ in range(n)]


def release(rows: list[tuple[int, str, str]], cut: Cut, **more: list[Any]) -> pa.Table:
    breaks, level, shows_sex = cut
    return pa.table(
        {
            "Age": [age(number, breaks) for number, _, _ in rows],
            "Job": [job(leaf, level) for _, leaf, _ in rows],
            "Sex": [sex if shows_sex else "*" for _, _, sex in rows],
            **more,
        }
    )


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(CUTS, CUTS, st.integers(0, 3))
def test_passed_means_that_the_joined_groups_are_those_of_one_release(first: Cut, second: Cut, seed: int) -> None:
    rows = people(seed)
    tables = [release(rows, first), release(rows, second)]
    found = maskwise.compose(*tables, POLICY)
    shown = [list(zip(*(table[name].to_pylist() for name in ("Age", "Job", "Sex")), strict=True)) for table in tables]
    joint = Counter(zip(*shown, strict=True))
    sizes = [Counter(one) for one in shown]
    (data,) = found.attack.details["quasi_identifiers"]
    if data["finer"] is None:
        assert found.attack.result is AttackResult.UNDECIDED
        for side, (own, other) in zip(("first", "second"), ((0, 1), (1, 0)), strict=True):
            # An upper bound: everybody in the other release who may be the same person, whatever is known of neither.
            raws = [(number, leaf, sex) for number in range(100) for leaf in "abcd" for sex in "FM"]
            agree = [
                sum(
                    sizes[other][theirs]
                    for theirs in sizes[other]
                    if any(all(map(inside, (*ours, *theirs), (*raw, *raw))) for raw in raws)
                )
                for ours in shown[own]
            ]
            assert data["candidates"][side]["smallest"] == min(agree)
            assert data["candidates"][side]["share_below_k"] == pytest.approx(sum(n < 3 for n in agree) / len(rows))
        return
    finer = ("first", "second").index(data["finer"])
    assert sorted(joint.values()) == sorted(sizes[finer].values())
    is_broken = min(joint.values()) < 3
    assert found.attack.result is (AttackResult.FAILED if is_broken else AttackResult.PASSED)
    assert found.is_met is not any(min(one.values()) < 3 for one in sizes)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.tuples(CUTS, CUTS), st.tuples(CUTS, CUTS), st.integers(0, 3))
def test_a_release_with_regions_has_the_joint_groups_only_if_that_is_so(
    first: tuple[Cut, Cut], second: tuple[Cut, Cut], seed: int
) -> None:
    """Two cuts in one release: labels overlap, and `*` stands also for what the other region shows."""
    rows = people(seed)
    tables = [by_region(rows, cuts) for cuts in (first, second)]
    found = maskwise.compose(*tables, POLICY)
    shown = [list(zip(*(table[name].to_pylist() for name in ("Age", "Job", "Sex")), strict=True)) for table in tables]
    (data,) = found.attack.details["quasi_identifiers"]
    if data["finer"] is not None:
        finer = ("first", "second").index(data["finer"])
        assert sorted(Counter(zip(*shown, strict=True)).values()) == sorted(Counter(shown[finer]).values())


def by_region(rows: Any, cuts: tuple[Cut, Cut]) -> pa.Table:
    """Records with some jobs shown by one cut, all others by another."""
    halves = [release(rows, cut).to_pylist() for cut in cuts]
    return pa.Table.from_pylist([halves[job in "ab"][i] for i, (_, job, _) in enumerate(rows)])


def test_each_telling_more_of_another_attribute_is_undecided() -> None:
    rows = people(1)
    first, second = ([0, 50, 99], 0, False), ([0, 99], 2, False)
    found = maskwise.compose(release(rows, first), release(rows, second), POLICY)
    assert found.is_met
    assert found.attack.result is AttackResult.UNDECIDED
    assert "the first tells more of `Age`, the second tells more of `Job`" in found.attack.text
    assert found.attack.audience is Audience.RECIPIENT


def test_other_people_are_undecided_though_the_labels_fit() -> None:
    first, second = ([0, 50, 99], 1, True), ([0, 99], 1, False)
    found = maskwise.compose(release(people(1), first), release(people(2), second), POLICY)
    assert found.attack.result is AttackResult.UNDECIDED
    assert "not of the same records" in found.attack.text


def test_records_that_link_uniquely_are_counted_by_the_columns_shown_alike() -> None:
    rows, n = people(4), 60
    rng = random.Random(0)  # noqa: S311 - test data
    wards = [rng.randrange(25) for _ in range(n)]
    cuts: list[Cut] = [([0, 40, 99], 1, True), ([0, 50, 99], 1, False)]
    # Another order, and other types of the same cells.
    one = release(rows, cuts[0], Ward=wards, Own=["x"] * n)
    order = rng.sample(range(n), n)
    other = release(rows, cuts[1], Ward=[str(ward) for ward in wards]).take(order)
    attack = maskwise.compose(one, other, POLICY).attack
    assert attack.details["linked_by"] == ["Job", "Ward"]
    alike = [(job(leaf, 1), ward) for (_, leaf, _), ward in zip(rows, wards, strict=True)]
    expected = sum(size == 1 for size in Counter(alike).values()) / n
    assert 0 < expected < 1
    assert attack.figure == pytest.approx(expected)
    assert attack.details["linked_uniquely"] == pytest.approx(expected)
    assert f"{100 * expected:.2f} % of the records link uniquely on `Job`, `Ward`" in attack.text


@pytest.mark.slow
def test_two_cuts_of_maskwise_one_below_the_other_pass() -> None:
    rows = people(7, 400)
    table = pa.table(dict(zip(("Age", "Job", "Sex"), map(list, zip(*rows, strict=True)), strict=True)))
    whole, early = maskwise.anonymize(table, POLICY), maskwise.anonymize(table, POLICY, max_steps=2)
    # The search that was stopped early shows unions of what it would have shown later.
    assert len(whole.steps) > 2
    for releases, finer in (((whole, early), "first"), ((early, whole), "second")):
        found = maskwise.compose(*(one.data for one in releases), POLICY)
        assert found.attack.result is AttackResult.PASSED
        assert found.attack.details["quasi_identifiers"][0]["finer"] == finer


def test_quoted_cells_are_read_as_they_were() -> None:
    tree = {"any": {"=x": ["=a", "=b"], "y": None}}
    policy = {"attributes": {"=Q": {"taxonomy": tree}}, "requirements": [{"qid": ["=Q"], "k": 2}]}
    leaves = ["=a"] * 2 + ["=b"] * 2 + ["y"] * 2
    coarse = ["=x"] * 4 + ["y"] * 2
    quoted = [
        pa.table({"'=Q": [f"'{text}" if text.startswith("=") else text for text in one]}) for one in (leaves, coarse)
    ]
    found = maskwise.compose(*quoted, policy, escape_formulas=True)
    assert found.attack.result is AttackResult.PASSED
    assert found.attack.details["quasi_identifiers"][0]["finer"] == "first"
