"""What a measure works on (the groups of a QID, by their counts) and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from maskwise.verify.counted_values import Values

    Ints = NDArray[np.int64]

TOLERANCE = 1e-12
"""Entropies and distances are rounded, so they meet a bound that they miss by less."""


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The groups of one QID by their counts; groups with equal counts stand together."""

    n_groups: Ints  # (n_kinds,)
    """How many groups have these counts."""
    n_records: Ints  # (n_kinds,)
    """The records of each, or its persons where those are counted."""
    n_values: Mapping[tuple[str, Values], Ints]  # each (n_kinds,)
    """Those of them with each sensitive value, or with one of several."""
    n_whole: Mapping[tuple[str, Values], int] | None = None
    """Those of the whole table with each sensitive value, where they are no sum of the groups'."""

    def counts_of(self, column: str, values: tuple[Values, ...]) -> Ints:
        """The records of each group with each value of a sensitive column, or each of several together.

        Args:
            column: The column.
            values: Its values, in the order of the result's columns.
        """
        return np.stack([self.n_values[column, value] for value in values], axis=1)

    def whole_of(self, column: str, values: tuple[Values, ...]) -> Ints:
        """What the whole table has of each value; the arguments are those of `counts_of`."""
        if self.n_whole is not None:
            return np.array([self.n_whole[column, value] for value in values], np.int64)
        whole: Ints = (self.counts_of(column, values) * self.n_groups[:, None]).sum(axis=0)
        return whole


@dataclass(frozen=True, slots=True)
class Measured:
    """How the groups of one QID stand by a part."""

    figures: NDArray[np.generic]  # (n_kinds,)
    """The figure of each kind of group: its records, a share, how diverse, how far."""
    is_broken: NDArray[np.bool_]  # (n_kinds,)
    """Whether it breaks the part."""
    is_low_bad: bool
    """Whether the worst figure is the smallest."""

    def worst(self, n_records: Ints) -> int:
        """The kind of group that stands worst, the largest of equals."""
        bad = -self.figures.astype(np.float64) if self.is_low_bad else self.figures.astype(np.float64)
        return int(np.lexsort((n_records, bad))[-1])
