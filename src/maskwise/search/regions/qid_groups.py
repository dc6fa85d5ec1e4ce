"""The groups of one quasi-identifier while regions are split.

A group is all records that show the same on the QID's attributes, whatever their
regions. What a region shows is told apart by the values it can stand for, not by
its label: after a child was told, what is left of the value is something else
than the value. So a group holds also against somebody who knows all splits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.search import rule_kernels
from maskwise.search.bounds import as_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


NO_RULES = as_rules((), np.zeros(1, np.int64))
"""Of groups that are only kept to know them."""


class QidGroups:
    """The groups of one QID, their counters, and how bad the worst is by each rule."""

    def __init__(
        self,
        attributes: Sequence[int],
        rules: rule_kernels.Rules,
        whole: Ints,
        root: Hashable = (),
        block: Ints | None = None,
    ) -> None:
        """Start with one group, that of region 0.

        Args:
            attributes: The QID's attributes.
            rules: What its groups must satisfy.
            whole: (n_counts,) the counters of the whole table.
            root: What region 0 shows.
            block: (n_rows,) a number for what earlier releases show of each compressed row on the QID; rows with
                different numbers are different groups, each of which must satisfy the rules. None without them.
        """
        self.attributes = tuple(attributes)
        self.rules, self.block = rules, block
        self.group_of: list[int] = [0]
        self.regions: list[set[int]] = [{0}]
        self._number: dict[Hashable, int] = {root: 0}
        self._keys: list[Hashable] = [root]
        self._counts = np.zeros((16, len(whole)), np.int64)
        self._badness = np.full((len(self.rules.kind), 16), -np.inf)
        self._counts[0] = whole
        self._weigh([0])

    def key_of(self, group: int) -> Hashable:
        """What a group shows."""
        return self._keys[group]

    def counts_of(self, key: Hashable) -> Ints:
        """The counters of the group that shows something; nothing, if there is none."""
        group = self._number.get(key)
        found: Ints = np.zeros(self._counts.shape[1], np.int64) if group is None else self._counts[group]
        return found

    @property
    def worst(self) -> NDArray[np.float64]:
        """How bad the worst group is by each rule."""
        worst: NDArray[np.float64] = self._badness[:, : len(self._keys)].max(axis=1, initial=-np.inf)
        return worst

    def is_safe_after(self, change: Mapping[Hashable, Ints]) -> bool:
        """Whether groups would satisfy every rule, or be empty, after their counters changed.

        Args:
            change: What is added to the counters of the group that shows something.
        """
        counts = np.array([self.counts_of(key) + moved for key, moved in change.items()])
        there = np.ascontiguousarray(counts[counts[:, 0] > 0])
        broken = np.empty((len(self.rules.kind), len(there)), np.bool_)
        rule_kernels.weigh_groups(self.rules, there, np.empty(broken.shape), broken)
        return not broken.any()

    def stays(self, regions: Sequence[int], old: int) -> None:
        """Note that regions were split from another by an attribute that is not in the QID."""
        group = self.group_of[old]
        self.group_of += [group] * len(regions)
        self.regions[group].update(regions)

    def move(self, keys: Mapping[int, Hashable], counts: Mapping[int, Ints], old: int, before: Ints) -> None:
        """Put a region and those split from it into the groups of what they show now.

        Args:
            keys: What each shows on the QID's attributes; new regions by their numbers, in order.
            counts: The counters of each.
            old: The region that was split.
            before: Its counters before.
        """
        left = self.group_of[old]
        self._counts[left] -= before
        self._regroup(keys, old)
        for region in keys:
            self._counts[self.group_of[region]] += counts[region]
        self._weigh(sorted({left, *(self.group_of[region] for region in keys)}))

    def recount(self, keys: Mapping[int, Hashable], old: int, count: Callable[[Collection[int]], Ints]) -> None:
        """Do what `move` does where counters of regions do not add up.

        Args:
            keys: As in `move`.
            old: As in `move`.
            count: Says the counters of some regions together, (n_blocks, n_counts).
        """
        left = self.group_of[old]
        self._regroup(keys, old)
        touched = sorted({left, *(self.group_of[region] for region in keys)})
        for group in touched:
            self.weigh_blocks(group, count(self.regions[group]))

    def weigh_blocks(self, group: int, counts: Ints) -> None:
        """Note the counters of each block of a group.

        Args:
            group: The group.
            counts: (n_blocks, n_counts)
        """
        self._counts[group] = counts.sum(axis=0)
        there = np.ascontiguousarray(counts[counts[:, 0] > 0])
        bad = np.full((len(self._badness), len(there)), -np.inf)
        if bad.size:
            rule_kernels.weigh_groups(self.rules, there, bad, np.empty(bad.shape, np.bool_))
        self._badness[:, group] = bad.max(axis=1, initial=-np.inf)

    def _regroup(self, keys: Mapping[int, Hashable], old: int) -> None:
        self.regions[self.group_of[old]].discard(old)
        for region, key in keys.items():
            group = self._number.setdefault(key, len(self._keys))
            if group == len(self._keys):
                self._keys.append(key)
                self.regions.append(set())
                self._make_room()
            self.regions[group].add(region)
            if region == old:
                self.group_of[old] = group
            else:
                self.group_of.append(group)

    def _make_room(self) -> None:
        if len(self._keys) > len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)])
            self._badness = np.concatenate([self._badness, np.full_like(self._badness, -np.inf)], axis=1)

    def _weigh(self, groups: Sequence[int]) -> None:
        there = [group for group in groups if self._counts[group, 0] > 0]
        self._badness[:, list(groups)] = -np.inf
        if there and len(self._badness):
            bad = np.empty((len(self._badness), len(there)))
            rule_kernels.weigh_groups(self.rules, self._counts[there], bad, np.empty(bad.shape, np.bool_))
            self._badness[:, there] = bad
