"""Every measure of the recount against the definition in plain Python, and that each type of part has one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise import LKC, Closeness, Confidence, Diversity, KAnonymity
from maskwise.policy.requirements.closeness import Distance
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.diversity import Measure
from maskwise.verify.measures.closeness import measure_distance
from maskwise.verify.measures.confidence import measure_share
from maskwise.verify.measures.diversity import measure_diversity
from maskwise.verify.measures.k_anonymity import measure_size
from maskwise.verify.measures.registry import measure_groups
from maskwise.verify.measures.spectrum import Measured, Spectrum
from tests.reference import privacy_models as plain

QID = ("q",)
VALUES = ("a", "b", "c", None)
groups = st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any), min_size=1, max_size=5)
weights = st.lists(st.integers(1, 3), min_size=5, max_size=5)
bounds = st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20)


def spectrum_of(counts: list[list[int]], times: list[int]) -> Spectrum:
    """Groups with these counts of the values, each as often as said."""
    stood = np.array(counts, np.int64)
    n_values = {("s", value): stood[:, i] for i, value in enumerate(VALUES)}
    return Spectrum(np.array(times[: len(counts)], np.int64), stood.sum(axis=1), n_values)


@settings(max_examples=100, deadline=None)
@given(counts=groups, k=st.integers(1, 20))
def test_size(counts: list[list[int]], k: int) -> None:
    measured = measure_size(KAnonymity(QID, k), spectrum_of(counts, [1] * 5), ())
    assert measured.is_low_bad
    assert measured.figures.tolist() == [sum(group) for group in counts]
    assert measured.is_broken.tolist() == [sum(group) < k for group in counts]


@settings(max_examples=100, deadline=None)
@given(counts=groups, bound=bounds, at=st.integers(0, 3))
def test_share(counts: list[list[int]], bound: Fraction, at: int) -> None:
    part = Template(QID, "s", VALUES[at], bound)
    measured = measure_share(part, spectrum_of(counts, [1] * 5), (VALUES[at],))
    shares = [Fraction(group[at], sum(group)) for group in counts]
    assert not measured.is_low_bad
    assert measured.figures.tolist() == pytest.approx([float(share) for share in shares])
    assert measured.is_broken.tolist() == [share > bound for share in shares]


@settings(max_examples=100, deadline=None)
@given(counts=groups, level=st.integers(2, 4), factor=bounds)
def test_diversity(counts: list[list[int]], level: int, factor: Fraction) -> None:
    spectrum = spectrum_of(counts, [1] * 5)

    def measure(how: Measure, c: Fraction = Fraction(1)) -> Measured:
        return measure_diversity(Diversity(QID, "s", how, Fraction(level), c), spectrum, VALUES)

    distinct, entropy, recursive = (
        measure(Measure.DISTINCT),
        measure(Measure.ENTROPY),
        measure(Measure.RECURSIVE, factor),
    )
    assert (distinct.is_low_bad, entropy.is_low_bad, recursive.is_low_bad) == (True, True, False)
    assert distinct.figures.tolist() == [plain.n_distinct(group) for group in counts]
    assert distinct.is_broken.tolist() == [plain.n_distinct(group) < level for group in counts]
    assert entropy.figures.tolist() == pytest.approx([2 ** plain.bits(group) for group in counts])
    limit = float(np.log2(level)) - plain.NEAR
    assert entropy.is_broken.tolist() == [plain.bits(group) < limit for group in counts]
    ratios = [plain.recursive_ratio(group, level, sum(group)) for group in counts]
    assert recursive.figures.tolist() == pytest.approx([float(ratio) for ratio in ratios])
    assert recursive.is_broken.tolist() == [ratio >= factor for ratio in ratios]


@pytest.mark.parametrize(
    ("distance", "reference"),
    [(Distance.EQUAL, plain.equal_distance), (Distance.ORDERED, plain.ordered_distance)],
)
@settings(max_examples=100, deadline=None)
@given(counts=groups, times=weights, bound=bounds)
def test_distance(
    distance: Distance, reference: Any, counts: list[list[int]], times: list[int], bound: Fraction
) -> None:
    part = Closeness(QID, "s", bound, distance)
    measured = measure_distance(part, spectrum_of(counts, times), VALUES)
    whole = [sum(n * group[i] for n, group in zip(times, counts, strict=False)) for i in range(4)]
    distances = [reference(group, whole) for group in counts]
    assert not measured.is_low_bad
    assert measured.figures.tolist() == pytest.approx([float(distance) for distance in distances])
    assert measured.is_broken.tolist() == [distance > bound for distance in distances]


def test_the_worst_group_is_the_largest_of_equals() -> None:
    n_records = np.array([3, 9, 5])
    is_broken = np.zeros(3, np.bool_)
    assert Measured(np.array([0.5, 0.5, 0.2]), is_broken, is_low_bad=False).worst(n_records) == 1
    assert Measured(np.array([0.5, 0.5, 0.2]), is_broken, is_low_bad=True).worst(n_records) == 2


def test_every_part_of_every_model_has_a_measure() -> None:
    shares = (("s", "a", Fraction(1, 2)),)
    spectrum = spectrum_of([[1, 2, 3, 4]], [1])
    for requirement in (
        KAnonymity(QID, 2),
        Confidence(QID, shares),
        LKC(QID, 1, 2, shares),
        Diversity(QID, "s", Measure.DISTINCT, Fraction(2)),
        Closeness(QID, "s", Fraction(1, 2)),
    ):
        for part in requirement.parts:
            values: tuple[str | None, ...] = VALUES
            values = () if part.counted is None else part.counted.values or values
            assert len(measure_groups(part, spectrum, values).figures) == 1
