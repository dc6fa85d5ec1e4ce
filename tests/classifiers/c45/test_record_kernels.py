"""The loops over records of C4.5 once a split is chosen."""

from __future__ import annotations

from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maskwise.classifiers.c45 import record_kernels
from tests.reference import c45 as plain


@settings(deadline=None, max_examples=200)
@given(st.floats(0.1, 1e5), st.floats(0, 1), st.sampled_from([0.01, 0.25, 0.5]))
def test_the_error_estimate_is_the_upper_end_of_an_interval(total: float, share: float, cf: float) -> None:
    wrong, z = total * share, NormalDist().inv_cdf(1 - cf)
    estimate = record_kernels.estimate_errors(total, wrong, cf, z)
    assert estimate == pytest.approx(wrong + plain.added(total, wrong, cf), rel=1e-9, abs=1e-9)
    assert estimate >= wrong - 1e-9
    if wrong >= 1 and wrong + 0.5 < total:
        p, f = estimate / total, (wrong + 0.5) / total
        assert (p - f) ** 2 == pytest.approx(z * z * p * (1 - p) / total, rel=1e-5, abs=1e-12)


def test_the_error_estimates_of_the_book() -> None:
    z = NormalDist().inv_cdf(0.75)
    assert record_kernels.estimate_errors(6.0, 0.0, 0.25, z) == pytest.approx(6 * 0.206, abs=5e-3)
    assert record_kernels.estimate_errors(9.0, 0.0, 0.25, z) == pytest.approx(9 * 0.143, abs=5e-3)
    assert record_kernels.estimate_errors(1.0, 0.0, 0.25, z) == pytest.approx(0.750, abs=5e-4)
