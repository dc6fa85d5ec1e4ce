"""What refinements are worth, against plain Python; and how much one record changes it, by brute force."""

from __future__ import annotations

import math
import random
from collections import defaultdict

import numpy as np
import pytest

from maskwise.policy.private_release import PrivateUtility
from maskwise.private import gain_kernels
from maskwise.private.growth import PrivateGrowth
from maskwise.private.utility import BITS, Utility
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


def grown(records: list[Record], path: list[tuple[int, int]], utility: Utility) -> PrivateGrowth:
    growth = PrivateGrowth(DOMAINS, coded(records), utility)
    for one, other in path:
        candidates = growth.candidates()
        candidate = candidates[one % len(candidates)]
        growth.refine(candidate, candidate.options[other % len(candidate.options)])
    return growth


def naive_impurity(records: list[Record], values: list[list[int]], utility: Utility) -> int:
    """The impurity of all cells, where `values` says which value shows each leaf."""
    cells: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0] * utility.n_classes)
    for *leaves, label in records:
        cells[tuple(of[leaf] for of, leaf in zip(values, leaves, strict=True))][label] += 1
    return sum(impurity(counts, utility) for counts in cells.values())


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


@pytest.mark.parametrize("kind", [PrivateUtility.GINI, PrivateUtility.MAX])
@pytest.mark.parametrize("seed", range(25))
def test_gains_are_those_of_plain_python(kind: PrivateUtility, seed: int) -> None:
    records, path = at_random(seed)
    utility = Utility(kind, 2)
    growth = grown(records, path, utility)
    now = naive_impurity(records, [shown.value_of_leaf.tolist() for shown in growth.shown], utility)
    for (attribute, value, option), gain in scored(growth).items():
        after = naive_impurity(records, refined(growth, attribute, value, option), utility)
        assert gain == now - after


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PrivateUtility.GINI, PrivateUtility.MAX])
@pytest.mark.parametrize("seed", range(15))
def test_one_record_changes_no_cell_utility_by_more_than_its_sensitivity(kind: PrivateUtility, seed: int) -> None:
    """Over all neighbours; and it changes the utilities of all candidates in the same direction."""
    records, path = at_random(seed)
    utility = Utility(kind, 2)
    before = grown(records, path, utility)
    values = [shown.value_of_leaf.tolist() for shown in before.shown]
    base, base_scores = naive_impurity(records, values, utility), scored(before)
    for one in RECORDS:
        more = [*records, one]
        after = grown(more, path, utility)
        # A score is the impurity now less that after the refinement; stopping leaves the impurity as it is.
        now = naive_impurity(more, values, utility)
        changes = [now - base]
        changes += [(now - gain) - (base - base_scores[key]) for key, gain in scored(after).items()]
        assert all(0 <= change <= utility.sensitivity for change in changes)


def test_the_sensitivity_of_the_majority_is_reached() -> None:
    utility = Utility(PrivateUtility.MAX, 2)
    assert impurity([3, 1], utility) - impurity([3, 0], utility) == utility.sensitivity


def test_the_sensitivity_of_gini_is_nearly_reached() -> None:
    utility = Utility(PrivateUtility.GINI, 2)
    change = impurity([100_000, 1], utility) - impurity([100_000, 0], utility)
    assert 0.99 * utility.sensitivity < change <= utility.sensitivity


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_gini_impurity_of_billions_of_records_is_that_of_plain_python(n_classes: int) -> None:
    utility = Utility(PrivateUtility.GINI, n_classes)
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
        found = gain_kernels.impurity(np.array(counts, np.int64), utility.prior, gain_kernels.GINI)
        assert found == impurity(counts, utility), counts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
def test_one_record_changes_no_info_gain_by_more_than_the_logarithm_of_the_classes(seed: int) -> None:
    records, path = at_random(seed)
    utility = Utility(PrivateUtility.INFOGAIN, 2)
    assert utility.sensitivity == BITS
    before = scored(grown(records, path, utility))
    for one in RECORDS:
        after = scored(grown([*records, one], path, utility))
        assert all(abs(after[key] - gain) <= utility.sensitivity for key, gain in before.items())


def test_info_gains_are_those_of_the_formula() -> None:
    records = [(0, 0, 0, 0)] * 3 + [(3, 1, 0, 1)] * 2 + [(3, 2, 1, 0)]

    def entropy(*counts: int) -> float:
        return -sum(n / sum(counts) * math.log2(n / sum(counts)) for n in counts if n)

    growth = grown(records, [], Utility(PrivateUtility.INFOGAIN, 2))
    gains = scored(growth)
    # The taxonomy's root: School has 3 lo and 2 hi, University 1 lo.
    expected = entropy(4, 2) - 5 / 6 * entropy(3, 2)
    assert gains[1, 0, 0] == pytest.approx(expected * BITS, abs=1)
