"""The search by regions: targets, variants, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import maskwise
from maskwise.compress.compressed_table import ClassTable, Compact
from maskwise.errors import InputError, PolicyError
from maskwise.formats.policy_file import read_policy
from maskwise.search.regions.targets import ClassTarget, NumberTarget
from maskwise.search.regions.teacher import MOST_TAUGHT, teach_counts
from maskwise.search.regions.variants import list_variants
from tests.properties.tables import POLICY, people_table


def masked(policy: dict[str, Any], n: int = 1_500, **more: Any) -> tuple[pa.Table, Any]:
    table = people_table(7, n)
    return table, maskwise.anonymize(table, policy, method="regions", seed=1, keep_order=True, effort=1, **more)


def shown_by_value(table: pa.Table, data: pa.Table, name: str) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    for raw, shown in zip(table[name].to_pylist(), data[name].to_pylist(), strict=True):
        found.setdefault(raw, set()).add(shown)
    return found


@pytest.mark.parametrize(
    "asked", [{"consistency": "global"}, {"attributes": {"age": {"interval": [0, 100], "consistency": "mostly"}}}]
)
def test_one_meaning_for_all_regions_is_not_to_be_had(asked: dict[str, Any]) -> None:
    with pytest.raises(PolicyError, match=r"Delete `consistency`, or use the method `tdr`: one cut for all"):
        read_policy({**POLICY, **asked})


@pytest.mark.parametrize(
    ("policy", "options", "message"),
    [
        (POLICY, {"as_published": True}, "not in the papers"),
        ({**POLICY, "attributes": {"job": {"suppress": None, "at_least": 1}}}, {}, "at_least"),
    ],
)
def test_what_does_not_fit_is_refused(policy: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        maskwise.anonymize(people_table(1, 200), policy, method="regions", **options)


def test_two_classes_share_a_target_and_more_have_their_own() -> None:
    known, without = np.array([[0.2, 0.8]]), np.array([[0.5, 0.5]])
    two = ClassTarget(np.array([1]), 2).orders(known, without)
    assert two.tolist() == [[[pytest.approx(0.3), 0.25]]]
    three = ClassTarget(np.array([2]), 3).orders(np.array([[0.2, 0.3, 0.5]]), np.full((1, 3), 1 / 3))
    assert three.shape == (1, 3, 2)
    assert three[0, :, 1] == pytest.approx([2 / 9] * 3)


def test_numbers_are_standardized_and_missing_ones_are_the_mean() -> None:
    target = NumberTarget.of(np.array([1.0, 3.0, np.nan, 5.0]))
    assert target.numbers == pytest.approx([-1.224744871, 0, 0, 1.224744871])
    assert target.orders(np.array([[0.5]]), np.array([[0.25]])).tolist() == [[[0.25, 1.0]]]
    assert target.losses(np.zeros((4, 1))) == pytest.approx(target.numbers**2)


def test_what_is_taught_does_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(3)
    codes, bins = rng.integers(0, 4, (300, 2)), rng.integers(0, 3, 300)
    classes = (rng.random(300) < 0.2 + 0.15 * codes[:, 0]).astype(np.int64)
    keys, row = np.unique(np.column_stack([codes, bins]), axis=0, return_inverse=True)
    counts = np.zeros((len(keys), 2), np.int64)
    np.add.at(counts, (row, classes), 1)
    lessons = [
        teach_counts(
            ClassTable(Compact((0, 1), keys[at, :2].astype(np.uint8), counts[at]), keys[at, 2]),
            is_number=[True, False],
            seed=0,
        )
        for at in (np.arange(len(keys)), rng.permutation(len(keys)))
    ]
    one, other = lessons
    assert one is not None
    assert other is not None
    assert (one.codes == other.codes).all()
    assert (one.sums == other.sums).all()
    # Rows with a higher code have more of the class, and the teacher knows it.
    added = [one.sums[one.codes[:, 0] == code, 0, 0].sum() for code in range(4)]
    assert added == sorted(added)


def test_a_missing_number_is_taught_as_the_mean() -> None:
    codes = np.arange(3, dtype=np.uint8)[:, None]
    rows = Compact((0,), codes, 40 * np.eye(3, dtype=np.int64))
    lesson = teach_counts(ClassTable(rows, labels=("0", "2", None)), is_number=[True], seed=0, class_is_number=True)
    assert lesson is not None
    low, high, missing = lesson.sums[:, 0, 0].tolist()
    assert low < missing < high


@pytest.mark.slow
def test_of_many_counted_records_some_are_drawn() -> None:
    codes = np.arange(200, dtype=np.uint8)[:, None]
    counts = np.column_stack([np.full(200, 900), 500 + 4 * np.arange(200)])
    lesson = teach_counts(ClassTable(Compact((0,), codes, counts)), is_number=[True], seed=0)
    assert lesson is not None
    assert abs(len(lesson.records.row) - MOST_TAUGHT) < 0.02 * MOST_TAUGHT


def test_variants_have_room_for_some_regions() -> None:
    assert [one.factor for one in list_variants(1_000, 10)] == [1, 2, 4, 8, 1]
    assert [one.factor for one in list_variants(100, 50)] == [1, 1]


def test_with_effort_the_owner_is_told_how_regions_were_chosen() -> None:
    outcome = maskwise.anonymize(people_table(7, 600), POLICY, method="regions", seed=1)
    assert any("held-out folds" in note for note in outcome.solution.notes)


def test_a_class_that_is_a_number_is_told_by_regions() -> None:
    rng = np.random.default_rng(2)
    age, old = rng.integers(20, 80, 900), rng.integers(0, 2, 900)
    table = pa.table({"age": age, "sex": np.where(old, "F", "M"), "cost": age * 10.0 * old + rng.normal(0, 20, 900)})
    policy = {"class": {"cost": "number"}, "requirements": [{"qid": ["age", "sex"], "k": 30}]}
    outcome = maskwise.anonymize(table, policy, method="regions", seed=0, keep_order=True)
    found: dict[Any, list[float]] = {}
    for age_label, sex, cost in zip(*(outcome.data[name].to_pylist() for name in ("age", "sex", "cost")), strict=True):
        found.setdefault((age_label, sex), []).append(cost)
    within = sum(len(costs) * np.var(costs) for costs in found.values()) / 900
    # Age tells the cost of one sex only: there its intervals are narrow.
    assert within < 0.05 * np.var(table["cost"].to_numpy())
    narrow = [label for label, sex in found if sex == "F"]
    assert len(narrow) > 2 * len([label for label, sex in found if sex == "M"])
