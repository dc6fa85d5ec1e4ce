"""Cells of NumPy arrays: which are missing, and what a column of them becomes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import maskwise
from maskwise.values.cells import cells_to_arrow, is_missing


def test_none_nan_and_pandas_na_are_missing_and_nothing_else() -> None:
    assert all(is_missing(cell) for cell in (None, math.nan, np.nan, pd.NA, pd.NaT))
    assert not any(is_missing(cell) for cell in (0, "", False, math.inf, "NA"))


def test_missing_cells_become_null() -> None:
    assert cells_to_arrow(np.array([1, None, pd.NA, np.nan], object), "a").to_pylist() == [1, None, None, None]


def test_a_column_of_mixed_types_is_named() -> None:
    with pytest.raises(maskwise.InputError, match="Column `a` mixes types"):
        cells_to_arrow(np.array([1, "x"], object), "a")
