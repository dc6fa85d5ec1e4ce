"""Compressed tables, as plain values without an engine: the answer to a `CountRequest`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from maskwise.compress.spill import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Compact:
    """The distinct coded rows of some attributes, such as those of a QID."""

    attributes: tuple[int, ...]
    """The attributes by their number in the policy, ascending."""
    codes: NDArray[np.unsignedinteger]  # (n_rows, n_attributes)
    """The code of each row on each attribute."""
    counts: NDArray[np.int64]  # (n_rows, n_counts)
    """Of a QID: the records of each row, then those of them with each sensitive value. Else the records by class."""
    workspace: Workspace = field(default_factory=Workspace)
    """Where the rows are kept, and what a search makes of them."""


@dataclass(frozen=True, slots=True)
class ClassTable:
    """The rows of all masked attributes together, by class, and apart by a number that each record has."""

    rows: Compact
    """The distinct rows; their counters are the classes."""
    group_of_row: NDArray[np.int64] | None = None  # (n_rows,)
    """The number that the records of each row have, as `RecordGroups` says; None if there is none."""
    description: Any = None
    """What `RecordGroups` said of these numbers."""


@dataclass(frozen=True, slots=True)
class CompressedTables:
    """Everything that was counted for a search."""

    tables: tuple[Compact, ...] = ()
    """One for each distinct QID, in the order of the request."""
    class_tables: tuple[ClassTable, ...] = ()
    """The rows by class, once for each way of grouping the records; one without groups if there is no such way."""
    workspace: Workspace = field(default_factory=Workspace)
    """Where they are kept."""
