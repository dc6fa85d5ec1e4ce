"""Thresholds by name and number."""

from __future__ import annotations

import pytest

from maskwise.errors import InputError
from maskwise.risks.thresholds import DEFAULT_THRESHOLDS, read_thresholds


def test_the_default_ones() -> None:
    assert read_thresholds(DEFAULT_THRESHOLDS) == {"0.05": 0.05, "ema-0070": 0.09, "0.2": 0.2, "0.33": 0.33}


@pytest.mark.parametrize("given", ["0", "1", "1.5", "-0.1", "nan", 1, 0.0])
def test_a_number_that_is_no_chance_is_refused(given: str | float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        read_thresholds([given])


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"`ema-0070`.*Did you mean `ema-0070`"):
        read_thresholds(["ema-70"])
