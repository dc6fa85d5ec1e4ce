"""Compressed tables, as plain values without an engine: the answer to a `CountRequest`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from maskwise.compress.spill import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Compact:
    """The distinct coded rows of some attributes, such as those of a QID."""

    attributes: tuple[int, ...]
    """The attributes by their number in the policy, ascending."""
    codes: NDArray[np.unsignedinteger]  # (n_rows, n_attributes)
    """The code of each row on each attribute."""
    counts: NDArray[np.int64]  # (n_rows, n_counts)
    """Of a QID: the records of each row, then those of them with each sensitive value; or so the persons. Else the
    records by class."""
    workspace: Workspace = field(default_factory=Workspace)
    """Where the rows are kept, and what a search makes of them."""
    persons: NDArray[np.int64] | None = None  # (n_rows,)
    """The number of each row's person, where some persons have several rows; every counter of a row is then 1 or 0."""

    def whole(self) -> NDArray[np.int64]:
        """The counters of the whole table; of persons each once, however many rows it has."""
        if self.persons is None:
            totals: NDArray[np.int64] = self.counts.sum(axis=0)
            return totals
        n_persons = int(self.persons.max()) + 1
        there = np.zeros((self.counts.shape[1], n_persons), np.bool_)
        for c in range(len(there)):
            there[c, self.persons[self.counts[:, c] > 0]] = True
        n_there: NDArray[np.int64] = there.sum(axis=1)
        return n_there


@dataclass(frozen=True, slots=True)
class ClassTable:
    """The rows of all masked attributes together, by class, and apart by a number that each record has."""

    rows: Compact
    """The distinct rows; their counters are the classes."""
    group_of_row: NDArray[np.int64] | None = None  # (n_rows,)
    """The bin that the records of each row are in, by what unmasked columns tell; None if these tell nothing."""
    labels: tuple[str | None, ...] = ()
    """How each class is spelled; None is the missing one."""


@dataclass(frozen=True, slots=True)
class CompressedTables:
    """Everything that was counted for a search."""

    tables: Sequence[Compact] = ()
    """One for each distinct QID, in the order of the request; a `QidTables` makes some of them when they are asked
    for."""
    classes: ClassTable | None = None
    """The rows by class, where that was asked for."""
    workspace: Workspace = field(default_factory=Workspace)
    """Where they are kept."""
