"""How many groups have each size: all that most figures of risk need, and all of it that leaves the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """The groups on some columns, by their size.

    >>> GroupSizes.of([(3, 1), (1, 2)]).n_records
    5
    """

    sizes: Ints  # (n_sizes,)
    """Each size that occurs, ascending: records, or persons where those are counted."""
    n_groups: Ints  # (n_sizes,)
    """How many groups have it."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]]) -> GroupSizes:
        """Make it of pairs of a size and the groups that have it."""
        ordered = sorted(pairs)
        return cls(
            np.array([size for size, _ in ordered], np.int64), np.array([n_groups for _, n_groups in ordered], np.int64)
        )

    @classmethod
    def of_counts(cls, counts: Ints) -> GroupSizes:
        """Make it of the size of each group."""
        return cls(*np.unique(counts, return_counts=True))

    @property
    def n_records(self) -> int:
        """All records; of persons, each once in every group that it is in."""
        return int(self.sizes @ self.n_groups)

    @property
    def n_unique(self) -> int:
        """The groups of one."""
        return int(self.n_groups[self.sizes == 1].sum())

    @property
    def unique(self) -> float:
        """The share of records that are alone; 0 if there is none."""
        return self.share(self.sizes == 1)

    def share(self, which: NDArray[np.bool_]) -> float:
        """The share of records whose group has one of some sizes.

        Args:
            which: For each size whether it counts.
        """
        n = self.n_records
        return int(self.sizes[which] @ self.n_groups[which]) / n if n else 0.0
