"""What refining the values of one attribute costs: the mean loss over the rules on its QIDs.

Losses are added one rule after the other in the order of the policy, however
the groups are kept, so that no choice depends on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from maskwise.search.groups.subset_groups import SubsetGroups
from maskwise.search.groups.subset_kernels import add_losses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.search.suppression.row_groups import QidFigures
    from maskwise.search.table_groups import QidGroups

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class _Run(NamedTuple):
    """Rules of the same groups that follow each other."""

    groups: int
    rules: Ints
    """Which rules they are."""
    rows: Ints
    """Where each is among the figures of the attribute's candidates."""
    by: Floats
    """What the loss by each is divided by."""


@dataclass(frozen=True, slots=True)
class Charges:
    """The rules that refining an attribute is charged by."""

    attribute: int
    """The attribute's number in the policy."""
    runs: tuple[_Run, ...]
    """The rules."""
    n: int
    """How many they are."""

    @classmethod
    def of(
        cls, attribute: int, charged: Sequence[tuple[int, int, float, float]], groups: Sequence[QidGroups | QidFigures]
    ) -> Charges:
        """Put rules of the same groups together.

        Args:
            attribute: The attribute.
            charged: What `charge` says of it.
            groups: The groups of all QIDs.
        """
        runs = []
        for t, entries in groupby(charged, key=lambda one: one[0]):
            own = list(entries)
            rules = np.array([r for _, r, _, _ in own], np.int64)
            kept = groups[t]
            rows = np.searchsorted(kept.rules_of(attribute), rules) if isinstance(kept, SubsetGroups) else rules
            runs.append(_Run(t, rules, rows, np.array([by for _, _, _, by in own])))
        return cls(attribute, tuple(runs), len(charged))

    def losses(self, groups: Sequence[QidGroups | QidFigures], nodes: Ints, root: int) -> Floats:
        """What refining each of some candidates costs.

        Args:
            groups: The groups of all QIDs.
            nodes: The candidates.
            root: The root of their attribute.
        """
        total = np.zeros(len(nodes))
        for run in self.runs:
            kept = groups[run.groups]
            if isinstance(kept, SubsetGroups):
                worst = kept.worst_of(self.attribute)[nodes - root]
                add_losses(kept.now, worst, run.rules, run.rows, run.by, total)
                continue
            for r, by in zip(run.rules.tolist(), run.by.tolist(), strict=True):
                total += (np.maximum(kept.now[r], kept.worst[r, nodes]) - kept.now[r]) / by
        return total / self.n

    def losses_of_splits(
        self, groups: Sequence[QidGroups | QidFigures], worst: Mapping[int, Floats], n_splits: int
    ) -> Floats:
        """What each split of an interval costs.

        Args:
            groups: The groups of all QIDs.
            worst: For those with the attribute what `try_splits` found.
            n_splits: How many splits there are.
        """
        total = np.zeros(n_splits)
        for t, of_split in worst.items():
            for run in (run for run in self.runs if run.groups == t):
                now = groups[t].now[run.rules]
                for at, row, by in zip(now.tolist(), run.rows.tolist(), run.by.tolist(), strict=True):
                    total += (np.maximum(at, of_split[row]) - at) / by
        return total / self.n
