"""Cells as NumPy arrays hold them: which are missing, and how a column of them becomes an Arrow array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from maskwise.errors import InputError

if TYPE_CHECKING:
    import numpy as np


def is_missing(cell: object) -> bool:
    """Whether a cell is None, NaN or pandas' NA.

    >>> [is_missing(cell) for cell in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124 - NaN
    except TypeError:  # pandas' NA has no truth value
        return True


def cells_to_arrow(cells: np.ndarray[Any, Any], name: str) -> pa.Array:
    """A column of a NumPy array as an Arrow array; missing cells become null.

    Args:
        cells: (n_records,) of any type.
        name: What an error calls the column.
    """
    try:
        return pa.array([None if is_missing(cell) else cell for cell in cells.tolist()])
    except (pa.ArrowException, TypeError, ValueError):
        raise InputError(mixed_types(name)) from None


def mixed_types(name: str) -> str:
    """What to say of a column whose cells have no common type."""
    return f"Column `{name}` mixes types. Make it text or numbers."
