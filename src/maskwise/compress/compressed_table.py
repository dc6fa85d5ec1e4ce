"""The compressed table of one QID, as a plain value without an engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from maskwise.compress.spill import Room

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Need:
    """What the search wants to know of one QID."""

    attributes: tuple[int, ...]
    """The QID's attributes by their number in the policy, ascending."""
    sensitive: tuple[tuple[str, str | None], ...] = ()
    """Column and value of each sensitive value whose records are counted."""


@dataclass(frozen=True, slots=True)
class Compact:
    """The distinct coded rows of one QID."""

    attributes: tuple[int, ...]
    """The QID's attributes by their number in the policy, ascending."""
    codes: NDArray[np.unsignedinteger]  # (n_rows, n_attributes)
    """Finest reachable value of each row on each attribute."""
    counts: NDArray[np.int64]  # (n_rows, 1 + n_sensitive)
    """Records behind each row, then those of them with each protected sensitive value."""
    room: Room = field(default_factory=Room)
    """Where they are kept, and what is made of them."""
