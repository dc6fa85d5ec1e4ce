"""What refinements are worth, against plain Python; and how much one record changes it, by brute force."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest

from maskwise.private import gain_kernels
from maskwise.private.growth import PrivateGrowth
from maskwise.private.utility import SENSITIVITY, prior_of
from tests.private.tables import Record, coded, domains, every_record, impurity

DOMAINS = domains()
RECORDS = every_record(DOMAINS, 2)


def at_random(seed: int) -> tuple[list[Record], list[tuple[int, int]]]:
    """A random table, with refinements to do first."""
    draw = random.Random(seed)  # noqa: S311 - for tests
    few = draw.sample(RECORDS, draw.randint(1, 6))
    return [draw.choice(few) for _ in range(draw.randint(0, 12))], [
        (draw.randrange(100), draw.randrange(100)) for _ in range(draw.randint(0, 4))
    ]


def grown(records: list[Record], path: list[tuple[int, int]]) -> PrivateGrowth:
    growth = PrivateGrowth(DOMAINS, coded(records), 2)
    for one, other in path:
        candidates = growth.candidates()
        candidate = candidates[one % len(candidates)]
        growth.refine(candidate, candidate.options[other % len(candidate.options)])
    return growth


def naive_impurity(records: list[Record], values: list[list[int]]) -> int:
    """The impurity of all cells, where `values` says which value shows each leaf."""
    cells: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0] * 2)
    for *leaves, label in records:
        cells[tuple(of[leaf] for of, leaf in zip(values, leaves, strict=True))][label] += 1
    return sum(impurity(counts) for counts in cells.values())


def scored(growth: PrivateGrowth) -> dict[tuple[int, int, int], int]:
    return {
        (c.attribute, c.value, option): gain
        for c in growth.candidates()
        for option, gain in zip(c.options, c.gains, strict=True)
    }


def refined(growth: PrivateGrowth, attribute: int, value: int, option: int) -> list[list[int]]:
    """Which value shows each leaf after a refinement, as the score of a candidate sees it."""
    values = [shown.value_of_leaf.tolist() for shown in growth.shown]
    parts = growth.shown[attribute].parts(value, option)
    if DOMAINS[attribute].grid is not None and len(parts) == 3:
        # While an interval attribute is not split, what is outside is scored as the largest.
        parts = [parts[0], [*parts[1], *parts[2]]]
    for number, leaves in enumerate(parts):
        for leaf in leaves:
            values[attribute][leaf] = 1000 + number
    return values


@pytest.mark.parametrize("seed", range(25))
def test_gains_are_those_of_plain_python(seed: int) -> None:
    records, path = at_random(seed)
    growth = grown(records, path)
    now = naive_impurity(records, [shown.value_of_leaf.tolist() for shown in growth.shown])
    for (attribute, value, option), gain in scored(growth).items():
        after = naive_impurity(records, refined(growth, attribute, value, option))
        assert gain == now - after


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
def test_one_record_changes_no_cell_utility_by_more_than_its_sensitivity(seed: int) -> None:
    """Over all neighbours; and it changes the utilities of all candidates in the same direction."""
    records, path = at_random(seed)
    before = grown(records, path)
    values = [shown.value_of_leaf.tolist() for shown in before.shown]
    base, base_scores = naive_impurity(records, values), scored(before)
    for one in RECORDS:
        more = [*records, one]
        after = grown(more, path)
        # A score is the impurity now less that after the refinement; stopping leaves the impurity as it is.
        now = naive_impurity(more, values)
        changes = [now - base]
        changes += [(now - gain) - (base - base_scores[key]) for key, gain in scored(after).items()]
        assert all(0 <= change <= SENSITIVITY for change in changes)


def test_the_sensitivity_of_gini_is_nearly_reached() -> None:
    change = impurity([100_000, 1]) - impurity([100_000, 0])
    assert 0.99 * SENSITIVITY < change <= SENSITIVITY


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_gini_impurity_of_billions_of_records_is_that_of_plain_python(n_classes: int) -> None:
    draw = random.Random(n_classes)  # noqa: S311 - for tests
    edge = 3_000_000_000
    cases = [
        [edge - 8 * n_classes, *[0] * (n_classes - 1)],
        [edge, *[1] * (n_classes - 1)],
        [2**45 // n_classes] * n_classes,
    ]
    cases += [[draw.randrange(2 ** draw.randint(1, 42)) for _ in range(n_classes)] for _ in range(300)]
    cases += [[edge // n_classes + draw.randint(-9, 9) for _ in range(n_classes)] for _ in range(100)]
    for counts in cases:
        found = gain_kernels.impurity(np.array(counts, np.int64), prior_of(n_classes))
        assert found == impurity(counts), counts
