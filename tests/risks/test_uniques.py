"""Estimates of population uniques: ARX's published values, samples of a known population, and where models end."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import hypergeom, nbinom

from maskwise.datasets import load_adult
from maskwise.risks.group_sizes import GroupSizes
from maskwise.risks.prosecutor import group_risk
from maskwise.risks.uniques import by_pitman, by_snb, by_zayatz, estimate_uniques

QID = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "income")


def adult_rows() -> list[tuple[Any, ...]]:
    table = load_adult("train").drop_null().select(QID)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def sizes_of(rows: list[Any]) -> GroupSizes:
    return GroupSizes.of(Counter(Counter(rows).values()).items())


@pytest.fixture(scope="module")
def rows() -> list[tuple[Any, ...]]:
    return adult_rows()


def test_adult_has_the_figures_of_other_tools(rows: list[Any]) -> None:
    """The values of ARX's own tests: average and unique counted, Pitman and Zayatz at fractions of a population."""
    sizes = sizes_of(rows)
    found = group_risk(QID, sizes, {})
    assert found.average == pytest.approx(0.6465751607983555, abs=1e-15)
    assert found.unique == pytest.approx(0.5142895033485844, abs=1e-15)
    n = sizes.n_records
    assert by_pitman(sizes, n * 10) == pytest.approx(0.276850, abs=5e-7)
    assert by_pitman(sizes, n * 100) == pytest.approx(0.144608, abs=5e-7)
    assert by_zayatz(sizes, n * 10) == pytest.approx(0.320740, abs=5e-7)
    assert by_zayatz(sizes, n * 5) == pytest.approx(0.357710, abs=5e-7)


def test_samples_of_adult_give_its_uniqueness_nearly(rows: list[Any]) -> None:
    """The truth is 0.5143: of a fifth, the slide negative binomial model is nearest; of a tenth, Pitman's."""
    rng = random.Random(5)  # noqa: S311 - test data
    truth = sizes_of(rows).unique
    fifth = [sizes_of(rng.sample(rows, len(rows) // 5)) for _ in range(6)]
    snb = [by_snb(sizes, len(rows)) or math.nan for sizes in fifth]
    zayatz = [by_zayatz(sizes, len(rows)) for sizes in fifth]
    assert sum(snb) / 6 == pytest.approx(0.544, abs=0.02)
    assert sum(zayatz) / 6 == pytest.approx(0.604, abs=0.01)
    assert all(abs(one - truth) < abs(other - truth) for one, other in zip(snb, zayatz, strict=True))
    tenth = [by_pitman(sizes_of(rng.sample(rows, len(rows) // 10)), len(rows)) or math.nan for _ in range(6)]
    assert sum(tenth) / 6 == pytest.approx(0.518, abs=0.03)


def test_the_rule_takes_pitman_of_a_small_part_and_the_smaller_of_two_otherwise(rows: list[Any]) -> None:
    sizes = sizes_of(rows)
    small = estimate_uniques(sizes, QID, sizes.n_records * 10)
    assert (small.model, small.estimate) == ("pitman", small.pitman)
    large = estimate_uniques(sizes, QID, sizes.n_records * 5)
    assert large.zayatz is not None
    assert large.snb is not None
    assert large.estimate == min(large.zayatz, large.snb)
    whole = estimate_uniques(sizes, QID, sizes.n_records)
    assert (whole.model, whole.estimate) == ("counted", sizes.unique)


def test_a_population_of_the_model_is_recovered() -> None:
    """Groups drawn from the slide negative binomial distribution itself, thinned binomially."""
    rng = random.Random(8)  # noqa: S311 - test data
    a, p, n_groups = 0.4, 0.15, 40_000
    population = [1 + int(size) for size in nbinom.rvs(a, p, size=n_groups, random_state=3)]
    seen = Counter(sum(rng.random() < 0.2 for _ in range(size)) for size in population)
    del seen[0]
    n_population = sum(population)
    truth = sum(size == 1 for size in population) / n_population
    sample = GroupSizes.of(seen.items())
    # The fraction that was drawn is not exactly a fifth, so that the size of the population is scaled to it.
    assert by_snb(sample, round(sample.n_records / 0.2)) == pytest.approx(truth, rel=0.06)


@given(pairs=st.dictionaries(st.integers(1, 12), st.integers(1, 40), min_size=1, max_size=8), factor=st.integers(2, 30))
def test_zayatz_is_its_formula(pairs: dict[int, int], factor: int) -> None:
    sizes = GroupSizes.of(pairs.items())
    n, total = sizes.n_records, sizes.n_records * factor
    likely = {size: hypergeom.pmf(1, total, size, n) for size in pairs}
    if 1 in pairs:
        of_unique = pairs[1] * likely[1] / sum(pairs[size] * likely[size] for size in pairs)
        assert by_zayatz(sizes, total) == pytest.approx(pairs[1] * of_unique * factor / total, rel=1e-6)
    else:
        assert by_zayatz(sizes, total) == 0


@pytest.mark.parametrize("pairs", [{1: 50, 2: 20, 3: 8, 7: 2}, {1: 500, 2: 90, 3: 30, 4: 11, 40: 1}])
def test_pitmans_parameters_are_those_of_another_optimizer(pairs: dict[int, int]) -> None:
    sizes = GroupSizes.of(pairs.items())
    n, u, n_population = sizes.n_records, sum(pairs.values()), sizes.n_records * 20

    def cost(point: Any) -> float:
        alpha, theta = point
        found = sum(math.log(theta + i * alpha) for i in range(1, u)) - sum(math.log(theta + i) for i in range(1, n))
        return -found - sum(m * math.log(j - alpha) for size, m in pairs.items() for j in range(1, size))

    exact = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20_000, "maxfev": 20_000}
    limits = [(1e-6, 1 - 1e-6), (1e-6, 1e6)]
    best = minimize(cost, [0.5, 10.0], method="Nelder-Mead", bounds=limits, options=exact)
    alpha, theta = best.x
    uniques = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(n_population))
    assert by_pitman(sizes, n_population) == pytest.approx(uniques / n_population, rel=1e-3)


@pytest.mark.parametrize(
    ("pairs", "factor", "said"),
    [({5: 3}, 20, "no record is alone"), ({1: 4}, 20, "every record is alone"), ({1: 4}, 2, "Zayatz' stands alone")],
)
def test_what_cannot_be_estimated_is_said(pairs: dict[int, int], factor: int, said: str) -> None:
    sizes = GroupSizes.of(pairs.items())
    found = estimate_uniques(sizes, ["a"], sizes.n_records * factor)
    assert said in found.note
    assert (found.estimate is None) == (factor > 10)
