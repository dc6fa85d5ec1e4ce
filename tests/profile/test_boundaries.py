"""Where an interval attribute may be split, and what a boundary would tell."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwise
from maskwise.formats.policy_file import read_policy
from maskwise.policy.attributes import Boundaries
from maskwise.profile.boundaries import limit_boundaries
from maskwise.profile.columns import Column
from maskwise.profile.profile import profile
from maskwise.profile.round_numbers import round_between
from maskwise.table.read import read
from maskwise.values.scales import Scale, as_python

numbers = st.lists(st.integers(-40, 40).map(float) | st.floats(-40, 40, width=16), min_size=1, max_size=60)
POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": {"x": "interval"},
    "requirements": [{"qid": ["x"], "k": 5}],
}


def column_of(cells: list[float], k: int, boundaries: Boundaries = Boundaries.SAFE, **entry: Any) -> Column:
    attribute = {"x": entry} if entry else {}
    policy = read_policy({"attributes": attribute, "requirements": [{"qid": ["x"], "k": k}]})
    found, _ = profile(read(pa.table({"x": cells})), policy)
    return limit_boundaries(found, policy.floors(), boundaries).columns[0]


@given(numbers, st.integers(1, 7))
def test_no_boundary_neighbour_is_a_single_person(cells: list[float], k: int) -> None:
    column = column_of(cells, k)
    inner = column.numbers[1:].tolist()
    held = [sum(low <= cell < high for cell in cells) for low, high in pairwise([-np.inf, *inner, np.inf])]
    assert held == column.counts.sum(axis=1).tolist()
    if inner:
        assert min(held) >= max(k, 2)


@pytest.mark.slow
@given(numbers, st.integers(2, 5))
def test_bins_are_those_of_plain_counting(cells: list[float], k: int) -> None:
    values, starts = sorted(set(cells)), [0]
    borders = round_between(np.array(values[:-1]), np.array(values[1:]), Scale.REAL).tolist()

    def n_between(start: int, stop: int) -> int:
        return sum(cells.count(value) for value in values[start:stop])

    def worth_avoiding(at: int) -> int:
        border = borders[at - 1]
        n_digits = len(f"{Decimal(repr(border)):f}".replace(".", "").strip("-0"))
        is_own = border == values[at] and cells.count(border) == 1
        return (0 if n_digits <= 2 else n_digits) + 100 * is_own

    while True:
        ends = [at for at in range(starts[-1] + 1, len(values)) if n_between(starts[-1], at) >= k]
        ends = [at for at in ends if n_between(at, len(values)) >= k]
        near = [at for at in ends if n_between(starts[-1], at) <= k + k // 2] or ends[:1]
        if not near:
            break
        starts.append(near[0] if not worth_avoiding(near[0]) else min(near, key=lambda at: (worth_avoiding(at), at)))
    column = column_of(cells, k)
    assert column.counts.sum(axis=1).tolist() == [n_between(*ends) for ends in pairwise([*starts, len(values)])]
    for start, border in zip(starts[1:], column.numbers[1:].tolist(), strict=True):
        assert values[start - 1] < border <= values[start]


def shown_boundaries(cells: list[Any]) -> list[Any]:
    """The boundaries of a release in which every allowed one is shown."""
    table = pa.table({"x": cells, "risk": ["hi" if i % 2 else "lo" for i in range(len(cells))]})
    outcome = maskwise.anonymize(table, POLICY)
    (cut,) = outcome.solution.cuts
    return [as_python(one, cut.scale) for one in cut.breaks[1:-1]]


def test_a_boundary_is_somebodys_own_value_only_where_none_beside_it_is_not() -> None:
    """Whole numbers without room between them: of two neighbours one is a value that many have."""
    cells = [value for value in range(101, 400) for _ in range(1 if value % 2 else 4)]
    found = shown_boundaries(cells)
    assert len(found) > 100
    assert not [one for one in found if cells.count(one) == 1]


def test_round_boundaries_are_preferred() -> None:
    amounts = shown_boundaries([round(1_000 + 37.4817 * i + (i * i % 13) / 7, 3) for i in range(300)])
    assert len(amounts) > 30
    assert np.mean([one % 50 == 0 for one in amounts]) > 0.9
    days = shown_boundaries([dt.date(1950, 1, 3) + dt.timedelta(days=6 * i) for i in range(400)])
    assert len(days) > 45
    assert np.mean([one.day == 1 for one in days]) > 0.7


def test_exact_boundaries_are_the_numbers_of_the_data() -> None:
    column = column_of([3, 1, 4, 1, 5], 2, Boundaries.EXACT)
    assert column.numbers.tolist() == [1, 3, 4, 5]
    assert column_of([3, 1, 4, 1, 5], 2).numbers.tolist() == [1, 2]


def lone_people(seed: int = 7, n: int = 2000) -> pa.Table:
    """People of whom each has a number of their own, and a class that goes with it."""
    rng = np.random.default_rng(seed)
    x = rng.permutation(10 * n)[:n]
    risk = np.where(rng.random(n) < 0.5 + 0.4 * np.sin(x / n * 3), "hi", "lo")
    return pa.table({"x": x, "risk": risk})


def guesses(table: pa.Table, shown: tuple[float, ...]) -> list[bool]:
    """For each shown boundary: is the class of the person on its right another than of the one on its left?

    Whoever knows the one on the left, and that the best split separates no equal classes, guesses so.
    """
    of = dict(zip(table["x"].to_pylist(), table["risk"].to_pylist(), strict=True))
    found = []
    for border in shown[1:-1]:
        left = max(x for x in of if x < border)
        right = min(x for x in of if x >= border)
        found.append(of[left] != of[right])
    return found


@pytest.mark.slow
def test_a_boundary_no_longer_tells_the_class_of_the_person_beside_it() -> None:
    table = lone_people()
    exact = maskwise.anonymize(table, POLICY, criterion="score", boundaries="exact").solution.cuts[0].breaks
    safe = maskwise.anonymize(table, POLICY, criterion="score").solution.cuts[0].breaks
    assert len(exact) > 10
    assert all(guesses(table, exact))
    assert len(safe) > 10
    assert 0.2 < np.mean(guesses(table, safe)) < 0.8
    # An exact boundary is one person's own number; a safe one only where no other number lies between two people.
    people = sorted(table["x"].to_pylist())
    assert set(exact[1:-1]) <= set(people)
    for border in set(safe[1:-1]) & set(people):
        assert people[people.index(border) - 1] == border - 1


@pytest.mark.slow
def test_the_policy_and_the_option_say_which_boundaries() -> None:
    table = lone_people()

    def breaks(asked: dict[str, Any], **options: Any) -> tuple[float, ...]:
        return maskwise.anonymize(table, asked, criterion="score", **options).solution.cuts[0].breaks

    exact, safe = breaks(POLICY, boundaries="exact"), breaks(POLICY)
    assert exact != safe
    assert breaks({**POLICY, "boundaries": "exact"}) == exact
    assert breaks({**POLICY, "boundaries": "exact"}, boundaries="safe") == safe
    assert breaks({**POLICY, "boundaries": "safe"}, as_published=True) == exact
    with pytest.raises(maskwise.InputError, match="As published means exact"):
        breaks(POLICY, as_published=True, boundaries="safe")
    with pytest.raises(maskwise.InputError, match="found `round`"):
        breaks(POLICY, boundaries="round")
    with pytest.raises(maskwise.PolicyError, match="`boundaries` is one of `safe`"):
        breaks({**POLICY, "boundaries": "round"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"criterion": "infogain"}, {"criterion": "conditional"}, {"method": "bug"}],
    ids=["score", "infogain", "conditional", "bottom-up"],
)
def test_every_search_splits_at_safe_boundaries_only(options: dict[str, Any]) -> None:
    table = lone_people()
    allowed = set(column_of(table["x"].to_pylist(), 5).numbers.tolist())
    shown = maskwise.anonymize(table, POLICY, **options).solution.cuts[0].breaks
    assert len(shown) > 3
    assert set(shown[1:-1]) <= allowed


@pytest.mark.slow
@pytest.mark.parametrize("boundaries", ["safe", "exact"])
def test_top_and_bottom_coding_hides_the_ends(boundaries: str) -> None:
    rng = np.random.default_rng(3)
    age = rng.integers(10, 110, 600)
    table = pa.table({"age": age, "c": np.where(rng.random(600) < age / 120, "a", "b")})
    policy = {
        "class": "c",
        "attributes": {"age": {"interval": [0, 120], "clamp": [18, 90]}},
        "requirements": [{"qid": ["age"], "k": 3}],
    }
    outcome = maskwise.anonymize(table, policy, boundaries=boundaries, keep_order=True)
    cut = outcome.solution.cuts[0]
    assert cut.labels[0].startswith("< ")
    assert cut.labels[-1].startswith("≥ ")
    assert all(label.startswith("[") for label in cut.labels[1:-1])
    assert all(18 < end <= 90 for end in cut.breaks[1:-1])
    for number, label in zip(age.tolist(), outcome.data["age"].to_pylist(), strict=True):
        low, high = 0, 121
        if label.startswith("< "):
            high = int(label[2:])
        elif label.startswith("≥ "):
            low = int(label[2:])
        else:
            low, high = (int(end) for end in label.strip("[])").split(","))
        assert low <= number < high
    # Later rows beyond the range are truly coded too.
    later = maskwise.apply(pa.table({"age": [150, -3], "c": ["a", "a"]}), outcome.solution, keep_order=True)
    assert later.data["age"].to_pylist() == [cut.labels[-1], cut.labels[0]]
    assert not later.outside


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"interval": None, "clamp": [18, 90]}, "clamp goes with a range"),
        ({"interval": [0, 120], "clamp": [18]}, "clamp is .low, high."),
        ({"interval": [0, 120], "clamp": [90, 18]}, "does not lie inside the range"),
        ({"interval": [0, 120], "clamp": [18, 190]}, "does not lie inside the range"),
        ({"interval": [0, 120], "clamp": ["2020-01-01", 90]}, "does not lie inside the range"),
        ({"suppress": None, "clamp": [18, 90]}, "clamp"),
    ],
)
def test_a_wrong_clamp_is_named(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(maskwise.PolicyError, match=message):
        read_policy({"attributes": {"age": entry}, "requirements": [{"qid": ["age"], "k": 2}]})


def test_one_end_alone_may_be_coded() -> None:
    column = column_of([float(x) for x in range(20)], 2, Boundaries.EXACT, interval=[0, 50], clamp=[None, 10])
    assert column.numbers.tolist() == [float(x) for x in range(11)]
    assert column.interval_label(0, 5, closed=False) == "[0, 5)"
    assert column.interval_label(10, 50, closed=True) == "≥ 10"
    assert column.interval_label(0, 50, closed=True) == "≥ 0"
    bottom = column_of([float(x) for x in range(20)], 2, Boundaries.EXACT, interval=[0, 50], clamp=[10, None])
    both = column_of([float(x) for x in range(20)], 2, Boundaries.EXACT, interval=[0, 50], clamp=[5, 10])
    assert [one.interval_label(0, 50, closed=True) for one in (bottom, both)] == ["[0, 50]", "[0, 50]"]


@pytest.mark.slow
def test_pandas_dates_are_shown_as_dates() -> None:
    days = pa.array([i * 86_400_000_000 for i in range(0, 400, 4)], pa.timestamp("us"))
    table = pa.table({"day": days, "c": ["ab"[i // 50] for i in range(100)]})
    policy = {"class": "c", "requirements": [{"qid": ["day"], "k": 5}]}
    solution = maskwise.anonymize(table, policy).solution
    labels = solution.cuts[0].labels
    assert not any("T" in label for label in labels)
    assert labels[0].startswith("[1970-01-01, ")
    published = maskwise.anonymize(table, policy, as_published=True).solution.cuts[0].labels
    assert not any("T" in label for label in published)
    # Later rows may hold a time of the day; they are shown by their day.
    moment = pa.array([3 * 86_400_000_000 + 5], pa.timestamp("us"))
    later = maskwise.apply(pa.table({"day": moment, "c": ["a"]}), solution)
    assert later.data["day"].to_pylist() == [labels[0]]


@pytest.mark.parametrize(("minutes", "unit"), [(200, 1440), (7, 60), (1, 0.5)])
def test_timestamps_are_split_at_midnights_or_hours_where_few_bins_are_lost(minutes: int, unit: float) -> None:
    k = 20
    moments = [i * minutes * 60_000_000 + 3 * 60_000_000 for i in range(1000)]
    table = pa.table({"x": pa.array(moments, pa.timestamp("us"))})
    policy = read_policy({"requirements": [{"qid": ["x"], "k": k}]})
    found, _ = profile(read(table), policy)
    column = limit_boundaries(found, policy.floors(), Boundaries.SAFE).columns[0]
    borders = column.numbers[1:].tolist()
    assert all(border % (unit * 60_000_000) == 0 for border in borders)
    # By plain counting: every bin is large enough, and at least half of the bins that there could be are left.
    held = [sum(low <= one < high for one in moments) for low, high in pairwise([0, *borders, 10**18])]
    assert min(held) >= k
    assert len(held) >= 1000 // k / 2
