"""What a search wants counted, as plain values: no engine, no record.

A search makes a `CountRequest`, `compress` answers it with `CompressedTables`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coding:
    """The small number that stands for each value of one masked attribute."""

    code_of_value: Ints  # (n_values + 1,)
    """The code of each value of the column, in the order of its profile; the missing value comes last."""
    n_codes: int
    """How many codes there are."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What is counted on one QID: the distinct coded rows, and the records of sensitive values in each."""

    attributes: tuple[int, ...]
    """The QID's attributes by their number in the policy, ascending."""
    sensitive: tuple[tuple[str, tuple[str | None, ...]], ...] = ()
    """Column and values of each set of sensitive values whose records are counted together."""
    wide: tuple[int, ...] = ()
    """Where many QIDs are subsets of some attributes: these, ascending. The records are then counted once, on all of
    them, and the rows of the QID are made of the rows of these. Empty counts the QID by itself."""


@dataclass(frozen=True, slots=True)
class ClassRequest:
    """The distinct coded rows of all masked attributes together, with the records of each class."""

    class_name: str
    """The class column."""
    unmasked: tuple[str, ...] = ()
    """Columns by the odds of whose values the records are grouped; those with nested or binary cells are left out."""
    n_attributes: int | None = None
    """The rows are of so many attributes, the first in policy order; None is all. Others are not in the release."""


@dataclass(frozen=True, slots=True)
class CountRequest:
    """Everything that one search wants counted."""

    codings: tuple[Coding, ...]
    """One for each masked attribute, in policy order."""
    tables: tuple[TableRequest, ...] = ()
    """One for each distinct QID."""
    classes: ClassRequest | None = None
    """Where the class is needed by the rows of all masked attributes together."""
